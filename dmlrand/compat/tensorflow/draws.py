"""What a sampler draws: a Draw checks the arguments when it is made, and then makes the numbers from any state. The
stateless samplers, Generator and the stateful ops differ only in the states that they draw from."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import distributions
from ...drawing.interchange import as_array
from ...drawing.number_rules import integers_rule, normal_rule, uniform_rule
from ...drawing.plan import BoundRule, draw
from ...operator import random_generator, random_window
from ...state import State
from .. import subnormals
from ..shared import (
    FLOATS,
    INTEGERS,
    Shape,
    check_bounds,
    check_broadcast,
    check_int,
    check_reals,
    format_value,
    round_reals,
)  # fmt: skip
from . import arguments, numbers
from .arguments import HIGH64, SIGNED, Array
from .numbers import LEAST_UNIFORM, standard_normals
from .seeds import full_ints, skip_blocks

REALS = ("float16", "float32", "float64")  # of parameters that are arrays: bfloat16 is refused, as in TensorFlow
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


def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = np.float32, jit_compile: bool = False
) -> Draw:
    """Uniform numbers of one of the types. Both bounds None: the full range of an integer type."""
    kind = arguments.read_dtype(dtype, FLOATS + INTEGERS)
    sizes = arguments.check_sizes(shape)
    if kind.kind in "iu":
        bounds = arguments.check_range(minval, maxval, kind, sizes)
        return _drawn_by(integers_rule, sizes, *bounds, kind) if bounds else full_range(sizes, kind)
    low = arguments.read_reals(minval, "minval", kind, sizes)
    high = arguments.read_reals(1 if maxval is None else maxval, "maxval", kind, sizes)
    check_broadcast(low.shape, high.shape, "maxval, together with minval,", widening=True)
    check_bounds(low, high, kind, minval=minval, maxval=maxval)
    if jit_compile and kind != np.float16:
        return _uniform_of_xla(sizes, kind, low, high)
    if low.ndim == high.ndim == 0 and not subnormals.possible(low, high):
        return _drawn_by(uniform_rule, sizes, low[()], high[()], kind)
    return _scaled(_drawn_by(uniform_rule, sizes, 0, 1, kind), subnormals.difference(high, low), low)


def _uniform_of_xla(sizes: Shape, kind: np.dtype[Any], low: Array, high: Array) -> Draw:
    """Uniform numbers of the highest bits of the words. minval is 0: XLA rounds a sum once or twice, by the size."""
    if kind.name not in ("float32", "float64") or low.any():
        raise ValueError(
            f"dtype and minval under jit_compile=True must be float16, an integer type, or float32 or float64 with "
            f"minval 0; got {kind} and minval {format_value(low.tolist())}. Draw float32 or float64 from 0, and "
            "add minval to the result: its last bits can differ from TensorFlow's."
        )
    bits = 8 * kind.itemsize
    precision = np.finfo(kind).nmant
    words = full_range(sizes, f"uint{bits}")

    def values(state: State) -> Array:
        fractions = (words.values(state) >> (bits - precision)).astype(kind) * kind.type(2.0**-precision)
        return subnormals.affine(fractions, high, low)

    return Draw(words.blocks, values)


def full_range(shape: Any, dtype: Any) -> Draw:
    """Integers of the full range of the type."""
    sizes, kind = arguments.check_sizes(shape), arguments.read_dtype(dtype, INTEGERS)
    return Draw(_reserved_blocks(sizes), lambda state: full_ints(sizes, kind, state))


def normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, jit_compile: bool = False) -> Draw:
    """Normals by the Box-Muller transform. stddev may be negative, as in TensorFlow."""
    sizes, kind, centre, scale = _check_normal(shape, mean, stddev, dtype, jit_compile)
    if centre.ndim == scale.ndim == 0 and scale >= 0 and not subnormals.possible(centre, scale):
        return _drawn_by(normal_rule, sizes, centre[()], scale[()], kind)
    return _scaled(_drawn_by(normal_rule, sizes, 0, 1, kind), scale, centre)


def directml_normal(shape: Any, dtype: Any = np.float32) -> Draw:
    """The normals of TensorFlow-DirectML, whose angle is a product in float32. Its logarithm and sine are a GPU's."""
    sizes = arguments.check_sizes(shape)
    kind = arguments.read_dtype(dtype, ("float32",))

    def values(state: State) -> Array:
        size = math.prod(sizes)
        pairs = distributions.uniform(state, size + size % 2).values.reshape(-1, 2)
        logarithms = np.log(np.maximum(pairs[:, 0], np.float32(LEAST_UNIFORM)), dtype=np.float64).astype(kind)
        radii = np.sqrt(np.float32(-2) * logarithms)
        angles = (np.float32(2 * math.pi) * pairs[:, 1]).astype(np.float64)
        directions = np.stack([np.sin(angles), np.cos(angles)], axis=1).astype(kind)
        return (directions * radii[:, None]).reshape(-1)[:size].reshape(sizes)

    return Draw(_reserved_blocks(sizes), values)


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, jit_compile: bool = False
) -> Draw:
    """Normals less than 2 standard deviations from the mean; others are drawn again."""
    sizes, kind, centre, scale = _check_normal(shape, mean, stddev, dtype, jit_compile)
    standard = Draw(_reserved_blocks(sizes), lambda state: _standard_truncated_normals(state, sizes, kind))
    return _scaled(standard, scale, centre)


