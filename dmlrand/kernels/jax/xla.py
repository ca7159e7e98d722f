"""XLA's arithmetic on words and reals, operation by operation.

Coefficients and order of operations are those of XLA's CPU compiler for processors with fused multiply-add.
specs/jax.md says how this was checked.
"""

import math

import numpy as np
from numba import float32, int32, njit

from ..compiling import kernel
from . import coefficients
from .float_intrinsics import bits_of, divide, float32_of, fma, horner, to_real

SQRT_HALF = np.float32(coefficients.SQRT_HALF)
LN2_HIGH, LN2_LOW = np.float32(coefficients.LN2_HIGH), np.float32(coefficients.LN2_LOW)
TINY32, TINY64 = np.finfo(np.float32).tiny, np.finfo(np.float64).tiny
NEAR32, NEAR64 = np.float32(math.sqrt(2) - 1), math.sqrt(2) - 1  # log1p of smaller magnitudes is a rational function
log_top, log_middle, log_low = map(horner, (coefficients.LOG_TOP, coefficients.LOG_MIDDLE, coefficients.LOG_LOW))
log1p_numerator, log1p_denominator = map(horner, (coefficients.LOG1P_NUMERATOR, coefficients.LOG1P_DENOMINATOR))
erfinv_ranges32, erfinv_ranges64 = horner(*coefficients.ERFINV32), horner(*coefficients.ERFINV64)


@njit(inline="always")
def log32(y):
    """log of a positive float32. Numbers below the least normal one count as the least normal one."""
    y = max(y, TINY32)
    bits = bits_of(y)
    x = float32_of(int32(bits & int32(0x7FFFFF) | int32(0x3F000000)))
    low = x < SQRT_HALF
    e = float32(int32(bits >> 23) - int32(127 if low else 126))
    x = float32(x + x if low else x) - float32(1)
    x2 = x * x
    x3 = x2 * x
    p = fma(fma(log_top(0, x), x3, log_middle(0, x)), x3, log_low(0, x))
    y = fma(p, x3, LN2_LOW * e)
    return fma(LN2_HIGH, e, fma(float32(-0.5), x2, x) + y)


@njit(inline="always")
def near_log1p(t, half):
    """log1p of a number near 0. `half` is 0.5 in the type of t."""
    t2 = t * t
    return t + ((t * t2) * divide(log1p_numerator(0, t), log1p_denominator(0, t)) - half * t2)


@njit(inline="always")
def log1p32(t):
    near, far = near_log1p(t, float32(0.5)), log32(float32(1) + t)
    return near if abs(t) < NEAR32 else far


@njit(inline="always")
def log1p64(t):
    return near_log1p(t, 0.5) if abs(t) < NEAR64 else math.log(max(1.0 + t, TINY64))


@njit(inline="always")
def erfinv32(u):
    w = -log1p32(-(u * u))
    tail = w >= float32(5)
    v = math.sqrt(w) - float32(3) if tail else w - float32(2.5)
    return erfinv_ranges32(1 if tail else 0, v) * u


@njit(inline="always")
def erfinv64(u):
    w = -log1p64(-(u * u))
    if w < 6.25:
        return erfinv_ranges64(0, w - 3.125) * u
    if w < 16:
        return erfinv_ranges64(1, math.sqrt(w) - 3.25) * u
    return erfinv_ranges64(2, math.sqrt(w) - 5) * u


@kernel
def xla_erfinv32(u, out):
    for i in range(u.size):
        out[i] = erfinv32(u[i])


@kernel
def xla_erfinv64(u, out):
    for i in range(u.size):
        out[i] = erfinv64(u[i])


@kernel
def xla_log32(x, out):
    """log of float32 numbers that are positive or 0."""
    for i in range(x.size):
        out[i] = log32(x[i]) if x[i] > 0 else -np.float32(np.inf)


@kernel
def xla_log64(x, out):
    """log of float64 numbers that are positive or 0, by the C library."""
    for i in range(x.size):
        out[i] = math.log(x[i]) if x[i] > 0 else -np.inf


@njit(inline="always")
def between(word, unit, width, low):
    """low + width * (word * unit), and at least low. word * unit is exact; the sum of products is rounded once."""
    x = fma(to_real(word, unit) * unit, width, low)
    return low if x < low else x


@kernel
def xla_uniform(bits, low, high, out):
    """Reals of the upper 23 of 32 bits or 52 of 64. `low` and `high` both hold one number, or one for each element."""
    discarded = bits.dtype.type(9 if bits.itemsize == 4 else 12)
    unit = out.dtype.type(2.0**-23 if bits.itemsize == 4 else 2.0**-52)
    if low.size == 1:
        width = high[0] - low[0]
        for i in range(bits.size):
            out[i] = between(bits[i] >> discarded, unit, width, low[0])
    else:
        for i in range(bits.size):
            out[i] = between(bits[i] >> discarded, unit, high[i] - low[i], low[i])


@njit(inline="always")
def remainder(word, span):
    """word modulo span. A span of 0 means 2**bits: the result is the word itself."""
    return word % span if span else word


@njit(inline="always")
def within(high, low, span, half, cast):
    """(high * 2**bits + low) modulo span, with products that wrap. `half` is 2**(bits / 2), whose square wraps to 0."""
    factor = remainder(half, span)
    factor = remainder(cast(factor * factor), span)
    return remainder(cast(cast(remainder(high, span) * factor) + remainder(low, span)), span)


@kernel
def xla_randint(high, low, span, start, out):
    """start + (high * 2**bits + low) modulo span, wrapping.

    All arrays are unsigned and of one type. `span` and `start` both hold one number, or one for each element.
    """
    cast = out.dtype.type
    half = cast(1 << 4 * out.itemsize)
    if span.size == 1:
        modulus, offset = span[0], start[0]  # read once, so that the factor of the high words is computed once
        for i in range(out.size):
            out[i] = offset + within(high[i], low[i], modulus, half, cast)
    else:
        for i in range(out.size):
            out[i] = start[i] + within(high[i], low[i], span[i], half, cast)
