"""The six words: every function of state.py against plain ints, and every refusal with its wording."""

import re

import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st
from strategies import counters, edge_ints, keys, states

from dmlrand import (
    Stream,
    advance_blocks,
    batch,
    blocks_for,
    counter_of,
    distance_blocks,
    fold_in,
    jump,
    key_of,
    make_state,
    seed_state,
    split,
)

pytestmark = pytest.mark.both_kinds

steps = st.one_of(edge_ints(128), edge_ints(64).map(lambda n: -n), st.integers(-(2**200), 2**200))


def is_state(state, shape=(6,)):
    return type(state) is np.ndarray and state.dtype == np.uint32 and state.shape == shape and state.flags.writeable


# Made and read


@given(counter=counters, key=keys)
def test_make_state_lays_out_the_words_lowest_first(counter, key):
    """state 2.1; words 5 and 6"""
    state = make_state(counter=counter, key=key)
    assert is_state(state)
    assert state.tolist() == oracle.state_words(counter, key)


@pytest.mark.parametrize("n, blocks", [(0, 0), (1, 1), (3, 1), (4, 1), (5, 2), (8, 2), (9, 3)])
def test_blocks_for_rounds_up(n, blocks):
    """state 3.1"""
    assert blocks_for(n) == blocks


# Seeds


@given(seed=keys)
def test_an_int_seed_is_the_key(seed):
    """state 2.2"""
    assert seed_state(seed).tolist() == oracle.state_words(0, seed)
    assert seed_state(np.uint64(seed)).tolist() == oracle.state_words(0, seed)


def test_a_seed_sequence_gives_its_first_two_words_as_the_key():
    """state 2.2"""
    for entropy in (0, 42, 2**100, [1, 2, 3]):
        words = np.random.SeedSequence(entropy).generate_state(2).tolist()
        assert seed_state(np.random.SeedSequence(entropy)).tolist() == [0, 0, 0, 0, *words]
    # Recorded once with NumPy 2.4, whose SeedSequence is stable by its own policy.
    assert seed_state(np.random.SeedSequence(42)).tolist() == [0, 0, 0, 0, 3444837047, 2669555309]


def test_no_seed_takes_64_bits_of_the_system_s_entropy():
    """state 2.2"""
    keys_drawn = [key_of(seed_state()) for _ in range(64)]
    assert all(counter_of(seed_state()) == 0 for _ in range(4))
    # Two equal keys among 64 have a chance of 2**-53; a bit the same in all of them, 2**-57.
    assert len(set(keys_drawn)) == 64
    assert np.bitwise_or.reduce(np.array(keys_drawn, np.uint64)) == 2**64 - 1
    assert np.bitwise_and.reduce(np.array(keys_drawn, np.uint64)) == 0


# Moved


@given(drawn=states(), blocks=steps)
def test_advancing_there_and_back_gives_the_same_state(drawn, blocks):
    """state 3.2; words 9"""
    state, counter, key = drawn
    back = advance_blocks(advance_blocks(state, blocks), -blocks)
    assert (counter_of(back), key_of(back)) == (counter, key)


@given(start=counters, end=counters, key=keys)
def test_distance_is_what_start_must_advance(start, end, key):
    """state 3.3"""
    blocks = distance_blocks(make_state(counter=start, key=key), make_state(counter=end, key=key))
    assert 0 <= blocks < 2**128
    assert advance_blocks(make_state(counter=start, key=key), blocks).tolist() == oracle.state_words(end, key)


@given(drawn=states(), streams=st.one_of(edge_ints(64).filter(lambda n: n < 2**64), st.integers(-(2**63), 2**64 - 1)))
def test_jump_moves_2_64_blocks_a_stream(drawn, streams):
    """state 3.4"""
    state, counter, key = drawn
    moved = jump(state, streams)
    assert is_state(moved, np.shape(state))
    assert moved.ravel().tolist() == oracle.state_words((counter + streams * 2**64) % 2**128, key)


# Children


