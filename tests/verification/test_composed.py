"""Explanations of several parts: generator, place, function, and what covers the rest. specs/verify.md, section 3."""

from random import Random

import numpy as np
import oracle
import pytest
from faulty_generators import GENERATORS

from dmlrand import make_state, random_generator, uniform, verify
from dmlrand.compat import jax

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


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("generator", [None, "rounds-9", "signed-products", "key-words-reversed"])
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
@pytest.mark.parametrize("name", ["rounds-7", "key-words-reversed", "lanes-reversed", "bytes-swapped"])
def test_faults_of_words_are_named_in_numbers(dtype, name):
    """verify 6.10"""
    low = np.uint32(0x7FFFFF)
    words = made(name)
    if dtype == "float32":
        numbers = (words & low).astype(np.float32) / np.float32(2**23)
    else:
        pairs = words.reshape(-1, 2).astype(np.uint64)
        numbers = ((pairs[:, 0] & np.uint64(0xFFFFF)) << np.uint64(32) | pairs[:, 1]) / 2.0**52
    assert name in {found.name for found in verify(STATE, numbers, dtype=dtype).diagnosis}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_shifted_numbers_are_found(dtype):
    numbers = uniform(STATE, N, dtype=dtype).values
    found = finding(np.r_[numbers[:200], numbers[240:]], dtype=dtype)
    assert found.name == "numbers-moved" and "numbers 200 to 559 are " in found.sentence


@pytest.mark.parametrize(
    ("moved", "text"), [(150, "150 blocks instead of 250"), (0, "did not move"), (251, "251 blocks")]
)
def test_draws_in_one_file(moved, text):
    draws = [random_generator(make_state(counter=5 + i * moved, key=7), 1000).values for i in range(5)]
    (found,) = verify(make_state(counter=5, key=7), np.concatenate(draws)).diagnosis
    assert (
        found.name == "draws-in-one-file" and "begins every 1,000 elements" in found.sentence and text in found.sentence
    )


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("line-ends-changed", lambda data: data.replace(b"\n", b"\r\n")),
        ("header-before-words", lambda data: b"\x01\x02\x03\x04\x05\x06\x07" + data),
        ("bytes-lost", lambda data: data[:801] + data[802:]),
        ("words-of-another-size", lambda data: np.frombuffer(data, np.uint32).astype(np.int64).tobytes()),
    ],
)
def test_faults_of_the_file(name, changed):
    """verify 3.11"""
    data = changed(RIGHT.tobytes())
    values = np.frombuffer(data[: len(data) // 4 * 4], np.uint32)
    assert finding(values).name == name


def test_other_keys_and_algorithms():
    """verify 3.12"""
    assert (
        f"right for key {KEY + 1:#x}"
        in finding(random_generator(make_state(counter=COUNTER, key=KEY + 1), N).values).sentence
    )
    (found,) = verify(make_state(key=42), np.random.RandomState(42).randint(0, 2**32, 99, np.uint32)).diagnosis
    assert found.name == "another-algorithm" and "MT19937" in found.sentence
    (found,) = verify(make_state(key=42), np.arange(99, dtype=np.uint32)).diagnosis
    assert found.name == "counter-instead-of-words"


def pcg_hash(number):
    """RXS-M-XS of 32 bits, https://www.pcg-random.org."""
    x = (number * 747796405 + 2891336453) % 2**32
    x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737 % 2**32
    return x >> 22 ^ x


@pytest.mark.parametrize("n", [12, 65, 1000])
@pytest.mark.parametrize("seed", [0, 42, 2**32 - 1])
@pytest.mark.parametrize(
    ("name", "make"),
    [
        (
            "JAX (jax.random.bits, Threefry, old layout)",
            lambda s, n: jax.bits(jax.PRNGKey(s), (n,), partitionable=False),
        ),
        ("Python's random.Random(seed).getrandbits(32)", lambda s, n: list(map(Random(s).getrandbits, [32] * n))),
        ("the PCG hash of the numbers from the seed on", lambda s, n: [pcg_hash((i + s) % 2**32) for i in range(n)]),
    ],
)
def test_algorithms_of_a_seed(name, make, seed, n):
    """verify 3.12"""
    found = finding(np.array(make(seed, n), np.uint32), make_state(key=seed))
    assert found.name == "another-algorithm" and name in found.sentence


@pytest.mark.parametrize(
    ("moved", "text"), [(502, "502 blocks instead of 251, twice as many"), (-3, "-3 blocks instead")]
)
def test_how_far_a_new_state_moved(moved, text):
    """verify 3.13"""
    new_state = make_state(counter=(COUNTER + moved) % 2**128, key=KEY)
    found = finding(RIGHT[:1004], new_state=new_state)
    assert found.name == "state-advanced-otherwise" and text in found.sentence


@pytest.mark.parametrize("seed", range(12))
def test_foreign_words_have_no_finding(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 2000))
    assert verify(STATE, rng.integers(0, 2**32, n, np.uint32)).diagnosis == ()
    assert verify(STATE, rng.random(n, np.float32), dtype="float32").diagnosis == ()
    mixed = np.where(rng.random(n) < 0.5, RIGHT[:n] if n <= RIGHT.size else 0, rng.integers(0, 2**32, n, np.uint32))
    assert n > RIGHT.size or verify(STATE, mixed.astype(np.uint32)).diagnosis == ()


@pytest.mark.parametrize(
    ("name", "percent", "is_named"),
    [
        ("rounds-7", 15, True),
        ("rounds-7", 30, False),
        ("words-at-strides", 5, True),
        ("words-at-strides", 30, False),
    ],
)
def test_scattered_foreign_words(name, percent, is_named):
    """verify 3.14: three words are explained for each foreign one."""
    values = made(name) if name == "rounds-7" else RIGHT[:N]
    values = values.reshape(20, 30)[:: 1 if name == "rounds-7" else -1].copy()
    rng = np.random.default_rng(percent)
    values.flat[rng.permutation(N)[: N * percent // 100]] = rng.integers(1, 2**32 - 1, N * percent // 100, np.uint32)
    found = verify(STATE, values).diagnosis
    assert [each.name for each in found] == [name] * is_named
    if is_named:
        assert f"explains {N - N * percent // 100} of {N} words; the others are not explained." in found[0].sentence


@pytest.mark.parametrize("n", [4, 11, 12, 13])
def test_few_words_before_foreign_ones(n):
    """verify 3.14"""
    words = np.r_[made("rounds-7")[:n], np.random.default_rng(n).integers(1, 2**32 - 1, 5, np.uint32)]
    assert [found.name for found in verify(STATE, words).diagnosis] == ["rounds-7"] * (n >= 12)


@pytest.mark.parametrize("n", [6, 7])
def test_few_words_of_another_start(n):
    """verify 3.15"""
    names = [found.name for found in verify(STATE, RIGHT[40 : 40 + n]).diagnosis]
    assert names == (["starts-elsewhere"] if n >= 7 else [])


def test_explanations_that_leave_fewer_words_come_first():
    """verify 3.16: of 600 words, 7 rounds give 400, and signed products none that they do not."""
    words = np.r_[made("rounds-7")[:400], made("signed-products")[400:]]
    (found,) = verify(STATE, words).diagnosis
    assert found.name == "rounds-7" and "words 400 to 599 are not found" in found.sentence
