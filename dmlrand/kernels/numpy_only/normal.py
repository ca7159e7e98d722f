"""Words converted to normals, by the operations of kernels/normal.py on arrays."""

import numpy as np

from ..normal_series import (
    LEAST_32,
    LEAST_64,
    TURN,
    TURN_23,
    log_32,
    log_64,
    sine_and_cosine_32,
    sine_and_cosine_64,
)
from .convert import FRACTION20, FRACTION23, fill_of_words, fill_rows, fraction64

SQRT_HALF_32, SQRT_HALF_64 = np.int32(0x3F3504F3), np.int64(0x3FE6A09E667F3BCD)  # bits of sqrt(1/2)
MANTISSA = np.int32(0x7FFFFF)
DOUBLED = np.int32(1 << 23)  # added to the bits of a float32, it doubles the number
NEAREST_23, NEAREST_20 = 1 << 20, 1 << 17  # half a quarter turn, of 23 and 20 bits
QUARTERS_23, QUARTERS_20 = 21, 18


def radius_32(fraction):
    steps = np.maximum(fraction.astype(np.float32), LEAST_32)
    above = steps.view(np.int32) - SQRT_HALF_32
    exponent = ((above >> 23) - 23).astype(np.float32)
    doubled = (above & MANTISSA) + (SQRT_HALF_32 + DOUBLED)
    return np.sqrt(log_32(np.float32(2) - doubled.view(np.float32), exponent))


def radius_64(fraction):
    return radius_of_unit_64(np.maximum(fraction, LEAST_64))


def radius_of_unit_64(fraction):
    u = fraction.view(np.int64)
    exponent = (u - SQRT_HALF_64) >> 52
    return np.sqrt(log_64((u - (exponent << 52)).view(np.float64) - 1.0, exponent.astype(np.float64)))


def turned(radius, quarters, sine, cosine):
    """The radius times the sine, then times the cosine, of each angle, alternating in one array.

    An angle is `quarters` quarter turns plus the rest whose `sine` and `cosine` are given.
    """
    radius = np.where(quarters & 2, -radius, radius)
    odd = quarters & 1 != 0
    pairs = np.empty((radius.size, 2), radius.dtype)
    pairs[:, 0] = np.where(odd, cosine, sine) * radius
    pairs[:, 1] = np.where(odd, -sine, cosine) * radius
    return pairs.reshape(-1)


def pairs_32(words):
    """The float32 normals of words, before scaling."""
    fractions = (words & FRACTION23).view(np.int32)
    angle = (TURN_23 * fractions[1::2].astype(np.float64)).astype(np.float32)
    quarters = fractions[1::2] + NEAREST_23 >> QUARTERS_23
    return turned(radius_32(fractions[::2]), quarters, *sine_and_cosine_32(angle, quarters.astype(np.float32)))


def pairs_64(words):
    """The float64 normals of words, before scaling."""
    angle = TURN * fraction64(words[2::4], words[3::4])
    quarters = (words[2::4] & FRACTION20).astype(np.int32) + NEAREST_20 >> QUARTERS_20
    radius = radius_64(fraction64(words[::4], words[1::4]))
    return turned(radius, quarters, *sine_and_cosine_64(angle, quarters.astype(np.float64)))


def normal_pairs(u, angles):
    """The float64 normals of each u in (0, 1] and each angle in [0, 2 * pi]."""
    quarters = (angles * (2 / np.pi) + 0.5).astype(np.int32)
    return turned(radius_of_unit_64(u), quarters, *sine_and_cosine_64(angles, quarters.astype(np.float64)))


# The rules: each returns a function of words that returns the numbers.


def read_pairs_32(mean, stddev):
    return lambda words: pairs_32(words) * stddev + mean


def read_pairs_64(mean, stddev):
    return lambda words: pairs_64(words) * stddev + mean


def normal_32(state, lane, positions, mean, stddev, out):
    fill_rows(state, lane, positions, out, read_pairs_32(mean, stddev), 1, group=2)


def normal_64(state, lane, positions, mean, stddev, out):
    fill_rows(state, lane, positions, out, read_pairs_64(mean, stddev), 2, group=2)


def normal_of_words_32(words, mean, stddev, out):
    fill_of_words(words, out, read_pairs_32(mean, stddev))


def normal_of_words_64(words, mean, stddev, out):
    fill_of_words(words, out, read_pairs_64(mean, stddev))


def box_muller(u, angles, out):
    out[:] = normal_pairs(u, angles)
