"""Windows of numbers: exactly that part of the whole tensor. specs/dask.md, 5"""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from numbers_at import arguments_of, every_distribution
from strategies import shapes_and_windows, states

import dmlrand
from dmlrand import make_state, uniform

pytestmark = pytest.mark.both_kinds

STATE = make_state(counter=2**64 - 5, key=7)


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


@pytest.mark.parametrize("lane", range(4))
def test_the_last_words_with_positions_below_2_63(lane):
    """distributions 6.3: One more, and their place overflows 63 bits: refused."""
    n = 2**63 - 1 - lane
    last = uniform(STATE, n, window=slice(n - 1, None), lane=lane).values
    before = uniform(STATE, n, window=slice(n - 5, None), lane=lane).values
    assert last.tolist() == before[4:].tolist()
    with pytest.raises(ValueError, match="shape must use fewer than 2"):
        uniform(STATE, n + 1, window=slice(n, None), lane=lane)
    with pytest.raises(ValueError, match=r"^shape must use fewer than 2\*\*63 words; got .* of float64\. Draw several"):
        uniform(STATE, 2**62, window=0, dtype="float64")
    with pytest.raises(ValueError, match=r"^window must describe fewer than 2\*\*63 bytes; got .* with 8 bytes an"):
        uniform(STATE, 2**62 - 2, window=..., dtype="float64")
