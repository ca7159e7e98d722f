"""XLA's functions of reals, beside those in xla.py: log1p, exp, erf, tan, power and fused multiply-add.

As in xla.py, coefficients and order of operations are those of XLA's CPU compiler. XLA calls the C library for tan and
power of both types, and for erf of float64. So do these kernels, and their last bits are the C library's.
"""

import math

import numpy as np
from numba import float32, int32, int64, njit

from ..compiling import kernel
from . import coefficients
from .float_intrinsics import divide, float32_of, float64_of, fma, horner
from .xla import LN2_HIGH, LN2_LOW, TINY32, TINY64, log1p32, log1p64

exp32_polynomial = horner(coefficients.EXP32)
exp64_numerator, exp64_denominator = map(horner, (coefficients.EXP64_NUMERATOR, coefficients.EXP64_DENOMINATOR))
erf32_numerator, erf32_denominator = map(horner, (coefficients.ERF32_NUMERATOR, coefficients.ERF32_DENOMINATOR))
LOG2_E, ERF_END = np.float32(coefficients.LOG2_E), np.float32(coefficients.ERF32_END)
LOG2_E64, EXP64_LOWEST, EXP64_HIGHEST = coefficients.LOG2_E, coefficients.EXP64_LOWEST, coefficients.EXP64_HIGHEST
EXP32_LOWEST = np.float32(coefficients.EXP32_LOWEST)
LN2_HIGH64, LN2_LOW64 = coefficients.EXP64_LN2_HIGH, coefficients.EXP64_LN2_LOW
# Powers below these are flushed to 0. The C library computes float32 powers in float64, and the processor flushes what
# is below the least normal number once it is rounded to 24 bits. Subnormal float64 powers it rounds itself.
POWER_END32, POWER_END64 = float(TINY32) * (1 - 2.0**-25), float(TINY64)


@njit(inline="always")
def exp32(x):
    x = EXP32_LOWEST if x < EXP32_LOWEST else x
    n = min(max(np.floor(fma(x, LOG2_E, float32(0.5))), float32(-127)), float32(127))
    r = fma(-n, LN2_LOW, fma(-n, LN2_HIGH, x))
    y = fma(exp32_polynomial(0, r), r * r, r) + float32(1)
    y *= float32_of(int32((int32(n) + int32(127)) << int32(23)))
    return float32(0) if y < TINY32 else y


@njit(inline="always")
def exp64(x):
    if x > EXP64_HIGHEST:
        return math.inf
    if x < EXP64_LOWEST:
        return 0.0
    n = np.floor(fma(x, LOG2_E64, 0.5))
    g = fma(-n, LN2_LOW64, fma(-n, LN2_HIGH64, x))
    g2 = g * g
    p = exp64_numerator(0, g2) * g
    y = fma(divide(p, exp64_denominator(0, g2) - p), 2.0, 1.0)
    quarter = int64(n) >> 2
    scale = float64_of(int64((quarter + 1023) << 52))
    y = y * scale * scale * scale * float64_of(int64((int64(n) - 3 * quarter + 1023) << 52))
    return 0.0 if y < TINY64 else y


@njit(inline="always")
def erf32(x):
    if abs(x) >= ERF_END:
        return float32(math.copysign(float32(1), x))
    x2 = x * x
    return divide(x * erf32_numerator(0, x2), erf32_denominator(0, x2))


@kernel
def xla_log1p32(x, out):
    """log(1 + x) of float32 numbers from -1 on."""
    for i in range(x.size):
        out[i] = log1p32(x[i]) if x[i] > -1 else -np.float32(np.inf)


@kernel
def xla_log1p64(x, out):
    for i in range(x.size):
        out[i] = log1p64(x[i]) if x[i] > -1 else -np.inf


@kernel
def xla_exp32(x, out):
    for i in range(x.size):
        out[i] = exp32(x[i])


@kernel
def xla_exp64(x, out):
    for i in range(x.size):
        out[i] = exp64(x[i])


@kernel
def xla_erf32(x, out):
    for i in range(x.size):
        out[i] = erf32(x[i])


@kernel
def xla_erf64(x, out):
    for i in range(x.size):
        out[i] = math.erf(x[i])


@kernel
def xla_tan(x, out):
    """tan of float32 or float64 numbers, by the C library."""
    for i in range(x.size):
        out[i] = math.tan(x[i])


@kernel
def xla_power(x, y, out):
    """x ** y of float32 or float64 numbers from 0 on, by the C library, with 0 in the place of each subnormal number.

    `y` holds one number, or one for each element.
    """
    least, end = (TINY32, POWER_END32) if out.itemsize == 4 else (TINY64, POWER_END64)
    step = 0 if y.size == 1 else 1
    for i in range(x.size):
        z = math.pow(x[i], y[i * step])
        if z <= least and math.pow(np.float64(x[i]), np.float64(y[i * step])) < end:
            z = out.dtype.type(0)
        out[i] = z


@kernel
def xla_fma(x, y, z, out):
    """x * y + z of float32 or float64 numbers, rounded once."""
    for i in range(x.size):
        out[i] = fma(x[i], y[i], z[i])
