"""Uniform numbers and normals of float16 and bfloat16. Each operation is rounded to that type.

Normals are computed in float32. Then they are rounded to the narrow type, and scaled and shifted in it.
"""

import numpy as np
from numba import float32, int32, njit

from .compiling import kernel
from .convert import converter
from .float16_arithmetic import bits_bf16, bits_f16, nearest_bf16, nearest_f16
from .normal import MANTISSA, radius_32, turn_32

FRACTION10, FRACTION7 = np.uint32(0x3FF), np.uint32(0x7F)
STEP10, STEP7 = np.float32(2.0**-10), np.float32(2.0**-7)


@njit
def read_f16(words, out, low, width):
    for i in range(out.size):
        fraction = float32(float32(int32(words[i] & FRACTION10)) * STEP10)
        out[i] = bits_f16(nearest_f16(nearest_f16(fraction * width) + low))


@njit
def read_bf16(words, out, low, width):
    for i in range(out.size):
        fraction = float32(float32(int32(words[i] & FRACTION7)) * STEP7)
        out[i] = bits_bf16(nearest_bf16(nearest_bf16(fraction * width) + low))


@njit(error_model="numpy")
def read_pairs_f16(words, out, mean, stddev):
    for i in range(out.size // 2):
        radius = radius_32(int32(int32(words[2 * i]) & MANTISSA))
        x, y = turn_32(radius, int32(int32(words[2 * i + 1]) & MANTISSA))
        out[2 * i] = bits_f16(nearest_f16(nearest_f16(nearest_f16(x) * stddev) + mean))
        out[2 * i + 1] = bits_f16(nearest_f16(nearest_f16(nearest_f16(y) * stddev) + mean))


@njit(error_model="numpy")
def read_pairs_bf16(words, out, mean, stddev):
    for i in range(out.size // 2):
        radius = radius_32(int32(int32(words[2 * i]) & MANTISSA))
        x, y = turn_32(radius, int32(int32(words[2 * i + 1]) & MANTISSA))
        out[2 * i] = bits_bf16(nearest_bf16(nearest_bf16(nearest_bf16(x) * stddev) + mean))
        out[2 * i + 1] = bits_bf16(nearest_bf16(nearest_bf16(nearest_bf16(y) * stddev) + mean))


convert_f16 = converter(read_f16, words_per_number=1)
convert_bf16 = converter(read_bf16, words_per_number=1)
convert_pairs_f16 = converter(read_pairs_f16, words_per_number=1, group=2)
convert_pairs_bf16 = converter(read_pairs_bf16, words_per_number=1, group=2)


@kernel
def uniform_f16(state, lane, positions, low, width, out):
    """As convert.uniform_32. `out` takes the bits as uint16. The values of `low` and `width` are numbers of float16."""
    convert_f16(state, lane, positions, out, float32(low), float32(width))


@kernel
def uniform_bf16(state, lane, positions, low, width, out):
    """As uniform_f16, for bfloat16."""
    convert_bf16(state, lane, positions, out, float32(low), float32(width))


@kernel
def normal_f16(state, lane, positions, mean, stddev, out):
    """As normal.normal_32. `out` takes the bits as uint16. The values of `mean` and `stddev` are numbers of float16."""
    convert_pairs_f16(state, lane, positions, out, float32(mean), float32(stddev))


@kernel
def normal_bf16(state, lane, positions, mean, stddev, out):
    """As normal_f16, for bfloat16."""
    convert_pairs_bf16(state, lane, positions, out, float32(mean), float32(stddev))


@kernel
def uniform_of_words_f16(words, low, width, out):
    """As uniform_f16, of out.size given words."""
    read_f16(words, out, float32(low), float32(width))


@kernel
def uniform_of_words_bf16(words, low, width, out):
    """As uniform_bf16, of out.size given words."""
    read_bf16(words, out, float32(low), float32(width))


@kernel
def normal_of_words_f16(words, mean, stddev, out):
    """As normal_f16, of out.size given words, an even number."""
    read_pairs_f16(words, out, float32(mean), float32(stddev))


@kernel
def normal_of_words_bf16(words, mean, stddev, out):
    """As normal_bf16, of out.size given words, an even number."""
    read_pairs_bf16(words, out, float32(mean), float32(stddev))
