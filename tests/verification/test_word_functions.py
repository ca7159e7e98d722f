"""Words that are right but for one function of each. specs/verify.md, clause 3.8."""

import re
from itertools import dropwhile, pairwise

import numpy as np
import oracle
import pytest
from faulty_stores import BIT_MAPS, CONVERSIONS, MASK32
from hypothesis import assume, example, given, settings, strategies as st
from paths import SPECS
from strategies import counters, keys
from thinning import one_in

from dmlrand import make_state, random_generator, verify
from dmlrand.verification.functions.in_place import altered_words
from dmlrand.verification.functions.numbers import word_functions

words32 = st.integers(0, MASK32)


def findings(counter, key, words, shape=None):
    values = np.array(words, np.uint32).reshape(shape or len(words))
    return verify(make_state(counter=counter, key=key), values).diagnosis


def names(found):
    return [finding.name for finding in found]


def stored_as(finding):
    """The expression of a sentence, without its remark."""
    expression = re.search(r"stored as (.*), where w is the right word: ", finding.sentence)[1]
    return re.sub(r" \((its|rotated).*\)$", "", expression)


def evaluated(finding, word):
    return eval(stored_as(finding), {}, {"w": word}) & MASK32


def described(sentence, n):
    """The places of the words that a sentence names; None for the wrong words, whichever they are."""
    where = sentence.partition(" is stored as ")[0]
    if re.fullmatch(r"Each of the \d+ wrong words", where):
        return None
    match = re.fullmatch(r"Every word(?: of lanes? ([0-3, ]+))?(?: from word (\d+) (?:on|to word (\d+)))?", where)
    lanes, first, last = match.groups()
    lanes = {int(lane) for lane in (lanes or "0, 1, 2, 3").split(", ")}
    return {i for i in range(int(first or 0), int(last or n - 1) + 1) if i % 4 in lanes}


# Each function


@pytest.mark.parametrize("what", BIT_MAPS)
def test_each_map_of_bits_is_named_and_no_other(what):
    """verify 3.8: the expression gives every word."""
    name, function = BIT_MAPS[what]
    right = oracle.words(2**32 - 9, 7, 0, 100)
    wrong = [function(word) for word in right]
    found = findings(2**32 - 9, 7, wrong)
    assert names(found) == [name] and found[0].sentence.startswith("Every word is stored as ")
    assert found[0].sentence.endswith(", where w is the right word: store w.")
    assert [evaluated(found[0], word) for word in right] == wrong


@pytest.mark.parametrize("wrong", [2, 3])
def test_three_wrong_words_are_needed(wrong):
    """verify 3.8"""
    right = oracle.words(5, 7, 0, 40)
    stored = [word ^ 0x11 if i in (3, 20, 33)[:wrong] else word for i, word in enumerate(right)]
    assert names(findings(5, 7, stored)) == ["bits-inverted"] * (wrong == 3)


EDGES = sorted(
    {edge + step & MASK32 for edge in (0, 2**23, 2**24, 2**31, 2**32, 0x7F800000, 0xFF800000) for step in range(-3, 4)}
    | {0x007FFFFF, 0x80000001, 0x7FC00000, 0x7FA00000, 0xFFFFFF7F, 0xFFFFFF80, 0x7FFFFFBF, 0x7FFFFFC0, 0x12345678}
)


# The table of the tests begins with the first function that is no map of bits.
ROWS = [*dropwhile(lambda row: row.name != CONVERSIONS[0][0], word_functions())][: len(CONVERSIONS)]


@pytest.mark.parametrize(
    "row, expected", [*zip(ROWS, CONVERSIONS, strict=True)], ids=lambda row: getattr(row, "expression", "")
)
def test_each_conversion_is_named_and_right_for_every_word(row, expected):
    """verify 3.8: also for words that are rare, or that the conversion cannot represent."""
    name, function = expected
    assert row.name == name
    assert row.function(np.array(EDGES, np.uint32)).tolist() == [function(word) for word in EDGES]
    right = oracle.words(5, 7, 0, 4000 if "copied" in name else 300)  # a copy changes few words
    found = findings(5, 7, [function(word) for word in right])
    assert names(found) == [name] and found[0].sentence.startswith("Every word is stored as ")
    if "float32" not in name:
        assert row.expression in found[0].sentence


