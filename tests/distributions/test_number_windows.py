"""Windows of numbers: exactly that part of the whole tensor. specs/dask.md, 5"""

import re
import tracemalloc
from functools import partial
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from numbers_at import arguments_of, every_distribution
from strategies import shapes_and_windows, states

import dmlrand
from dmlrand import advance_blocks, make_state, normal, uniform
from dmlrand.arrays.filling import SCRATCH_ELEMENTS
from dmlrand.arrays.window import whole_region, window_region

pytestmark = pytest.mark.both_kinds

STATE = make_state(counter=2**64 - 5, key=7)

CARRY = make_state(counter=2**64 - 9, key=7)


def sampler(name, dtype):
    return partial(getattr(dmlrand, name), **arguments_of(name, dtype))


def assert_equal(got, expected):
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    assert got.tobytes() == expected.tobytes()


@every_distribution
@settings(max_examples=25)
@given(state=states(), shape_and_window=shapes_and_windows)
def test_a_window_is_that_slice_of_the_whole(name, dtype, state, shape_and_window):
    """distributions 6.2 and 5.3"""
    draw = sampler(name, dtype)
    shape, window = shape_and_window
    whole, after = draw(state[0], shape)
    values, state_after = draw(state[0], shape, window=window)
    assert_equal(values, np.asarray(whole[window]))
    assert_equal(state_after, after)


@every_distribution
@pytest.mark.parametrize("threads", [1, 3])
def test_long_rows_that_are_made_in_pieces(name, dtype, threads):
    draw = sampler(name, dtype)
    shape = (3, 4, SCRATCH_ELEMENTS // 2)
    window = np.s_[:, 1:, 1:-2]
    whole = draw(CARRY, shape).values
    assert_equal(draw(CARRY, shape, window=window, threads=threads).values, whole[window])


def test_a_window_large_enough_for_threads():
    shape, window = (2, 2**22), np.s_[:, 3:]
    whole = normal(CARRY, shape).values
    assert_equal(normal(CARRY, shape, window=window, threads=2).values, whole[window])


@every_distribution
def test_into_an_out_of_any_strides(name, dtype):
    """distributions 6.3"""
    draw = sampler(name, dtype)
    whole = draw(CARRY, (7, 9)).values
    out = np.zeros((5, 7, 2), whole.dtype)[..., 0].T
    values, _ = draw(CARRY, (7, 9), window=np.s_[:, 2:7], out=out)
    assert values is out
    assert_equal(np.ascontiguousarray(out), np.ascontiguousarray(whole[:, 2:7]))


def test_only_the_window_is_made():
    tracemalloc.start()
    values, state = normal(CARRY, (2**40, 2**20), window=np.s_[-1, -3:])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert values.shape == (3,) and peak < 2**20
    assert state.tolist() == advance_blocks(CARRY, 2**58).tolist()
    last = normal(advance_blocks(CARRY, 2**58 - 1), 4).values
    assert_equal(values, last[1:])


@pytest.mark.compiled  # kernels in numpy need more memory
def test_a_window_of_single_numbers_needs_little_memory():
    """distributions 6.1"""
    uniform(CARRY, (4, 2), window=np.s_[:, 0])  # compiled, loaded
    tracemalloc.start()
    values, _ = uniform(CARRY, (2**19, 2), window=np.s_[:, 0])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak - values.nbytes < 2**22


@given(shape_and_window=shapes_and_windows)
def test_the_region_of_a_kernel_has_the_elements_of_the_window(shape_and_window):
    """The offset and the step of a row, then the size and the stride of each axis above the rows."""
    shape, window = shape_and_window
    elements = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    for region, expected in ((window_region(shape, window), elements[window]), (whole_region(shape), elements)):
        packed = region.for_kernels()
        assert packed.dtype == np.int64 and packed.ndim == 1
        if np.size(expected):
            offset, step, *outer = packed.tolist()
            rows = prod(outer[::2])
            sizes, strides = [*outer[::2], np.size(expected) // rows], [*outer[1::2], step]
            places = [offset + sum(map(int.__mul__, index, strides)) for index in np.ndindex(*sizes)]
            assert places == np.ravel(expected).tolist()


def test_a_whole_tensor_and_whole_rows_are_one_row():
    assert whole_region((3, 1, 5, 7)).for_kernels().tolist() == [0, 1]
    assert window_region((3, 1, 5, 7), np.s_[1:]).for_kernels().tolist() == [35, 1]
    assert window_region((3, 5, 7), np.s_[:, 2:4]).for_kernels().tolist() == [14, 1, 3, 35]
    assert window_region((3, 5, 7), np.s_[1:, 2, ::3]).for_kernels().tolist() == [49, 3, 2, 35]
    assert window_region((3, 5, 7), np.s_[0, 4, 6]).for_kernels().tolist() == [34, 1]


REFUSED = {
    "outside": ({"shape": 5, "window": 5}, IndexError, "window[0] must be in [-5, 5); got 5."),
    "list": ({"shape": 5, "window": [0]}, TypeError, "window[0] must be an int, a slice or Ellipsis; got [0]."),
    "no shape": (
        {"shape": None, "window": 0, "out": np.zeros(5, np.float32)}, TypeError, "shape must be given with window, "
            "because it is the shape of the whole tensor; got None.",
    ),
    "words": (
        {"shape": (2**62, 2), "window": (0, 0)},
        ValueError, f"shape must use fewer than 2**63 words; got {(2**62, 2)} of float32. Draw several smaller "
            "tensors.",
    ),
    "words of 64 bits": (
        {"shape": 2**62, "window": 0, "dtype": "float64"},
        ValueError, f"shape must use fewer than 2**63 words; got {(2**62,)} of float64. Draw several smaller tensors.",
    ),
    "out": (
        {"shape": 9, "window": slice(5), "out": np.zeros(4, np.float32)},
        ValueError, "out must have the window's shape (5,); got (4,).",
    ),
    "out of another shape": (
        {"shape": 9, "window": slice(6), "out": np.zeros((2, 3), np.float32)},
        ValueError, "out must have the window's shape (6,); got (2, 3).",
    ),
    "out's dtype": (
        {"shape": 9, "window": slice(5), "out": np.zeros(5)},
        TypeError, "out must hold float32 in native byte order; got float64.",
    ),
    "bytes": (
        {"shape": 2**62 - 1, "window": ..., "dtype": "float64"},
        ValueError, f"window must describe fewer than 2**63 bytes; got {(2**62 - 1,)} with 8 bytes an element.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("draw", [uniform, normal])
@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_window_is_refused(draw, case):
    arguments, error, message = REFUSED[case]
    with pytest.raises(error, match="^" + re.escape(message)):
        draw(CARRY, **arguments)
    assert not np.any(arguments.get("out", 0))


@pytest.mark.parametrize("lane", range(4))
def test_the_last_words_with_positions_below_2_63(lane):
    """distributions 6.3: One more, and their place overflows 63 bits: refused."""
    n = 2**63 - 1 - lane
    last = uniform(STATE, n, window=slice(n - 1, None), lane=lane).values
    before = uniform(STATE, n, window=slice(n - 5, None), lane=lane).values
    assert last.tolist() == before[4:].tolist()
    with pytest.raises(ValueError, match="shape must use fewer than 2"):
        uniform(STATE, n + 1, window=slice(n, None), lane=lane)
