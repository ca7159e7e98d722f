"""What a generator makes of its words: numbers of other rules, ranges and distributions. specs/verify.md, 3.6, 1.5."""

from math import floor, pi

import numpy as np
import oracle
import pytest
from faulty_generators import count, philox
from thinning import one_in, with_costly

from dmlrand import make_state, random_generator, uniform, verify

LOW = 2**23 - 1


def fraction(w):
    return (w & LOW) / 2**23


def float32(number):
    return np.asarray(number, np.float32)


def text(words, form):
    return [float(form % number) for number in fraction(words)]


def box_muller(u, v, turns=(np.cos, np.sin)):
    made = [np.sqrt(-2 * np.log(1 - u)) * turn(2 * pi * v) for turn in turns]
    return np.stack(made, 1).ravel()


def wide(words):
    pairs = words.reshape(-1, 2).astype(np.uint64)
    return pairs[:, 0] << np.uint64(32) | pairs[:, 1]


def rounded(words):
    return words.astype(np.float32).astype(np.float64)


def triton(words):
    """Triton's uint_to_uniform_float."""
    signed = words.view(np.int32)
    return np.where(signed < 0, ~signed, signed).astype(np.float32) * np.float32(4.6566127342e-10)


# The type, the words of a number, what is stored, the name of the finding, and a part of its sentence.
STORED = [
    ("float32", 1, lambda w: (w & LOW) / LOW, "other-uniform-rule", "number (w & 0x7fffff) / 8388607,"),
    ("float32", 1, lambda w: (w >> 8) / (2**24 - 1), "other-uniform-rule", "number (w >> 8) / 16777215,"),
    ("float32", 1, lambda w: ((w >> 8) + 1) / 2**24, "other-uniform-rule", "(w >> 8) * 2**-24 + 2**-24,"),
    ("float32", 1, lambda w: float32(w >> 8) * float32(1 / 16777215), "other-uniform-rule", "nearly w * 2**-32,"),
    ("float32", 1, lambda w: float32(fraction(w)).byteswap(), "bytes-swapped", "in reverse order"),
    ("float32", 1, lambda w: text(w, "%.6f"), "digits-lost", "with 6 decimals, where w"),
    ("float32", 1, lambda w: text(w, "%.4g"), "digits-lost", "with 4 significant digits, where w"),
    ("float32", 1, lambda w: 8 * fraction(w) - 3, "other-range", "8 * u - 3, where u is the uniform number of the"),
    ("float32", 1, lambda w: 360 * (w / 2**32), "other-range", "360 * u, where u is w * 2**-32,"),
    ("float32", 1, lambda w: -np.log(1 - fraction(w)), "other-distribution", "-log(1 - u), where u is the uniform"),
    ("float32", 2, lambda w: box_muller(w[0::2] / 2**32, w[1::2] / 2**32), "other-distribution", "sqrt(-2*log(1 - u))"),
    ("float32", 2, lambda w: 3 + 2 * box_muller(fraction(w[0::2]), fraction(w[1::2]), (np.cos,)),
     "other-distribution", "2 * sqrt(-2*log(1 - u)) * cos(2*pi*v) + 3, where u and v, of two words in a row, are each"),
    ("float32", 2, lambda w: (wide(w) >> np.uint64(11)) / 2**53, "other-uniform-rule", "* 2**-53 (w0 is the first of"),
    ("float64", 2, lambda w: ((w[0::2] >> 6) * 2.0**27 + (w[1::2] >> 5)) / 2**53, "other-uniform-rule", "(w0 >> 6) * "),
    ("float64", 2, lambda w: 3 + 4 * ((wide(w) & np.uint64(2**52 - 1)) / 2**52), "other-range", "4 * u + 3, where"),
    ("uint32", 1, lambda w: (w & LOW) * np.uint64(1000) >> np.uint64(23), "words-reduced", "7fffff) * 1000 >> 23,"),
    ("uint32", 1, lambda w: np.fmod(w.view(np.int32).astype(int), 100) % 2**32, "words-reduced", "of int32(w) / 100,"),
    ("float32", 1, lambda w: (rounded(w) * 2**-32 + 2**-33), "other-uniform-rule", "float32(w) * 2**-32 + 2**-33,"),
    ("float32", 1, triton, "other-uniform-rule", "4.6566127342e-10,"),
    ("float32", 1, lambda w: (w & 0x7FF) / 2**11, "other-uniform-rule", "number (w & 0x7ff) * 2**-11,"),
    ("uint32", 1, lambda w: (w ^ w >> 16) * np.uint32(0x45D9F3B), None, ""),  # a hash that is not known
    ("uint32", 1, lambda w: float32(5 * fraction(w) + 2).view(np.uint32), "other-range", "the bits of 5 * u + 2,"),
]  # fmt: skip


