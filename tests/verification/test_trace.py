"""A block round by round. specs/verify.md, section 5."""

import re

import oracle
import pytest
from hypothesis import given
from oracle import W0, W1
from strategies import counters, keys

from dmlrand import Round, trace


@given(counter=counters, key=keys)
def test_ten_rounds_turn_the_counter_into_the_block(counter, key):
    """verify 5.1; words 4"""
    rounds = trace(counter, key)
    assert [step.round for step in rounds] == list(range(10)) and {type(step) for step in rounds} == {Round}
    assert list(rounds[0].counter) == oracle.low_words(counter, 4)
    assert list(rounds[-1].result) == oracle.block(counter, key)
    for step, after in zip(rounds, rounds[1:]):
        assert step.result == after.counter
    low, high = oracle.low_words(key, 2)
    for i, step in enumerate(rounds):
        assert step.key == ((low + i * W0) % 2**32, (high + i * W1) % 2**32)
        # This is the block of a generator that runs i + 1 rounds.
        assert list(step.result) == oracle.block(counter, key, rounds=i + 1)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((2**128, 0), ValueError, "counter must be in [0, 2**128); got"),
        ((-1, 0), ValueError, "counter must be in [0, 2**128); got -1."),
        ((0, 2**64), ValueError, "key must be in [0, 2**64); got"),
        (([0, 0, 0, 0], 0), TypeError, "counter must be an integer; got [0, 0, 0, 0] of type list."),
        ((0, 1.0), TypeError, "key must be an integer; got 1.0 of type float."),
    ],
)
def test_errors(arguments, error, message):
    with pytest.raises(error, match=re.escape(message)):
        trace(*arguments)
