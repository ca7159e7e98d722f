"""The words of a state as TensorFlow's numbers.

Each function checks its arguments and returns a Draw, which makes the numbers from the state's counter on. The
stateless samplers, Generator and the stateful ops differ only in the states that they draw from.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import distributions
from ...arrays import subnormals
from ...arrays.integers import check_int
from ...operator import random_generator, random_window
from ...state import State, counter_of, key_of, make_state
from .arguments import HIGH64, SIGNED, Sizes, check_bounds, check_range, read_dtype, read_logits, read_reals

Array = NDArray[Any]
Draw = Callable[[State], Array]

RESERVED_BLOCKS_PER_VALUE = 256  # Generator and the stateful ops reserve them for a value, however few it takes
RESERVED_WORDS_PER_TRUNCATED = 256  # within a call, the distance between the words of two truncated normals
TRUNCATED_LIMIT = 2.0  # exclusive
TRUNCATED_GROUPS_AT_A_TIME = 1 << 14  # keeps the temporaries small


def full_ints(sizes: Sizes, kind: np.dtype[Any]) -> Draw:
    """Integers of the whole range of the type: one word, or two words with the low half first."""
    unsigned = np.dtype(f"uint{8 * kind.itemsize}")
    size, end = math.prod(sizes), 1 << 8 * kind.itemsize
    return lambda state: distributions.integers(state, size, 0, end, unsigned).values.view(kind).reshape(sizes)


def uniform(sizes: Sizes, minval: Any, maxval: Any, kind: np.dtype[Any]) -> Draw:
    """Uniform numbers of any of the eight types. Both bounds None: the whole range of an integer type."""
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
    """Normals by the Box-Muller transform. stddev may be negative, as in TensorFlow."""
    size = math.prod(sizes)
    centre, scale = read_reals(mean, "mean", kind, sizes), read_reals(stddev, "stddev", kind, sizes)
    if centre.ndim == scale.ndim == 0 and scale >= 0 and not subnormals.possible(centre, scale):
        return lambda state: distributions.normal(state, size, centre[()], scale[()], kind).values.reshape(sizes)
    return _scaled(lambda state: distributions.normal(state, size, dtype=kind).values, sizes, scale, centre)


def truncated_normal(sizes: Sizes, mean: Any, stddev: Any, kind: np.dtype[Any]) -> Draw:
    """Normals less than 2 standard deviations from the mean; others are drawn again."""
    centre, scale = read_reals(mean, "mean", kind, sizes), read_reals(stddev, "stddev", kind, sizes)
    return _scaled(lambda state: _standard_truncated_normals(state, math.prod(sizes), kind), sizes, scale, centre)


def categorical(logits: Any, num_samples: Any, dtype: Any) -> Draw:
    """Class numbers of type `dtype` (None: int64), one row of `num_samples` for each row of logits."""
    kind = read_dtype(np.int64 if dtype is None else dtype, SIGNED)
    rows = read_logits(logits)
    count = check_int(num_samples, "num_samples", 0, HIGH64)

    def draw(state: State) -> Array:
        fractions = distributions.uniform(state, len(rows) * count, dtype=np.float64).values.reshape(len(rows), count)
        samples = np.empty((len(rows), count), kind)
        for row, row_fractions, row_samples in zip(rows, fractions, samples):
            sums = _running_sums(row)
            row_samples[...] = np.searchsorted(sums, row_fractions * sums[-1], side="right")
        return samples

    return draw


def draw_and_skip(draw: Draw, sizes: Sizes) -> Callable[[State], tuple[Array, State]]:
    """A draw that also returns the next state: 256 blocks further for each value of `sizes`."""
    return lambda state: (draw(state), skip_blocks(state, math.prod(sizes) * RESERVED_BLOCKS_PER_VALUE))


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


def _scaled(draw: Draw, sizes: Sizes, scale: Array, offset: Array) -> Draw:
    """A draw whose numbers are multiplied by `scale` and added to `offset`, as by TensorFlow's ops Mul and Add."""
    return lambda state: subnormals.affine(draw(state).reshape(sizes), scale, offset)


def _standard_truncated_normals(state: State, size: int, kind: np.dtype[Any]) -> Array:
    """Normals in (-2, 2), made in groups. Each group starts at its own place in the stream."""
    work = np.dtype(np.float64 if kind.itemsize == 8 else np.float32)  # rejected before they are rounded to 16 bits
    group_size = 2 if work.itemsize == 8 else 4
    accepted = np.empty((-(-size // group_size), group_size), work)
    for first in range(0, len(accepted), TRUNCATED_GROUPS_AT_A_TIME):
        _fill_groups(_skip_groups(state, first, group_size), accepted[first : first + TRUNCATED_GROUPS_AT_A_TIME])
    return accepted.reshape(-1)[:size].astype(kind)


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
    """The unnormalized cumulative distribution of a row of logits. Infinite and NaN logits count for nothing.

    math.exp and one addition after another, because the original computes so; numpy sums in another order.
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
