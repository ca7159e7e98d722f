"""Reals of a key: uniform, normal, Gumbel's. As XLA computes them on a CPU with fused multiply-add, on any CPU."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ... import kernels
from ...arrays import subnormals
from ...arrays.arguments import check_broadcast
from ...arrays.integers import check_int
from ...arrays.number_types import FLOATS, check_reals
from ...arrays.tensor import Shape
from .arguments import FLOAT32, FLOAT64, check_shape, default_float, dtype_or
from .keys import THREEFRY, Keys, is_common, read_keys
from .sources import Words

Array = NDArray[Any]


class Format(NamedTuple):
    """How a type's reals are made of bits. float16 and bfloat16 are computed in float32 and rounded after each step."""

    width: int  # bits drawn
    fraction: int  # bits kept, the upper ones
    work: np.dtype[Any]
    tiny: float  # least normal number

    def scale(self) -> tuple[Array, Array]:
        """What makes a fraction of a word, as kernels take it: the shift and the unit."""
        shift = np.array([self.width - self.fraction], f"u{self.width // 8}")
        return shift, np.array([2.0**-self.fraction], self.work)


_FORMATS = {
    "float16": Format(16, 10, FLOAT32, 2.0**-14),
    "bfloat16": Format(8, 7, FLOAT32, 2.0**-126),
    "float32": Format(32, 23, FLOAT32, 2.0**-126),
    "float64": Format(64, 52, FLOAT64, 2.0**-1022),
}

_SCALES = {name: _FORMATS[name].scale() for name in ("float32", "float64")}


def format_of(kind: np.dtype[Any]) -> Format:
    """The format of one of FLOATS. A dtype's name takes microseconds to spell, so the common ones are told apart first."""
    return _FORMATS["float32" if kind is FLOAT32 else "float64" if kind is FLOAT64 else kind.name]


