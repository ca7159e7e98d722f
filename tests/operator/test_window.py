"""random_window: exactly the slice of the whole tensor, computing only what it needs."""

import re
import tracemalloc
from math import prod

import numpy as np
import oracle
import pytest
from hypothesis import given, settings, strategies as st
from strategies import shapes_and_windows, states

from dmlrand import make_state, random_generator, random_window

pytestmark = pytest.mark.both_kinds


@settings(max_examples=80)
@given(drawn=states(), shape_and_window=shapes_and_windows)
def test_a_window_is_that_slice_of_the_whole(drawn, shape_and_window):
    """operator 4.1 and 4.2; words 10"""
    state, counter, key = drawn
    shape, window = shape_and_window
    whole = np.reshape(np.array(oracle.words(counter, key, 0, prod(shape)), np.uint32), shape)
    expected = np.asarray(whole[window])
    values = random_window(state, shape, window)
    assert type(values) is np.ndarray and values.dtype == np.uint32
    assert values.shape == expected.shape
    assert values.tolist() == expected.tolist()


def test_the_last_words_of_the_largest_tensor():
    """operator 4.1"""
    state, size = make_state(counter=2**128 - 5, key=7), 2**63 - 1
    assert random_window(state, size, slice(-9, None)).tolist() == oracle.words(2**128 - 5, 7, size - 9, 9)
    assert random_window(state, size, -1).tolist() == oracle.words(2**128 - 5, 7, size - 1, 1)[0]
    steps = random_window(state, size, slice(None, None, 2**61 + 1))
    assert steps.tolist() == [oracle.words(2**128 - 5, 7, i * (2**61 + 1), 1)[0] for i in range(4)]


def test_numpy_s_ints_index_like_ints():
    """operator 4.2"""
    whole = random_generator(make_state(key=7), (4, 5)).values
    window = (np.int8(-1), slice(np.uint64(1), np.int32(5), np.int64(2)))
    assert random_window(make_state(key=7), (np.int64(4), 5), window).tolist() == whole[3, 1:5:2].tolist()


# Outputs given by the caller


@given(drawn=states(), shape_and_window=shapes_and_windows, data=st.data())
def test_a_window_is_written_to_out_of_any_strides(drawn, shape_and_window, data):
    """operator 3.4 and 4.1"""
    state, counter, key = drawn
    shape, window = shape_and_window
    expected = random_window(state, shape, window)
    memory = np.full(tuple(2 * size + 3 for size in expected.shape), 9, np.uint32)
    axes = tuple(data.draw(st.sampled_from([slice(1, -2, 2), slice(-2, 1, -2)])) for _ in expected.shape)
    out = memory[axes] if axes else memory
    assert random_window(state, shape, window, out=out) is out
    assert out.tolist() == expected.tolist()
    out[...] = 9
    assert (memory == 9).all()


# Refused

INDEX = "must be an integer, a slice or Ellipsis; got"
REFUSED = {
    "int too large": ((5,), 5, IndexError, "window[0] must be in [-5, 5); got 5."),
    "int too small": ((2, 5), (0, -6), IndexError, "window[1] must be in [-5, 5); got -6."),
    "after dots": ((2, 3, 5), (..., 5), IndexError, "window[2] must be in [-5, 5); got 5."),
    "too many": ((5,), (0, 0), IndexError, "window must have at most as many indices as shape has axes, 1; got 2."),
    "too many "
    "with dots": ((5,), (0, ..., 0), IndexError, "window must have at most as many indices as shape has axes, 1; "
        "got 2."),
    "two dots": ((5, 5), (..., 0, ...), IndexError, "window must hold at most one Ellipsis; got 2."),
    "bool": ((5,), True, TypeError, f"window[0] {INDEX} True of type bool. Pass one of these."),
    "float": ((5, 5), (0, 1.0), TypeError, f"window[1] {INDEX} 1.0 of type float."),
    "new axis": ((5,), None, TypeError, f"window[0] {INDEX} None of type NoneType."),
    "list": ((5,), [0, 1], TypeError, f"window[0] {INDEX} [0, 1] of type list."),
    "negative step": ((5, 5), (0, slice(None, None, -1)), ValueError, "window[1].step must be at least 1; got -1."),
    "zero step": ((5,), slice(0, 5, 0), ValueError, "slice step cannot be zero"),
    "float start": ((5,), slice(1.0, 5), TypeError, "slice indices must be integers"),
    "2**63 words": (
        (2**62, 2), (0, 0),
        ValueError, f"shape must use fewer than 2**63 words; got {(2**62, 2)} of uint32. Draw several smaller tensors.",
    ),
    "out too long": ((9,), slice(4), ValueError, "out must have the window's shape (4,); got (5,)."),
    "rank of out": ((9, 5), slice(1), ValueError, "out must have the window's shape (1, 5); got (5,)."),
    "2**63 bytes": (
        (2**61, 2), np.s_[:, 1],
        ValueError, f"window must describe fewer than 2**63 bytes; got {(2**61,)} with 4 bytes an element.",
    ),
    "rank 0": ((), ..., ValueError, "shape must have rank 1 to 8; got () of rank 0."),
    "rank 9": ((1,) * 9, ..., ValueError, f"shape must have rank 1 to 8; got {(1,) * 9} of rank 9."),
    "negative size": ((5, -1), ..., ValueError, "shape[1] must be at least 0; got -1."),
    "float size": ((5.0,), ..., TypeError, "shape[0] must be an integer; got 5.0 of type float."),
    "None shape": (
        None, ..., TypeError,
        "shape must be given with window, because it is the shape of the whole tensor; got None.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_window_is_refused_and_nothing_touched(case):
    """operator 3.4, 3.7, 4.1 and 4.2"""
    shape, window, error, message = REFUSED[case]
    state, out = make_state(counter=5, key=7), np.full(5, 9, np.uint32)
    with pytest.raises(error, match="^" + re.escape(message)):
        random_window(state, shape, window, out=out)
    assert state.tolist() == [5, 0, 0, 0, 7, 0] and out.tolist() == [9] * 5


@pytest.mark.compiled
def test_a_window_of_a_tensor_of_2_60_words_takes_little_memory():
    """operator 4.3"""
    # It could not come back at all if more than the window were drawn or held.
    state, row, column = make_state(counter=2**128 - 2**57, key=7), 2**29 + 5, 123
    random_window(state, 2, 0)  # compiled before memory is counted
    tracemalloc.start()
    values = random_window(state, (2**30, 2**30), (row, slice(column, column + 1000)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert values.tolist() == oracle.words(2**128 - 2**57, 7, row * 2**30 + column, 1000)
    assert peak < values.nbytes + 16 * 1024
