"""Words converted to normals: the Box-Muller transform, with its own logarithm, sine and cosine.

Those of a C library differ from machine to machine, and a loop that calls them cannot be vectorised. Here every
operation is one that IEEE 754 rounds exactly, in a fixed order, and the compiler may not contract operations (no
fastmath). So every instruction set gives the same bits. specs/distributions.md, section 5, says how far they are from
the formula.
"""

from math import sqrt

import numpy as np
from numba import float32, float64, int32, int64, njit, uint32

from . import normal_series as series
from .compiling import kernel
from .convert import FRACTION20, FRACTION23, converter, fraction64
from .normal_series import LEAST_32, LEAST_64, TURN, TURN_23

MANTISSA = np.int32(FRACTION23)
BIT0, BIT1 = np.int32(1), np.int32(2)
SQRT_HALF_32, SQRT_HALF_64 = np.int32(0x3F3504F3), np.int64(0x3FE6A09E667F3BCD)  # bits of sqrt(1/2)
EXPONENT_32, EXPONENT_64 = np.int32(23), np.int64(52)  # where the exponent begins
DOUBLED = np.int32(1 << 23)  # added to the bits of a float32, it doubles the number
NEAREST_23, NEAREST_20 = np.int32(1 << 20), np.int32(1 << 17)  # half a quarter turn, of 23 and 20 bits
QUARTERS_23, QUARTERS_20 = np.int32(21), np.int32(18)
TWO = np.float32(2)
QUARTERS_OF_RADIAN = 2 / np.pi

inlined = njit(inline="always")
log_32, log_64 = inlined(series.log_32), inlined(series.log_64)
sine_and_cosine_32, sine_and_cosine_64 = inlined(series.sine_and_cosine_32), inlined(series.sine_and_cosine_64)


@njit(inline="always")
def radius_32(fraction):
    """sqrt(-2 log(u)) for the float32 u = max(fraction * 2**-23, 1e-7)."""
    steps = float32(fraction)
    # np.float32 and np.int32: numba allows `view` only on a scalar that a call of numpy's type returned.
    steps = np.float32(steps if steps > LEAST_32 else LEAST_32)
    # steps = 2**exponent * m with m in [sqrt(1/2), sqrt(2)), and g = 2 - 2m.
    above = np.int32(steps.view(np.int32) - SQRT_HALF_32)
    exponent = float32(int32(int32(above >> EXPONENT_32) - EXPONENT_32))  # of u
    doubled = np.int32(int32(above & MANTISSA) + int32(SQRT_HALF_32 + DOUBLED))
    return sqrt(log_32(TWO - doubled.view(np.float32), exponent))


@njit(inline="always")
def rotated(radius, quarters, sine, cosine):
    """radius times (sine, cosine) of an angle: a number of quarter turns and a rest, whose sine and cosine are
    given."""
    radius = -radius if int32(quarters & BIT1) else radius
    odd = int32(quarters & BIT0)
    return (cosine if odd else sine) * radius, (-sine if odd else cosine) * radius


@njit(inline="always")
def turn_32(radius, fraction):
    """radius times (sine, cosine) of the float32 nearest to 2 * pi * fraction * 2**-23."""
    angle = float32(TURN_23 * float64(fraction))
    quarters = int32(int32(fraction + NEAREST_23) >> QUARTERS_23)  # 0 to 4
    sine, cosine = sine_and_cosine_32(angle, float32(quarters))
    return rotated(radius, quarters, sine, cosine)


@njit(error_model="numpy")
def read_pairs_32(words, out, mean, stddev):
    for i in range(out.size // 2):
        radius = radius_32(int32(int32(words[2 * i]) & MANTISSA))
        x, y = turn_32(radius, int32(int32(words[2 * i + 1]) & MANTISSA))
        out[2 * i] = x * stddev + mean
        out[2 * i + 1] = y * stddev + mean


@njit(inline="always")
def radius_64(fraction):
    """sqrt(-2 log(u)) for the float64 u = max(fraction, 1e-7)."""
    return radius_of_unit_64(fraction if fraction > LEAST_64 else LEAST_64)


@njit(inline="always")
def radius_of_unit_64(fraction):
    """sqrt(-2 log(u)) for a normal float64 u of (0, 1]."""
    u = np.float64(fraction)
    above = np.int64(u.view(np.int64) - SQRT_HALF_64)
    exponent = int32(int64(above >> EXPONENT_64))
    bits = np.int64(u.view(np.int64) - int64(int64(exponent) << EXPONENT_64))
    return sqrt(log_64(bits.view(np.float64) - 1.0, float64(exponent)))


@njit(inline="always")
def turn_64(radius, fraction, high):
    """radius times (sine, cosine) of the float64 2 * pi * fraction. `high` is the fraction's top 20 bits."""
    angle = TURN * fraction
    quarters = int32(int32(high + NEAREST_20) >> QUARTERS_20)
    sine, cosine = sine_and_cosine_64(angle, float64(quarters))
    return rotated(radius, quarters, sine, cosine)


@njit(inline="always")
def normal_pair(u, angle):
    """sqrt(-2 log(u)) times (sine, cosine) of an angle in [0, 2 * pi], all in float64. u is in (0, 1]."""
    quarters = int32(angle * QUARTERS_OF_RADIAN + 0.5)
    sine, cosine = sine_and_cosine_64(angle, float64(quarters))
    return rotated(radius_of_unit_64(u), quarters, sine, cosine)


@njit(error_model="numpy")  # the default checks each divisor for zero, which prevents vector code
def read_pairs_64(words, out, mean, stddev):
    for i in range(out.size // 2):
        radius = radius_64(fraction64(words[4 * i], words[4 * i + 1]))
        high = uint32(words[4 * i + 2] & FRACTION20)
        x, y = turn_64(radius, fraction64(words[4 * i + 2], words[4 * i + 3]), int32(high))
        out[2 * i] = x * stddev + mean
        out[2 * i + 1] = y * stddev + mean


convert_32 = converter(read_pairs_32, words_per_number=1, group=2)
convert_64 = converter(read_pairs_64, words_per_number=2, group=2)


@kernel
def normal_32(state, lane, positions, mean, stddev, out):
    """Normals: two words make two of them."""
    convert_32(state, lane, positions, out, float32(mean), float32(stddev))


@kernel
def normal_64(state, lane, positions, mean, stddev, out):
    """Normals: four words make two of them."""
    convert_64(state, lane, positions, out, mean, stddev)


@kernel
def normal_of_words_32(words, mean, stddev, out):
    """As normal_32, of out.size given words, an even number."""
    read_pairs_32(words, out, float32(mean), float32(stddev))


@kernel
def normal_of_words_64(words, mean, stddev, out):
    """As normal_64, of 2 * out.size given words, a multiple of 4."""
    read_pairs_64(words, out, mean, stddev)


@njit(error_model="numpy")
def transform(u, angles, out):
    for i in range(u.size):
        out[2 * i], out[2 * i + 1] = normal_pair(u[i], angles[i])


@kernel
def box_muller(u, angles, out):
    """The two float64 normals of each u in (0, 1] and each angle in [0, 2 * pi]: the sine's, then the cosine's."""
    transform(u, angles, out)