@given(counter=counters, key=keys, n=st.integers(3, 40), mask=st.integers(1, MASK32))
@settings(max_examples=20, deadline=None)
def test_inverted_bits_of_few_words(counter, key, n, mask):
    """verify 3.8: three words suffice."""
    (finding,) = findings(counter, key, [word ^ mask for word in oracle.words(counter, key, 0, n)])
    assert finding.name == "bits-inverted" and f" w ^ {mask:#x}, " in finding.sentence


def test_the_page_lists_every_name():
    """verify 3.8"""
    page = (SPECS / "verify.md").read_text("utf-8")
    listed = set(re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)+", page))
    assert {name for name, _ in [*CONVERSIONS, *BIT_MAPS.values()]} <= listed


# Which words


@given(counter=counters, key=keys, n=st.integers(3, 200), mask=st.integers(1, 2**20), data=st.data())
@settings(max_examples=20, deadline=None)
def test_the_sentence_says_which_words(counter, key, n, mask, data):
    """verify 3.8: all words, those of some lanes, those of a range, or both."""
    lanes = data.draw(st.sets(st.integers(0, 3), min_size=1) | st.just({0, 1, 2, 3}))
    first, last = sorted([data.draw(st.just(0) | st.integers(0, n - 1)), data.draw(st.just(n - 1) | st.integers(0, n))])
    change = data.draw(st.sampled_from([lambda w: w ^ mask, lambda w: w & ~mask]))
    right = oracle.words(counter, key, 0, n)
    wrong = [change(w) if first <= i <= last and i % 4 in lanes else w for i, w in enumerate(right)]
    differ = [i for i in range(n) if right[i] != wrong[i]]
    assume(len(differ) >= 3)
    (finding,) = findings(counter, key, wrong)
    named = described(finding.sentence, n)
    if named is not None:
        assert [i for i in sorted(named) if evaluated(finding, right[i]) != right[i]] == differ
    assert [evaluated(finding, right[i]) for i in differ] == [wrong[i] for i in differ]


def test_sentences_of_places():
    right = np.array(oracle.words(5, 7, 0, 4000), np.uint32)
    for places, where in [
        (slice(3, None, 4), "Every word of lane 3"),
        (slice(1, None, 2), "Every word of lanes 1, 3"),
        (slice(1000, None), "Every word from word 1000 on"),
        (slice(1000, 2000), "Every word from word 1000 to word 1999"),
        (slice(1003, 2000, 4), "Every word of lane 3 from word 1003 to word 1999"),
        (slice(0, None, 3), "Each of the 1334 wrong words"),
    ]:
        wrong = right.copy()
        wrong[places] ^= 0x8000
        (finding,) = findings(5, 7, wrong)
        assert finding.sentence.startswith(f"{where} is stored as w ^ 0x8000, where ")


def test_long_tensors():
    """The words are compared in several pieces, and each of them must fit."""
    right = random_generator(make_state(counter=5, key=7), 140_000).values
    wrong = right.copy()
    wrong[60_000:] ^= 2
    assert findings(5, 7, wrong)[0].sentence.startswith("Every word from word 60000 on is stored as w ^ 0x2, ")
    wrong[60_001:90_001] = right[60_001:90_001]
    assert findings(5, 7, wrong) == ()  # the first words say too little
    wrong[60_000:70_001] = right[60_000:70_001] ^ np.uint32(2)
    assert findings(5, 7, wrong)[0].sentence.startswith("Each of the 60000 wrong words is stored as w ^ 0x2, ")
    for place in (70_000, 139_999):
        wrong[place] ^= 1
        assert findings(5, 7, wrong) == ()
        wrong[place] ^= 1


SAME_3 = ["same"] * 3


