"""Explanations of several parts: generator, place, function, and what covers the rest. specs/verify.md, section 3."""

import numpy as np
import oracle
import pytest
from faulty_generators import GENERATORS
from thinning import with_costly

from dmlrand import make_state, random_generator, verify

COUNTER, KEY = 0x9ABCDEF0_12345678_0FEDCBA9_FFFFFF00, 0xDEADBEEF_CAFEBABE
STATE = make_state(counter=COUNTER, key=KEY)
SIX = oracle.state_words(COUNTER, KEY)
N = 600
RIGHT = random_generator(STATE, 2 * N).values


def made(name, n=N):
    return np.array(GENERATORS[name](SIX, (n,)), np.uint32)


def finding(values, state=STATE, **options):
    (found,) = verify(state, np.ascontiguousarray(values), **options).diagnosis
    return found


PLACES = {
    "column-major": lambda words: words.reshape(20, 30).T,
    "words-at-strides": lambda words: words.reshape(20, 30)[::-1],
}
FUNCTIONS = {
    "bits-cleared": lambda words: words & np.uint32(0x7FFFFFFF),
    "bytes-swapped": lambda words: words.byteswap(),
}


@pytest.mark.parametrize(
    "generator, place, function",
    with_costly([(None, "column-major", "bytes-swapped")], [("signed-products", "words-at-strides", "bits-cleared")]),
)
def test_three_parts_are_named(generator, place, function):
    words = RIGHT[:N] if generator is None else made(generator)
    values = np.ascontiguousarray(PLACES[place](FUNCTIONS[function](words)))
    parts = finding(values).name.split("+")
    assert set(parts) == {place, function} | ({generator} if generator else set())


def test_what_covers_the_rest_is_said():
    words = np.r_[made("rounds-7"), np.zeros(50, np.uint32)]
    found = finding(words)
    assert found.name == "rounds-7"
    assert found.sentence.endswith(" This explains all words but these: words 600 to 649 are the constant 0x0.")
    words = np.r_[RIGHT[:200], made("rounds-7")[200:]]
    assert finding(words).sentence.endswith(" This explains all words but these: words 0 to 199 are right.")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["rounds-7", "lanes-reversed"])
def test_faults_of_words_are_named_in_numbers(dtype, name):
    """verify 1.5"""
    low = np.uint32(0x7FFFFF)
    words = made(name)
    if dtype == "float32":
        numbers = (words & low).astype(np.float32) / np.float32(2**23)
    else:
        pairs = words.reshape(-1, 2).astype(np.uint64)
        numbers = ((pairs[:, 0] & np.uint64(0xFFFFF)) << np.uint64(32) | pairs[:, 1]) / 2.0**52
    assert name in {found.name for found in verify(STATE, numbers, dtype=dtype).diagnosis}


def as_type(dtype):
    return lambda data: np.frombuffer(data, np.uint32).astype(dtype).tobytes()


UNDONE = [
    ("line-ends-changed", lambda data: data.replace(b"\n", b"\r\n")),
    ("words-of-another-size", as_type(np.int64)),
    ("words-of-another-size", lambda data: np.frombuffer(data, np.int32).astype(np.int64).tobytes()),
    ("bytes-as-text", lambda data: "".join(f"{word}\n" for word in np.frombuffer(data, "u4").tolist()).encode()),
    ("bytes-as-text", lambda data: b", ".join(b"0x%08xu" % word for word in np.frombuffer(data, "u4").tolist())),
    ("bytes-as-text", lambda data: str(np.frombuffer(data, "i4").tolist()).encode()),
]
CUT = [
    ("header-before-words", lambda data: b"\x01\x02\x03\x04\x05\x06\x07" + data),
    ("bytes-lost", lambda data: data[801:]),
    ("bytes-lost+zero-tail", lambda data: data[801:] + bytes(900)),
    ("zero-tail", lambda data: data[:801] + bytes(len(data) - 801)),
]


