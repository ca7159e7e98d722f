"""Reals of a key. Each distribution is a formula of u, a uniform real: specs/jax.md. Parameters are reals or arrays of
reals that broadcast to `shape`, and are rounded to dtype. With shape=None their shape is drawn."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np

from .. import subnormals
from ..shared import FLOAT64, Array, check_broadcast, check_int, check_reals, format_value
from . import reals
from .arguments import Config, DType, KeyArray, as_type, check_shape, narrowed
from .keys import PRNGKey as PRNGKey  # PRNGKey: for the examples
from .reals import Call, divide_by, erfinv, exp, log, log1p, read_call, reciprocals, times

__all__ = [
    "cauchy", "exponential", "gumbel", "laplace", "logistic", "lognormal", "normal", "pareto", "rayleigh", "triangular",
    "truncated_normal", "uniform", "weibull_min",
]  # fmt: skip


def uniform(
    key: KeyArray, shape: Any = (), dtype: DType = None, minval: Any = 0.0, maxval: Any = 1.0, **options: Unpack[Config]
) -> Array:
    """Uniform reals in [minval, maxval). Rounding can give maxval. As in JAX, minval >= maxval gives minval, and the
    formula also takes nan and inf.

    >>> uniform(PRNGKey(0), (3,))
    array([0.947667  , 0.9785799 , 0.33229148], dtype=float32)
    """
    call = read_call(key, shape, dtype, options)
    return call.bounded_uniforms(_read_bound(minval, "minval", call), _read_bound(maxval, "maxval", call))


def normal(key: KeyArray, shape: Any = (), dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Normally distributed reals, drawn as uniform of this module."""
    call = read_call(key, shape, dtype, options)
    root = np.array(math.sqrt(2), call.kind)
    return call.of(lambda u: erfinv(u) * root, low=call.form.above_minus_one)


