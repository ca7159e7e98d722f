"""Outputs given by the caller: any strides, nothing else in their memory touched, and what is refused."""

import re
import tracemalloc

import numpy as np
import oracle
import pytest
from hypothesis import example, given, settings
from strategies import Layout, counters, keys, layouts

from dmlrand import kernels, make_state, random_generator
from dmlrand.drawing.filling import SCRATCH_ELEMENTS


@settings(max_examples=150)
@given(layout=layouts(), counter=counters, key=keys)
@example(layout=Layout((2, 3), (12, 8), 16), counter=0, key=7)  # no two elements meet, but to tell would take long
def test_out_of_any_strides_is_filled_row_major_or_refused_for_overlap(layout, counter, key):
    """operator 1.2, 3.4, 3.7, 3.8 and 5.3"""
    before, state = layout.buffer.copy(), make_state(counter=counter, key=key)
    if layout.overlaps():
        message = f"out must not overlap itself; got shape {layout.out.shape} with strides {layout.out.strides}. Each"
        with pytest.raises(ValueError, match="^" + re.escape(message)):
            random_generator(state, out=layout.out)
        assert np.array_equal(layout.buffer, before)
        return
    n = layout.out.size
    expected = layout.expected(oracle.words(counter, key, 0, n))
    outputs = random_generator(state, out=layout.out)
    assert outputs.values is layout.out
    assert np.array_equal(layout.buffer, expected)  # guard bytes included
    assert outputs.state.tolist() == oracle.new_state_words(counter, key, n)


def peak_bytes(out):
    state = make_state(key=7)
    random_generator(state, out=out)  # compiled, imported and cached before anything is counted
    tracemalloc.start()
    try:
        random_generator(state, out=out)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.compiled  # the kernels in numpy take scratch of their own
@pytest.mark.parametrize("side", [1024, 2048])
def test_peak_memory_of_a_fill_into_out_is_a_constant(side):
    """operator 3.4"""
    out = np.empty((side, 2 * side), np.uint32)
    bound = 4 * SCRATCH_ELEMENTS + 16 * 1024  # the scratch, and small change for the interpreter
    assert bound * 4 < out.nbytes // 2
    for strided in (out, out.T, out[:, ::2], out[::-1, ::-1]):
        assert peak_bytes(strided) < bound


# Refused


def read_only(array):
    array.flags.writeable = False
    return array


SWAPPED = np.dtype(np.uint32).newbyteorder()
DTYPE = "out must hold uint32 in native byte order; got"
REFUSED = {
    "list": ([0] * 4, TypeError, "out must be a numpy array; got list. numpy.empty(shape, uint32) makes one."),
    "masked": (np.ma.zeros(4, np.uint32), TypeError, "out must be a numpy array; got MaskedArray. numpy.empty"),
    "rank 0": (np.zeros((), np.uint32), ValueError, "shape must have rank 1 to 8; got () of rank 0."),
    "int64": (np.zeros(4, np.int64), TypeError, f"{DTYPE} int64. Allocate it with that dtype."),
    "other byte order": (np.zeros(4, SWAPPED), TypeError, f"{DTYPE} {SWAPPED}."),
    "read-only": (
        read_only(np.zeros(4, np.uint32)),
        ValueError,
        "out must be writable; got a read-only array. Draw without out, then convert or copy the values.",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_anything_but_an_output_is_refused(kind):
    """operator 3.4 and 3.7"""
    out, error, message = REFUSED[kind]
    fill = kernels.of_rule("word").fill
    fill.run = fill._run  # the first call of a kernel must not compile it for such an output
    with pytest.raises(error, match="^" + re.escape(message)):
        random_generator(make_state(), out=out)
    assert not np.any(np.array(out))


@pytest.mark.parametrize("view", [np.s_[:6], np.s_[5:7], np.s_[:40], np.s_[1:9:3], np.s_[5::-1]], ids=str)
def test_out_that_shares_memory_with_the_state_is_refused(view):
    """operator 3.4 and 3.7"""
    memory = np.arange(64, dtype=np.uint32)
    message = "out must not share memory with the state; got one that does. Pass a copy of either."
    for state in (memory[:6], memory[:12:2]):  # an element of `out` may lie between two of the state's
        with pytest.raises(ValueError, match="^" + re.escape(message)):
            random_generator(state, out=memory[view])
    assert memory.tolist() == list(range(64))


def test_out_beside_the_state_in_one_memory_is_allowed():
    """operator 3.4"""
    memory = np.arange(64, dtype=np.uint32)
    values, _ = random_generator(memory[:6], out=memory[6:])
    assert values.tolist() == oracle.words(2**32 + 2 * 2**64 + 3 * 2**96, 4 + 5 * 2**32, 0, 58)
    assert memory[:6].tolist() == list(range(6))
