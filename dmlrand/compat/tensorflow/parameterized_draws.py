"""tf.random's stateless samplers whose parameters are arrays: binomial, Poisson and gamma numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...arrays.number_types import check_reals, round_reals
from ...messages import format_value
from ...state import State
from .. import subnormals
from . import rejection
from .arguments import SIGNED, Sizes, check_sizes, converted_type, read_dtype
from .numbers import RESERVED_BLOCKS_PER_VALUE, Draw
from .seeds import state_of_seed

Array = NDArray[Any]

REALS = ("float16", "float32", "float64")  # of parameters and results: bfloat16 is refused, as in TensorFlow
LARGEST_RATE = 1 << 31


def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: DTypeLike = np.int32, name: str | None = None
) -> Array:
    """How many of `counts` trials succeed: `tf.random.stateless_binomial`.

    Parameters
    ----------
    shape : sequence or vector of ints >= 0
        It must end with the shape to which counts and probs broadcast.
    seed : two ints in [-2**63, 2**63)
    counts, probs : finite numbers, or arrays that broadcast with each other
        The numbers of trials, and the probability of success. Both are rounded to float32, also float64 arrays, unless
        probs is a tensor of another real type. A count or probability below 0 gives 0. A probability above 1 gives the
        count itself.
    output_dtype : int32, int64, float16, float32 or float64
    name : ignored

    Returns
    -------
    array of output_dtype, in shape

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above, or a result is beyond output_dtype.

    Examples
    --------
    >>> stateless_binomial([4], seed=[1, 2], counts=10, probs=0.5)
    array([6, 6, 7, 7], dtype=int32)
    """
    kind = _type_of_tensor(probs) or np.dtype(np.float32)
    return binomial(shape, counts, probs, kind, output_dtype, "output_dtype").values(state_of_seed(seed))


def stateless_poisson(shape: Any, seed: Any, lam: Any, dtype: DTypeLike = np.int32, name: str | None = None) -> Array:
    """Poisson numbers of the rates `lam`: `tf.random.stateless_poisson`.

    Parameters
    ----------
    shape : sequence or vector of ints >= 0
        It must end with the shape of lam.
    seed : two ints in [-2**63, 2**63)
    lam : number in [0, 2**31], or an array of numbers
        Python's floats are rounded to float32. (TensorFlow accepts larger rates, and loops for ever for NaN.)
    dtype : int32, int64, float16, float32 or float64
    name : ignored

    Returns
    -------
    array of dtype, in shape

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above, or a result is beyond dtype.

    Examples
    --------
    >>> stateless_poisson([4], seed=[1, 2], lam=3.5)
    array([6, 5, 4, 6], dtype=int32)
    """
    output = read_dtype(dtype, SIGNED + REALS)
    rates = _read(lam, "lam", _type_of(lam, "lam"))
    if not ((rates >= 0) & (rates <= LARGEST_RATE)).all():
        raise ValueError(f"lam must be in [0, 2**31]; got {format_value(lam)}. Pass rates in this range.")
    sizes = _check_shape(shape, rates.shape, "lam")
    state = state_of_seed(seed)
    (rate,) = _one_for_each_sample(sizes, rates.astype(np.float64))
    samples = np.empty(rate.size)
    for method, chosen in ((rejection.small_poisson, rate < 10), (rejection.large_poisson, rate >= 10)):
        samples[chosen] = rejection.draw_samples(state, RESERVED_BLOCKS_PER_VALUE, method, chosen, rate)
    return _arrange(samples, sizes, rates.size, output, "dtype")


def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: DTypeLike = np.float32, name: str | None = None
) -> Array:
    """Gamma numbers of shape `alpha` and rate `beta`: `tf.random.stateless_gamma`, but not in float64.

    The numbers are made in float64 and then rounded. TensorFlow's float64 numbers depend on its C library in their last
    5 bits, so this function refuses float64 (specs/tensorflow.md, clause 43).

    Parameters
    ----------
    shape : sequence or vector of ints >= 0
        It must end with the shape to which alpha and beta broadcast.
    seed : two ints in [-2**63, 2**63)
    alpha, beta : positive finite numbers of the type, or arrays that broadcast with each other
        beta None means 1.
    dtype : float16 or float32
    name : ignored

    Returns
    -------
    array of dtype, in shape; no number is below the least normal number of the type

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.

    Examples
    --------
    >>> stateless_gamma([2], seed=[1, 2], alpha=3.0).tolist()
    [4.068119525909424, 2.989063262939453]
    """
    kind = read_dtype(dtype, ("float16", "float32"))
    shapes, rates = _read(alpha, "alpha", kind), _read(1 if beta is None else beta, "beta", kind)
    for parameter, given, called in ((shapes, alpha, "alpha"), (rates, beta, "beta")):
        if not (parameter > 0).all():
            raise ValueError(f"{called} must be positive in {kind}; got {format_value(given)}. Pass positive numbers.")
    parameters = _broadcast(shapes, rates, "alpha and beta")
    sizes = _check_shape(shape, parameters[0].shape, "alpha and beta")
    state = state_of_seed(seed)
    shape_of_each, rate_of_each = _one_for_each_sample(sizes, *parameters)
    samples = np.empty(shape_of_each.size)
    ones = shape_of_each == 1
    samples[ones] = rejection.draw_samples(state, RESERVED_BLOCKS_PER_VALUE, rejection.exponential, ones)
    samples[~ones] = rejection.draw_samples(
        state, RESERVED_BLOCKS_PER_VALUE, rejection.gamma, ~ones, shape_of_each.astype(np.float64)
    )
    with np.errstate(all="ignore"):
        numbers = samples.astype(np.float32).astype(kind)  # TensorFlow rounds to float16 by way of float32
        scaled = np.maximum(np.finfo(kind).tiny, _quotients(numbers, rate_of_each))
    return _arrange(scaled, sizes, parameters[0].size, kind, "dtype")


def binomial(shape: Any, counts: Any, probs: Any, kind: np.dtype[Any], output_dtype: Any, called: str) -> Draw:
    """Binomial numbers whose parameters are rounded to `kind`. Errors call the type of the result `called`."""
    output = read_dtype(output_dtype, SIGNED + REALS)
    trials, chances = _broadcast(_read(counts, "counts", kind), _read(probs, "probs", kind), "counts and probs")
    sizes = _check_shape(shape, trials.shape, "counts and probs")

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
            (rejection.small_binomial, 42, ~many & ~certain),
            (rejection.large_binomial, RESERVED_BLOCKS_PER_VALUE, many & ~certain),
        ):
            successes = rejection.draw_samples(state, stride, method, chosen, *doubles)
            samples[chosen] = np.where(flipped[chosen], samples[chosen] - successes, successes)
        return _arrange(samples, sizes, trials.size, output, called)

    each = math.prod(sizes[: len(sizes) - trials.ndim])  # samples for each pair of parameters
    return Draw(trials.size * 200 * (each + 3) // 4 * RESERVED_BLOCKS_PER_VALUE, values)


def type_of_both(counts: Any, probs: Any) -> np.dtype[Any]:
    """The type of the parameters of Generator.binomial, which must be the same."""
    kinds = [_type_of(counts, "counts"), _type_of(probs, "probs")]
    if kinds[0] != kinds[1] or kinds[0].name not in REALS:
        raise TypeError(
            f"counts and probs must both be float16, float32 or float64; got {kinds[0]} and {kinds[1]}. Write "
            "counts as "
            "Python floats, or convert one of them."
        )
    return kinds[0]


def _type_of_tensor(value: Any) -> np.dtype[Any] | None:
    kind = getattr(getattr(value, "dtype", None), "as_numpy_dtype", None)
    return None if kind is None else read_dtype(kind, REALS)


def _type_of(value: Any, name: str) -> np.dtype[Any]:
    """The type that TensorFlow gives to a parameter: float32 for Python's floats."""
    return np.dtype(np.float32) if type(value) is float else converted_type(value, check_reals(value, name))


