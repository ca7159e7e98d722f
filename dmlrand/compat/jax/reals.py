"""Reals of a key: uniform and normal.

The arithmetic is XLA's on a CPU with fused multiply-add, and gives the same bits on every CPU.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ... import kernels
from ...arrays.arguments import check_broadcast
from ...arrays.integers import check_int
from ...arrays.number_types import FLOATS, check_reals
from ...arrays.tensor import Shape
from .. import subnormals
from .arguments import FLOAT32, FLOAT64, as_type, check_shape, default_float, dtype_or, narrowed
from .elementary import erfinv
from .jax_arrays import KeyArray
from .keys import Keys, read_keys, stretch, take_place

Array = NDArray[Any]
Transform = Callable[..., Array]


class Format(NamedTuple):
    """How bits become reals of a type. float16 and bfloat16 are computed in float32 and rounded after each step."""

    width: int  # bits drawn for a real
    fraction: int  # how many of them, the upper ones, become the fraction
    work: np.dtype[Any]  # the working type, which reals are computed in
    tiny: float  # the least normal number

    def unit_bounds(self) -> tuple[Array, Array]:
        """0 and 1, as the bounds of `uniforms`."""
        return np.zeros(1, self.work), np.ones(1, self.work)

    def symmetric_bounds(self) -> tuple[Array, Array]:
        """The number above -1, and 1, as the bounds of `uniforms`."""
        return np.array([2.0 ** -(self.fraction + 1) - 1], self.work), np.ones(1, self.work)


_FORMATS = {
    "float16": Format(16, 10, FLOAT32, 2.0**-14),
    "bfloat16": Format(8, 7, FLOAT32, 2.0**-126),
    "float32": Format(32, 23, FLOAT32, 2.0**-126),
    "float64": Format(64, 52, FLOAT64, 2.0**-1022),
}


@lru_cache
def format_of(kind: np.dtype[Any]) -> Format:
    """The format of a type of FLOATS. Cached, because numpy takes microseconds to build the name of a dtype."""
    return _FORMATS[kind.name]


def uniform(
    key: KeyArray,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    minval: Any = 0.0,
    maxval: Any = 1.0,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Uniform reals in [minval, maxval). Rounding can give maxval itself.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg" and "unsafe_rbg"; or typed keys of JAX
    shape : int or sequence of ints >= 0
    dtype : float16, bfloat16 (needs ml_dtypes), float32 or, with x64, float64
        The default, also for Python's float, is float32, and float64 with x64.
    minval, maxval : real, or array that broadcasts to shape
        Both are rounded to dtype. As in JAX, minval >= maxval gives minval, and the formula also takes nan and inf.

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> uniform(PRNGKey(0), (3,))
    array([0.947667  , 0.9785799 , 0.33229148], dtype=float32)
    """
    keys, kind = read_key_and_type(key, dtype, impl, partitionable, x64)
    sizes = check_shape(shape)
    low, high = _read_bound(minval, "minval", sizes, kind, x64), _read_bound(maxval, "maxval", sizes, kind, x64)
    return bounded_uniforms(keys, sizes, kind, low, high)


