"""Each fault is distinguished from all others, on data of generators that have only that fault. specs/verify.md."""

from functools import cache

import numpy as np
import oracle
import pytest
from faulty_families import COUNTER_FAMILIES, FAMILIES
from faulty_generators import GENERATORS, STATE_UPDATES, philox
from hypothesis import example, given, settings, strategies as st
from strategies import counters, keys
from thinning import one_in, with_costly

from dmlrand import Finding, verify

# Words that differ from one another, and carries, signs and rows that affect the words.
SHAPE = (3, 5, 39)  # the length of a row is no multiple of 4
LARGE = (3, 5, 7, 59)  # more words than the largest group
KEY = 0xDEADBEEF_CAFEBABE
COUNTERS = {
    "no-carry-out-of-word-1": 0x9ABCDEF0_12345678_FFFFFFFF_FFFFFF80,
    "no-carry-out-of-word-2": 0x9ABCDEF0_FFFFFFFF_FFFFFFFF_FFFFFF80,
}
COUNTER = 0x9ABCDEF0_12345678_0FEDCBA9_FFFFFF80


def names(report):
    return [finding.name for finding in report.diagnosis]


def state_at(name):
    return oracle.state_words(COUNTERS.get(name.removeprefix("state-"), COUNTER), KEY)


@cache
def wrong_words(name):
    return tuple(GENERATORS[name](state_at(name), shape_for(name)))


def shape_for(name):
    return LARGE if name.startswith("groups-of") else SHAPE


def tensor(words, shape):
    return np.array(words, np.uint32).reshape(shape)


# verify 3.1, 3.2: the words


@pytest.mark.parametrize("name", one_in(2, GENERATORS))
def test_each_fault_is_named_and_no_other(name):
    report = verify(state_at(name), tensor(wrong_words(name), shape_for(name)))
    assert not report.ok and report.mismatches
    assert names(report) == [name]


# Four different words prove no fault that leaves another one unexplained (3.9).
@pytest.mark.costly
@pytest.mark.parametrize("name", sorted({*GENERATORS} - {"every-block-the-first"}))
def test_one_deviating_word_does_not_hide_the_fault(name):
    """verify 3.1: the sentence names the word that the fault does not explain."""
    values = tensor(wrong_words(name), shape_for(name))
    values.flat[555] ^= 1 << 7
    findings = verify(state_at(name), values).diagnosis
    assert findings and not set(name.split("+")).isdisjoint(
        {part for each in findings for part in each.name.split("+")}
    )
    assert all("these: word 555 is not found" in each.sentence for each in findings)


@given(counter=counters, key=keys, n=st.integers(1, 60))
def test_right_words_are_not_diagnosed(counter, key, n):
    values = tensor(oracle.words(counter, key, 0, n), n)
    report = verify(oracle.state_words(counter, key), values, oracle.new_state_words(counter, key, n))
    assert report == (True, n, 0, None, (), ((0, n, 0, None, 1.0, False),), "uint32")


@given(counter=counters, key=keys, name=st.sampled_from(sorted(GENERATORS)), shape=st.sampled_from([(61,), (5, 9)]))
@settings(max_examples=8)
def test_the_fault_is_among_those_named_for_any_state(counter, key, name, shape):
    """verify 3.4: several faults may give the same words, and a fault may change no word; none is missed."""
    state = oracle.state_words(counter, key)
    words = GENERATORS[name](state, shape)
    report = verify(state, tensor(words, shape))
    assert report.ok == (words == oracle.words(counter, key, 0, len(words)))
    assert report.ok or name in names(report)


# verify 3.2: families


@pytest.mark.parametrize("fault", one_in(3, FAMILIES), ids=lambda fault: fault[0])
@pytest.mark.parametrize("seed", with_costly([0], [1]))
def test_each_fault_of_a_family_is_named_and_no_other(fault, seed):
    name, generator = fault
    state = np.random.default_rng(seed).integers(0, 2**32, 6).tolist()
    assert names(verify(state, tensor(generator(state, (399,)), 399))) == [name]


