"""The words of a state as TensorFlow's numbers.

Each sampler checks its arguments and returns a Draw, which makes the numbers from any state. The stateless samplers,
Generator and the stateful ops differ only in the states that they draw from.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import distributions
from ...arrays.integers import check_int
from ...operator import random_generator, random_window
from ...state import State, counter_of, key_of, make_state
from .. import subnormals
from .arguments import (
    HIGH64,
    SIGNED,
    Sizes,
    as_numpy,
    check_bounds,
    check_range,
    check_sizes,
    read_dtype,
    read_logits,
    read_reals,
)

Array = NDArray[Any]

RESERVED_BLOCKS_PER_VALUE = 256  # by which Generator and the stateful ops advance, even if a value reads one word
RESERVED_WORDS_PER_TRUNCATED = 256  # within a call, the distance between the words of two truncated normals
TRUNCATED_LIMIT = 2.0  # exclusive
PIECE_GROUPS = 1 << 14  # of truncated normals, made at a time, so that the temporary arrays stay small


class Draw(NamedTuple):
    """Numbers to draw: `values` is a function of the state. Generator and the stateful ops then advance by `blocks`."""

    blocks: int
    values: Callable[[State], Array]

    def values_and_next_state(self, state: State) -> tuple[Array, State]:
        """The values, and the state after them."""
        return self.values(state), skip_blocks(state, self.blocks)


def full_ints(shape: Any, kind: np.dtype[Any]) -> Draw:
    """Integers of the full range of the type: one word, or two words with the low half first."""
    unsigned = np.dtype(f"uint{8 * kind.itemsize}")
    draw = _drawn_by(distributions.integers, check_sizes(shape), 0, 1 << 8 * kind.itemsize, unsigned)
    return Draw(draw.blocks, lambda state: draw.values(state).view(kind))


def uniform(shape: Any, minval: Any, maxval: Any, kind: np.dtype[Any]) -> Draw:
    """Uniform numbers of any of the eight types. Both bounds None: the full range of an integer type."""
    sizes = check_sizes(shape)
    if kind.kind in "iu":
        bounds = check_range(minval, maxval, kind)
        return _drawn_by(distributions.integers, sizes, *bounds, kind) if bounds else full_ints(sizes, kind)
    low, high = check_bounds(minval, maxval, kind, sizes)
    if low.ndim == high.ndim == 0 and not subnormals.possible(low, high):
        return _drawn_by(distributions.uniform, sizes, low[()], high[()], kind)
    return _scaled(_drawn_by(distributions.uniform, sizes, 0, 1, kind), subnormals.difference(high, low), low)


def normal(shape: Any, mean: Any, stddev: Any, kind: np.dtype[Any]) -> Draw:
    """Normals by the Box-Muller transform. stddev may be negative, as in TensorFlow."""
    sizes = check_sizes(shape)
    centre, scale = read_reals(mean, "mean", kind, sizes), read_reals(stddev, "stddev", kind, sizes)
    if centre.ndim == scale.ndim == 0 and scale >= 0 and not subnormals.possible(centre, scale):
        return _drawn_by(distributions.normal, sizes, centre[()], scale[()], kind)
    return _scaled(_drawn_by(distributions.normal, sizes, 0, 1, kind), scale, centre)


def truncated_normal(shape: Any, mean: Any, stddev: Any, kind: np.dtype[Any]) -> Draw:
    """Normals less than 2 standard deviations from the mean; others are drawn again."""
    sizes = check_sizes(shape)
    centre, scale = read_reals(mean, "mean", kind, sizes), read_reals(stddev, "stddev", kind, sizes)
    draw = Draw(_reserved_blocks(sizes), lambda state: _standard_truncated_normals(state, sizes, kind))
    return _scaled(draw, scale, centre)


def categorical(logits: Any, num_samples: Any, dtype: Any) -> Draw:
    """Class numbers of type `dtype` (None: int64), one row of `num_samples` for each row of logits."""
    kind = read_dtype(np.int64 if dtype is None else dtype, SIGNED)
    rows = read_logits(logits)
    sizes = len(rows), check_int(num_samples, "num_samples", 0, HIGH64)

    def values(state: State) -> Array:
        fractions = distributions.uniform(state, math.prod(sizes), dtype=np.float64).values.reshape(sizes)
        samples = np.empty(sizes, kind)
        for row, row_fractions, row_samples in zip(rows, fractions, samples):
            sums = _running_sums(row)
            row_samples[...] = np.searchsorted(sums, row_fractions * sums[-1], side="right")
        return samples

    return Draw(_reserved_blocks((len(rows), 2 * (-(-sizes[1] // 4) * 4))), values)


def shuffled(value: Any) -> Draw:
    """The rows of `value`, an array, in another order: a forward Fisher-Yates shuffle with one word for each swap."""
    rows = np.asarray(as_numpy(value, "value"))
    swaps = len(rows) - 1 if rows.ndim and rows.size > 1 else 0

    def values(state: State) -> Array:
        if swaps < 1:
            return rows.copy()
        words = random_generator(state, swaps).values
        order = list(range(len(rows)))
        steps = words % np.arange(swaps + 1, 1, -1, dtype=np.int64)
        for i, other in enumerate((np.arange(swaps, dtype=np.int64) + steps).tolist()):
            order[i], order[other] = order[other], order[i]
        return np.asarray(rows[order])

    return Draw(-(-swaps // 4), values)


def skip_blocks(state: State, blocks: int) -> State:
    """The state `blocks` modulo 2**64 further on, with the addition of TensorFlow's PhiloxRandom::Skip.

    Skip adds the carry of the counter's lowest word to the upper half of `blocks`, in 32 bits. If that half is
    0xffffffff, the sum is 0 and the carry is lost.
    """
    counter = counter_of(state)
    low, high = blocks & 0xFFFFFFFF, blocks >> 32 & 0xFFFFFFFF
    word_0 = (counter & 0xFFFFFFFF) + low
    high = high + (word_0 >> 32) & 0xFFFFFFFF
    upper = (counter >> 32) + high & (1 << 96) - 1
    return make_state(counter=word_0 & 0xFFFFFFFF | upper << 32, key=key_of(state))


def _reserved_blocks(sizes: Sizes) -> int:
    """By how many blocks Generator and the stateful ops advance for an output of these sizes."""
    return math.prod(sizes) * RESERVED_BLOCKS_PER_VALUE


def _drawn_by(distribution: Callable[..., distributions.Numbers[Any]], sizes: Sizes, *arguments: Any) -> Draw:
    """A draw by one of dmlrand's distributions, as flat values, because those do not accept the shape ()."""
    return Draw(
        _reserved_blocks(sizes),
        lambda state: distribution(state, math.prod(sizes), *arguments).values.reshape(sizes),
    )


