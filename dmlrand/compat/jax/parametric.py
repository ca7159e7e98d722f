"""Reals of a key with a distribution that has parameters: truncated normal, Rayleigh, Weibull and Pareto."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...arrays.arguments import check_broadcast
from ...arrays.tensor import Shape
from ...messages import format_value
from .. import subnormals
from .arguments import FLOAT64, as_reals, as_type, check_shape, has_type
from .elementary import divide_by, erf, erfinv, exp, flushed_erfinv, log, log1p, power, reciprocals, times
from .jax_arrays import KeyArray
from .keys import Keys
from .reals import bounded_uniforms, format_of, read_key_and_type, transformed

Array = NDArray[Any]


def truncated_normal(
    key: KeyArray,
    lower: Any,
    upper: Any,
    shape: Any = None,
    dtype: DTypeLike | None = None,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Normally distributed reals between two bounds: sqrt(2) * erfinv(u), where u is uniform between erf of the bounds.

    Parameters
    ----------
    key, dtype, impl, partitionable, x64
        As in uniform.
    lower, upper : real
        The bounds, which are rounded to dtype. JAX takes arrays too, and computes their erf in other ways.
    shape : int or sequence of ints >= 0
        The default is ().

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> truncated_normal(PRNGKey(0), -2, 2, (3,))
    array([ 1.4559592 ,  1.7147487 , -0.41267535], dtype=float32)
    """
    keys, kind = read_key_and_type(key, dtype, impl, partitionable, x64)
    sizes, low, high = _read_parameters(() if shape is None else shape, x64, lower=lower, upper=upper)
    for name, bound in (("lower", low), ("upper", high)):
        if bound.ndim:
            raise ValueError(
                f"{name} must be a single number; got shape {bound.shape}. For each pair of bounds draw the complete "
                "shape with the same key, and take the elements of the pair: "
                "truncated_normal(key, lower[0], upper[0], shape)[..., 0]."
            )
    return _truncated_normals(keys, sizes, kind, as_type(low, kind), as_type(high, kind))


