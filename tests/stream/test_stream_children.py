"""Streams made of a stream: split, spawn and fold_in. specs/stream.md, 16 and 17."""

import hashlib

import oracle
from hypothesis import example, given, settings, strategies as st
from strategies import counters, keys, texts

from dmlrand import Stream, make_state

END = 2**130
lanes = st.integers(0, 3)


def number_of(data):
    """state 4.4, implemented a second time."""
    if isinstance(data, int):
        return data
    digest = hashlib.sha256(data.encode() if isinstance(data, str) else data).digest()
    return sum(byte << 8 * i for i, byte in enumerate(digest[:8]))


def child(counter, lane, key, data):
    """stream 16, implemented a second time: the six words of the child."""
    if lane:
        *_, low, high = oracle.fold_in(counter, key, number_of(f"lane {lane}"))
        counter, key = 0, low + 2**32 * high
    return oracle.fold_in(counter, key, number_of(data))


def words_of(streams):
    assert all(stream.lane == 0 for stream in streams)
    return [stream.state.tolist() for stream in streams]


@settings(max_examples=50)
@given(counters, lanes, keys, st.integers(0, 2**64 - 1) | texts | st.binary(max_size=9), st.integers(0, 20))
def test_children_are_those_of_the_clauses(counter, lane, key, data, n):
    """stream 16; state 4.4"""
    stream = Stream(make_state(counter=counter, key=key), lane)
    position = stream.tell()
    assert words_of([stream.fold_in(data)]) == [child(counter, lane, key, data)]
    assert words_of(stream.split(n)) == [child(counter, lane, key, i) for i in range(n)]
    assert stream.split(n) == stream.split(n) and stream.tell() == position


@settings(max_examples=50)
@given(counters, lanes, keys, st.lists(st.integers(0, 5), min_size=1, max_size=5))
@example(2**128 - 1, 3, 7, [1, 1])
def test_spawn_returns_the_children_of_the_position_and_moves_on_by_a_block(counter, lane, key, counts):
    """stream 17"""
    stream = Stream(make_state(counter=counter, key=key), lane)
    position = stream.tell()
    for n in counts:
        expected = stream.split(n)
        assert stream.spawn(n) == expected
        position = (position + 4) % END
        assert stream.tell() == position
