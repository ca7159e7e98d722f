"""The draw of each random op, as a function of (state, shape, *parameters) that returns (values, new state).

`shape` is a tuple of sizes, () for a scalar. Parameters are values, never symbolic. specs/theano.md, section 3, has the
rules.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import distributions
from ...arrays.arguments import check_broadcast
from ...arrays.integers import check_int
from ...arrays.number_types import check_reals, round_reals
from ...arrays.tensor import Shape
from ...messages import format_value
from ...outputs import Outputs
from ...state import State

Array = NDArray[Any]

MAX_POISSON_MEAN = 10**6  # exp(-mean) stays within Decimal's exponents, and the bounds take 1 to 2 seconds
POISSON_DIGITS = Context(prec=50, rounding=ROUND_HALF_EVEN, Emin=-999999, Emax=999999, traps=[])


def uniform(state: State, shape: Shape, low: Any, high: Any, dtype: Any) -> Outputs[Any]:
    bottom, top = _reals(low, "low", shape, dtype), _reals(high, "high", shape, dtype)
    if not np.all(bottom < top):
        raise ValueError(
            f"low must be below high everywhere; got low {format_value(low)} and high {format_value(high)}."
        )
    if bottom.ndim == top.ndim == 0:
        return _draw(distributions.uniform, state, shape, bottom[()], top[()], dtype)
    with np.errstate(over="ignore"):
        width = top - bottom
    if not np.all(np.isfinite(width)):
        raise ValueError(
            f"high - low must be a finite {dtype}; got low {format_value(low)} and high {format_value(high)}."
        )
    unit, after = _draw(distributions.uniform, state, shape, 0.0, 1.0, dtype)
    return Outputs(np.asarray(unit * width + bottom), after)


def normal(state: State, shape: Shape, mean: Any, std: Any, dtype: Any) -> Outputs[Any]:
    centre, scale = _reals(mean, "mean", shape, dtype), _reals(std, "std", shape, dtype)
    if not np.all(scale >= 0):
        raise ValueError(
            f"std must be at least 0; got {format_value(std)}. Its absolute value gives the same distribution."
        )
    if centre.ndim == scale.ndim == 0:
        return _draw(distributions.normal, state, shape, centre[()], scale[()], dtype)
    standard, after = _draw(distributions.normal, state, shape, 0.0, 1.0, dtype)
    return Outputs(np.asarray(standard * scale + centre), after)


def integers(state: State, shape: Shape, low: Any, high: Any, dtype: Any) -> Outputs[Any]:
    return _draw(distributions.integers, state, shape, check_int(low, "low"), check_int(high, "high"), dtype)


def bernoulli(state: State, shape: Shape, p: Any) -> Outputs[Any]:
    probability = _probability(p, shape)
    unit, after = _unit(state, shape)
    return Outputs((unit < probability).astype(np.int64), after)


def permutation(state: State, shape: Shape, n: Any) -> Outputs[Any]:
    """0, .., n - 1 in the order of n keys of 64 bits, along an added last axis."""
    size = check_int(n, "n", 0)
    keys, after = _draw(distributions.integers, state, (*shape, size), 0, 1 << 64, np.uint64)
    return Outputs(np.argsort(keys, axis=-1, kind="stable").astype(np.int64), after)


def choice(state: State, shape: Shape, a: Any, p: Any = None) -> Outputs[Any]:
    """Items of the vector a, or of 0, .., a - 1, of equal probability or with the probabilities p."""
    if np.ndim(a) > 1 or np.shape(a) == (0,):
        raise ValueError(f"a must be an integer or a vector of at least one item; got an array of shape {np.shape(a)}.")
    size = len(a) if np.ndim(a) else check_int(a, "a", 1)
    if p is None:
        index, after = _draw(distributions.integers, state, shape, 0, size, np.int64)
    else:
        index, after = _categories(state, shape, p, "p", size)
    return Outputs(np.asarray(a[index]) if np.ndim(a) else index, after)


def multinomial(state: State, shape: Shape, n: Any, pvals: Any) -> Outputs[Any]:
    """How many of n trials fall in each category, along an added last axis."""
    trials = (*shape, check_int(n, "n", 0))
    drawn, after = _categories(state, trials, pvals, "pvals", None)
    counts = [np.count_nonzero(drawn == category, axis=-1) for category in range(len(pvals))]
    return Outputs(np.stack(counts, axis=-1).astype(np.int64), after)


def binomial(state: State, shape: Shape, n: Any, p: Any) -> Outputs[Any]:
    """How many of n uniform numbers are below p."""
    probability = _probability(p, shape)
    unit, after = _unit(state, (*shape, check_int(n, "n", 0)))
    return Outputs(np.asarray((unit < probability[..., None]).sum(-1), np.int64), after)


def poisson(state: State, shape: Shape, lam: Any) -> Outputs[Any]:
    """For each uniform number, how many bounds of the distribution function it has reached."""
    means = _reals(lam, "lam", shape, np.dtype(np.float64))
    if not np.all((means >= 0) & (means <= MAX_POISSON_MEAN)):
        raise ValueError(f"lam must be in [0, {MAX_POISSON_MEAN}]; got {format_value(lam)}.")
    unit, after = _unit(state, shape)
    means = np.broadcast_to(means, shape)
    values = np.empty(shape, np.int64)
    for mean in np.unique(means):
        chosen = means == mean
        values[chosen] = np.searchsorted(poisson_bounds(float(mean)), unit[chosen], side="right")
    return Outputs(values, after)


def shuffle(state: State, shape: Shape, a: Any) -> Outputs[Any]:
    """The items of `a` along its first axis, in the order of a permutation."""
    if np.ndim(a) == 0:
        raise ValueError(f"a must be an array of rank 1 or more; got the number {format_value(a)}.")
    order, after = permutation(state, shape, len(a))
    return Outputs(np.asarray(a)[order], after)


def _draw(draw: Callable[..., Any], state: State, shape: Shape, low: Any, high: Any, dtype: Any) -> Outputs[Any]:
    """A draw of dmlrand.distributions, which have no shape (): a scalar is a draw of shape (1,)."""
    values, after = draw(state, shape or (1,), low, high, dtype)
    return Outputs(values.reshape(shape), after)


@lru_cache(maxsize=4)
def poisson_bounds(mean: float) -> Array:
    """P(X <= 0), P(X <= 1), .. as float64, up to the first that rounds to 1.

    Computed with 50 decimal digits, so that no machine's exp matters.
    """
    with localcontext(POISSON_DIGITS):
        term = total = (-Decimal(mean)).exp()
        bounds = [float(total)]
        while bounds[-1] < 1:
            term *= Decimal(mean) / len(bounds)
            total += term
            bounds.append(float(total))
    return np.array(bounds)


def _unit(state: State, shape: Shape) -> Outputs[Any]:
    # float64, because the 23 bits of float32 are too few for small probabilities
    return _draw(distributions.uniform, state, shape, 0.0, 1.0, np.float64)


def _categories(state: State, shape: Shape, p: Any, name: str, size: int | None) -> Outputs[Any]:
    """Category numbers: for each uniform number, how many of the bounds between categories it has reached."""
    probabilities = np.asarray(p, np.float64)
    if probabilities.shape != (max(probabilities.size, 1) if size is None else size,):
        rule = "at least one probability" if size is None else f"length {size}, one probability for each item"
        raise ValueError(f"{name} must be a vector of {rule}; got an array of shape {probabilities.shape}.")
    _check_probabilities(probabilities, name, p)
    if not abs(probabilities.sum() - 1) <= 1e-6:
        raise ValueError(
            f"{name} must sum to 1; got {format_value(p)} with sum {probabilities.sum()}. Divide it by its sum."
        )
    sums = np.cumsum(probabilities)
    unit, after = _unit(state, shape)
    # Divided by the last sum, so that rounding gives nothing to a last category of probability 0.
    index = np.searchsorted(sums[:-1] / sums[-1], unit, side="right")
    return Outputs(np.asarray(index, np.int64), after)


def _probability(p: Any, shape: Shape) -> Array:
    probability = _reals(p, "p", shape, np.dtype(np.float64))
    _check_probabilities(probability, "p", p)
    return probability


def _check_probabilities(probabilities: Array, name: str, given: Any) -> None:
    if not np.all((probabilities >= 0) & (probabilities <= 1)):  # NaN is neither
        raise ValueError(f"{name} must be in [0, 1]; got {format_value(given)}.")


def _reals(value: Any, name: str, shape: Shape, dtype: Any) -> Array:
    """`value` in the type to draw, finite, and of a shape that fits in `shape`."""
    numbers = check_reals(value, name, kinds="biuf").astype(np.float64)
    rounded = round_reals(numbers, name, np.dtype(dtype), value)
    check_broadcast(shape, rounded.shape, name)
    return rounded
