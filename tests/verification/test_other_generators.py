"""Other generators that are taken for Philox. specs/verify.md, clauses 3.2 and 3.8."""

from itertools import islice

import numpy as np
import pytest
from thinning import with_costly

from dmlrand import make_state, verify
from dmlrand.verification.dump import Dump
from dmlrand.verification.others import OF_COUNTER_AND_KEY, OF_SEED, explain_as_other


def first(numbers, count):
    return [int(number) for number in islice(iter(numbers), count)]


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("name", OF_SEED)
def test_each_generator_of_a_seed_is_named(name, place):
    """verify 3.8: the seed is the key, its lower word, 0, 1 or 42."""
    state = np.random.default_rng((place, 3)).integers(0, 2**32, 6, np.uint32)
    words = words_of_a_seed(name, place, state)
    # The step of the search that names them: the steps before it are the same for all of these words.
    (found,) = explain_as_other(Dump(state, words))
    assert found.name == "another-algorithm" and found.sentence.endswith("with the state's counter and key.")


# Numbers 0, 4096, 8192, ... of curandCreateGeneratorHost(CURAND_RNG_PSEUDO_XORWOW), cuRAND 10.3.10.19, of seed
# 0x9abcdef012345678: subsequence 0.
XORWOW = """fc46181c 52667929 feb988e5 98e28c49 0bf1a0f9 ff083426 9908ec71 343cb531
3d8a5b04 fac5acc2 ba3539f0 97032108 e889e7c8 d065f725 8cceec3f 9bc9b05b"""


def test_the_words_of_xorwow_are_those_of_curand():
    """verify 3.8"""
    words = np.array([int(word, 16) for word in XORWOW.split()], np.uint32)
    (found,) = verify(make_state(key=0x9ABCDEF0_12345678), words).diagnosis
    assert found.name == "another-algorithm" and "XORWOW as cuRAND seeds it" in found.sentence


@pytest.mark.parametrize(
    ("name", "block"),
    [("Philox2x32-10", [0xDD7CE038, 0xF62A4C12]), ("Threefry2x32-20", [0xC4923A9C, 0x483DF7A0])],
)
def test_a_block_of_two_words_is_that_of_random123(name, block):
    """verify 3.8: the vector of the digits of pi in Random123's kat_vectors."""
    _, words = OF_COUNTER_AND_KEY[name]
    assert first(words(0x85A308D3_243F6A88, 0x03707344_13198A2E), 2) == block
    state = make_state(counter=5, key=2**40 + 7)
    (found,) = verify(state, np.array(first(words(5, 2**40 + 7), 400), np.uint32)).diagnosis
    assert found.name == "another-algorithm" and name in found.sentence


def words_of_a_seed(name, place, state):
    """The first words of a generator. The seed is of one of five kinds."""
    k0, k1 = state[4:].tolist()
    bits, make = OF_SEED[name]
    made = first(make([k0 | k1 << 32, k0, 0, 1, 42][place]), 60)
    return np.array(made, np.uint64 if bits == 64 else np.uint32).view(np.uint32)


@pytest.mark.costly
@pytest.mark.parametrize(
    "reading, dtype",
    with_costly(
        [("low first", "float32"), ("high only", "uint32")],
        [("low first", "uint32"), ("high first", "uint32"), ("high first", "float32"), ("high only", "float32")],
    ),
)
def test_numbers_of_64_bits_give_one_word_or_two(reading, dtype):
    """verify 3.8"""
    state = np.random.default_rng((1, 3)).integers(0, 2**32, 6, np.uint32)
    made = first(OF_SEED["NumPy's PCG64 (default_rng)"][1](int(state[4]) | int(state[5]) << 32), 300)
    pairs = np.array(made, np.uint64).view(np.uint32).reshape(-1, 2)
    words = {"low first": pairs, "high first": pairs[:, ::-1], "high only": pairs[:, 1]}[reading].ravel()
    values = words if dtype == "uint32" else ((words & 0x7FFFFF) / 2**23).astype(np.float32)
    (found,) = verify(state, values, dtype=dtype).diagnosis
    assert "those of NumPy's PCG64 (default_rng), where the seed is the key" in found.sentence
    assert ("upper half of each number" in found.sentence) == (reading == "high only")
