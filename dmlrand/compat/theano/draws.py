"""The draw of each random op, as a function of (state, shape, *parameters) that returns (values, new state).

`shape` is a tuple of sizes, () for a scalar. Parameters are values, never symbolic. specs/theano.md, section 3, has the
rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import distributions
from ...arrays.arguments import check_broadcast
from ...arrays.integers import check_int
from ...arrays.number_types import check_reals, round_reals
from ...arrays.tensor import Shape
from ...distributions import Numbers
from ...state import State

Array = NDArray[Any]


def uniform(state: State, shape: Shape, low: Any, high: Any, dtype: Any) -> Numbers[Any]:
    bottom, top = _reals(low, "low", shape, dtype), _reals(high, "high", shape, dtype)
    if not np.all(bottom < top):
        raise ValueError(f"low must be below high everywhere; got low {low!r} and high {high!r}.")
    if bottom.ndim == top.ndim == 0:
        return _draw(distributions.uniform, state, shape, bottom[()], top[()], dtype)
    unit, after = _draw(distributions.uniform, state, shape, 0.0, 1.0, dtype)
    with np.errstate(over="ignore"):
        width = top - bottom
    if not np.all(np.isfinite(width)):
        raise ValueError(f"high - low must be a finite {dtype}; got low {low!r} and high {high!r}.")
    return distributions.Numbers(np.asarray(unit * width + bottom), after)


def normal(state: State, shape: Shape, mean: Any, std: Any, dtype: Any) -> Numbers[Any]:
    centre, scale = _reals(mean, "mean", shape, dtype), _reals(std, "std", shape, dtype)
    if not np.all(scale >= 0):
        raise ValueError(f"std must be at least 0; got {std!r}. Its absolute value gives the same distribution.")
    if centre.ndim == scale.ndim == 0:
        return _draw(distributions.normal, state, shape, centre[()], scale[()], dtype)
    standard, after = _draw(distributions.normal, state, shape, 0.0, 1.0, dtype)
    return distributions.Numbers(np.asarray(standard * scale + centre), after)


def integers(state: State, shape: Shape, low: Any, high: Any, dtype: Any) -> Numbers[Any]:
    return _draw(distributions.integers, state, shape, check_int(low, "low"), check_int(high, "high"), dtype)


def bernoulli(state: State, shape: Shape, p: Any) -> Numbers[Any]:
    probability = _reals(p, "p", shape, np.dtype(np.float64))
    _check_probabilities(probability, "p", p)
    unit, after = _unit(state, shape)
    return distributions.Numbers((unit < probability).astype(np.int64), after)


def permutation(state: State, shape: Shape, n: Any) -> Numbers[Any]:
    """0, .., n - 1 in the order of n keys of 64 bits, along an added last axis."""
    size = check_int(n, "n", 0)
    keys, after = _draw(distributions.integers, state, (*shape, size), 0, 1 << 64, np.uint64)
    return distributions.Numbers(np.argsort(keys, axis=-1, kind="stable").astype(np.int64), after)


def choice(state: State, shape: Shape, a: Any, p: Any = None) -> Numbers[Any]:
    """Items of the vector a, or of 0, .., a - 1, of equal probability or with the probabilities p."""
    if np.ndim(a) > 1 or np.shape(a) == (0,):
        raise ValueError(f"a must be an integer or a vector of at least one item; got an array of shape {np.shape(a)}.")
    size = len(a) if np.ndim(a) else check_int(a, "a", 1)
    if p is None:
        index, after = _draw(distributions.integers, state, shape, 0, size, np.int64)
    else:
        index, after = _categories(state, shape, p, "p", size)
    return distributions.Numbers(np.asarray(a[index]) if np.ndim(a) else index, after)


def multinomial(state: State, shape: Shape, n: Any, pvals: Any) -> Numbers[Any]:
    """How many of n trials fall in each category, along an added last axis."""
    trials = (*shape, check_int(n, "n", 0))
    drawn, after = _categories(state, trials, pvals, "pvals", None)
    counts = [np.count_nonzero(drawn == category, axis=-1) for category in range(len(pvals))]
    return distributions.Numbers(np.stack(counts, axis=-1).astype(np.int64), after)


def _draw(
    draw: Callable[..., Numbers[Any]], state: State, shape: Shape, low: Any, high: Any, dtype: Any
) -> Numbers[Any]:
    """A draw of dmlrand.distributions, which have no shape (): a scalar is a draw of shape (1,)."""
    values, after = draw(state, shape or (1,), low, high, dtype)
    return distributions.Numbers(values.reshape(shape), after)


def _unit(state: State, shape: Shape) -> Numbers[Any]:
    # float64, because the 23 bits of float32 are too few for small probabilities
    return _draw(distributions.uniform, state, shape, 0.0, 1.0, np.float64)


def _categories(state: State, shape: Shape, p: Any, name: str, size: int | None) -> Numbers[Any]:
    """Category numbers: for each uniform number, how many of the bounds between categories it has reached."""
    probabilities = np.asarray(p, np.float64)
    if probabilities.shape != (max(probabilities.size, 1) if size is None else size,):
        rule = "at least one probability" if size is None else f"length {size}, one probability for each item"
        raise ValueError(f"{name} must be a vector of {rule}; got an array of shape {probabilities.shape}.")
    _check_probabilities(probabilities, name, p)
    if not abs(probabilities.sum() - 1) <= 1e-6:
        raise ValueError(f"{name} must sum to 1; got {p!r} with sum {probabilities.sum()}. Divide it by its sum.")
    sums = np.cumsum(probabilities)
    unit, after = _unit(state, shape)
    # Divided by the last sum, so that rounding gives nothing to a last category of probability 0.
    index = np.searchsorted(sums[:-1] / sums[-1], unit, side="right")
    return distributions.Numbers(np.asarray(index, np.int64), after)


def _check_probabilities(probabilities: Array, name: str, given: Any) -> None:
    if not np.all((probabilities >= 0) & (probabilities <= 1)):  # NaN is neither
        raise ValueError(f"{name} must be in [0, 1]; got {given!r}.")


def _reals(value: Any, name: str, shape: Shape, dtype: Any) -> Array:
    """`value` in the type to draw, finite, and of a shape that fits in `shape`."""
    numbers = check_reals(value, name, kinds="biuf").astype(np.float64)
    rounded = round_reals(numbers, name, np.dtype(dtype), value)
    check_broadcast(shape, rounded.shape, name)
    return rounded