@given(drawn=states(), data=edge_ints(64))
def test_fold_in_agrees_with_the_oracle(drawn, data):
    """state 4.1 to 4.3"""
    state, counter, key = drawn
    child = fold_in(state, data)
    assert is_state(child)
    assert child.tolist() == oracle.fold_in(counter, key, data)


@given(drawn=states(), n=st.integers(0, 70))
def test_split_agrees_with_the_oracle(drawn, n):
    """state 4.1 and 4.2"""
    state, counter, key = drawn
    children = split(state, n)
    assert is_state(children, (n, 6))
    assert children.tolist() == oracle.split(counter, key, n)


# Purity

CALLS = {
    "advance_blocks": lambda state: advance_blocks(state, 0),
    "jump": lambda state: jump(state, 0),
    "split": lambda state: split(state, 2),
    "fold_in": lambda state: fold_in(state, 1),
}


@given(drawn=states())
def test_a_state_of_any_kind_is_only_read_and_results_are_fresh(drawn):
    """state 1.1, 1.3 and 2.3"""
    state, counter, key = drawn
    before = np.array(state).tolist()
    for call in CALLS.values():
        first, second = call(state), call(state)
        assert first.tolist() == second.tolist() and not np.shares_memory(first, second)
        assert not isinstance(state, np.ndarray) or not np.shares_memory(first, state)
    assert distance_blocks(state, state) == 0
    assert (counter_of(state), key_of(state)) == (counter, key)
    assert type(counter_of(state)) is type(key_of(state)) is int
    assert np.array(state).tolist() == before


# Refused

SIZES = (
    "state must hold 6 uint32 words (4 of counter, 2 of key) in sizes {1, .., 1, 6} of rank 1 to 8; "
    "got uint32 of shape "
)
NO_WORDS = "state must be a uint32 array or a sequence of 6 ints; got"
RESHAPE = ". Append the key to a counter; make_state makes a state of a key."
CONVERT = "If all its values are in [0, 2**32), convert it with astype(numpy.uint32), or"
WHOLE = " make_state takes the counter and the key as two ints."
BAD_STATES = {
    "int64": (np.zeros(6, np.int64), TypeError, f"state must hold uint32 words; got int64 of shape (6,). {CONVERT}"),
    "float": (np.zeros((1, 6)), TypeError, f"state must hold uint32 words; got float64 of shape (1, 6). {CONVERT}"),
    "other byte order": (
        np.zeros(6, np.dtype(np.uint32).newbyteorder()),
        TypeError,
        f"state must hold uint32 words; got {np.dtype(np.uint32).newbyteorder()} of shape (6,). {CONVERT}",
    ),
    "4 words": (np.zeros((1, 1, 1, 4), np.uint32), ValueError, SIZES + "(1, 1, 1, 4)" + RESHAPE),
    "list of 7": ([0] * 7, ValueError, SIZES + "(7,)" + RESHAPE),
    "a column": (np.zeros((6, 1), np.uint32), ValueError, SIZES + "(6, 1)" + RESHAPE),
    "two states": (np.zeros((2, 6), np.uint32), ValueError, SIZES + "(2, 6)" + RESHAPE),
    "no state": (np.zeros((0, 6), np.uint32), ValueError, SIZES + "(0, 6)" + RESHAPE),
    "rank 0": (np.zeros((), np.uint32), ValueError, SIZES + "()" + RESHAPE),
    "rank 9": (np.zeros((1,) * 8 + (6,), np.uint32), ValueError, SIZES + f"{(1,) * 8 + (6,)}" + RESHAPE),
    "word too large": ([0, 0, 0, 0, 0, 2**32], ValueError, "state[5] must be in [0, 2**32); got 4294967296." + WHOLE),
    "negative word": ([0, -1, 0, 0, 0, 0], ValueError, "state[1] must be in [0, 2**32); got -1." + WHOLE),
    "float word": ([0, 0, 1.0, 0, 0, 0], TypeError, "state[2] must be an integer; got 1.0 of type float. Pass an int."),
    "bool word": ([0, 0, 0, True, 0, 0], TypeError, "state[3] must be an integer; got True of type bool. Pass an int."),
    "nested list": ([[0] * 6], TypeError, f"state[0] must be an integer; got {[0] * 6} of type list. Pass an int."),
    "masked array": (
        np.ma.masked_array(np.zeros(6, np.uint32), [0, 0, 0, 0, 1, 0]),
        TypeError,
        f"{NO_WORDS} MaskedArray. make_state and seed_state make one.",
    ),
    "int": (42, TypeError, f"{NO_WORDS} int. make_state and seed_state make one."),
    "None": (None, TypeError, f"{NO_WORDS} NoneType. make_state and seed_state make one."),
}