def _read(value: Any, name: str, kind: np.dtype[Any]) -> Array:
    """A parameter, rounded to a real type. Integers stay integers of float64."""
    return round_reals(check_reals(value, name), name, np.dtype(np.float64) if kind.kind in "iu" else kind, value)


def _broadcast(first: Array, second: Array, names: str) -> list[Array]:
    try:
        return list(np.broadcast_arrays(first, second))
    except ValueError:
        raise ValueError(
            f"{names} must broadcast with each other; got shapes {list(first.shape)} and {list(second.shape)}. "
            "Reshape one of them."
        ) from None


def _check_shape(shape: Any, parameters: Sizes, names: str) -> Sizes:
    """`shape` as sizes, which must end with the shape of the parameters."""
    sizes = check_sizes(shape)
    if sizes[len(sizes) - len(parameters) :] != parameters or len(sizes) < len(parameters):
        raise ValueError(
            f"shape must end with the shape of {names}, {list(parameters)}; got {list(sizes)}. Write the whole "
            "shape of "
            "the result."
        )
    return sizes


def _one_for_each_sample(sizes: Sizes, *parameters: Array) -> list[Array]:
    """The parameters of each sample, in TensorFlow's order: all samples of the first parameter come first."""
    each = math.prod(sizes[: len(sizes) - parameters[0].ndim])
    return [np.repeat(parameter.ravel(), each) for parameter in parameters]


def _arrange(samples: Array, sizes: Sizes, parameters: int, kind: np.dtype[Any], name: str) -> Array:
    """Samples in TensorFlow's order as a result of shape `sizes` and of the type."""
    if kind.kind == "i" and samples.size and samples.max() > np.iinfo(kind).max:
        raise ValueError(f"{name} must hold every result; got {kind} and a result of {samples.max():.0f}. Pass int64.")
    columns = samples.reshape(parameters, -1).T if samples.size else samples
    with np.errstate(over="ignore"):
        return columns.astype(kind, order="C").reshape(sizes)


def _quotients(numbers: Array, rates: Array) -> Array:
    """numbers / rates. float32 is flushed, as in TensorFlow."""
    if numbers.dtype == np.float16:
        return np.asarray(numbers / rates)
    return subnormals.flush(subnormals.flush(numbers) / subnormals.flush(rates))