@pytest.mark.parametrize("seed", with_costly([0], [1]))
@pytest.mark.parametrize("row", one_in(5, STORED), ids=lambda row: f"{row[0]}, {row[4]}")
def test_what_is_stored_is_named(row, seed):
    """verify 3.6, 1.5"""
    dtype, width, stored, name, said = row
    rng = np.random.default_rng((seed, 5))
    state, n = rng.integers(0, 2**32, 6, np.uint32), 4 * int(rng.integers(80, 500))
    values = np.asarray(stored(random_generator(state, width * n).values)).astype(dtype)
    found = verify(state, values, dtype=dtype).diagnosis
    assert [each.name for each in found] == [name] * (name is not None)
    assert all(said in each.sentence for each in found)
    assert dtype == "uint32" or "not a number made of it" not in found[0].sentence


def test_numbers_have_a_remedy_of_numbers():
    """verify 1.5"""
    state = make_state(key=42)
    (found,) = verify(state, 1 - uniform(state, 100, dtype="float32").values, dtype="float32").diagnosis
    assert found.sentence == (
        "Every number is stored as 1 - u, where u is the uniform number of the low 23 bits of w, where w is the right "
        "word: make numbers of words by the rule of dmlrand.uniform, which is that of TensorFlow-DirectML."
    )


def test_one_wrong_word_of_a_rounded_product_is_no_flipped_bit():
    """verify 3.10: double products as in JavaScript, in the only block of 25,000 in which a rounding shows."""
    state, wrong_block = [1213965936, 1711924084, 0, 0, 3754449716, 1456137320], 10375
    words = random_generator(state, 50_000).values
    place = slice(4 * wrong_block, 4 * wrong_block + 4)
    words[place] = philox(count(state[:4], wrong_block), state[4:], high=lambda a, b: floor(float(a * b) / 2**32))
    report = verify(state, words)
    assert report.mismatches == 1 and report.diagnosis[0].name == "product-through-float"
    words[place.start] ^= 3  # another bit is wrong: no product gives this word
    assert [each.name for each in verify(state, words).diagnosis] == ["bits-flipped"]


def test_a_number_that_is_nearly_right_is_no_other_rule():
    """verify 3.9: most numbers are right."""
    state = make_state(key=42)
    values = uniform(state, 84, dtype="float64").values
    values[50] *= 1.001
    assert verify(state, values, dtype="float64").diagnosis == ()


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("thread-subsequences", lambda n: n % 50 << 66 | n // 50),  # torch.rand
        ("thread-ids-in-counter", lambda n: n // 8 << 66 | n % 8),
        ("every-block-the-first", lambda n: n % 4),
        ("block-number-in-a-word", lambda n: n // 4 << 98 | n % 4),
    ],
)
def test_a_place_or_a_fault_of_counting_with_another_rule_of_numbers(name, place):
    """verify 3.2: the rule that gives the first block."""
    state = make_state(counter=5, key=42)
    words = [oracle.words(5 + place(n) // 4, 42, place(n) % 4, 1)[0] for n in range(400)]
    values = float32(np.array(words, np.uint32) % 2**24 / 2**24)
    (found,) = verify(state, values, dtype="float32").diagnosis
    assert found.name == f"{name}+other-uniform-rule" and "number (w & 0xffffff) * 2**-24:" in found.sentence


@pytest.mark.costly
def test_numbers_of_few_values_prove_no_rule():
    """verify 3.6, 3.9: in each dump, one bit of the right numbers or an overflow gives all elements."""
    state = make_state(counter=5, key=0)
    right = uniform(state, 75).values
    alone = np.where(right == right.min(), np.float32(-0.42376), np.float32(0))
    assert verify(state, alone, dtype="float32").diagnosis == ()
    (found,) = verify(state, np.full(75, np.inf, np.float32), dtype="float32").diagnosis
    assert found.name == "constant-tail"
