"""XLA's functions of float32, and its uniform numbers and integers, in the dialect of rules.py: for numpy and numba.

Coefficients and order of operations are those of XLA's CPU compiler for processors with fused multiply-add.
specs/jax.md says how this was checked. The functions of float64 are in xla_kernels.py, since numpy cannot compute them.
"""

import numpy as np

from ...kernels.dialect import sqrt, where

# What these functions need besides kernels/dialect.py: numpy's side, on arrays. xla_kernels.py has numba's, on scalars.

floor = np.floor


def remainder(number, divisor):
    """A number modulo an unsigned divisor. The remainder of a divisor of 0 is the number."""
    return np.where(divisor, number % np.where(divisor, divisor, divisor.dtype.type(1)), number)


def fma(x, y, z):
    """x * y + z of float32, rounded once.

    The product is exact in float64. The sum is rounded to odd: if it is inexact and its last bit is even, it moves by
    one step towards the exact sum. Rounding that to float32, which has 29 bits less, gives what rounding once would.
    """
    product, z = np.multiply(x, y, dtype=np.float64), np.asarray(z, np.float64)
    total = product + z
    recovered = total - product
    error = (product - (total - recovered)) + (z - recovered)  # exact: Knuth's TwoSum; nan where the sum is not finite
    inexact = (np.abs(error) > 0) & ((total.view(np.int64) & np.int64(1)) == 0)
    away = np.where((error > 0) == (total > 0), np.int64(1), np.int64(-1))  # away from zero is one more in the bits
    return (total.view(np.int64) + np.where(inexact, away, np.int64(0))).view(np.float64).astype(np.float32)


class Polynomial:
    """A polynomial of float32. Each step of its evaluation is one fused multiply-add."""

    def __init__(self, *coefficients):
        self.coefficients = coefficients  # highest degree first

    def __call__(self, x):
        value = np.full_like(x, self.coefficients[0])
        for coefficient in self.coefficients[1:]:
            value = fma(value, x, np.float32(coefficient))
        return value


I32, F32 = np.int32, np.float32
TINY = np.finfo(F32).tiny
ZERO, HALF, ONE, INFINITY = F32(0), F32(0.5), F32(1), F32(np.inf)
EXPONENT, BIAS, BIAS_OF_HALF = I32(23), I32(127), I32(126)
MANTISSA, BITS_OF_HALF = I32(0x7FFFFF), I32(0x3F000000)

