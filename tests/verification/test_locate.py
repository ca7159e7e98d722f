"""Finding the counter of words, and a block round by round. specs/verify.md, sections 4 and 5."""

import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st
from strategies import counters, edge_ints, keys

from dmlrand import Position, Round, locate, locate_run, trace
from dmlrand.philox import apply_round
from dmlrand.verification.inverse import invert_block, undo_round

words = edge_ints(32)


@given(counter=counters, key=keys)
def test_the_counter_of_any_block_is_found(counter, key):
    """verify 4.1; promises 8"""
    block = oracle.block(counter, key)
    assert locate(block, key) == counter
    assert locate(np.array(block, np.uint32), key) == counter


@given(block=st.tuples(words, words, words, words), key=keys)
def test_any_four_words_are_the_block_of_one_counter(block, key):
    """verify 4.1: a bijection, from words to counters."""
    assert oracle.block(locate(block, key), key) == list(block)


@given(counter=st.tuples(words, words, words, words), key=st.tuples(words, words))
def test_a_round_is_undone(counter, key):
    assert undo_round(apply_round(counter, key), key) == counter


def test_recorded_answers_run_backwards():
    """Random123's kat_vectors for philox4x32, 10 rounds."""
    ones = (0xFFFFFFFF,) * 4
    assert invert_block((0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8), (0, 0)) == (0, 0, 0, 0)
    assert invert_block((0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD), (0xFFFFFFFF, 0xFFFFFFFF)) == ones


@given(counter=counters, key=keys, lane=st.integers(0, 3), n=st.integers(7, 24))
def test_a_run_is_found_wherever_it_starts(counter, key, lane, n):
    """verify 4.2, 4.3: seven words suffice."""
    run = oracle.words(counter, key, lane, n)
    place = locate_run(run, key)
    assert place == Position((counter + (lane > 0)) % 2**128, -lane % 4)
    assert place.lane == lane
    assert run[place.offset : place.offset + 4] == oracle.block(place.counter, key)
    assert locate(run, key) == place.counter


@given(counter=counters, key=keys, lane=st.integers(0, 3), n=st.integers(5, 6))
def test_five_or_six_words_are_found_if_they_hold_a_block(counter, key, lane, n):
    """verify 4.3"""
    run = oracle.words(counter, key, lane, n)
    if -lane % 4 + 4 <= n:
        assert locate_run(run, key) == Position((counter + (lane > 0)) % 2**128, -lane % 4)
    else:
        with pytest.raises(ValueError, match=f"got {n}, which hold 0 blocks of key {key:#x}. Pass 7 consecutive"):
            locate_run(run, key)


@given(counter=counters, key=keys, lane=st.integers(0, 3), place=st.integers(0, 10), bit=st.integers(0, 31))
def test_a_run_with_one_wrong_bit_is_not_found(counter, key, lane, place, bit):
    """verify 4.2: every word of the run is compared."""
    run = oracle.words(counter, key, lane, 11)
    run[place] ^= 1 << bit
    with pytest.raises(ValueError, match="got 11 that do not occur in its stream at any counter and lane"):
        locate_run(run, key)


@pytest.mark.parametrize(
    ("words", "key", "error", "message"),
    [
        ([1, 2, 3], 7, ValueError, "words must hold at least the 4 words of a block; got 3, which occur at many "),
        ([np.int64(2**32), 2, 3, 4], 7, ValueError, "words[0] must be in [0, 2**32); got 4294967296.\n"),
        ([np.int64(-1), 2, 3, 4], 7, ValueError, "got -1. For an int32 pass word % 2**32.\n"),
        (["-1", 2, 3, 4], 7, TypeError, "words[0] must be an integer; got '-1' of type str. Pass an int."),
        (np.zeros(4, np.int64), 7, TypeError, "words must be uint32 of rank 1; got int64 of rank 1."),
        (np.zeros((2, 4), np.uint32), 7, TypeError, "words must be uint32 of rank 1; got uint32 of rank 2."),
        ("abcd", 7, TypeError, "words must be a list, a tuple or a uint32 array; got str. Pass a list."),
        ([1, 2, 3, 4], 2**64, ValueError, "key must be in [0, 2**64); got 18446744073709551616. Reduce it yourself"),
    ],
)
def test_errors(words, key, error, message):
    for function in (locate, locate_run):
        with pytest.raises(error) as caught:
            function(words, key)
        assert message in f"{caught.value}\n"


@pytest.mark.parametrize("blocks", [2, 3, 25])
def test_words_that_are_stored_lane_by_lane(blocks):
    """verify 4.3: the error says that they are of several blocks, and which words are one."""
    words = np.array(oracle.words(1000, 42, 0, 4 * blocks), np.uint32).reshape(blocks, 4).T.ravel()
    message = (
        f"got words of {blocks} blocks, lane by lane: words 0, {blocks}, {2 * blocks} and {3 * blocks} are the block"
    )
    with pytest.raises(ValueError, match=f"{message} of counter 0x3e8. Pass these.$"):
        locate_run(words, 42)
    assert locate(words[::blocks], 42) == 1000


@given(counter=counters, key=keys)
def test_ten_rounds_turn_the_counter_into_the_block(counter, key):
    """verify 5.1; words 4"""
    rounds = trace(counter, key)
    assert [step.round for step in rounds] == list(range(10)) and {type(step) for step in rounds} == {Round}
    assert list(rounds[0].counter) == oracle.low_words(counter, 4)
    low, high = oracle.low_words(key, 2)
    for i, (step, after) in enumerate(zip(rounds, [*rounds[1:], None])):
        assert after is None or step.result == after.counter
        assert step.key == ((low + i * oracle.W0) % 2**32, (high + i * oracle.W1) % 2**32)
        # This is the block of a generator that runs i + 1 rounds.
        assert list(step.result) == oracle.block(counter, key, rounds=i + 1)


def test_arguments_of_trace_refused():
    with pytest.raises(ValueError, match=r"^counter must be in \[0, 2\*\*128\); got -1\."):
        trace(-1, 0)
    with pytest.raises(TypeError, match="^key must be an integer; got 1.0 of type float"):
        trace(0, 1.0)