def rayleigh(
    key: KeyArray,
    scale: Any,
    shape: Any = None,
    dtype: DTypeLike | None = None,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Reals with Rayleigh's distribution: scale * sqrt(-2 * log(u)), where u is uniform in [0, 1).

    Parameters
    ----------
    key, dtype, impl, partitionable, x64
        As in uniform.
    scale : real, or array of reals that broadcasts to shape
        Rounded to dtype, into which its own type must fit. A result is infinite where u is 0.
    shape : int or sequence of ints >= 0
        The default is the shape of scale.

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> rayleigh(PRNGKey(0), 2.0, (3,))
    array([0.65575665, 0.41620055, 2.9688284 ], dtype=float32)
    """
    keys, kind = read_key_and_type(key, dtype, impl, partitionable, x64)
    sizes, factor = _read_parameters(shape, x64, kind, scale=scale)
    minus_two = np.array(-2, kind)

    def transform(u: Array, factor: Array) -> Array:
        return times(np.sqrt(log(u) * minus_two), factor)

    factor = subnormals.flush(as_type(factor, kind))
    return transformed(keys, sizes, kind, format_of(kind).unit_bounds(), transform, factor)


def weibull_min(
    key: KeyArray,
    scale: Any,
    concentration: Any,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Reals with Weibull's distribution: (-log1p(-u)) ** (1 / concentration) * scale, where u is uniform in [0, 1).

    Parameters
    ----------
    key, dtype, impl, partitionable, x64
        As in uniform.
    scale, concentration : real, or array of reals that broadcasts to shape
        scale and 1 / concentration are rounded to dtype, into which their own types must fit. The power is the C
        library's.
    shape : int or sequence of ints >= 0

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> weibull_min(PRNGKey(0), 2.0, 1.5, (3,))
    array([4.1139336, 4.9072957, 1.0928195], dtype=float32)
    """
    keys, kind = read_key_and_type(key, dtype, impl, partitionable, x64)
    sizes, factor, divisor = _read_parameters(check_shape(shape), x64, kind, scale=scale, concentration=concentration)
    exponents = reciprocals(divisor)
    if kind == FLOAT64:
        exponents = exponents.astype(divisor.dtype)  # XLA then rounds the reciprocals of bfloat16

    def transform(u: Array, factor: Array, exponents: Array) -> Array:
        return times(power(-log1p(-u), exponents), factor)

    parameters = [subnormals.flush(as_type(each, kind)) for each in (factor, exponents)]
    return transformed(keys, sizes, kind, format_of(kind).unit_bounds(), transform, *parameters)


def pareto(
    key: KeyArray,
    b: Any,
    shape: Any = None,
    dtype: DTypeLike | None = None,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Reals with Pareto's distribution: exp(-log1p(-u) / b), where u is uniform in [0, 1).

    Parameters
    ----------
    key, dtype, impl, partitionable, x64
        As in uniform.
    b : real above 0, or array of such that broadcasts to shape
        Rounded to dtype, into which its own type must fit.
    shape : int or sequence of ints >= 0
        The default is the shape of b.

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> pareto(PRNGKey(0), 3.0, (3,))
    array([2.6734667, 3.6007476, 1.1441185], dtype=float32)
    """
    keys, kind = read_key_and_type(key, dtype, impl, partitionable, x64)
    sizes, divisor = _read_parameters(shape, x64, kind, b=b)
    if not bool((divisor > 0).all()):
        raise ValueError(f"b must be above 0; got {format_value(b)}.")
    divide, parameter = divide_by(subnormals.flush(as_type(divisor, kind)), math.prod(sizes))

    def transform(u: Array, parameter: Array) -> Array:
        return exp(divide(-log1p(-u), parameter).astype(kind, copy=False))

    return transformed(keys, sizes, kind, format_of(kind).unit_bounds(), transform, parameter)


@np.errstate(all="ignore")
def _truncated_normals(keys: Keys, shape: Shape, kind: np.dtype[Any], lower: Array, upper: Array) -> Array:
    work, infinity = format_of(kind).work, kind.type(np.inf)
    root = np.array(math.sqrt(2), kind)
    quotients = [times(subnormals.flush(bound.reshape(1)), reciprocals(root)) for bound in (lower, upper)]
    low, high = [erf(quotient.astype(kind)).astype(work) for quotient in quotients]
    values = bounded_uniforms(keys, shape, kind, low, high)
    inside = np.abs(values) < 1
    inverse = flushed_erfinv if subnormals.possible(low, high) else erfinv
    normals = np.where(inside, inverse(np.where(inside, values, kind.type(0))), values * infinity) * root
    least, largest = np.nextafter(lower, infinity), np.nextafter(upper, -infinity)
    clipped = np.where(normals < least, least, normals)  # a zero keeps its sign, which np.maximum does not promise
    clipped = np.where(clipped > largest, largest, clipped)
    return subnormals.flush(clipped.astype(work)).astype(kind)


def _read_parameters(shape: Any, x64: Any, kind: np.dtype[Any] | None = None, **parameters: Any) -> tuple[Any, ...]:
    """The shape, and the parameters as arrays of reals that broadcast to it. None means the shape of the parameters.

    If `kind` is given, a parameter with a type of its own must fit in `kind`.
    """
    arrays = [as_reals(float(value) if type(value) is int else value, name, x64) for name, value in parameters.items()]
    for (name, value), array in zip(parameters.items(), arrays):
        if kind is not None and has_type(value) and not np.can_cast(array.dtype, kind):
            raise TypeError(
                f"{name} must be a Python float or have a type that fits in dtype {kind}; got {value.dtype}. "
                f"Convert it: {name}.astype({kind.name!r})."
            )
    if shape is None:
        return np.broadcast_shapes(*[array.shape for array in arrays]), *arrays
    sizes = check_shape(shape)
    for name, array in zip(parameters, arrays):
        check_broadcast(sizes, array.shape, name)
    return sizes, *arrays
