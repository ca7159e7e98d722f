"""Words that are right but for one function of each. specs/verify.md, clause 3.6."""

import re

import numpy as np
import oracle
import pytest
from faulty_stores import BIT_MAPS, CONVERSIONS, MASK32
from hypothesis import assume, given, settings, strategies as st
from strategies import counters, keys
from thinning import with_costly

from dmlrand import make_state, verify

words32 = st.integers(0, MASK32)


def findings(counter, key, words):
    return verify(make_state(counter=counter, key=key), np.array(words, np.uint32)).diagnosis


def names(found):
    return [finding.name for finding in found]


def evaluated(finding, word):
    expression = re.search(r"stored as (.*), where w is the right word: ", finding.sentence)[1]
    return eval(expression, {}, {"w": word}) & MASK32


@pytest.mark.parametrize("what", BIT_MAPS)
def test_each_map_of_bits_is_named_and_no_other(what):
    """verify 3.6: the expression gives every word."""
    name, function = BIT_MAPS[what]
    right = oracle.words(2**32 - 9, 7, 0, 100)
    wrong = [function(word) for word in right]
    found = findings(2**32 - 9, 7, wrong)
    assert names(found) == [name] and found[0].sentence.startswith("Every word is stored as ")
    assert [evaluated(found[0], word) for word in right] == wrong


@pytest.mark.parametrize("name, function", with_costly(CONVERSIONS[::3], CONVERSIONS[1::3] + CONVERSIONS[2::3]))
def test_each_conversion_is_named(name, function):
    """verify 3.6"""
    right = oracle.words(5, 7, 0, 4000 if "copied" in name else 300)  # a copy changes few words
    found = findings(5, 7, [function(word) for word in right])
    assert names(found) == [name] and found[0].sentence.startswith("Every word is stored as ")


@given(counter=counters, key=keys, n=st.integers(3, 40), mask=st.integers(1, MASK32 - 1))
@settings(max_examples=4)
def test_inverted_bits_of_few_words(counter, key, n, mask):
    """verify 3.6: three words suffice."""
    (finding,) = findings(counter, key, [word ^ mask for word in oracle.words(counter, key, 0, n)])
    assert finding.name == "bits-inverted" and f" w ^ {mask:#x}, " in finding.sentence


@given(counter=counters, key=keys, n=st.integers(3, 200), mask=st.integers(1, 2**20), data=st.data())
@settings(max_examples=5)
def test_a_function_of_some_words(counter, key, n, mask, data):
    """verify 3.6: those of some lanes, those of a range, or both."""
    lanes = data.draw(st.sets(st.integers(0, 3), min_size=1))
    first, last = sorted([data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n))])
    change = data.draw(st.sampled_from([lambda w: w ^ mask, lambda w: w & ~mask]))
    right = oracle.words(counter, key, 0, n)
    wrong = [change(w) if first <= i <= last and i % 4 in lanes else w for i, w in enumerate(right)]
    differ = [i for i in range(n) if right[i] != wrong[i]]
    assume(len({wrong[i] for i in differ}) >= 3)
    (finding,) = findings(counter, key, wrong)
    assert [evaluated(finding, right[i]) for i in differ] == [wrong[i] for i in differ]


# What is no function


@given(counter=counters, key=keys, n=st.integers(3, 300), wrong=st.sets(st.integers(0, 299), max_size=2), mask=words32)
@settings(max_examples=5)
def test_one_or_two_wrong_words_have_no_function(counter, key, n, wrong, mask):
    words = oracle.words(counter, key, 0, n)
    for place in wrong:
        words[place % n] ^= mask or 1
    named = {"zero-tail", "constant-tail", "bits-flipped", "words-overwritten", "words-moved"}
    assert set(names(findings(counter, key, words))) <= named


@pytest.mark.parametrize("constant, last", with_costly([(1, 104)], [(0, 131), (0xCDCDCDCD, 190)]))
def test_a_range_of_one_constant_has_no_function(constant, last):
    words = oracle.words(5, 7, 0, 200)
    words[100 : last + 1] = [constant] * (last + 1 - 100)
    assert names(findings(5, 7, words)) == ["words-overwritten"]


def test_single_bits_prove_no_function_with_another_fault():
    """verify 3.6: three different words prove a function. Low bits of faulty words are among all bits."""
    for number in range(8):
        found = findings(5, 42, [number >> place & 1 for place in range(3)])
        assert not any("bits" in name and "+" in name for name in names(found))
