"""Windows of numbers: exactly that part of the whole tensor. specs/dask.md, 5"""

import re
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from numbers_at import arguments_of, every_distribution
from strategies import shapes_and_windows, states

import dmlrand
from dmlrand import make_state, normal, uniform

pytestmark = pytest.mark.both_kinds

STATE = make_state(counter=2**64 - 5, key=7)

CARRY = make_state(counter=2**64 - 9, key=7)


def sampler(name, dtype):
    return partial(getattr(dmlrand, name), **arguments_of(name, dtype))


def assert_equal(got, expected):
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    assert got.tobytes() == expected.tobytes()


@every_distribution
@settings(max_examples=12)
@given(state=states(), shape_and_window=shapes_and_windows)
def test_a_window_is_that_slice_of_the_whole(name, dtype, state, shape_and_window):
    """distributions 6.2 and 5.3"""
    draw = sampler(name, dtype)
    shape, window = shape_and_window
    whole, after = draw(state[0], shape)
    values, state_after = draw(state[0], shape, window=window)
    assert_equal(values, np.asarray(whole[window]))
    assert_equal(state_after, after)


REFUSED = {
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
    "bytes": (
        {"shape": 2**62 - 2, "window": ..., "dtype": "float64"},
        ValueError, f"window must describe fewer than 2**63 bytes; got {(2**62 - 2,)} with 8 bytes an element.",
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