def normal(
    key: KeyArray,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Normally distributed reals: sqrt(2) * erfinv(u), where u is uniform in (-1, 1).

    Parameters
    ----------
    key, shape, dtype, impl, partitionable, x64
        As in uniform.

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> normal(PRNGKey(0), (3,))
    array([ 1.6226422 ,  2.0252647 , -0.43359444], dtype=float32)
    """
    keys, kind = read_key_and_type(key, dtype, impl, partitionable, x64)
    return normals(keys, check_shape(shape), kind)


def read_key_and_type(key: Any, dtype: Any, impl: Any, partitionable: Any, x64: Any) -> tuple[Keys, np.dtype[Any]]:
    """The arguments `key` and `dtype` of a draw of reals."""
    return read_keys(key, impl, partitionable), dtype_or(default_float(x64), dtype, FLOATS)


def bounded_uniforms(keys: Keys, shape: Shape, kind: np.dtype[Any], low: Array, high: Array) -> Array:
    """Uniform reals of `kind` between any bounds, which are as in `uniforms`."""
    near_zero = kind != np.float16 and subnormals.possible(low, high)
    draw = flushed_uniforms if near_zero else uniforms
    return draw(keys, shape, kind, low, high).astype(kind, copy=False)


def uniforms(keys: Keys, shape: Shape, kind: np.dtype[Any], low: Array, high: Array) -> Array:
    """Uniform reals of `kind`, in the working type. The bounds have that type and broadcast to `shape`."""
    form = format_of(kind)
    out = np.empty(keys.lead + shape, form.work)
    flat = out.reshape(-1)
    low, high = stretch(out.shape, low, high)
    for place, bits in keys.pieces(form.width, shape):
        fill_uniform(bits, kind, take_place(low, place), take_place(high, place), flat[place])
    return out


def fill_uniform(bits: Array, kind: np.dtype[Any], low: Array, high: Array, out: Array) -> Array:
    """Write uniform reals of `kind` to `out`, which has the working type. All arrays are flat. Return `out`."""
    form = format_of(kind)
    if kind == form.work:
        kernels.xla_uniform(bits, low, high, out)
        return out

    def rounded(values: Array) -> Array:
        return values.astype(kind).astype(form.work)

    with np.errstate(invalid="ignore", over="ignore"):
        fractions = (bits >> (form.width - form.fraction)).astype(form.work) * form.work.type(2.0**-form.fraction)
        np.maximum(low, rounded(rounded(fractions * rounded(high - low)) + low), out=out)
    if kind == np.float16:
        out[np.isnan(out)] = np.nan  # without a sign, as in JAX; x86 processors set it
    return out


@np.errstate(all="ignore")
def flushed_uniforms(keys: Keys, shape: Shape, kind: np.dtype[Any], low: Array, high: Array) -> Array:
    """As `uniforms`, for bounds near zero: XLA flushes subnormal operands and results. Not for float16."""
    low, high = subnormals.flush(low), subnormals.flush(high)
    if kind == low.dtype:
        values = fused_uniforms(keys, shape, kind, low, high)
    else:
        form = format_of(kind)
        fractions = (keys.bits(form.width, shape) >> (form.width - form.fraction)).astype(form.work)
        fractions *= form.work.type(2.0**-form.fraction)
        width = subnormals.difference(high.astype(kind), low.astype(kind))
        values = subnormals.affine(fractions.astype(kind), width, low.astype(kind)).astype(form.work)
    zeros = (values == 0) & (low == 0)  # the maximum of 0 and -0 must be 0, which numpy does not promise
    return np.where(zeros, values + low, np.maximum(low, values)).reshape(keys.lead + shape)


def fused_uniforms(keys: Keys, shape: Shape, kind: np.dtype[Any], low: Array, high: Array) -> Array:
    """As `flushed_uniforms`, for float32 and float64. Bounds near zero are scaled, so that no real is subnormal."""
    least, small, scale = subnormals.limits_of(kind)
    size = kind.type(scale)
    near = (np.abs(low) < small) & (np.abs(high) < small)
    start, end = np.where(near, low, 0) * size, np.where(near, high, 0) * size
    end = np.where(np.abs(end - start) < least * scale, start, end)  # the width is flushed
    scaled = uniforms(keys, shape, kind, start.astype(kind), end.astype(kind))
    # Flush before the division, which would round the largest number below the least normal one up to it.
    values = np.where(np.abs(scaled) < least * scale, np.copysign(kind.type(0), scaled), scaled) / size
    return values if near.all() else np.where(near, values, uniforms(keys, shape, kind, low, high))


def normals(keys: Keys, shape: Shape, kind: np.dtype[Any]) -> Array:
    """Normally distributed reals of `kind`."""
    root = np.array(math.sqrt(2), kind)
    return transformed(keys, shape, kind, format_of(kind).symmetric_bounds(), lambda u: erfinv(u) * root)


@np.errstate(all="ignore")
def transformed(
    keys: Keys, shape: Shape, kind: np.dtype[Any], bounds: tuple[Array, Array], transform: Transform, *parameters: Array
) -> Array:
    """transform(u, *parameters) of uniform reals u of `kind`. The bounds of u are single numbers of the working type.

    The parameters broadcast to `shape`. `transform` takes flat arrays of `kind`, a piece of the output at a time.
    """
    form = format_of(kind)
    out = np.empty(keys.lead + shape, kind)
    flat = out.reshape(-1)
    parameters = stretch(out.shape, *parameters)
    for place, bits in keys.pieces(form.width, shape):
        values = fill_uniform(bits, kind, *bounds, np.empty(bits.size, form.work)).astype(kind, copy=False)
        flat[place] = transform(values, *[take_place(parameter, place) for parameter in parameters])
    return out


def _read_bound(value: Any, name: str, shape: Shape, kind: np.dtype[Any], x64: bool) -> Array:
    """A bound as reals of `kind`, in its working type. Its shape broadcasts to `shape`."""
    array = check_reals(value, name)
    if isinstance(value, int):
        check_int(value, name, -(1 << 63), 1 << 63)
    check_broadcast(shape, array.shape, name)
    bound = as_type(array if x64 else narrowed(array), kind).astype(format_of(kind).work)
    return bound if bound.ndim else bound.reshape(1)