def uniform(
    key: Words,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    minval: Any = 0.0,
    maxval: Any = 1.0,
    *,
    impl: str = THREEFRY,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Uniform reals in [minval, maxval); maxval can come out by rounding.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg"
    shape : int or sequence of ints >= 0
    dtype : float16, bfloat16 (needs ml_dtypes), float32 or, with x64, float64
        By default, and for Python's float: float32, with x64 float64.
    minval, maxval : real, or array that broadcasts to shape
        Rounded to dtype. As in JAX, minval >= maxval gives minval, and nan or inf go through the formula.

    Returns
    -------
    array of dtype, of key's leading axes and shape

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.
    ImportError
        dtype is bfloat16 and ml_dtypes is not installed.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> uniform(PRNGKey(0), (3,))
    array([0.947667  , 0.9785799 , 0.33229148], dtype=float32)
    """
    if dtype is None and x64 is False and type(minval) is type(maxval) is float and is_common(key, impl, partitionable):
        values = np.empty(check_shape(shape), FLOAT32)
        if kernels.threefry_uniform(key, minval, maxval, values if values.ndim == 1 else values.reshape(-1)):
            return values
    keys = read_keys(key, impl, partitionable)
    kind = dtype_or(default_float(x64), dtype, FLOATS)
    sizes = check_shape(shape)
    low, high = (_read_bound(*bound, sizes, kind) for bound in ((minval, "minval"), (maxval, "maxval")))
    near_zero = kind != np.float16 and subnormals.possible(low, high)
    draw = flushed_uniforms if near_zero else uniforms
    return draw(keys, sizes, kind, low, high).astype(kind, copy=False)


def normal(
    key: Words,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    *,
    impl: str = THREEFRY,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Normally distributed reals: sqrt(2) * erfinv of uniform ones in (-1, 1).

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg"
    shape : int or sequence of ints >= 0
    dtype : float16, bfloat16 (needs ml_dtypes), float32 or, with x64, float64
        By default, and for Python's float: float32, with x64 float64.

    Returns
    -------
    array of dtype, of key's leading axes and shape

    Raises
    ------
    TypeError, ValueError, ImportError
        As uniform.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> normal(PRNGKey(0), (3,))
    array([ 1.6226422 ,  2.0252647 , -0.43359444], dtype=float32)
    """
    if dtype is None and x64 is False and is_common(key, impl, partitionable):
        values = np.empty(check_shape(shape), FLOAT32)
        kernels.threefry_normal(key, values if values.ndim == 1 else values.reshape(-1))
        return values
    keys = read_keys(key, impl, partitionable)
    kind = dtype_or(default_float(x64), dtype, FLOATS)
    form = format_of(kind)
    low = np.full(1, 2.0 ** -(form.fraction + 1) - 1, form.work)  # next to -1
    drawn = uniforms(keys, check_shape(shape), kind, low, np.ones(1, form.work))
    values = np.empty_like(drawn)  # kernels that write where they read are not vector code
    root = np.array([math.sqrt(2)], kind).astype(form.work)
    whole = kind == form.work
    erfinv = kernels.xla_erfinv64 if form.work is FLOAT64 else kernels.xla_erfinv32
    erfinv(drawn.reshape(-1), root if whole else np.ones(1, form.work), values.reshape(-1))
    return values if whole else (values.astype(kind) * root.astype(kind)).reshape(values.shape)


def gumbel(
    key: Words,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    *,
    impl: str = THREEFRY,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Reals of Gumbel's distribution: -log(-log(u)) of uniform ones. JAX's mode="low", its default.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg"
    shape : int or sequence of ints >= 0
    dtype : float16, bfloat16 (needs ml_dtypes), float32 or, with x64, float64
        By default, and for Python's float: float32, with x64 float64.

    Returns
    -------
    array of dtype, of key's leading axes and shape

    Raises
    ------
    TypeError, ValueError, ImportError
        As uniform.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> gumbel(PRNGKey(0), (3,))
    array([ 2.9233725 ,  3.8326178 , -0.09689324], dtype=float32)
    """
    if dtype is None and x64 is False and is_common(key, impl, partitionable):
        values = np.empty(check_shape(shape), FLOAT32)
        kernels.threefry_gumbel(key, values if values.ndim == 1 else values.reshape(-1))
        return values
    keys = read_keys(key, impl, partitionable)
    kind = dtype_or(default_float(x64), dtype, FLOATS)
    return gumbels(keys, check_shape(shape), kind)


def uniforms(keys: Keys, shape: Shape, kind: np.dtype[Any], low: Array, high: Array) -> Array:
    """Uniform reals of `kind`, in its working type. The bounds, of that type, hold one number, or one an element."""
    form = format_of(kind)
    bits = keys.bits(form.width, shape)
    if kind == form.work:
        shift, unit = _SCALES["float64" if form.work is FLOAT64 else "float32"]
        values = np.empty(bits.shape, kind)
        if not low.size == high.size == 1:
            low, high = (np.broadcast_to(bound, bits.shape).copy() for bound in (low, high))
        kernels.xla_uniform(bits.reshape(-1), shift, unit, low.reshape(-1), high.reshape(-1), values.reshape(-1))
        return values

    def rounded(values: Array) -> Array:
        return values.astype(kind).astype(form.work)

    with np.errstate(invalid="ignore", over="ignore"):
        fractions = (bits >> (form.width - form.fraction)).astype(form.work) * form.work.type(2.0**-form.fraction)
        return np.maximum(low, rounded(rounded(fractions * rounded(high - low)) + low)).reshape(bits.shape)


@np.errstate(all="ignore")
def flushed_uniforms(keys: Keys, shape: Shape, kind: np.dtype[Any], low: Array, high: Array) -> Array:
    """As `uniforms`, for bounds near zero: XLA flushes subnormal numbers, in operands and in results. Not float16."""
    low, high = subnormals.flush(low), subnormals.flush(high)
    if kind == low.dtype:
        values = fused_uniforms(keys, shape, kind, low, high)
    else:
        form = format_of(kind)
        fractions = (keys.bits(form.width, shape) >> (form.width - form.fraction)).astype(form.work)
        fractions *= form.work.type(2.0**-form.fraction)
        width = subnormals.difference(high.astype(kind), low.astype(kind))
        values = subnormals.affine(fractions.astype(kind), width, low.astype(kind)).astype(form.work)
    # The greater of 0 and -0 is 0, which numpy does not promise.
    zeros = (values == 0) & (low == 0)
    return np.where(zeros, values + low, np.maximum(low, values)).reshape(keys.lead + shape)


def fused_uniforms(keys: Keys, shape: Shape, kind: np.dtype[Any], low: Array, high: Array) -> Array:
    """float32 or float64, flushed: what lies near zero is drawn between scaled bounds, where no number is subnormal."""
    least, small, scale = subnormals.limits_of(kind)
    size = kind.type(scale)
    near = (np.abs(low) < small) & (np.abs(high) < small)
    start, end = np.where(near, low, 0) * size, np.where(near, high, 0) * size
    end = np.where(np.abs(end - start) < least * scale, start, end)  # a width that is flushed
    scaled = uniforms(keys, shape, kind, start.astype(kind), end.astype(kind))
    # Before the division, which would round the largest number below the least normal one up to it.
    values = np.where(np.abs(scaled) < least * scale, np.copysign(kind.type(0), scaled), scaled) / size
    return values if near.all() else np.where(near, values, uniforms(keys, shape, kind, low, high))


def gumbels(keys: Keys, shape: Shape, kind: np.dtype[Any]) -> Array:
    """Gumbel's reals of `kind`."""
    form = format_of(kind)
    values = uniforms(keys, shape, kind, np.zeros(1, form.work), np.ones(1, form.work))
    np.maximum(values, form.work.type(form.tiny), out=values)  # so that no log is infinite
    for _ in range(2):
        values = np.negative(log(values).astype(kind, copy=False), out=np.empty(values.shape, kind))
    return values


def log(values: Array) -> Array:
    """XLA's logarithm of reals that are not negative, in their working type."""
    work = FLOAT64 if values.dtype == FLOAT64 else FLOAT32
    drawn = np.asarray(values, work, order="C")
    logs = np.empty_like(drawn)
    (kernels.xla_log64 if work is FLOAT64 else kernels.xla_log32)(drawn.reshape(-1), logs.reshape(-1))
    return logs


def _read_bound(value: Any, name: str, shape: Shape, kind: np.dtype[Any]) -> Array:
    """A bound as reals of `kind`, in its working type: one number, or as many axes as `shape`."""
    if type(value) is float and abs(value) < 2.0**100 and kind.itemsize >= 4:
        return np.array([value], kind)
    array = check_reals(value, name)
    if isinstance(value, int):
        check_int(value, name, -(1 << 63), 1 << 63)
    check_broadcast(shape, array.shape, name)
    with np.errstate(over="ignore"):
        bound = array.astype(kind).astype(format_of(kind).work)
    return bound if array.ndim else bound.reshape(1)
