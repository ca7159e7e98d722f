"""Other generators and hashes that are taken for Philox. specs/verify.md, clauses 3.6 and 3.12."""

from itertools import islice

import numpy as np
import oracle
import pytest
from dmlrand.verification.generators.hashes import HASHES
from faulty_generators import each_block, philox
from thinning import one_in, with_costly

from dmlrand import uniform, verify
from dmlrand.verification.dump import Dump
from dmlrand.verification.generators.others import OF_SEED, xoshiro
from dmlrand.verification.others import explain_as_other

# Numbers that others printed, by the generator and the seed. The sources: O'Neill's pcg32-demo; Rosetta Code
# ("Pseudo-random numbers"); Marsaglia, "Xorshift RNGs"; the pages of java.util.Random and rand(3); the crate rand.
PRINTED = {
    ("PCG32 with sequence 54", 42): [0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B],
    ("SplitMix64", 1234567): [6457827717110365317, 3203168211198807973, 9817491932198370423],
    ("xorshift of 32 bits (13, 17, 5)", 2463534242): [723471715, 2497366906, 2064144800],
    ("xorshift128 (Marsaglia) with its own seed", 0): [3701687786, 458299110, 2500872618, 3633119408, 516391518],
    ("java.util.Random.nextInt()", 42): [-1170105035 % 2**32, 234785527, -1360544799 % 2**32],
    ("glibc's rand() after srand(seed)", 1): [1804289383, 846930886, 1681692777, 1714636915, 1957747793],
    ("rand() of Visual C++", 1): [41, 18467, 6334, 26500, 19169],
    ("rand() of the C standard's example", 1): [16838, 5758, 10113, 17515],
    ("rand() of Borland C++", 1): [346, 130, 10982, 1090],
    ("MINSTD, x * 48271 modulo 2**31 - 1", 1): [48271, 182605794],
    ("MINSTD, x * 16807 modulo 2**31 - 1", 1): [16807, 282475249, 1622650073, 984943658],
}
OF_STATES = {
    (64, "**"): [11520, 0, 1509978240, 1215971899390074240],
    (64, "++"): [41943041, 58720359, 3588806011781223, 3591011842654386],
    (32, "**"): [11520, 0, 5927040, 70819200],
    (32, "++"): [641, 1573767, 3222811527, 3517856514],
}


def first(numbers, count):
    return [int(number) for number in islice(iter(numbers), count)]


@pytest.mark.parametrize(("name", "seed"), PRINTED)
def test_numbers_that_others_printed(name, seed):
    printed = PRINTED[name, seed]
    assert first(OF_SEED[name][1](seed), len(printed)) == printed


def test_numbers_of_states():
    for (bits, output), printed in OF_STATES.items():
        assert first(xoshiro(bits, output, 1, 2, 3, 4), 4) == printed
    assert HASHES["MurmurHash3's fmix32"](1) == 0x514E28B7


@pytest.mark.parametrize("place", one_in(4, range(7)))
@pytest.mark.parametrize("name", one_in(9, OF_SEED))
def test_each_generator_of_a_seed_is_named(name, place):
    """verify 3.12: the seed is the key, one of its words, counter word 0, 0, 1 or 42."""
    state = np.random.default_rng((place, 3)).integers(0, 2**32, 6, np.uint32)
    words = words_of_a_seed(name, place, state)
    if np.unique(words).size < 12:
        return  # of zeros
    # The step of the search that names them: the steps before it are the same for all of these words.
    (found,) = explain_as_other(Dump(state, words))
    assert found.name == "another-algorithm" and found.sentence.endswith("with the state's counter and key.")


@pytest.mark.parametrize("row", one_in(2, [(name, i % 7) for i, name in enumerate(OF_SEED)][::20]), ids=str)
def test_verify_names_generators_of_a_seed(row):
    """verify 3.12"""
    name, place = row
    state = np.random.default_rng((place, 3)).integers(0, 2**32, 6, np.uint32)
    (found,) = verify(state, words_of_a_seed(name, place, state)).diagnosis
    assert found.name == "another-algorithm" and found.sentence.endswith("with the state's counter and key.")


def words_of_a_seed(name, place, state):
    """The first words of a generator. The seed is of one of seven kinds."""
    k0, k1 = state[4:].tolist()
    bits, make = OF_SEED[name]
    made = first(make([k0 | k1 << 32, k0, k1, int(state[0]), 0, 1, 42][place]), 60)
    return np.array(made, np.uint64 if bits == 64 else np.uint32).view(np.uint32)