def not_nested(counter):
    """As in Random123's adapter for GSL, and in Random123.jl 1.4.0."""
    for place in range(4):
        if place == 0 or counter[place - 1] == 0:
            counter[place] = (counter[place] + 1) % 2**32


def until_zero(counter):
    """As with `if (x++ == 0) return` for each word."""
    for place, word in enumerate(counter):
        counter[place] = (word + 1) % 2**32
        if word == 0:
            return


@pytest.mark.parametrize(
    ("step", "start"),
    [
        (not_nested, [2**32 - 20, 0, 7, 8]),
        (not_nested, [2**32 - 20, 2**32 - 1, 7, 8]),
        (not_nested, [2**32 - 20, 2**32 - 1, 0, 8]),
        (not_nested, [2**32 - 20, 0, 2**32 - 9, 8]),
        (not_nested, [2**32 - 20, 7, 0, 8]),
        (until_zero, [0, 0, 0, 0]),
        (until_zero, [5, 0, 0, 0]),
        (until_zero, [2**32 - 20, 2**32 - 9, 0, 7]),
    ],
)
def test_words_that_are_counted_by_tests_for_zero(step, start):
    """verify 3.2"""
    counter, words = [*start], []
    for _ in range(100):
        words += philox(counter, [9, 10])
        step(counter)
    name = "carries-not-nested" if step == not_nested else "number-added-to-all-words"
    report = verify([*start, 9, 10], tensor(words, 400))
    assert {*names(report)} - {"block-number-in-a-word"} == {name}  # a number in one word may give the same words
    assert not any("This explains" in each.sentence for each in report.diagnosis)


@pytest.mark.costly
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_fault_of_a_family_is_named_in_numbers(family, dtype):
    """verify 1.5"""
    name, generator = family
    state = np.random.default_rng(3).integers(0, 2**32, 6).tolist()
    words = np.array(generator(state, (398,)), np.uint64)
    numbers = (words & 0x7FFFFF) * 2.0**-23
    if dtype == "float64":
        numbers = ((words[::2] & 0xFFFFF) * 2.0**32 + words[1::2]) * 2.0**-52
    assert names(verify(state, numbers.astype(dtype), dtype=dtype)) == [name]


@pytest.mark.parametrize(
    ("bits", "name", "generator"), with_costly(COUNTER_FAMILIES[5:7], COUNTER_FAMILIES[:5] + COUNTER_FAMILIES[7:])
)
@pytest.mark.parametrize("seed", with_costly([0], [1]))
def test_each_fault_of_a_counter_word_is_named_and_no_other(bits, name, generator, seed):
    rng = np.random.default_rng(seed)
    state = [2**bits - int(rng.integers(10, 90)), *rng.integers(0, 2**32 - 1, 5).tolist()]
    assert names(verify(state, tensor(generator(state, (399,)), 399))) == [name]


# verify 3.5: faults that are read from the data


@pytest.mark.parametrize(
    ("blocks", "count"),
    [(2, "2"), (-1, "1"), (-3000, "3,000"), (2**32, "2^32"), (2**64, "2^64"), (-(2**100), "2^100"), (2**127, "2^127")],
)
@pytest.mark.parametrize("lane", with_costly([1], [0, 3]))
def test_a_start_elsewhere(blocks, count, lane):
    counter = (COUNTER + blocks) % 2**128
    report = verify(oracle.state_words(COUNTER, KEY), tensor(oracle.words(counter, KEY, lane, 90), (9, 10)))
    # A lost carry, too, moves the words of a whole number of 2**32 blocks.
    assert names(report) in (["starts-elsewhere"], ["carry-signed", "starts-elsewhere"][blocks != 2**32 or lane :])
    sentence = report.diagnosis[-1].sentence
    side = "before" if blocks < 0 else "after"
    assert f"start at lane {lane} of counter {counter:#x}, {count} block" in sentence
    assert f" {side} the state's counter, and are right from there: " in sentence


