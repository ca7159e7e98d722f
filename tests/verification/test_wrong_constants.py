"""Generators that use a wrong value for one of the four constants. specs/verify.md, clause 3.2."""

import numpy as np
import oracle
import pytest
from faulty_generators import each_block, philox
from thinning import one_in

from dmlrand import verify

CONSTANTS = {"m0": oracle.M0, "m1": oracle.M1, "w0": oracle.W0, "w1": oracle.W1}
MASK32 = 2**32 - 1


def words_with(name, value, state, n):
    used = {**CONSTANTS, name: value}
    steps = {"multipliers": (used["m0"], used["m1"]), "weyl": (used["w0"], used["w1"])}
    return each_block(state, (n,), lambda c, k: philox(c, k, **steps))


def findings(state, words):
    return verify(state, np.array(words, np.uint32)).diagnosis


TYPED = [
    ("m0", 0xD2511F54),  # one digit
    ("m1", 0xCD9E8D7C),  # two digits, as a port had it
    ("w0", 0x9E3779B9 // 16),  # a digit lost
    ("w1", 0xBB67EA85),  # two digits exchanged
    ("m1", 3449720152),  # a decimal digit: 3449720151
    ("m0", 0xD2E7470E),  # of Philox4x64
]


@pytest.mark.parametrize(("name", "value"), TYPED)
def test_the_wrong_constant_and_the_right_one_are_named(name, value):
    """verify 3.2"""
    state, right = oracle.state_words(5 << 70, 7), CONSTANTS[name]
    (finding,) = findings(state, words_with(name, value, state, 40))
    assert finding.name == f"wrong-{name}"
    assert finding.sentence.startswith(f"The generator uses {value:#010x} ({value}) as {name.upper()}, the ")
    assert finding.sentence.endswith(f": use {right:#010x} ({right}).")


def test_one_constant_in_place_of_another():
    """verify 3.2: the round names the other multiplier rather than a wrong value."""
    state = oracle.state_words(5, 7)
    (finding,) = findings(state, words_with("m1", oracle.M0, state, 50))
    assert finding.sentence == (
        "The generator uses the other word's multiplier, in the product of counter word 2 only: "
        "multiply unsigned 32 by 32 bits to 64."
    )


STATE = oracle.state_words(0x9ABCDEF0_12345678_0FEDCBA9_FFFFFFF0, 0xDEADBEEF_CAFEBABE)
WITH_DIGIT_LOST = {"weyl": (oracle.W0 >> 4, oracle.W1)}


def made(n, state=STATE, **steps):
    return np.array(each_block(state, (n,), lambda c, k: philox(c, k, **WITH_DIGIT_LOST, **steps)), np.uint32)


SECOND_FAULTS = {
    "bytes-swapped+wrong-w0": lambda: made(600).byteswap(),
    "wrong-w0+header-before-words": lambda: np.append(np.random.default_rng(1).integers(0, 2**32, 9, "u4"), made(600)),
    "lanes-reversed+wrong-w0": lambda: made(600).reshape(-1, 4)[:, ::-1],
    "column-major+wrong-w0": lambda: made(600).reshape(20, 30).T.reshape(30, 20),
    "first-block-skipped+wrong-w0": lambda: made(604)[4:],
    "rounds-7+wrong-w0": lambda: made(600, rounds=7),
    "key-words-reversed+wrong-w0": lambda: made(600, [*STATE[:4], STATE[5], STATE[4]]),
    "wrong-w0+draws-in-one-file": lambda: np.concatenate([made(100), made(900)[400:500], made(900)[800:]]),
    "wrong-w0+uniform-instead-of-word": lambda: np.float32((made(600) >> 8) * 2.0**-24).view(np.uint32),
    "wrong-w0": lambda: np.append(made(600), np.zeros(100, np.uint32)),
}


@pytest.mark.parametrize("name", one_in(10, SECOND_FAULTS))
def test_a_wrong_constant_with_another_fault(name):
    """verify 3.2"""
    (finding,) = findings(STATE, SECOND_FAULTS[name]())
    assert finding.name == name and "uses 0x09e3779b (165902235) as W0" in finding.sentence
