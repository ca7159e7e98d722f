"""How numbers are made from words: the rules of specs/distributions.md and cuRAND's, for numpy, numba, CUDA and WebGPU.

A rule is a function of the words of one group and of parameters. It returns the numbers of the group, of a type that
numpy and numba have: the bits of float16 and bfloat16 as uint16, of bools as uint8, of signed integers as unsigned.

numpy runs these functions on arrays (numpy_only/fill.py), numba on scalars (fill.py), and CUDA devices on
scalars too (cuda.py). So the text uses only what means the same everywhere: operators, casts by numpy's types, `view`
of a cast, and the functions of dialect.py, of which each side has its own. numba widens integer results to 64
bits. So each expression that must stay a 32-bit word is cast as a whole.

float16 and bfloat16 are held as the float32 of the same value. A float32 has at least two bits more than twice the
bits of either type. So rounding a sum or a product to float32, and then to the narrow type, gives the same result as
rounding once.

Normals have their own logarithm, sine and cosine (normal_series.py). Those of a C library differ from machine to
machine, and a loop that calls them cannot be vectorised. Here every operation is one that IEEE 754 rounds exactly, in a
fixed order, and the compiler may not contract operations (no fastmath). So every instruction set gives the same bits.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .dialect import bits_f16, nearest_f16, remainder_64, sqrt, where
from .normal_series import (
    LEAST_32,
    LEAST_64,
    TURN,
    TURN_23,
    log_32,
    log_64,
    sine_and_cosine_32,
    sine_and_cosine_64,
)

U32, U64, I32, I64, F32, F64 = np.uint32, np.uint64, np.int32, np.int64, np.float32, np.float64
WORD_BITS = U64(32)
BIT0, BIT1 = I32(1), I32(2)  # of a number of quarter turns

# Fractions of [0, 1): the masks of the low bits of a word that make them, and the step between two of them.
FRACTION_23, FRACTION_20, FRACTION_10, FRACTION_7 = U32(0x7FFFFF), U32(0xFFFFF), U32(0x3FF), U32(0x7F)
STEP_23, STEP_10, STEP_7 = F32(2.0**-23), F32(2.0**-10), F32(2.0**-7)
BITS_OF_ONE = U64(1023 << 52)  # as a float64

# bfloat16: the upper half of a float32. A number is rounded by adding half of the last remaining bit, less one, and
# that bit itself.
DROPPED_BITS, BELOW_HALF, UPPER, BIT0_U = U32(16), U32(0x7FFF), U32(0xFFFF0000), U32(1)

# The logarithm and the angle of normals.
SQRT_HALF_BITS_32, SQRT_HALF_BITS_64 = I32(0x3F3504F3), I64(0x3FE6A09E667F3BCD)
EXPONENT_32, EXPONENT_64 = I32(23), I64(52)  # where the exponent begins
DOUBLED, MANTISSA = I32(1 << 23), I32(0x7FFFFF)  # DOUBLED, added to the bits of a float32, doubles the number
NEAREST_23, NEAREST_20 = I32(1 << 20), I32(1 << 17)  # half a quarter turn, of 23 and 20 bits
QUARTERS_23, QUARTERS_20 = I32(21), I32(18)  # a shift by so many bits leaves the quarter turns
QUARTERS_OF_RADIAN = F64(2 / np.pi)
TWO_32, ONE_64, HALF_64, HALF_32 = F32(2), F64(1), F64(0.5), F32(0.5)
STEPS_23 = I32(1 << 23)  # of the fractions of 23 bits

# cuRAND's fractions. TURN_32 is one step of a 32-bit fraction of a turn, from cuRAND's own constants in float32.
STEP_32, HALF_STEP_32 = F32(2.0**-32), F32(2.0**-33)
STEP_53, HALF_STEP_53, STEP_52 = F64(2.0**-53), F64(2.0**-54), F64(2.0**-52)
TURN_32 = F32(F32(2.3283064e-10) * F32(6.2831855))
HALF_TURN_32 = F32(TURN_32 / TWO_32)
PI = F64(np.pi)
HIGH_SHIFT = U64(21)  # of the second word of a 53-bit fraction


def word(w):
    return w


def fraction_64(upper, lower):
    """The float64 of [0, 1) whose 52 fraction bits are the low 20 bits of word `upper` and all bits of word `lower`."""
    return U64(BITS_OF_ONE | U64(upper & FRACTION_20) << WORD_BITS | U64(lower)).view(F64) - ONE_64


def nearest_bf16(number):
    """A float32 rounded to the nearest bfloat16, to the even one of two that are equally near."""
    bits = F32(number).view(U32)
    return U32(U32(bits + U32(BELOW_HALF + U32(U32(bits >> DROPPED_BITS) & BIT0_U))) & UPPER).view(F32)


def bits_bf16(number):
    """The bits, as bfloat16, of a float32 whose value is a bfloat16."""
    return np.uint16(U32(F32(number).view(U32) >> DROPPED_BITS))


# Uniform numbers: u * width + low. A product of an integer below 2**23 and a power of two is exact. The integer is an
# int32, because before AVX-512 no instruction converts uint32 to float32.


def uniform_f32(w, low, width):
    return F32(F32(I32(w & FRACTION_23)) * STEP_23) * width + low


def uniform_f64(upper, lower, low, width):
    return fraction_64(upper, lower) * width + low


def uniform_f16(w, low, width):
    u = F32(F32(I32(w & FRACTION_10)) * STEP_10)
    return bits_f16(nearest_f16(nearest_f16(u * width) + low))


def uniform_bf16(w, low, width):
    u = F32(F32(I32(w & FRACTION_7)) * STEP_7)
    return bits_bf16(nearest_bf16(nearest_bf16(u * width) + low))


# Integers: a remainder without division. For a divisor d of N bits let m = min(floor(2**N / d), 2**N - 1). Then the
# quotient q = floor(n * m / 2**N) is floor(n / d) or one less. It is not more, since m <= 2**N / d. For d > 1 it is not
# less, since n * m / 2**N > n * (1 / d - 2**-N) > n / d - 1. For d = 1, n * m / 2**N > n - 1. So r = n - q * d is the
# remainder, or the remainder plus d. The remainder is the smaller one of r and r - d modulo 2**N. The divisor 2**N is
# passed as 0, with m = 1; the result is then n.


def integers_32(w, low, divisor, reciprocal):
    quotient = U32(U64(U64(w) * U64(reciprocal)) >> WORD_BITS)
    rest = U32(w - U32(quotient * divisor))
    reduced = U32(rest - divisor)
    return U32(where(reduced < rest, reduced, rest) + low)


def integers_64(lower, upper, low, divisor, reciprocal):
    number = U64(U64(lower) | U64(U64(upper) << WORD_BITS))
    return U64(remainder_64(number, divisor, reciprocal) + low)


def bernoulli(w, threshold):
    return U64(w) < threshold


# Normals, by the method of Box and Muller: two numbers of two fractions.


def minus_two_log_32(steps):
    """-2 log(steps * 2**-23) for a float32 that counts steps from 1 to 2**23."""
    # steps = 2**exponent * m with m in [sqrt(1/2), sqrt(2)), and g = 2 - 2m.
    above = I32(F32(steps).view(I32) - SQRT_HALF_BITS_32)
    exponent = F32(I32(I32(above >> EXPONENT_32) - EXPONENT_32))  # of steps * 2**-23
    doubled = I32(I32(above & MANTISSA) + I32(SQRT_HALF_BITS_32 + DOUBLED))
    return log_32(TWO_32 - doubled.view(F32), exponent)


def minus_two_log_64(u):
    """-2 log(u) for a float64 u of (0, 1] that is not subnormal."""
    bits = F64(u).view(I64)
    exponent = I32(I64(I64(bits - SQRT_HALF_BITS_64) >> EXPONENT_64))
    return log_64(I64(bits - I64(I64(exponent) << EXPONENT_64)).view(F64) - ONE_64, F64(exponent))


def rotated(radius, quarters, sine, cosine):
    """radius times the sine and the cosine of an angle: quarter turns, and a rest with this sine and cosine."""
    radius = where(I32(quarters & BIT1) != 0, -radius, radius)
    odd = I32(quarters & BIT0) != 0
    return where(odd, cosine, sine) * radius, where(odd, -sine, cosine) * radius


def pair_32(v, w):
    """The two float32 normals of two words, before scaling."""
    steps = F32(I32(v & FRACTION_23))
    radius = sqrt(minus_two_log_32(where(steps > LEAST_32, steps, LEAST_32)))
    fraction = I32(w & FRACTION_23)
    quarters = I32(I32(fraction + NEAREST_23) >> QUARTERS_23)  # 0 to 4
    sine, cosine = sine_and_cosine_32(F32(TURN_23 * F64(fraction)), F32(quarters))
    return rotated(radius, quarters, sine, cosine)


def pair_64(a, b, c, d):
    """The two float64 normals of four words, before scaling."""
    u = fraction_64(a, b)
    radius = sqrt(minus_two_log_64(where(u > LEAST_64, u, LEAST_64)))
    quarters = I32(I32(I32(c & FRACTION_20) + NEAREST_20) >> QUARTERS_20)
    sine, cosine = sine_and_cosine_64(TURN * fraction_64(c, d), F64(quarters))
    return rotated(radius, quarters, sine, cosine)


def pair_of_reals(u, angle):
    """sqrt(-2 log(u)) times (sine, cosine) of an angle in [0, 2 * pi], all in float64. u is in (0, 1]."""
    quarters = I32(angle * QUARTERS_OF_RADIAN + HALF_64)
    sine, cosine = sine_and_cosine_64(F64(angle), F64(quarters))
    return rotated(sqrt(minus_two_log_64(u)), quarters, sine, cosine)


def normal_f32(v, w, mean, stddev):
    x, y = pair_32(v, w)
    return x * stddev + mean, y * stddev + mean


def normal_f64(a, b, c, d, mean, stddev):
    x, y = pair_64(a, b, c, d)
    return x * stddev + mean, y * stddev + mean


def scaled_f16(number, mean, stddev):
    return bits_f16(nearest_f16(nearest_f16(nearest_f16(number) * stddev) + mean))


def normal_f16(v, w, mean, stddev):
    x, y = pair_32(v, w)
    return scaled_f16(x, mean, stddev), scaled_f16(y, mean, stddev)


def scaled_bf16(number, mean, stddev):
    return bits_bf16(nearest_bf16(nearest_bf16(nearest_bf16(number) * stddev) + mean))


def normal_bf16(v, w, mean, stddev):
    x, y = pair_32(v, w)
    return scaled_bf16(x, mean, stddev), scaled_bf16(y, mean, stddev)


# Exponentials: -log(1 - u) of a fraction u. 1 - u is exact and never 0, and half of -2 log(1 - u) is exact.


def minus_log_32(w):
    return HALF_32 * minus_two_log_32(F32(I32(STEPS_23 - I32(w & FRACTION_23))))


def exponential_f32(w, scale):
    return minus_log_32(w) * scale


def exponential_f64(upper, lower, scale):
    return HALF_64 * minus_two_log_64(ONE_64 - fraction_64(upper, lower)) * scale


def exponential_f16(w, scale):
    return bits_f16(nearest_f16(nearest_f16(minus_log_32(w)) * scale))


def exponential_bf16(w, scale):
    return bits_bf16(nearest_bf16(nearest_bf16(minus_log_32(w)) * scale))


# cuRAND's numbers: specs/curand.md. Its normals of float32 are computed in float64, and rounded before scaling.


def curand_uniform_32(w):
    """A float32 of (0, 1]."""
    return F32(F32(w) * STEP_32) + HALF_STEP_32


def curand_fraction(low, high):
    """The 53 bits that cuRAND makes from two words, as a float64."""
    return F64(U64(U64(low) ^ U64(U64(high) << HIGH_SHIFT)))


def curand_uniform_64(v, w):
    """A float64 of (0, 1]."""
    return curand_fraction(v, w) * STEP_53 + HALF_STEP_53


def curand_normal_32(v, w, mean, stddev):
    x, y = pair_of_reals(F64(curand_uniform_32(v)), F64(F32(F32(w) * TURN_32) + HALF_TURN_32))
    return F32(F32(x) * stddev) + mean, F32(F32(y) * stddev) + mean


def curand_normal_64(a, b, c, d, mean, stddev):
    x, y = pair_of_reals(curand_uniform_64(a, b), (curand_fraction(c, d) * STEP_52 + STEP_53) * PI)
    return x * stddev + mean, y * stddev + mean


class Rule(NamedTuple):
    """A row of the table: the function, how many words one group takes and how many numbers it makes, and the type and
    count of the parameters. All parameters of a rule are passed as one array."""

    function: Callable[..., Any]
    words: int
    numbers: int
    parameters: Any
    parameter_count: int


RULES = {
    rule.function.__name__: rule
    for rule in (
        Rule(word, 1, 1, U32, 0),
        Rule(uniform_f32, 1, 1, F32, 2),
        Rule(uniform_f64, 2, 1, F64, 2),
        Rule(uniform_f16, 1, 1, F32, 2),
        Rule(uniform_bf16, 1, 1, F32, 2),
        Rule(integers_32, 1, 1, U32, 3),
        Rule(integers_64, 2, 1, U64, 3),
        Rule(bernoulli, 1, 1, U64, 1),
        Rule(normal_f32, 2, 2, F32, 2),
        Rule(normal_f64, 4, 2, F64, 2),
        Rule(normal_f16, 2, 2, F32, 2),
        Rule(normal_bf16, 2, 2, F32, 2),
        Rule(exponential_f32, 1, 1, F32, 1),
        Rule(exponential_f64, 2, 1, F64, 1),
        Rule(exponential_f16, 1, 1, F32, 1),
        Rule(exponential_bf16, 1, 1, F32, 1),
        Rule(curand_uniform_32, 1, 1, F32, 0),
        Rule(curand_uniform_64, 2, 1, F64, 0),
        Rule(curand_normal_32, 2, 2, F32, 2),
        Rule(curand_normal_64, 4, 2, F64, 2),
    )
}
