"""Generators with two faults at once, and with wrong constants. specs/verify.md, clause 3.2."""

from itertools import combinations

import numpy as np
import oracle
import pytest
from faulty_generators import byte_swapped, count, each_block, halves_exchanged, losing_carry, philox, signed_high
from thinning import one_in, with_costly

from dmlrand import verify

STATE = oracle.state_words(0x9ABCDEF0_12345678_0FEDCBA9_FFFFFFF8, 0xDEADBEEF_CAFEBABE)
CONSTANTS = {"m0": oracle.M0, "m1": oracle.M1, "w0": oracle.W0, "w1": oracle.W1}


def ordered(*places):
    return lambda words: [words[place] for place in places]


# The steps that a fault replaces: a second fault replaces other steps, or reads or stores the words once more.
STEPS = {
    "counter-words-reversed": {"read": ordered(3, 2, 1, 0, 4, 5)},
    "key-words-reversed": {"read": ordered(0, 1, 2, 3, 5, 4)},
    "key-before-counter": {"read": ordered(2, 3, 4, 5, 0, 1)},
    "input-bytes-swapped": {"read": lambda words: [byte_swapped(word) for word in words]},
    "high-key-word-ignored": {"read": lambda words: [*words[:5], 0]},
    "no-carry-out-of-word-0": {"count": losing_carry(0)},
    "counter-advanced-per-word": {"place": lambda i: (i // 4 * 4, i % 4)},
    "lanes-reversed": {"place": lambda i: (i // 4, 3 - i % 4)},
    "multipliers-exchanged": {"multipliers": (oracle.M1, oracle.M0)},
    "product-halves-exchanged": {"one_round": halves_exchanged},
    "signed-products": {"high": signed_high},
    "product-half-zero": {"high": lambda a, b: 0},
    "key-not-bumped": {"weyl": (0, 0)},
    "wrong-w0": {"weyl": (oracle.W0 >> 4, oracle.W1)},
    "rounds-7": {"rounds": 7},
    "bytes-swapped": {"store": byte_swapped},
}


def generate(n, read=list, place=lambda i: divmod(i, 4), count=count, store=int, **steps):
    words, made = read(STATE), []
    for index in range(n):
        block, lane = place(index)
        made.append(store(philox(count(words[:4], block), words[4:], **steps)[lane]))
    return np.array(made, np.uint32)


def names(values):
    return [finding.name for finding in verify(STATE, values).diagnosis]


# Two faults that replace one step cannot occur together, but for two readings.
PAIRS = [
    pair
    for pair in combinations(STEPS, 2)
    if not {*STEPS[pair[0]]} & {*STEPS[pair[1]]}
    and pair not in {
        ("no-carry-out-of-word-0", "counter-advanced-per-word"),  # counters that one other fault gives
        ("no-carry-out-of-word-0", "wrong-w0"),  # verify 3.2: not found
        ("key-before-counter", "no-carry-out-of-word-0"),  # counters that do not carry in 64 words
        ("counter-words-reversed", "no-carry-out-of-word-0"),
        ("input-bytes-swapped", "no-carry-out-of-word-0"),
    }
]  # fmt: skip


DEFAULT = [("product-halves-exchanged", "signed-products"), ("no-carry-out-of-word-0", "bytes-swapped")]


@pytest.mark.parametrize("pair", with_costly(DEFAULT, [(each,) for each in PAIRS if each not in DEFAULT]), ids="+".join)
def test_each_two_faults_are_named_and_no_other(pair):
    """verify 3.2"""
    (found,) = names(generate(64, **STEPS[pair[0]], **STEPS[pair[1]]))
    assert {*found.split("+")} == {*pair}


def test_two_readings_follow_one_another():
    """verify 3.2"""
    first, second = (STEPS[name]["read"] for name in ("input-bytes-swapped", "counter-words-reversed"))
    (found,) = names(generate(20, read=lambda words: second(first(words))))
    assert {*found.split("+")} == {"input-bytes-swapped", "counter-words-reversed"}


def test_the_sentence_of_two_faults():
    (finding,) = verify(STATE, generate(50, rounds=7, **STEPS["key-words-reversed"])).diagnosis
    assert finding == (
        "key-words-reversed+rounds-7",
        "There are 2 faults at once. The generator reads the key's words highest first: the counter is words 0 to 3, "
        "word 0 the lowest, and the key words 4 and 5. The generator runs 7 rounds: run 10.",
    )


TYPED = [
    ("m0", 0xD2511F54),  # one digit
    ("m1", 0xCD9E8D7C),  # two digits, as a port had it
    ("w0", 0x9E3779B9 // 16),  # a digit lost
    ("w1", 0xBB67EA85),  # two digits exchanged
    ("w1", 0xB667AE85),  # a digit doubled, modulo 2**32
    ("m1", 3449720152),  # a decimal digit: 3449720151
    ("m0", 0xD2E7470E),  # of Philox4x64
]


@pytest.mark.parametrize(("name", "value"), TYPED)
def test_the_wrong_constant_and_the_right_one_are_named(name, value):
    """verify 3.2"""
    state, right, used = oracle.state_words(5 << 70, 7), CONSTANTS[name], {**CONSTANTS, name: value}
    steps = {"multipliers": (used["m0"], used["m1"]), "weyl": (used["w0"], used["w1"])}
    words = each_block(state, (40,), lambda c, k: philox(c, k, **steps))
    (finding,) = verify(state, np.array(words, np.uint32)).diagnosis
    assert finding.name == f"wrong-{name}"
    assert finding.sentence.startswith(f"The generator uses {value:#010x} ({value}) as {name.upper()}, the ")
    assert finding.sentence.endswith(f": use {right:#010x} ({right}).")


OTHER_PARTS = {
    "header-before-words": lambda words: np.append(np.random.default_rng(1).integers(0, 2**32, 9, "u4"), words),
    "column-major": lambda words: np.ascontiguousarray(words.reshape(20, 30).T).reshape(30, 20),
    "words-at-strides": lambda words: np.concatenate([words[:100], words[400:500], words[:100]]),
    "": lambda words: np.append(words, np.zeros(100, np.uint32)),
}


@pytest.mark.parametrize("name", one_in(4, OTHER_PARTS))
def test_a_wrong_constant_with_a_place(name):
    """verify 3.2"""
    values = OTHER_PARTS[name](generate(600, **STEPS["wrong-w0"]))
    (finding,) = verify(STATE, values).diagnosis
    assert {*finding.name.split("+")} == {"wrong-w0", name} - {""} and "uses 0x09e3779b (165902235)" in finding.sentence
