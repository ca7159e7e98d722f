"""Generators with two faults at once. specs/verify.md, clause 3.2."""

from itertools import combinations, permutations
from math import prod

import numpy as np
import oracle
import pytest
from faulty_generators import byte_swapped, count, losing_carry, philox, signed_high
from thinning import one_in, with_costly

from dmlrand import verify


def ordered(*places):
    return lambda words: [words[place] for place in places]


def column_major(index, shape):
    return sum(i * prod(shape[:axis]) for axis, i in enumerate(np.unravel_index(index, shape)))


# The steps that a fault replaces: a second fault replaces other steps, or reads or stores the words once more.
STEPS = {
    "counter-words-reversed": {"read": ordered(3, 2, 1, 0, 4, 5)},
    "key-words-reversed": {"read": ordered(0, 1, 2, 3, 5, 4)},
    "key-before-counter": {"read": ordered(2, 3, 4, 5, 0, 1)},
    "input-bytes-swapped": {"read": lambda words: [byte_swapped(word) for word in words]},
    "high-counter-words-ignored": {"read": lambda words: [*words[:2], 0, 0, *words[4:]]},
    "high-key-word-ignored": {"read": lambda words: [*words[:5], 0]},
    "first-block-skipped": {"skip": 1},
    "counter-advanced-per-word": {"place": lambda i, shape: (i // 4 * 4, i % 4)},
    "column-major": {"place": lambda i, shape: divmod(column_major(i, shape), 4)},
    "multipliers-exchanged": {"multipliers": (oracle.M1, oracle.M0)},
    "products-not-crossed": {"crossed": False},
    "product-halves-exchanged": {"swap": True},
    "signed-products": {"high": signed_high},
    "weyl-constants-exchanged": {"weyl": (oracle.W1, oracle.W0)},
    "key-not-bumped": {"weyl": (0, 0)},
    "key-bumped-early": {"early_bumps": 1},
    "bytes-swapped": {"store": byte_swapped},
    "no-carry-out-of-word-0": {"count": losing_carry(0)},
    "rounds-7": {"rounds": 7},
    "lanes-reversed": {"lanes": (3, 2, 1, 0)},
}


def generate(state, shape, read=list, skip=0, place=None, count=count, lanes=(0, 1, 2, 3), store=int, **steps):
    words = read(state)
    made = []
    for index in range(prod(shape)):
        block, lane = place(index, shape) if place else divmod(index, 4)
        counter = count(count(words[:4], skip), int(block))
        made.append(store(philox(counter, words[4:], **steps)[lanes[int(lane)]]))
    return made


def diagnosis(state, words, shape):
    return verify(state, np.array(words, np.uint32).reshape(shape)).diagnosis


def names(state, words, shape):
    return [finding.name for finding in diagnosis(state, words, shape)]


# Two readings are tested apart. Two other faults that replace one step cannot occur together.
PAIRS = [
    pair for pair in combinations(STEPS, 2) if not {"read", "place", "weyl"} & set(STEPS[pair[0]]) & set(STEPS[pair[1]])
]
# Words of two faults that one fault alone gives: its name says enough.
ONE_FAULT = {
    "multipliers-exchanged+products-not-crossed": "round-wired-wrongly",
    "products-not-crossed+product-halves-exchanged": "round-wired-wrongly",
    "counter-words-reversed+first-block-skipped": "starts-elsewhere",
    "high-counter-words-ignored+first-block-skipped": "starts-elsewhere",
    "counter-advanced-per-word+lanes-reversed": "words-at-strides",
    "key-not-bumped+key-bumped-early": "key-not-bumped",
    "counter-advanced-per-word+no-carry-out-of-word-0": "block-number-in-a-word",
    "key-words-reversed+weyl-constants-exchanged": "key-words-exchanged-in-rounds",
    # These counters do not carry in 63 words.
    "counter-words-reversed+no-carry-out-of-word-0": "counter-words-reversed",
    "key-before-counter+no-carry-out-of-word-0": "key-before-counter",
    "input-bytes-swapped+no-carry-out-of-word-0": "input-bytes-swapped",
}


@pytest.mark.parametrize("pair", one_in(90, PAIRS), ids="+".join)
def test_each_two_faults_are_named_and_no_other(pair):
    """verify 3.2"""
    state = oracle.state_words(0x9ABCDEF0_12345678_0FEDCBA9_FFFFFFF8, 0xDEADBEEF_CAFEBABE)
    words = generate(state, (7, 9), **STEPS[pair[0]], **STEPS[pair[1]])
    name = "+".join(pair)
    assert names(state, words, (7, 9)) == [ONE_FAULT.get(name, name)]


READINGS = [name for name in STEPS if "read" in STEPS[name]]


ORDERS = [[*order] for order in permutations(READINGS, 2)]


@pytest.mark.parametrize("order", with_costly([ORDERS[10]], ORDERS[:10] + ORDERS[11:]), ids="+".join)
def test_both_orders_of_two_readings_are_searched(order):
    """verify 3.2: one after the other, unless one reading, or none, gives these words."""
    first, second = (STEPS[name]["read"] for name in order)
    state = oracle.state_words(0x9ABCDEF0_12345678_0FEDCBA9_FFFFFFF8, 0xDEADBEEF_CAFEBABE)
    found = names(state, generate(state, (8,), read=lambda words: second(first(words))), (8,))
    pair = "+".join(sorted(order, key=READINGS.index))
    assert found == [pair] or len(found) == 1 and "+" not in found[0]


@pytest.mark.parametrize(
    ("expected", "steps"),
    with_costly(
        [("rounds-9+product-half-zero", {"high": lambda a, b: 0, "rounds": 9})],
        [
            ("input-words-zero+rounds-9", {"read": lambda words: [words[0], 0, 0, 0, *words[4:]], "rounds": 9}),
            ("no-carry-out-of-word-0+lanes-reversed", {"count": losing_carry(0), "lanes": (3, 2, 1, 0)}),
        ],
    ),
)
def test_a_fault_of_a_family_and_one_of_the_catalogue(expected, steps):
    """verify 3.2"""
    state = oracle.state_words(0x9ABCDEF0_12345678_0FEDCBA9_FFFFFFF8, 0xDEADBEEF_CAFEBABE)
    found = names(state, generate(state, (7, 39), **steps), (7, 39))
    assert set(found[0].split("+")) == set(expected.split("+"))


def test_the_sentence_of_two_faults():
    state = oracle.state_words(5, 7 << 32)
    words = generate(state, (50,), rounds=7, read=STEPS["key-words-reversed"]["read"])
    (finding,) = diagnosis(state, words, (50,))
    assert finding.name == "key-words-reversed+rounds-7"
    assert finding.sentence == (
        "The generator has two faults: it reads the key's words highest first (the counter is "
        "words 0 to 3, word 0 the lowest, and the key words 4 and 5), "
        "and it runs 7 rounds (run 10)."
    )