def _check_normal(
    shape: Any, mean: Any, stddev: Any, dtype: Any, jit_compile: bool
) -> tuple[Shape, np.dtype[Any], Array, Array]:
    if jit_compile:
        raise ValueError(
            "jit_compile must be False for normals: TensorFlow's numbers under XLA are imitated for uniform numbers "
            f"and integers only; got {format_value(jit_compile)}."
        )
    kind = arguments.read_dtype(dtype, FLOATS)
    sizes = arguments.check_sizes(shape)
    centre = arguments.read_reals(mean, "mean", kind, sizes)
    return sizes, kind, centre, arguments.read_reals(stddev, "stddev", kind, sizes)


def _reserved_blocks(sizes: Shape) -> int:
    """By how many blocks Generator and the stateful ops advance for an output of these sizes."""
    return math.prod(sizes) * RESERVED_BLOCKS_PER_VALUE


def _drawn_by(make_rule: Callable[..., BoundRule], sizes: Shape, *parameters: Any) -> Draw:
    """A draw by one of dmlrand's distributions, as flat values, because those do not accept the shape ()."""
    rule = make_rule(*parameters)
    return Draw(_reserved_blocks(sizes), lambda state: draw(state, rule, math.prod(sizes)).values.reshape(sizes))


def _scaled(draw: Draw, scale: Array, offset: Array) -> Draw:
    """A draw whose values are multiplied by `scale` and added to `offset`, as by TensorFlow's ops Mul and Add."""
    return Draw(draw.blocks, lambda state: subnormals.affine(draw.values(state), scale, offset))


# Truncated normals


