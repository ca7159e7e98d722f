"""Normals of 16 bits, float16 and bfloat16: made in float32, then rounded, scaled and shifted in the narrow type.

No instruction set has this arithmetic everywhere, so a narrow number is held as the float32 of the same value. A
float32 has more than twice the bits of either type and two more, so rounding first to it and then to the narrow type
gives what rounding once would. Only magnitudes are rounded: the sign is put aside, and so survives in a zero.
"""

import numpy as np
from numba import float32, int32, njit, uint16, uint32

from .compiling import kernel
from .convert import converter
from .normal import BIT0, MANTISSA, radius_32, turn_32

F = np.float32
SIGN = np.uint32(0x80000000)
UNIT = np.uint32(BIT0)

LOST_F16, LOST_BF16 = np.uint32(13), np.uint32(16)  # bits that the narrow type lacks
BELOW_HALF_F16, BELOW_HALF_BF16 = np.uint32(0xFFF), np.uint32(0x7FFF)  # one less than half of the last bit kept
KEPT_F16, KEPT_BF16 = np.uint32(0xFFFFE000), np.uint32(0xFFFF0000)
OVERFLOW_F16 = np.uint32(0x47800000)  # the bits of 65536, beyond the largest float16
INFINITY = np.uint32(0x7F800000)
NORMAL_F16 = np.uint32(0x38800000)  # the bits of 2**-14: below it float16 is in steps of 2**-24,
HALF = F(0.5)  # as float32 is in [0.5, 1)
STEPS_F16 = F(2.0**24)
REBIAS_F16 = np.uint32(112 << 10)  # the exponents of float32 count from -127, those of float16 from -15
INFINITY_F16 = np.uint32(0x7C00)
SIGN_PLACE = np.uint32(16)


@njit(inline="always")
def nearest_f16(number):
    """A float32 rounded to a float16, to the even one of two equally near."""
    number = np.float32(number)
    bits = np.uint32(number.view(np.uint32))
    sign = uint32(bits & SIGN)
    size = np.uint32(bits ^ sign)
    normal = uint32(uint32(size + uint32(BELOW_HALF_F16 + uint32(uint32(size >> LOST_F16) & UNIT))) & KEPT_F16)
    normal = uint32(INFINITY if normal >= OVERFLOW_F16 else normal)
    small = np.float32((size.view(np.float32) + HALF) - HALF)
    rounded = np.uint32(sign | uint32(small.view(np.uint32) if size < NORMAL_F16 else normal))
    return rounded.view(np.float32)


@njit(inline="always")
def bits_f16(number):
    """The bits of a float32 that is a float16."""
    number = np.float32(number)
    bits = np.uint32(number.view(np.uint32))
    sign = uint32(bits & SIGN)
    size = np.uint32(bits ^ sign)
    normal = uint32(uint32(size >> LOST_F16) - REBIAS_F16)
    normal = uint32(INFINITY_F16 if size == INFINITY else normal)
    small = uint32(int32(size.view(np.float32) * STEPS_F16))
    return uint16(uint32(sign >> SIGN_PLACE) | uint32(small if size < NORMAL_F16 else normal))


@njit(inline="always")
def nearest_bf16(number):
    """A float32 rounded to a bfloat16, to the even one of two equally near."""
    number = np.float32(number)
    bits = np.uint32(number.view(np.uint32))
    rounded = np.uint32(uint32(bits + uint32(BELOW_HALF_BF16 + uint32(uint32(bits >> LOST_BF16) & UNIT))) & KEPT_BF16)
    return rounded.view(np.float32)


@njit(inline="always")
def bits_bf16(number):
    """The bits of a float32 that is a bfloat16."""
    number = np.float32(number)
    return uint16(np.uint32(number.view(np.uint32)) >> LOST_BF16)


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


convert_f16 = converter(read_pairs_f16, per=1, group=2)
convert_bf16 = converter(read_pairs_bf16, per=1, group=2)


@kernel
def normal_f16(state, lane, positions, mean, stddev, out):
    """As normal_32; `out` takes the bits as uint16, `mean` and `stddev` are numbers of float16."""
    convert_f16(state, lane, positions, out, float32(mean), float32(stddev))


@kernel
def normal_bf16(state, lane, positions, mean, stddev, out):
    """As normal_f16, for bfloat16."""
    convert_bf16(state, lane, positions, out, float32(mean), float32(stddev))
