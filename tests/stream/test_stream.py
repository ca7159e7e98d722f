"""Streams: draws that join, positions, equality, refusals. specs/stream.md."""

import inspect
import json
import re
import types

import numpy as np
import oracle
import pytest
from hypothesis import given, settings, strategies as st
from number_oracle import ORACLES
from numbers_at import arguments_of, dtype_of, every_distribution
from strategies import counters, edge_ints, keys, states

import dmlrand
from dmlrand import (
    Stream,
    advance_blocks,
    make_state,
    seed_state,
)
from dmlrand.drawing.number_rules import DISTRIBUTIONS

pytestmark = pytest.mark.both_kinds

END = 2**130
lanes = st.integers(0, 3)
positions = edge_ints(130) | st.integers(-9, 9).map(lambda step: step % END)
cuts = st.lists(st.integers(0, 23), max_size=6)

def stream_at(position, key=7):
    return Stream(make_state(counter=position // 4, key=key), position % 4)


# Draws


@given(states(), lanes, cuts)
def test_words_are_those_of_the_stream_from_its_lane_on(case, lane, pieces):
    """stream 1, 2 and 7: neither the argument nor a result shares memory with the stream"""
    state, counter, key = case
    before = np.array(state).tolist()
    stream, position = Stream(state, lane), lane + sum(pieces)
    drawn = [word for n in pieces for word in stream.words(n).tolist()]
    place = stream.state
    assert (place.dtype, place.shape, stream.lane) == (np.uint32, (6,), position % 4)
    assert place.tolist() == oracle.state_words((counter + position // 4) % 2**128, key)
    assert stream.tell() == (4 * counter + position) % END
    place[:] = 0
    drawn += stream.words(2).tolist()
    assert drawn == oracle.words(counter, key, lane, sum(pieces) + 2)
    assert np.array(state).tolist() == before


@every_distribution
@settings(max_examples=8)
@given(position=positions, pieces=cuts)
def test_pieces_join_without_gaps(name, dtype, position, pieces):
    """stream 2: drawing a, then b, is drawing a + b, for complete groups"""
    arguments, group = arguments_of(name, dtype), ORACLES[name].group
    stream, whole = stream_at(position), stream_at(position)
    drawn = [number for n in pieces for number in getattr(stream, name)(n * group, **arguments).tolist()]
    assert drawn == getattr(whole, name)(sum(pieces) * group, **arguments).tolist() and stream == whole


SCALARS = {
    "words": ((), {}, np.uint32, 1),
    "uniform by name": ((), {"shape": None, "out": None, "low": -3, "high": 5, "dtype": "float64"}, np.float64, 2),
    "integers": ((), {"low": 1, "high": 7}, np.int32, 1),
    "integers of 64 bits": ((), {"low": 0, "high": 2**64, "dtype": "uint64", "threads": 2}, np.uint64, 2),
    "normal of 64 bits": ((), {"mean": 1, "stddev": 2, "dtype": np.float64}, np.float64, 4),
}


@pytest.mark.parametrize("name", SCALARS)
@given(position=positions)
def test_without_a_shape_a_draw_is_one_scalar(name, position):
    """stream 15"""
    arguments, options, kind, words_read = SCALARS[name]
    method = name.partition(" ")[0]
    one, same = stream_at(position), stream_at(position)
    number = getattr(one, method)(*arguments, **options)
    assert type(number) is kind
    rest = {key: value for key, value in options.items() if key != "shape"}
    assert [number] == getattr(same, method)(1, *arguments[1:], **rest).tolist()
    assert one == same and one.tell() == (position + words_read) % END


# Position


@given(counters, keys, lanes, positions)
def test_tell_is_four_times_the_counter_plus_the_lane_and_seek_takes_it_back(counter, key, lane, other):
    """stream 6"""
    stream = Stream(make_state(counter=counter, key=key), lane)
    position = stream.tell()
    assert position == 4 * counter + lane
    first = stream.words(7).tolist()
    stream.seek(other)
    assert stream.tell() == other
    assert (stream.state.tolist(), stream.lane) == (oracle.state_words(other // 4, key), other % 4)
    assert stream.words(5).tolist() == oracle.words(other // 4, key, other % 4, 5)
    stream.seek(position)
    assert stream.words(7).tolist() == first


@given(keys, lanes)
def test_a_seed_begins_a_stream_at_block_0_of_its_key(seed, lane):
    """stream 14"""
    stream = Stream(seed=seed, lane=lane)
    assert stream == Stream(seed_state(seed), lane) == Stream(make_state(key=seed), lane)
    assert stream.words(5).tolist() == oracle.words(0, seed, lane, 5)


def test_equal_means_the_same_next_word_of_the_same_key():
    """stream 9"""
    assert Stream(make_state(counter=5, key=1), 3) != Stream(make_state(counter=5, key=2), 3)
    assert Stream(make_state(counter=5, key=1), 3) != Stream(make_state(counter=5, key=1), 2)
    assert Stream(make_state(counter=5, key=1), 0) != Stream(make_state(counter=4, key=1), 3)
    by_words, by_normals, by_seek = (
        Stream(make_state(counter=5, key=1)),
        Stream(make_state(counter=4, key=1), 2),
        Stream(make_state(counter=0, key=1)),
    )
    by_words.words(4)
    by_normals.normal(5)
    by_seek.seek(24)
    assert by_words == by_normals == by_seek == Stream([6, 0, 0, 0, 1, 0])
    assert by_words != make_state(counter=6, key=1).tolist() and Stream([6, 0, 0, 0, 1, 0]) != "a stream"
    with pytest.raises(TypeError, match="unhashable"):
        hash(by_words)


# Dictionaries


@given(counters, keys, lanes, positions)
def test_a_state_dict_is_of_plain_ints_and_brings_the_position_back(counter, key, lane, other):
    """stream 8 and 18"""
    stream = Stream(make_state(counter=counter, key=key), lane)
    saved = stream.state_dict()
    assert saved == {"state": oracle.state_words(counter, key), "lane": lane}
    assert {type(number) for number in (*saved["state"], saved["lane"])} == {int}
    for read in (saved, json.loads(json.dumps(saved)), types.MappingProxyType(saved)):
        again = stream_at(other)
        again.load_state_dict(read)
        assert again == stream == Stream(**read) == eval(repr(stream))
        assert again.words(5).tolist() == oracle.words(counter, key, lane, 5)


# Refusals


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_method_has_the_arguments_of_its_function_except_three(name):
    """stream 5: state, window and lane belong to the pure functions."""
    function, method = getattr(dmlrand, name), getattr(Stream, name)
    of_function, of_method = (dict(inspect.signature(each).parameters) for each in (function, method))
    assert {*of_method} - {"self", "positional"} == {*of_function} - {"state", "window", "lane", "positional"}
    for each in {*of_method} - {"self", "positional"}:
        assert of_method[each].default == of_function[each].default
    stream = stream_at(9)
    for other in ("state", "window", "lane", "thread"):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{other}'"):
            getattr(stream, name)(4, **{other: 1})
    assert stream.tell() == 9


ONE_OF = "exactly one of state and seed must be given; got "
WRONG_KEYS = "state_dict must be a mapping with the keys 'state', 'lane' and no other; got "
REFUSED = [
    (lambda s: Stream(make_state(), 4), ValueError, "lane must be in [0, 4); got 4."),
    (lambda s: Stream(None, seed=None), TypeError, f"{ONE_OF}neither. Pass an int as seed, or seed_state(None) as st"),
    (lambda s: Stream(make_state(), seed=7), TypeError, f"{ONE_OF}both. Pass an int as seed"),
    (lambda s: s.seek(END), ValueError, f"words must be in [0, 2**130); got {END}. Reduce it yourself: words %"),
    (lambda s: s.words(1, out=np.zeros(2, np.uint32)), ValueError, "shape must be the shape of out, or None; got (1,)"),
    (lambda s: s.words(4, threads=0), ValueError, "threads must be at least 1; got 0."),
    (lambda s: s.split(-1), ValueError, "n must be at least 0; got -1."),
    (lambda s: s.spawn(-1), ValueError, "n must be at least 0; got -1."),
    (lambda s: s.fold_in(None), TypeError, "data must be an integer, a str or bytes; got None"),
    (lambda s: s.load_state_dict([0] * 6), TypeError, WRONG_KEYS),
    (lambda s: s.load_state_dict({}), TypeError, WRONG_KEYS),
    (lambda s: s.load_state_dict({"state": 1, "lane": 0, 3: 4}), TypeError, WRONG_KEYS),
    (lambda s: s.load_state_dict({"state": [0] * 5, "lane": 0}), ValueError, "state_dict['state'] must hold 6 uint32"),
    (lambda s: s.load_state_dict({"state": "words", "lane": 0}), TypeError, "state_dict['state'] must be a uint32 arr"),
    (lambda s: s.load_state_dict({"state": [0] * 6, "lane": 4}), ValueError, "state_dict['lane'] must be in [0, 4); "),
]


@pytest.mark.parametrize("call, error, message", REFUSED, ids=range(len(REFUSED)))
def test_bad_arguments_are_refused_and_the_position_stays(call, error, message):
    """stream 12, 14 and 18"""
    stream = stream_at(9)
    with pytest.raises(error, match="^" + re.escape(message)):
        call(stream)
    assert stream == stream_at(9)


@every_distribution
@given(counter=counters, lane=lanes, n=st.integers(0, 40))
@settings(max_examples=8)
def test_the_state_of_a_pure_function_is_past_every_word_read(name, dtype, counter, lane, n):
    """stream 3 and 4; distributions 1.3, 1.5, 7.4 and 8.5: numbers are made `together` at a time."""
    draw, arguments = getattr(dmlrand, name), arguments_of(name, dtype)
    together, kind = ORACLES[name].group, dtype_of(dtype)
    per_number = 2 if kind.itemsize == 8 else 1
    words_read = -(-n // together) * together * per_number
    state = make_state(counter=counter, key=7)
    after = advance_blocks(state, -(-(lane + words_read) // 4)).tolist()
    assert draw(state, n, **arguments, lane=lane).state.tolist() == after
    assert draw(state, (n, 1), **arguments, lane=lane, window=(slice(0, 1), 0)).state.tolist() == after
    # A Stream goes past the same words, and stops at the first it has not read.
    stream = Stream(state, lane)
    drawn = getattr(stream, name)(n, **arguments)
    assert drawn.tobytes() == draw(state, n, **arguments, lane=lane).values.tobytes()
    assert stream.tell() == (4 * counter + lane + words_read) % END
