"""XLA's elementary functions of arrays of reals.

Each takes arrays of the type that is drawn and gives that type. float16 and bfloat16 are computed in float32 and
rounded once. Numbers that XLA flushes to zero are flushed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import kernels
from .. import subnormals
from .arguments import FLOAT32, FLOAT64, Array

NEAR_ZERO = 2.0**-40  # the square of a smaller number is lost beside 1, in float64 too


def _by_kernels(name: str) -> Callable[[Array], Array]:
    """A function that the kernels NAME32 and NAME64 compute."""

    def function(values: Array) -> Array:
        work = work_of(values)
        out = np.empty(values.shape, work)
        kernel = getattr(kernels, f"{name}{8 * work.itemsize}")
        kernel(values.astype(work, copy=False).reshape(-1), out.reshape(-1))
        return out.astype(values.dtype, copy=False)

    return function


log = _by_kernels("xla_log")  # of numbers from 0 on
log1p = _by_kernels("xla_log1p")  # of numbers from -1 on
exp = _by_kernels("xla_exp")
erf = _by_kernels("xla_erf")
erfinv = _by_kernels("xla_erfinv")  # of numbers between -1 and 1, none of them near zero, which it does not flush


def flushed_erfinv(values: Array) -> Array:
    """erfinv of numbers between -1 and 1 that may be near zero, where it is a product with a constant."""
    work = values.astype(work_of(values), copy=False)
    slope = erfinv(np.array([NEAR_ZERO], work.dtype)) / work.dtype.type(NEAR_ZERO)
    near = np.abs(work) < NEAR_ZERO
    return np.where(near, subnormals.multiply(work, slope), erfinv(work)).astype(values.dtype)


def tan(values: Array) -> Array:
    work = values.astype(work_of(values), copy=False)
    out = np.empty_like(work)
    kernels.xla_tan(work, out)
    return out.astype(values.dtype, copy=False)


def power(values: Array, exponents: Array) -> Array:
    """values ** exponents, where `exponents` holds one number or as many as `values`."""
    work = values.astype(work_of(values), copy=False)
    out = np.empty_like(work)
    kernels.xla_power(work, exponents.astype(work.dtype, copy=False), out)
    return out.astype(values.dtype, copy=False)


def fma(x: Array, y: Any, z: Any) -> Array:
    """x * y + z, rounded once. float16 and bfloat16 round the product, and then the sum."""
    kind = np.result_type(x, y, z)
    if kind.itemsize == 2:
        return np.asarray(x * y + z)
    operands = [each.astype(kind, copy=False) for each in np.broadcast_arrays(x, y, z)]
    out = np.empty(operands[0].shape, kind)
    kernels.xla_fma(*[np.ascontiguousarray(each).reshape(-1) for each in operands], out.reshape(-1))
    return out


def times(values: Array, factors: Array) -> Array:
    """values * factors, with subnormal products flushed to zero. No operand may be subnormal."""
    work = work_of(values)
    values, factors, kind = values.astype(work, copy=False), factors.astype(work, copy=False), values.dtype
    products = np.asarray(values * factors)
    if subnormals.possible(products):
        products = subnormals.multiply(values, factors)
    return products.astype(kind, copy=False)


def reciprocals(values: Array) -> Array:
    """1 / values, flushed. Those of bfloat16 stay float32, and so does the product with one until it is rounded."""
    work = values if values.dtype == np.float16 else values.astype(work_of(values))
    with np.errstate(all="ignore"):
        return subnormals.flush(work.dtype.type(1) / work)


def divide_by(divisors: Array, count: int) -> tuple[Callable[[Array, Array], Array], Array]:
    """A function of values and of the returned array that divides the values of an output by `divisors`.

    XLA divides by a parameter only if it has as many elements as the output, `count`. It multiplies by the reciprocal
    of a parameter that it repeats.
    """
    return (np.multiply, reciprocals(divisors)) if divisors.size < count else (np.divide, divisors)


def work_of(values: Array) -> np.dtype[Any]:
    """The type in which reals of the type of `values` are computed."""
    return FLOAT64 if values.dtype == FLOAT64 else FLOAT32