# log: Cephes' logf, whose polynomial is evaluated in three parts. log(2) is given in two parts.
LOG_TOP = Polynomial(7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1)
LOG_MIDDLE = Polynomial(-1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1)
LOG_LOW = Polynomial(2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
LN2_HIGH, LN2_LOW = F32(0.693359375), F32(-2.12194440e-4)
SQRT_HALF = F32(0.707106781186547524)

# log1p near 0: Cephes' rational function.
NEAR = F32(0.41421356237309515)  # sqrt(2) - 1
LOG1P_NUMERATOR = Polynomial(
    4.5270000862445199635215e-5, 4.9854102823193375972212e-1, 6.5787325942061044846969e0, 2.9911919328553073277375e1,
    6.0949667980987787057556e1, 5.7112963590585538103336e1, 2.0039553499201281259648e1,
)  # fmt: skip
LOG1P_DENOMINATOR = Polynomial(
    1.0, 1.5062909083469192043167e1, 8.3047565967967209469434e1, 2.2176239823732856465394e2,
    3.0909872225312059774938e2, 2.1642788614495947685003e2, 6.0118660497603843919306e1,
)  # fmt: skip

# exp: Cephes' expf. Smaller arguments count as EXP_LOWEST, whose exp is 0.
LOG2_E, EXP_LOWEST, LARGEST_N = F32(1.4426950408889634), F32(-87.8), F32(127)
EXP = Polynomial(1.9875691e-4, 1.3981999e-3, 8.333452e-3, 4.1665796e-2, 1.6666666e-1, 0.5)

# erf: a rational function. From ERF_END on it is 1.
ERF_NUMERATOR = Polynomial(0.00022905065, 0.003408291, 0.050955694, 0.18520832, 1.1283791)
ERF_DENOMINATOR = Polynomial(-1.1791603e-07, 2.3547966e-05, 0.0010179626, 0.01407047, 0.11098505, 0.49746925, 1.0)
ERF_END = F32(3.7439213)

# erfinv: Giles, "Approximating the erfinv function", 2010.
CENTER, FROM_CENTER = F32(2.5), F32(5)
ERFINV_CENTER = Polynomial(
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
    0.246640727, 1.50140941,
)  # fmt: skip
TAIL = F32(3)
ERFINV_TAIL = Polynomial(
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
    1.00167406, 2.83297682,
)  # fmt: skip


def log_of_positive(y):
    """Numbers below the least normal one count as the least normal one."""
    bits = F32(where(y < TINY, TINY, y)).view(I32)
    x = I32(I32(bits & MANTISSA) | BITS_OF_HALF).view(F32)
    low = x < SQRT_HALF
    e = F32(I32(I32(bits >> EXPONENT) - where(low, BIAS, BIAS_OF_HALF)))
    x = where(low, x + x, x) - ONE
    x2 = x * x
    x3 = x2 * x
    p = fma(fma(LOG_TOP(x), x3, LOG_MIDDLE(x)), x3, LOG_LOW(x))
    return fma(LN2_HIGH, e, fma(-HALF, x2, x) + fma(p, x3, LN2_LOW * e))


def near_log1p(t, half):
    """log1p of a number near 0. `half` is 0.5 in the type of t."""
    t2 = t * t
    return t + ((t * t2) * (LOG1P_NUMERATOR(t) / LOG1P_DENOMINATOR(t)) - half * t2)


def log1p_above_minus_one(t):
    return where(abs(t) < NEAR, near_log1p(t, HALF), log_of_positive(ONE + t))


def log_32(x):
    return where(x > ZERO, log_of_positive(x), -INFINITY)


def log1p_32(x):
    return where(x > -ONE, log1p_above_minus_one(x), -INFINITY)


def exp_32(x):
    x = where(x < EXP_LOWEST, EXP_LOWEST, x)
    n = floor(fma(x, LOG2_E, HALF))  # at least -127
    n = where(n > LARGEST_N, LARGEST_N, n)
    r = fma(-n, LN2_LOW, fma(-n, LN2_HIGH, x))
    y = fma(EXP(r), r * r, r) + ONE
    y = y * I32(I32(I32(n) + BIAS) << EXPONENT).view(F32)
    return where(y < TINY, ZERO, y)


def erf_32(x):
    x2 = x * x
    inner = x * ERF_NUMERATOR(x2) / ERF_DENOMINATOR(x2)
    return where(abs(x) >= ERF_END, where(x < ZERO, -ONE, ONE), inner)


def erfinv_32(u):
    w = -log1p_above_minus_one(-(u * u))
    tail = w >= FROM_CENTER
    v = where(tail, sqrt(w) - TAIL, w - CENTER)
    return where(tail, ERFINV_TAIL(v), ERFINV_CENTER(v)) * u


def uniform(word, low, high, dropped_bits, step, real):
    """A number of the type `real` in [low, high), of the upper bits of a word. Product and sum are rounded once."""
    x = fma(real(word >> dropped_bits) * step, high - low, low)
    return where(x < low, low, x)


def factor_of_high(half, span, unsigned):
    """2**bits modulo span. `half` is 2**(bits / 2), whose square wraps to 0."""
    factor = remainder(half, span)
    return remainder(unsigned(factor * factor), span)


def integer(high, low, span, start, factor, unsigned):
    """start + (high * 2**bits + low) modulo span, wrapping, of the type `unsigned`. A span of 0 means 2**bits."""
    product = unsigned(remainder(high, span) * factor)
    return unsigned(start + remainder(unsigned(product + remainder(low, span)), span))
