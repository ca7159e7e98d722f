"""The numbers at a state: what stateless samplers, Generator and the stateful ops have in common.

A sampler here checks its arguments and returns a draw: a function that reads the stream from a state's counter on.
draw_and_skip adds the step that Generator and the stateful ops take afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import distributions
from ...arrays import subnormals
from ...operator import random_generator, random_window
from ...state import State, counter_of, key_of, make_state
from .arguments import Sizes, check_bounds, check_range, read_reals

Array = NDArray[Any]
Draw = Callable[[State], Array]

BLOCKS_PER_VALUE = 256  # what TensorFlow reserves of a stream for each value, whatever it takes
WORDS_PER_TRUNCATED = 256  # the distance within a call between the words for one truncated normal and the next
LIMIT = 2.0  # of a truncated normal, exclusive
GROUPS = 1 << 14  # groups of a truncated normal made at a time, so that the temporaries stay small


def skip_blocks(state: State, blocks: int) -> State:
    """The state `blocks` modulo 2**64 further on, as TensorFlow's PhiloxRandom::Skip counts: it loses a carry.

    The carry out of the lowest word is added to the upper half of `blocks`, in 32 bits; where that half is all
    ones, it becomes 0 and both are lost.
    """
    counter = counter_of(state)
    low, high = blocks & 0xFFFFFFFF, blocks >> 32 & 0xFFFFFFFF
    word_0 = (counter & 0xFFFFFFFF) + low
    high = high + (word_0 >> 32) & 0xFFFFFFFF
    upper = (counter >> 32) + high & (1 << 96) - 1
    return make_state(counter=word_0 & 0xFFFFFFFF | upper << 32, key=key_of(state))


def draw_and_skip(draw: Draw, sizes: Sizes) -> Callable[[State], tuple[Array, State]]:
    """A draw that also returns the state after it: one step for each value of `sizes`, whatever was drawn."""
    return lambda state: (draw(state), skip_blocks(state, math.prod(sizes) * BLOCKS_PER_VALUE))


def full_ints(sizes: Sizes, kind: np.dtype[Any]) -> Draw:
    """Integers of the whole range of the type: a word, or two words with the low half first."""
    unsigned = np.dtype(f"uint{8 * kind.itemsize}")
    size, end = math.prod(sizes), 1 << 8 * kind.itemsize
    return lambda state: distributions.integers(state, size, 0, end, unsigned).values.view(kind).reshape(sizes)


def uniform(sizes: Sizes, minval: Any, maxval: Any, kind: np.dtype[Any]) -> Draw:
    """Uniform numbers of any of the eight types; both bounds None means all of an integer type."""
    size = math.prod(sizes)
    if kind.kind in "iu":
        bounds = check_range(minval, maxval, kind)
        if bounds is None:
            return full_ints(sizes, kind)
        return lambda state: distributions.integers(state, size, *bounds, kind).values.reshape(sizes)
    low, high = check_bounds(minval, maxval, kind, sizes)
    if low.ndim == high.ndim == 0 and not subnormals.possible(low, high):
        return lambda state: distributions.uniform(state, size, low[()], high[()], kind).values.reshape(sizes)
    width = subnormals.difference(high, low)
    return _scaled(lambda state: distributions.uniform(state, size, dtype=kind).values, sizes, width, low)


def normal(sizes: Sizes, mean: Any, stddev: Any, kind: np.dtype[Any]) -> Draw:
    """Normals by the Box-Muller transform. As in TensorFlow stddev may be negative."""
    size = math.prod(sizes)
    centre, scale = read_reals(mean, "mean", kind, sizes), read_reals(stddev, "stddev", kind, sizes)
    if centre.ndim == scale.ndim == 0 and scale >= 0 and not subnormals.possible(centre, scale):
        return lambda state: distributions.normal(state, size, centre[()], scale[()], kind).values.reshape(sizes)
    return _scaled(lambda state: distributions.normal(state, size, dtype=kind).values, sizes, scale, centre)


def truncated_normal(sizes: Sizes, mean: Any, stddev: Any, kind: np.dtype[Any]) -> Draw:
    """Normals redrawn until they lie within 2 standard deviations of the mean."""
    centre, scale = read_reals(mean, "mean", kind, sizes), read_reals(stddev, "stddev", kind, sizes)
    return _scaled(lambda state: standard_truncated_normals(state, math.prod(sizes), kind), sizes, scale, centre)


def _scaled(draw: Draw, sizes: Sizes, scale: Array, offset: Array) -> Draw:
    """A draw whose numbers are multiplied by `scale` and added to `offset`, as by TensorFlow's ops Mul and Add."""
    return lambda state: subnormals.affine(draw(state).reshape(sizes), scale, offset)


def standard_truncated_normals(state: State, size: int, kind: np.dtype[Any]) -> Array:
    """Normals in (-2, 2), in groups that each start at a fixed place of the stream."""
    work = np.dtype(np.float64 if kind.itemsize == 8 else np.float32)  # rejected before they are rounded
    per_group = 2 if work.itemsize == 8 else 4
    accepted = np.empty((-(-size // per_group), per_group), work)
    for first in range(0, len(accepted), GROUPS):
        fill_groups(skip_groups(state, first, per_group), accepted[first : first + GROUPS])
    return accepted.reshape(-1)[:size].astype(kind)


def fill_groups(state: State, out: Array) -> None:
    """Fill each row of `out` with the first accepted normals of its group; `state` is where the first group starts."""
    groups, per_group = out.shape
    window = random_window(state, (groups, per_group * WORDS_PER_TRUNCATED), (slice(None), slice(0, 8)))
    normals = distributions.standard_normals(window.reshape(-1), out.dtype).reshape(groups, -1)
    keep = np.abs(normals) < LIMIT
    keep &= np.cumsum(keep, axis=1) <= per_group
    full = np.count_nonzero(keep, axis=1) == per_group
    out[full] = normals[full][keep[full]].reshape(-1, per_group)
    for group in np.flatnonzero(~full).tolist():  # a few in a million need more than the window's words
        out[group] = patient_group(skip_groups(state, group, per_group), per_group, out.dtype)


def skip_groups(state: State, groups: int, per_group: int) -> State:
    """The state where the group that many groups further on starts."""
    return skip_blocks(state, groups * per_group * WORDS_PER_TRUNCATED // 4)


def patient_group(state: State, per_group: int, work: np.dtype[Any]) -> Array:
    """The first accepted normals from a state on, however many must be drawn."""
    words = 64
    while True:
        normals = distributions.standard_normals(random_generator(state, words).values, work)
        accepted = normals[np.abs(normals) < LIMIT]
        if len(accepted) >= per_group:
            return accepted[:per_group]
        words *= 2