def exponential(key: KeyArray, shape: Any = (), dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Exponentially distributed reals, drawn as uniform of this module."""
    return read_call(key, shape, dtype, options).of(lambda u: -log1p(-u))


def laplace(key: KeyArray, shape: Any = (), dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Reals with Laplace's distribution, drawn as uniform of this module."""
    call = read_call(key, shape, dtype, options)
    return call.of(lambda u: np.sign(u) * log1p(-np.abs(u)), low=call.form.above_minus_one)


def logistic(key: KeyArray, shape: Any = (), dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Reals with the logistic distribution, drawn as uniform of this module."""
    call = read_call(key, shape, dtype, options)
    tiny = np.array(call.form.tiny, call.kind)
    return call.of(lambda u: log(np.maximum(u, tiny)) - log1p(-np.maximum(u, tiny)))


def cauchy(key: KeyArray, shape: Any = (), dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Reals with Cauchy's distribution, drawn as uniform of this module. Their last bits are the C library's."""
    call = read_call(key, shape, dtype, options)
    half, pi = np.array(0.5, call.kind), np.array(np.pi, call.kind)
    return call.of(lambda u: reals.tan((u - half) * pi), low=2.0**-call.form.fraction)


def gumbel(
    key: KeyArray, shape: Any = (), dtype: DType = None, mode: str | None = None, **options: Unpack[Config]
) -> Array:
    """Reals with Gumbel's distribution, drawn as uniform of this module. mode is "low" (None) or "high", and not
    "highest"."""
    return read_call(key, shape, dtype, options).gumbels(mode)


@np.errstate(all="ignore")
def truncated_normal(
    key: KeyArray, lower: Any, upper: Any, shape: Any = None, dtype: DType = None, **options: Unpack[Config]
) -> Array:
    """Normally distributed reals between two bounds, drawn as uniform of this module."""
    call = read_call(key, shape, dtype, options, fits=False, lower=lower, upper=upper)
    kind, infinity, root = call.kind, call.kind.type(np.inf), np.array(math.sqrt(2), call.kind)
    lower, upper = [as_type(bound, kind) for bound in call.parameters]
    quotients = [times(subnormals.flush(bound), reciprocals(root)).astype(kind) for bound in (lower, upper)]
    if call.size == 1 and kind.name == "bfloat16":  # XLA converts the bounds in its loop, and flushes them
        pairs = zip(call.parameters, (lower, upper))
        lower, upper = [bound if given.dtype == kind else subnormals.flush(bound) for given, bound in pairs]
    low, high = [reals.erf(quotient).astype(call.form.work) for quotient in quotients]
    values = call.bounded_uniforms(low, high)
    inside = np.abs(values) < 1
    inverse = reals.flushed_erfinv if subnormals.possible(low, high) else erfinv
    normals = np.where(inside, inverse(np.where(inside, values, kind.type(0))), values * infinity) * root
    least, largest = np.nextafter(lower, infinity), np.nextafter(upper, -infinity)
    clipped = np.where(normals < least, least, normals)  # a zero keeps its sign, which np.maximum does not promise
    clipped = np.where(clipped > largest, largest, clipped)
    return subnormals.flush(clipped.astype(call.form.work)).astype(kind)


def rayleigh(key: KeyArray, scale: Any, shape: Any = None, dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Reals with Rayleigh's distribution, from 0 to inf, both included, drawn as uniform of this module."""
    call = read_call(key, shape, dtype, options, scale=scale)
    minus_two = np.array(-2, call.kind)
    return call.of(lambda u, factor: times(np.sqrt(log(u) * minus_two), factor), *call.rounded())


def weibull_min(
    key: KeyArray, scale: Any, concentration: Any, shape: Any = (), dtype: DType = None, **options: Unpack[Config]
) -> Array:
    """Reals with Weibull's distribution, drawn as uniform of this module. Their last bits are the C library's."""
    call = read_call(key, check_shape(shape), dtype, options, scale=scale, concentration=concentration)
    factor, divisor = call.parameters
    exponents = reciprocals(divisor)
    if call.kind == FLOAT64:
        exponents = exponents.astype(divisor.dtype)  # XLA then rounds the reciprocals of bfloat16
    parameters = call._replace(parameters=(factor, exponents)).rounded()
    return call.of(lambda u, factor, exponents: times(reals.power(-log1p(-u), exponents), factor), *parameters)


def pareto(key: KeyArray, b: Any, shape: Any = None, dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Reals with Pareto's distribution, drawn as uniform of this module. b must be above 0."""
    call = read_call(key, shape, dtype, options, b=b)
    if not bool((call.parameters[0] > 0).all()):
        raise ValueError(f"b must be above 0; got {format_value(b)}.")
    kind = call.kind
    divide, parameter = divide_by(call.rounded()[0], call.size)
    return call.of(lambda u, b: exp(divide(-log1p(-u), b).astype(kind, copy=False)), parameter)


def lognormal(
    key: KeyArray, sigma: Any = 1.0, shape: Any = None, dtype: DType = None, **options: Unpack[Config]
) -> Array:
    """exp(normal * sigma), drawn as uniform of this module."""
    call = read_call(key, shape, dtype, options, sigma=sigma)
    root, (factor,) = np.array(math.sqrt(2), call.kind), call.rounded()
    if factor.size < call.size and call.kind.name != "bfloat16":  # XLA joins two factors that it repeats
        factor, root = times(factor, root), np.array(1, call.kind)
    return call.of(lambda u, factor: exp(times(erfinv(u) * root, factor)), factor, low=call.form.above_minus_one)


def triangular(
    key: KeyArray, left: Any, mode: Any, right: Any, shape: Any = None, dtype: DType = None, **options: Unpack[Config]
) -> Array:
    """Reals from `left` to `right`, most frequent at `mode`, drawn as uniform of this module."""
    call = read_call(key, shape, dtype, options, left=left, mode=mode, right=right)
    left, mode, right = call.rounded()
    one = call.kind.type(1)
    width = right - left
    if width.dtype == np.float16 and width.size == math.prod(call.shape):  # XLA does not round its reciprocal
        width = width.astype(np.float32)
    divide, divisor = divide_by(width, call.size)

    def formula(u: Array, left: Array, mode: Array, right: Array, divisor: Array) -> Array:
        rising = left + np.sqrt(u * (right - left) * (mode - left))
        falling = right - np.sqrt((one - u) * (right - left) * (right - mode))
        return np.asarray(np.where(u < divide(mode - left, divisor).astype(call.kind, copy=False), rising, falling))

    return call.of(formula, left, mode, right, divisor)


def _read_bound(value: Any, name: str, call: Call) -> Array:
    """A bound as reals of the type that is drawn, in its working type."""
    if type(value) is float:  # Fast path
        array = np.array([value])
    else:
        array = check_reals(value, name)
        if isinstance(value, int):
            check_int(value, name, -(1 << 63), 1 << 63)
        check_broadcast(call.shape, array.shape, name)
    return as_type(array if call.x64 else narrowed(array), call.kind).astype(call.form.work, copy=False)
