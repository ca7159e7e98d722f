"""XLA's arithmetic on words and reals, as far as NumPy's operations suffice.

NumPy has no type in which products of float64 are exact, so kernels of float64 are missing or return NotImplemented.
"""

import math

import numpy as np

from ...jax import coefficients

ODD = np.int64(1)
TINY = np.finfo(np.float32).tiny
HALF, ONE = np.float32(0.5), np.float32(1)
NEAR = np.float32(math.sqrt(2) - 1)  # log1p of smaller magnitudes is a rational function
SQRT_HALF = np.float32(coefficients.SQRT_HALF)
LN2_HIGH, LN2_LOW = np.float32(coefficients.LN2_HIGH), np.float32(coefficients.LN2_LOW)


def fma32(x, y, z):
    """x * y + z of float32, rounded once.

    The product is exact in float64. The sum is rounded to odd: if it is inexact and its last bit is even, it moves by
    one step towards the exact sum. Rounding that to float32, which has 29 bits less, gives what rounding once would.
    """
    product, z = np.multiply(x, y, dtype=np.float64), np.asarray(z, np.float64)
    total = product + z
    recovered = total - product
    error = (product - (total - recovered)) + (z - recovered)  # exact: Knuth's TwoSum; nan where the sum is not finite
    inexact = (np.abs(error) > 0) & ((total.view(np.int64) & ODD) == 0)
    away = np.where((error > 0) == (total > 0), np.int64(1), np.int64(-1))  # away from zero is one more in the bits
    return (total.view(np.int64) + np.where(inexact, away, np.int64(0))).view(np.float64).astype(np.float32)


@np.errstate(all="ignore")  # bounds may be infinite
def xla_uniform(bits, low, high, out):
    if out.dtype != np.float32:
        return NotImplemented
    fractions = (bits >> np.uint32(9)).astype(np.float32) * np.float32(2.0**-23)
    out[:] = np.maximum(low, fma32(fractions, high - low, low))
    return None


def remainder(words, span):
    """words modulo span. A span of 0 means 2**bits: the result is the words themselves."""
    return np.where(span, words % np.where(span, span, span.dtype.type(1)), words)


def xla_randint(high, low, span, start, out):
    half = np.array([1 << 4 * out.itemsize], out.dtype)
    factor = remainder(half, span)
    factor = remainder(factor * factor, span)
    out[:] = start + remainder(remainder(high, span) * factor + remainder(low, span), span)


def horner(polynomial, x):
    """The polynomial of these coefficients, highest degree first. Each step is one fused multiply-add."""
    value = np.full(x.shape, polynomial[0], np.float32)
    for coefficient in polynomial[1:]:
        value = fma32(value, x, np.float32(coefficient))
    return value


def log32(y):
    """log of positive float32 numbers. Numbers below the least normal one count as the least normal one."""
    bits = np.maximum(y, TINY).view(np.int32)
    x = (bits & np.int32(0x7FFFFF) | np.int32(0x3F000000)).view(np.float32)
    low = x < SQRT_HALF
    e = ((bits >> 23) - np.where(low, np.int32(127), np.int32(126))).astype(np.float32)
    x = np.where(low, x + x, x) - ONE
    x2 = x * x
    x3 = x2 * x
    top, middle, lowest = (
        horner(part, x) for part in (coefficients.LOG_TOP, coefficients.LOG_MIDDLE, coefficients.LOG_LOW)
    )
    p = fma32(fma32(top, x3, middle), x3, lowest)
    y = fma32(p, x3, LN2_LOW * e)
    return fma32(LN2_HIGH, e, fma32(-HALF, x2, x) + y)


def log1p32(t):
    t2 = t * t
    quotient = (t * t2) * (horner(coefficients.LOG1P_NUMERATOR, t) / horner(coefficients.LOG1P_DENOMINATOR, t))
    return np.where(np.abs(t) < NEAR, t + (quotient - HALF * t2), log32(ONE + t))


def xla_log32(x, out):
    out[:] = np.where(x > 0, log32(x), np.float32(-np.inf))


@np.errstate(all="ignore")
def xla_erfinv32(u, out):
    w = -log1p32(-(u * u))
    tail = w >= 5
    v = np.where(tail, np.sqrt(w) - np.float32(3), w - np.float32(2.5))
    center, ends = (horner(polynomial, v) for polynomial in coefficients.ERFINV32)
    out[:] = np.where(tail, ends, center) * u