@given(
    marks=st.lists(st.sampled_from(["wrong", "spared", "same"]), min_size=1, max_size=40).filter(
        lambda m: "wrong" in m
    ),
    cuts=st.lists(st.integers(0, 40), max_size=4),
)
@example(marks=["wrong", *SAME_3, "spared", *SAME_3, "wrong"], cuts=[6])
@example(marks=["wrong", *SAME_3, "spared", *SAME_3, "wrong"], cuts=[3])
@example(marks=["spared", *SAME_3, "wrong", *SAME_3, "wrong", *SAME_3, "spared"], cuts=[2, 6])
def test_pieces_of_any_length_say_the_same(marks, cuts):
    """verify 3.8: a word is spared if it is right although the function changes it."""
    n = len(marks)
    edges = [0, *sorted(min(cut, n) for cut in cuts), n]
    # The result of the function is 1. It does not change the words "same".
    right = np.array([1 if mark == "same" else 0 for mark in marks], np.uint32)
    got = np.where(np.array(marks) == "wrong", np.uint32(1), right)
    pieces = [(start, right[start:stop], got[start:stop]) for start, stop in pairwise(edges)]
    altered = altered_words(pieces, np.ones_like)
    wrong = {i for i in range(n) if marks[i] == "wrong"}
    spared = {i for i in range(n) if marks[i] == "spared"}
    lanes = {i % 4 for i in wrong}
    inside = {i for i in spared if min(wrong) < i < max(wrong)}
    assert altered.is_whole == (not any(i % 4 in lanes for i in inside))
    named = described(f"{altered.describe(n)} is stored as ", n)
    assert named is None or wrong <= named and not spared & named
    assert (named is None) == (not altered.is_whole)


# What is no function


@given(counter=counters, key=keys, seed=st.integers(0, 2**32), n=st.integers(1, 300), share=st.floats(0, 1))
@settings(max_examples=3, deadline=None)
def test_foreign_words_have_no_finding(counter, key, seed, n, share):
    """verify 3.1: neither a function, nor a constant, nor two faults."""
    rng = np.random.default_rng((seed, 1))  # a single int could be the key: then a finding would be true
    right = np.array(oracle.words(counter, key, 0, n), np.uint32)
    foreign = rng.integers(0, 2**32, n, np.uint32)
    assert findings(counter, key, np.where(rng.random(n) < share, foreign, right)) == ()


@given(counter=counters, key=keys, n=st.integers(3, 300), wrong=st.sets(st.integers(0, 299), max_size=2), mask=words32)
@settings(max_examples=5, deadline=None)
def test_one_or_two_wrong_words_have_no_function(counter, key, n, wrong, mask):
    words = oracle.words(counter, key, 0, n)
    for place in wrong:
        words[place % n] ^= mask or 1
    named = {"zero-tail", "constant-tail", "bits-flipped", "words-overwritten", "words-moved"}
    assert set(names(findings(counter, key, words))) <= named


@given(n=st.integers(40, 300), places=st.sets(st.integers(0, 298), min_size=3, max_size=60), data=st.data())
@settings(max_examples=4, deadline=None)
def test_words_that_were_lost_have_no_function(n, places, data):
    """A function of few results, such as 0 for negative words, is not proved by the words that have this result."""
    words = oracle.words(5, 7, 0, n)
    constant = data.draw(st.sampled_from([0, MASK32, 2**31 - 1, 2**31]) | words32)
    wrong = [constant if place in places else word for place, word in enumerate(words[:-1])]
    assert set(names(findings(5, 7, [*wrong, words[-1]]))) <= {"words-overwritten", "bits-flipped"}


@pytest.mark.parametrize("constant, last", one_in(2, [0, 1, MASK32, 2**31, 0xCDCDCDCD], [104, 131, 190]))
def test_a_range_of_one_constant_has_no_function(constant, last):
    words = oracle.words(5, 7, 0, 200)
    words[100 : last + 1] = [constant] * (last + 1 - 100)
    assert names(findings(5, 7, words)) == ["words-overwritten"]


def test_two_wrong_words_are_too_few():
    """verify 3.8: here they are all that the function changes."""
    right = oracle.words(5, 7, 0, 4000)
    changed = [place for place, word in enumerate(right) if word >> 23 & 0xFF == 0 and word & 0x7FFFFF]
    wrong = [word >> 31 << 31 if place in changed else word for place, word in enumerate(right)]
    assert names(findings(5, 7, wrong[: changed[2]])) == ["words-overwritten"]
    assert names(findings(5, 7, wrong[: changed[2] + 1])) == ["words-copied-as-float32"]