@pytest.mark.parametrize("case", BAD_STATES)
def test_anything_but_a_state_is_refused(case):
    """state 1.2; words 7"""
    state, error, message = BAD_STATES[case]
    for reader in (counter_of, key_of, *CALLS.values()):
        with pytest.raises(error, match="^" + re.escape(message)):
            reader(state)


BEYOND = "{0} must be in [0, 2**{1}); got {2}. Reduce it yourself: {0} % 2**{1}."
RANGES = "must be in [-2**63, 2**64); got {}. A key has 2**64 ranges. fold_in(state, data) makes a state with"
BAD_ARGUMENTS = [
    (lambda: jump(make_state(), 2**64), ValueError, f"streams {RANGES.format(2**64)}"),
    (lambda: batch.jump([make_state()], -(2**63) - 1), ValueError, f"streams {RANGES.format(-(2**63) - 1)}"),
    (lambda: make_state(counter=-1), ValueError, BEYOND.format("counter", 128, -1)),
    (lambda: make_state(counter=2**128), ValueError, BEYOND.format("counter", 128, 2**128)),
    (lambda: make_state(key=2**64), ValueError, BEYOND.format("key", 64, 2**64)),
    (lambda: make_state(7), TypeError, "make_state() takes 0 positional arguments but 1 was given"),
    (lambda: make_state(key=True), TypeError, "key must be an integer; got True of type bool. Pass an int."),
    (lambda: seed_state(-1), ValueError, BEYOND.format("seed", 64, -1)),
    (lambda: seed_state(2**64), ValueError, BEYOND.format("seed", 64, 2**64)),
    (
        lambda: seed_state("42"),
        TypeError,
        "seed must be an integer or a numpy.random.SeedSequence; got '42' of type str. Pass one of these.",
    ),
    (lambda: blocks_for(-1), ValueError, "n must be at least 0; got -1."),
    (lambda: advance_blocks([0] * 6, True), TypeError, "blocks must be an integer; got True of type bool."),
    (
        lambda: split(make_state(), -1),
        ValueError,
        "n must be at least 0; got -1. It is the number of children: split(state, 2) makes two.",
    ),
    (
        lambda: counter_of(Stream(seed=1)),
        TypeError,
        "state must be a uint32 array or a sequence of 6 ints; got Stream. make_state and seed_state make one. Results "
        "have an attribute state. A Stream has methods that draw.",
    ),
    (lambda: fold_in(make_state(), -1), ValueError, BEYOND.format("data", 64, -1)),
    (lambda: fold_in(make_state(), 1.5), TypeError, "data must be an integer, a str or bytes; got 1.5 of"),
    (lambda: distance_blocks([0] * 5, make_state()), ValueError, "start must hold 6 uint32 words"),
    (lambda: distance_blocks(make_state(), [0] * 5), ValueError, "end must hold 6 uint32 words"),
]


@pytest.mark.parametrize("call, error, message", BAD_ARGUMENTS, ids=lambda part: part if isinstance(part, str) else "")
def test_a_bad_argument_is_refused(call, error, message):
    """state 1.2, and the ranges of 2 to 4"""
    with pytest.raises(error, match="^" + re.escape(message)):
        call()