def _scaled(draw: Draw, scale: Array, offset: Array) -> Draw:
    """A draw whose values are multiplied by `scale` and added to `offset`, as by TensorFlow's ops Mul and Add."""
    return Draw(draw.blocks, lambda state: subnormals.affine(draw.values(state), scale, offset))


def _standard_truncated_normals(state: State, sizes: Sizes, kind: np.dtype[Any]) -> Array:
    """Normals in (-2, 2), made in groups. Each group starts at its own place in the stream."""
    size = math.prod(sizes)
    work = np.dtype(np.float64 if kind.itemsize == 8 else np.float32)  # rejected before they are rounded to 16 bits
    group_size = 2 if work.itemsize == 8 else 4
    accepted = np.empty((-(-size // group_size), group_size), work)
    for first in range(0, len(accepted), PIECE_GROUPS):
        _fill_groups(_skip_groups(state, first, group_size), accepted[first : first + PIECE_GROUPS])
    return accepted.reshape(-1)[:size].astype(kind).reshape(sizes)


def _fill_groups(state: State, out: Array) -> None:
    """Fill each row of `out` with the first accepted normals of its group. The first group starts at `state`."""
    groups, group_size = out.shape
    window = random_window(state, (groups, group_size * RESERVED_WORDS_PER_TRUNCATED), (slice(None), slice(0, 8)))
    normals = distributions.standard_normals(window.reshape(-1), out.dtype).reshape(groups, -1)
    accepted = np.abs(normals) < TRUNCATED_LIMIT
    accepted &= np.cumsum(accepted, axis=1) <= group_size
    full = np.count_nonzero(accepted, axis=1) == group_size
    out[full] = normals[full][accepted[full]].reshape(-1, group_size)
    for group in np.flatnonzero(~full).tolist():  # a few in a million need more than 8 words
        out[group] = draw_group(_skip_groups(state, group, group_size), group_size, out.dtype)


def _skip_groups(state: State, groups: int, group_size: int) -> State:
    """The state where the group number `groups` starts, counted from the group of `state`."""
    return skip_blocks(state, groups * group_size * RESERVED_WORDS_PER_TRUNCATED // 4)


def draw_group(state: State, group_size: int, work: np.dtype[Any]) -> Array:
    """The first `group_size` accepted normals from a state on, however many must be drawn."""
    words = 64
    while True:
        normals = distributions.standard_normals(random_generator(state, words).values, work)
        accepted = normals[np.abs(normals) < TRUNCATED_LIMIT]
        if len(accepted) >= group_size:
            return accepted[:group_size]
        words *= 2


def _running_sums(row: Array) -> NDArray[np.float64]:
    """The unnormalized cumulative distribution of a row of logits. Infinite and NaN logits add nothing.

    Calls math.exp and adds one number after another, as TensorFlow does. numpy would add in another order.
    """
    finite = np.isfinite(row)
    logits = row.astype(np.float64)
    largest = float(logits[finite].max()) if finite.any() else 0.0
    total, sums = 0.0, []
    for logit, counts in zip(logits.tolist(), finite.tolist()):
        if counts:
            total += math.exp(logit - largest)
        sums.append(total)
    return np.array(sums)
