"""Where the words of a dump come from. specs/verify.md, clauses 2.3 to 2.6.

Dumps are made of words of oracle.py, so the right segments are known without dmlrand.
"""

import tracemalloc

import numpy as np
import oracle
import pytest
from hypothesis import example, given, settings, strategies as st
from strategies import counters, keys

from dmlrand import Segment, advance_blocks, make_state, random_generator
from dmlrand.verification.dump import Dump
from dmlrand.verification.places import origins, segments


class verify:
    """The segments of verify, without its search for a fault."""

    def __init__(self, state, values):
        self.segments = segments.find_segments(Dump(state, values))


words32 = st.integers(0, 2**32 - 1)
NEAR = 2**48


def stream(counter, key, first, n):
    """n words from word `first` on, which may be negative."""
    return oracle.words((counter + first // 4) % 2**128, key, first % 4, n)


@st.composite
def parts(draw):
    """(offset, fill, length) for each part of a dump."""
    far = st.integers(-(2**129), 2**129 - 1).filter(lambda offset: not -4 * NEAR < offset < 4 * NEAR)
    near = st.one_of(st.integers(-9, 9), st.integers(-9999, 9999), st.integers(-NEAR, NEAR))
    part = st.one_of(
        st.tuples(st.just(0), st.none(), st.integers(1, 60)),
        st.tuples(near, st.none(), st.integers(7, 60)),
        st.tuples(far, st.none(), st.integers(11, 60)),
        st.tuples(st.none(), st.none(), st.integers(1, 60)),
        st.tuples(st.none(), words32, st.integers(2, 60)),
        st.tuples(st.none(), st.sampled_from([0, 2**32 - 1]), st.integers(1, 60)),
    )
    return draw(st.lists(part, min_size=1, max_size=8))


def dump_of(counter, key, parts):
    """The words of these parts, and the segments: neighbours of one origin are one segment."""
    words, expected = [], []
    for offset, fill, length in parts:
        start = len(words)
        if offset is not None:
            words += stream(counter, key, start + offset, length)
        elif fill is not None:
            words += [fill] * length
        else:
            words += stream(counter, key ^ 1, start, length)  # of another key
        if expected and expected[-1][2:] == (offset, fill):
            start = expected.pop()[0]
        expected.append((start, len(words), offset, fill))
    return np.array(words, np.uint32), tuple(Segment(*part) for part in expected)


@given(counter=counters, key=keys, parts=parts(), chunk=st.sampled_from([16, 50, 1 << 14]))
@example(0, 0, [(0, None, 1), (-1, None, 7)], 16)
@example(0, 0, [(5, None, 9), (4, None, 9)], 16)
@example(0, 0, [(None, None, 300), (2**100, None, 40)], 51)
@settings(max_examples=25, deadline=None)
def test_a_dump_of_known_parts_has_these_segments(counter, key, parts, chunk):
    """verify 2.3, 2.4"""
    values, expected = dump_of(counter, key, parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(origins, "CHUNK", chunk)
        assert verify(make_state(counter=counter, key=key), values).segments == expected


# verify 2.5: summaries

STATE = make_state(counter=2**64 - 5, key=0xDEADBEEF12345)
RIGHT = random_generator(STATE, 60_000).values
OTHER = random_generator(make_state(counter=0, key=3), 60_000).values


def found(values):
    return verify(STATE, np.ascontiguousarray(values, dtype=np.uint32)).segments


@pytest.mark.parametrize("first, wrong, segments", [(10, 127, 255), (0, 128, 256), (10, 128, 2)])
def test_up_to_256_segments_are_not_summarised(first, wrong, segments):
    """verify 2.5"""
    values = RIGHT[:4000].copy()
    values[first : first + 10 * wrong : 10] ^= 5
    assert len(found(values)) == segments


SIGNS_AND_SIZES = [(sign, 2**49 - 4 + past) for sign in (1, -1) for past in (0, 3, 4, 8)]


@pytest.mark.parametrize("start", range(4))
@pytest.mark.parametrize("sign, size", SIGNS_AND_SIZES)
def test_one_block_proves_an_offset_below_2_49_and_two_prove_any(sign, size, start):
    """verify 2.4: seven words hold one whole block, eleven words two."""
    for length in (7, 11):
        parts = [(None, None, 20 + start), (sign * size, None, length), (None, None, 20)]
        values, expected = dump_of(2**70, 7, parts)
        if size >= 2**49 and length == 7:
            expected = (Segment(0, values.size, None),)
        assert verify(make_state(counter=2**70, key=7), values).segments == expected


@pytest.mark.parametrize("offsets, summaries", [(8, 8), (9, 2)])
def test_up_to_8_offsets_have_a_summary_each(offsets, summaries):
    """verify 2.5: right words are not among words of other offsets."""
    starts = [12 * i + 100 * (i % offsets) for i in range(300)]
    segments = found(np.concatenate([RIGHT[start : start + 12] for start in starts]))
    assert len(segments) == summaries
    if summaries == offsets:
        assert [each.offset for each in segments] == [100 * i for i in range(offsets)]
        assert not any(each.varies for each in segments)
    else:
        assert segments == (
            Segment(0, 3600 - 24, 0, share=34 / 298),
            Segment(12, 3600, 100, share=266 / 299, varies=True),
        )


# Dumps as they occur, at random sizes and keys


def words_from(first, n):
    return random_generator(advance_blocks(STATE, first // 4), first % 4 + n).values[first % 4 :]


@pytest.mark.costly
def test_1024_far_offsets_are_told_apart():
    """verify 2.4: the words of more count as not found."""
    places = np.random.default_rng(3).integers(2**60, 2**62, 1025).tolist()
    offsets, *foreign = found(np.concatenate([words_from(4 * place, 12) for place in places]))
    assert offsets.stop == 1024 * 12 and foreign == [Segment(1024 * 12, 1025 * 12, None)]


@pytest.mark.costly
def test_memory_does_not_grow_with_foreign_words():
    """verify 2.6: the tensor has 16 MiB."""
    values = random_generator(make_state(key=99), 1 << 22).values
    verify(STATE, values[:9])
    tracemalloc.start()
    report = verify(STATE, values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert report.segments == (Segment(0, 1 << 22, None),)
    assert peak < 150 << 20