@pytest.mark.parametrize(
    "reading, dtype",
    with_costly(
        [("low first", "float32"), ("high only", "uint32")],
        [("low first", "uint32"), ("high first", "uint32"), ("high first", "float32"), ("high only", "float32")],
    ),
)
def test_numbers_of_64_bits_give_one_word_or_two(reading, dtype):
    """verify 3.12"""
    state = np.random.default_rng((1, 3)).integers(0, 2**32, 6, np.uint32)
    made = first(OF_SEED["SplitMix64"][1](int(state[4]) | int(state[5]) << 32), 300)
    pairs = np.array(made, np.uint64).view(np.uint32).reshape(-1, 2)
    words = {"low first": pairs, "high first": pairs[:, ::-1], "high only": pairs[:, 1]}[reading].ravel()
    values = words if dtype == "uint32" else ((words & 0x7FFFFF) / 2**23).astype(np.float32)
    (found,) = verify(state, values, dtype=dtype).diagnosis
    assert "those of SplitMix64, where the seed is the key" in found.sentence
    assert ("upper half of each number" in found.sentence) == (reading == "high only")


def test_a_generator_of_15_bits_is_named_in_its_places_only():
    """verify 3.12"""
    state = np.array([0, 0, 0, 0, 92491, 0], np.uint32)
    words = np.array(first(OF_SEED["rand() of Visual C++"][1](92491), 300), np.uint32)
    (found,) = verify(state, words).diagnosis
    assert "those of rand() of Visual C++, where the seed is the key" in found.sentence
    assert verify(state, np.roll(words, 7)).diagnosis == ()


@pytest.mark.parametrize("dtype", ["uint32", "float32"])
@pytest.mark.parametrize("more", [0, 1])
def test_a_counter_that_was_overwritten(dtype, more):
    """verify 3.6"""
    state = np.random.default_rng((4, 3)).integers(0, 2**32, 6).tolist()
    words, counter = [], state[:4]
    while len(words) < 400:
        words += philox(counter, state[4:])
        counter = oracle.low_words((oracle.from_words(words[-4:]) + more) % 2**128, 4)
    values = np.array(words, np.uint32)
    values = values if dtype == "uint32" else ((values & 0x7FFFFF) / 2**23).astype(np.float32)
    (found,) = verify(state, values, dtype=dtype).diagnosis
    assert found.name == "counter-overwritten" and (" plus 1" in found.sentence) == (more == 1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_indexes_and_sorted_numbers(dtype):
    """verify 3.12"""
    state, scale = [1, 2, 3, 4, 5, 6], 2.0**-23 if dtype == "float32" else 2.0**-52
    index = np.arange(300) if dtype == "float32" else np.arange(0, 600, 2) * 2.0**32 + np.arange(1, 600, 2)
    (found,) = verify(state, (index * scale).astype(dtype), dtype=dtype).diagnosis
    assert found.name == "counter-instead-of-words"
    (found,) = verify(state, np.sort(uniform(state, 300, dtype=dtype)[0]), dtype=dtype).diagnosis
    assert found.name == "words-sorted"


def wang(x):
    x = x ^ 61 ^ x >> 16
    x = x * 9 % 2**32
    x ^= x >> 4
    x = x * 0x27D4EB2D % 2**32
    return x ^ x >> 15


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda low, high: (wang(low), high), "the key with Wang's hash of its lower word"),
        (lambda low, high: (wang(low), wang(high)), "Wang's hash of each word of the key"),
        (lambda low, high: (wang(low), 0), "Wang's hash of the key's lower word,"),
    ],
)
def test_hashed_keys(change, said):
    """verify 3.6"""
    state = np.random.default_rng((2, 3)).integers(0, 2**32, 6, np.uint32)
    six = state.tolist()
    words = each_block([*six[:4], *change(*six[4:])], (200,), philox)
    (found,) = verify(state, np.array(words, np.uint32)).diagnosis
    assert found.name == "another-key" and said in found.sentence


@pytest.mark.parametrize("seed", [0, 7])
def test_a_hash_of_each_word(seed):
    """verify 3.8"""
    words = np.array([wang(word) for word in oracle.words(5, seed, 0, 100)], np.uint32)
    (found,) = verify(oracle.state_words(5, seed), words).diagnosis
    assert found.name == "words-hashed" and "Wang's hash of w" in found.sentence


def test_low_bits_of_a_linear_generator_are_no_finding():
    """verify 3.14: they take few values in a simple order, which other coarse numbers equal by chance."""
    values = np.random.default_rng([3000, 7]).integers(0, 256, 3000) / 256
    state = [0xFFFFFF00, 1, 2, 3, 4, 5]
    assert verify(state, values, dtype="float64").diagnosis == ()