@pytest.mark.parametrize(("name", "change"), with_costly(UNDONE[:2] + UNDONE[3:5] + CUT, UNDONE[2::3]))
def test_faults_of_the_file(name, change):
    """verify 3.7"""
    data = change(RIGHT.tobytes())
    assert finding(np.frombuffer(data[: len(data) // 4 * 4], np.uint32)).name == name


@pytest.mark.parametrize(("name", "change"), with_costly(UNDONE[1:2], UNDONE[:5:4]))
def test_a_fault_of_the_file_and_of_the_generator(name, change):
    """verify 3.7"""
    data = change(made("rounds-7", 2000).tobytes())
    assert finding(np.frombuffer(data[: len(data) // 4 * 4], np.uint32)).name == f"{name}+rounds-7"


@pytest.mark.parametrize("moved, text", [(502, "502 blocks instead of 251, twice as many"), (-3, "-3 blocks instead")])
def test_how_far_a_new_state_moved(moved, text):
    """verify 3.3"""
    new_state = make_state(counter=(COUNTER + moved) % 2**128, key=KEY)
    found = finding(RIGHT[:1004], new_state=new_state)
    assert found.name == "state-advanced-otherwise" and text in found.sentence


def test_a_mask_of_right_words_at_other_places():
    """verify 3.10: half of the words are right words of the stream."""
    assert finding(np.tile(RIGHT[:200], 5) & np.uint32(0x7FFFFFFF)).name == "draws-in-one-file+bits-cleared"


@pytest.mark.costly
@pytest.mark.parametrize("seed", range(4))
def test_foreign_words_have_no_finding(seed):
    rng = np.random.default_rng((seed, 1))  # the words of a small seed would be recognized as those of PCG64
    n = int(rng.integers(1, 2000))
    assert verify(STATE, rng.integers(0, 2**32, n, np.uint32)).diagnosis == ()
    mixed = np.where(rng.random(n) < 0.5, RIGHT[:n] if n <= RIGHT.size else 0, rng.integers(0, 2**32, n, np.uint32))
    assert n > RIGHT.size or verify(STATE, mixed.astype(np.uint32)).diagnosis == ()


@pytest.mark.costly
@pytest.mark.parametrize(("percent", "is_named"), [(15, True), (30, False)])
def test_scattered_foreign_words(percent, is_named):
    """verify 3.9: three words are explained for each foreign one."""
    values, foreign = made("rounds-7"), N * percent // 100
    rng = np.random.default_rng(percent)
    values[rng.permutation(N)[:foreign]] = rng.integers(1, 2**32 - 1, foreign, np.uint32)
    found = verify(STATE, values).diagnosis
    assert [each.name for each in found] == ["rounds-7"] * is_named
    if is_named:
        assert f"explains {N - foreign} of {N} words; the others are not explained." in found[0].sentence


@pytest.mark.parametrize("n", with_costly([12], [11]))
def test_few_words_before_foreign_ones(n):
    """verify 3.9"""
    words = np.r_[made("rounds-7")[:n], np.random.default_rng(n).integers(1, 2**32 - 1, 5, np.uint32)]
    assert [found.name for found in verify(STATE, words).diagnosis] == ["rounds-7"] * (n >= 12)


COARSE = {
    "n / 256": lambda rng, n: rng.integers(0, 256, n) / 256,
    "n / 4096": lambda rng, n: rng.integers(0, 4096, n) / 4096,
    "n / 255": lambda rng, n: rng.integers(0, 256, n) / 255,
    "2 decimals": lambda rng, n: np.round(rng.random(n), 2),
    "float16": lambda rng, n: rng.random(n).astype(np.float16),
    "bfloat16": lambda rng, n: (rng.random(n, np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32),
}


def random_state(rng):
    return make_state(counter=int.from_bytes(rng.bytes(16), "little"), key=int.from_bytes(rng.bytes(8), "little"))


@pytest.mark.costly
@pytest.mark.parametrize("n, dtype", [(60, "float32"), (1000, "float64")])
@pytest.mark.parametrize("name", COARSE)
def test_foreign_coarse_numbers_have_no_finding(name, n, dtype):
    """verify 3.9: numbers of few values equal others by chance."""
    values = COARSE[name](np.random.default_rng([n, len(name)]), n).astype(dtype)
    assert verify(STATE, values, dtype=dtype).diagnosis == ()


@pytest.mark.costly
@pytest.mark.parametrize("elements, what, swapped", [(16, "text and zeros", False), (1, "random", True)])
def test_headers_of_whole_words(elements, what, swapped):
    """verify 3.5"""
    rng = np.random.default_rng(elements)
    state = random_state(rng)
    size = 4 * elements
    head = {"random": rng.bytes(size), "text and zeros": (b"TAG!" * (elements // 2)).ljust(size, b"\0")}
    raw = head[what] + random_generator(state, 6001).values.tobytes()
    values = np.frombuffer(raw, np.uint32)
    found = verify(state, values.byteswap() if swapped else values).diagnosis[0]
    assert found.name == "header-before-words" + "+bytes-swapped" * swapped
    assert f"The stream begins at word {elements:,}, after {size:,} bytes of something else" in found.sentence
