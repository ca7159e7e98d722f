"""Arithmetic of processors that flush subnormal numbers to zero, with the same result on every machine. XLA and
TensorFlow set the flags FTZ and DAZ. An operand below the least normal number then counts as zero. A result becomes
zero if it is below that number after rounding to the precision of the type, with no limit to its exponent. The sign
stays. bfloat16 is computed in float32, and float16 too, where its subnormal numbers are normal: it is never flushed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..drawing.number_types import Array


class Limits(NamedTuple):
    """Magnitudes of a type, all powers of two."""

    least: float  # the least normal number
    small: float  # bounds, means and deviations that are 0 or at least this large give no subnormal number
    scale: float  # a factor: numbers below `small` times it are finite, and `least` times it is far from subnormal


_FLOAT32 = Limits(2.0**-126, 2.0**-60, 2.0**64)
_FLOAT64 = Limits(2.0**-1022, 2.0**-800, 2.0**512)


def limits_of(kind: np.dtype[Any]) -> Limits:
    """The limits of float32 and float64, and of bfloat16, which has float32's exponents."""
    return _FLOAT64 if kind.itemsize == 8 else _FLOAT32


def work_of(kind: np.dtype[Any]) -> np.dtype[Any]:
    """The type in which processors compute numbers of `kind`: float32 for those of 16 bits."""
    return np.dtype(np.float32) if kind.itemsize == 2 else kind


def possible(*numbers: Any) -> bool:
    """Whether products and sums with these arrays or scalars can be subnormal: one is near zero, but not zero. For
    float16: no."""
    for each in numbers:
        if each.dtype == np.float16:
            continue
        small = limits_of(each.dtype).small
        if each.size == 1:
            if 0 < abs(float(each.item())) < small:
                return True
        else:
            sizes = np.abs(each)
            if bool(((sizes > 0) & (sizes < small)).any()):
                return True
    return False


def flush(numbers: Any) -> Array:
    """The numbers, with a zero of the same sign in the place of each subnormal number. Those of float16 are kept."""
    array = np.asarray(numbers)
    return np.where(np.abs(array) < limits_of(array.dtype).least, np.copysign(array.dtype.type(0), array), array)


def multiply(x: Any, y: Any) -> Array:
    """x * y of float32 or float64. A product just below the least normal number can round up to it, if it is rounded as
    a subnormal number. The flags flush it before that, so the product of scaled numbers decides."""
    x, y = flush(x), flush(y)
    least, _, scale = limits_of(x.dtype)
    kind = x.dtype.type
    with np.errstate(all="ignore"):  # large numbers overflow when scaled, and are not flushed
        products = x * y
        tiny = np.abs(x * kind(scale) * y) < kind(least * scale)
        flushed: Array = np.where(tiny, np.copysign(kind(0), products), products)
    return flushed


def affine(values: Array, scale: Array, offset: Array) -> Array:
    """values * scale + offset, each operation rounded to the type and flushed. Not flushed: float16. `values` must be 0
    or far from subnormal. A sum that is subnormal is exact, so it can be flushed afterwards."""
    if not possible(scale, offset):
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(values * scale + offset)
    kind = values.dtype
    work = work_of(kind)
    products = multiply(values.astype(work), scale.astype(work)).astype(kind)
    return flush(products.astype(work) + flush(offset.astype(work))).astype(kind)


def difference(high: Array, low: Array) -> Array:
    """high - low, rounded to the type and flushed. Not flushed: float16."""
    if not possible(high, low):
        return np.asarray(high - low)
    work = work_of(high.dtype)
    return flush(flush(high.astype(work)) - flush(low.astype(work))).astype(high.dtype)