def _standard_truncated_normals(state: State, sizes: Shape, kind: np.dtype[Any]) -> Array:
    """Normals in (-2, 2), made in groups. Each group starts at its own place in the stream."""
    size = math.prod(sizes)
    work = np.dtype(np.float64 if kind.itemsize == 8 else np.float32)  # rejected before they are rounded to 16 bits
    group_size = 2 if work.itemsize == 8 else 4
    group_blocks = group_size * RESERVED_WORDS_PER_TRUNCATED // 4
    groups = np.empty((-(-size // group_size), group_size), work)
    for first in range(0, len(groups), PIECE_GROUPS):
        start, piece = skip_blocks(state, first * group_blocks), groups[first : first + PIECE_GROUPS]
        words = random_window(start, (len(piece), 4 * group_blocks), (slice(None), slice(0, 8)))
        normals = standard_normals(words.reshape(-1), work).reshape(len(piece), -1)
        accepted = np.abs(normals) < TRUNCATED_LIMIT
        accepted &= np.cumsum(accepted, axis=1) <= group_size
        full = np.count_nonzero(accepted, axis=1) == group_size
        piece[full] = normals[full][accepted[full]].reshape(-1, group_size)
        for i in np.flatnonzero(~full).tolist():  # a few in a million need more than 8 words
            found, count = normals[i, :0], 32
            while len(found) < group_size:
                count *= 2
                more = standard_normals(random_generator(skip_blocks(start, i * group_blocks), count).values, work)
                found = more[np.abs(more) < TRUNCATED_LIMIT]
            piece[i] = found[:group_size]
    return groups.reshape(-1)[:size].astype(kind).reshape(sizes)


# Class numbers and shuffles


def categorical(logits: Any, num_samples: Any, dtype: Any) -> Draw:
    """Class numbers of type `dtype` (None: int64), one row of `num_samples` for each row of logits."""
    kind = arguments.read_dtype(np.int64 if dtype is None else dtype, SIGNED)
    rows = arguments.read_logits(logits)
    sizes = len(rows), check_int(num_samples, "num_samples", 0, HIGH64)

    def values(state: State) -> Array:
        fractions = distributions.uniform(state, math.prod(sizes), dtype=np.float64).values.reshape(sizes)
        samples = np.empty(sizes, kind)
        for row, row_fractions, row_samples in zip(rows, fractions, samples):
            sums = _running_sums(row)
            row_samples[...] = np.searchsorted(sums, row_fractions * sums[-1], side="right")
        return samples

    return Draw(_reserved_blocks((len(rows), 2 * (-(-sizes[1] // 4) * 4))), values)


def _running_sums(row: Array) -> NDArray[np.float64]:
    """The unnormalized cumulative distribution of a row of logits. Infinite and NaN logits add nothing. Calls math.exp
    and adds one number after another, as TensorFlow does. numpy.sum would add in another order."""
    finite = np.isfinite(row)
    logits = row.astype(np.float64)
    largest = float(logits[finite].max()) if finite.any() else 0.0
    weights = [math.exp(logit - largest) if counts else 0.0 for logit, counts in zip(logits.tolist(), finite.tolist())]
    return np.cumsum(weights)


def shuffled(value: Any, dtype: Any = None) -> Draw:
    """The rows of `value` in another order: a forward Fisher-Yates shuffle, one word a swap. dtype does not matter."""
    rows = as_array(value, "value")
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


# Numbers whose parameters are arrays


def binomial(
    shape: Any, counts: Any, probs: Any, dtype: Any, kind: Any = np.dtype(np.float32), called: str = "output_dtype"
) -> Draw:
    """Binomial numbers whose parameters are rounded to `kind`. Errors call the type of the result `called`."""
    output = arguments.read_dtype(dtype, SIGNED + REALS)
    trials, chances = _broadcast(
        _read(counts, "counts", kind), _read(probs, "probs", kind), "probs, together with counts,"
    )
    sizes = _result_sizes(shape, trials.shape, "counts and probs")

    def values(state: State) -> Array:
        count, prob = _one_for_each_sample(sizes, trials, chances)
        flipped = prob > 0.5
        smaller = np.where(flipped, kind.type(1) - prob, prob)
        with np.errstate(over="ignore"):
            many = count * smaller >= 10
        certain = (count <= 0) | (prob <= 0) | (prob >= 1)
        samples = np.where((count <= 0) | (prob <= 0), 0.0, count.astype(np.float64))
        doubles = count.astype(np.float64), smaller.astype(np.float64)
        for method, stride, chosen in (
            (numbers.small_binomial, 42, ~many & ~certain),
            (numbers.large_binomial, RESERVED_BLOCKS_PER_VALUE, many & ~certain),
        ):
            successes = numbers.draw_samples(state, stride, method, chosen, *doubles)
            samples[chosen] = np.where(flipped[chosen], samples[chosen] - successes, successes)
        return _arrange(samples, sizes, trials.size, output, called)

    each = math.prod(sizes[: len(sizes) - trials.ndim])  # samples for each pair of parameters
    return Draw(trials.size * 200 * (each + 3) // 4 * RESERVED_BLOCKS_PER_VALUE, values)


def poisson(shape: Any, lam: Any, dtype: Any, whole: bool = True) -> Draw:
    """Poisson numbers. `whole`: shape is that of the result, and not that of the samples of each parameter."""
    output = arguments.read_dtype(dtype, SIGNED + REALS)
    rates = _read(lam, "lam", type_of(lam, "lam")).astype(np.float64)
    if not ((rates >= 0) & (rates <= 1 << 31)).all():
        raise ValueError(f"lam must be in [0, 2**31]; got {format_value(lam)}. Pass rates in this range.")
    sizes = _result_sizes(shape, rates.shape, "lam", whole)

    def values(state: State) -> Array:
        (rate,) = _one_for_each_sample(sizes, rates)
        samples = np.empty(rate.size)
        for method, chosen in ((numbers.small_poisson, rate < 10), (numbers.large_poisson, rate >= 10)):
            samples[chosen] = numbers.draw_samples(state, RESERVED_BLOCKS_PER_VALUE, method, chosen, rate)
        return _arrange(samples, sizes, rates.size, output, "dtype")

    return Draw(_reserved_blocks(sizes), values)


def gamma(shape: Any, alpha: Any, beta: Any = None, dtype: Any = np.float32, whole: bool = True) -> Draw:
    """Gamma numbers of shape `alpha` and rate `beta` (None: 1). `whole` is that of poisson."""
    kind = arguments.read_dtype(dtype, REALS)
    shapes, rates = _read(alpha, "alpha", kind), _read(1 if beta is None else beta, "beta", kind)
    for parameter, given, called in ((shapes, alpha, "alpha"), (rates, beta, "beta")):
        if not (parameter > 0).all():
            raise ValueError(f"{called} must be positive in {kind}; got {format_value(given)}. Pass positive numbers.")
    parameters = _broadcast(shapes, rates, "beta, together with alpha,")
    sizes = _result_sizes(shape, parameters[0].shape, "alpha and beta", whole)

    def values(state: State) -> Array:
        shape_of_each, rate_of_each = _one_for_each_sample(sizes, *parameters)
        samples = np.empty(shape_of_each.size)
        ones, doubles = shape_of_each == 1, shape_of_each.astype(np.float64)
        for method, chosen in ((numbers.exponential, ones), (numbers.gamma, ~ones)):
            sampler = partial(method, c_library=kind.itemsize == 8)
            samples[chosen] = numbers.draw_samples(state, RESERVED_BLOCKS_PER_VALUE, sampler, chosen, doubles)
        with np.errstate(all="ignore"):
            # TensorFlow rounds to float16 by way of float32.
            made = samples if kind.itemsize == 8 else samples.astype(np.float32).astype(kind)
            scaled = subnormals.flush(subnormals.flush(made) / subnormals.flush(rate_of_each))
            scaled = np.maximum(np.finfo(kind).tiny, scaled)
        return _arrange(scaled, sizes, parameters[0].size, kind, "dtype")

    return Draw(_reserved_blocks(sizes), values)


# Gamma and Poisson numbers whose shape is that of the samples of each parameter
gammas, poissons = partial(gamma, whole=False), partial(poisson, whole=False)


def type_of(value: Any, name: str) -> np.dtype[Any]:
    """The type that TensorFlow gives to a parameter: float32 for Python's floats."""
    return np.dtype(np.float32) if type(value) is float else arguments.converted_type(value, check_reals(value, name))


def _read(value: Any, name: str, kind: np.dtype[Any]) -> Array:
    """A parameter, rounded to a real type. Integers stay integers of float64."""
    numbers = check_reals(arguments.as_numpy(value, name), name)
    return round_reals(numbers, name, np.dtype(np.float64) if kind.kind in "iu" else kind, value)


def _broadcast(first: Array, second: Array, name: str) -> list[Array]:
    check_broadcast(first.shape, second.shape, name, widening=True)
    return list(np.broadcast_arrays(first, second))


def _result_sizes(shape: Any, parameters: Shape, names: str, whole: bool = True) -> Shape:
    """The sizes of the result: `shape`, which must end with the shape of the parameters, or else is put before it."""
    sizes = arguments.check_sizes(shape) if whole else arguments.check_sizes(shape) + parameters
    if sizes[len(sizes) - len(parameters) :] != parameters or len(sizes) < len(parameters):
        rule = f"shape must end with the shape of {names}, {list(parameters)}"
        raise ValueError(f"{rule}; got {list(sizes)}. Write the whole shape of the result.")
    return sizes


def _one_for_each_sample(sizes: Shape, *parameters: Array) -> list[Array]:
    """The parameters of each sample, in TensorFlow's order: all samples of the first parameter come first."""
    each = math.prod(sizes[: len(sizes) - parameters[0].ndim])
    return [np.repeat(parameter.ravel(), each) for parameter in parameters]


def _arrange(samples: Array, sizes: Shape, parameters: int, kind: np.dtype[Any], name: str) -> Array:
    """Samples in TensorFlow's order as a result of shape `sizes` and of the type."""
    if kind.kind == "i" and samples.size and samples.max() > np.iinfo(kind).max:
        raise ValueError(f"{name} must hold every result; got {kind} and a result of {samples.max():.0f}. Pass int64.")
    columns = samples.reshape(parameters, -1).T if samples.size else samples
    with np.errstate(over="ignore"):
        return columns.astype(kind, order="C").reshape(sizes)