NEAR_WRAP = [2**32 - 3, 5, 6, 7, 8, 9]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("state-carry-into-another-word", NEAR_WRAP, [7, 6, 7, 8, 8, 9]),
        ("state-words-wrong", NEAR_WRAP, [7, 6, 0, 0, 8, 9]),
        ("state-words-wrong", NEAR_WRAP, [7, *[0xCDCDCDCD] * 5]),
    ],
)
def test_faults_of_counting_in_the_new_state(name, before, after):
    """verify 3.3: the new state after 10 blocks."""
    words = oracle.words(oracle.from_words(before[:4]), oracle.from_words(before[4:]), 0, 40)
    (found,) = verify(before, tensor(words, 40), after).diagnosis
    assert found.name == name
    if after[1] == 0xCDCDCDCD:
        assert "counter word 3, key word 0, key word 1 as 0xcdcdcdcd, and not as 0x6, 0x6, 0x7, 0x8," in found.sentence


@pytest.mark.parametrize("length", [1, 2, 299, 300])
@pytest.mark.parametrize("constant", [0, 0xCDCDCDCD])
def test_a_tail_that_was_never_written(length, constant):
    words = oracle.words(5, 7, 0, 300)
    words[300 - length :] = [constant] * length
    report = verify(oracle.state_words(5, 7), tensor(words, (3, 100)))
    if constant and length == 1:
        assert names(report) == []  # any one wrong word would be such a tail
        return
    assert names(report) == ["constant-tail" if constant else "zero-tail"]
    which = {300: "All 300 words are", 1: "The last of 300 words is"}.get(length, f"The last {length} of 300 words are")
    assert report.diagnosis[0].sentence.startswith(f"{which} {constant:#x}, as if never written")


def test_one_round_is_singular():
    report = verify([0] * 6, np.zeros(4, np.uint32))
    assert Finding("rounds-1", "The generator runs 1 round: run 10.") in report.diagnosis


# verify 3.3: the new state


@pytest.mark.parametrize(("name", "update"), STATE_UPDATES)
def test_each_fault_of_the_state_is_named_and_no_other(name, update):
    n = 4 * 0x200 + 3  # not a whole number of blocks, and enough to reach every carry of COUNTERS
    state = state_at(name)
    counter = oracle.from_words(state[:4])
    report = verify(state, tensor(oracle.words(counter, KEY, 0, n), n), update(state, n))
    assert not report.ok and report.mismatches == 0 and report.first_mismatch is None
    expected = [name]
    if name in ("state-advanced-by-floor", "state-advanced-one-short"):  # the same, if the last block is used in part
        expected = ["state-advanced-by-floor", "state-advanced-one-short"]
    assert names(report) == expected


@example(n=1)
@given(n=st.integers(1, 3))
def test_after_few_words_a_state_has_several_explanations(n):
    state = oracle.state_words(5, 7)
    report = verify(state, tensor(oracle.words(5, 7, 0, n), n), state)
    assert names(report) == ["state-not-advanced", "state-advanced-by-floor", "state-advanced-one-short"]


def test_an_unknown_state_is_not_explained():
    report = verify([5, 0, 0, 0, 7, 0], tensor(oracle.words(5, 7, 0, 8), 8), [9, 8, 7, 6, 5, 4])
    assert not report.ok and report.diagnosis == ()


def test_words_and_state_are_explained_separately():
    state = state_at("")
    values = tensor(GENERATORS["counter-words-reversed"](state, SHAPE), SHAPE)
    new_state = dict(STATE_UPDATES)["state-counter-words-reversed"](state, values.size)
    assert names(verify(state, values, new_state)) == ["counter-words-reversed", "state-counter-words-reversed"]
