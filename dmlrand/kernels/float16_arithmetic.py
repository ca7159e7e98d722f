"""The rounding of float32 to float16. A variable holds such a number as the float32 of the same value.

Most processors have an instruction for it. On other processors the magnitude is rounded by an addition. The sign is
treated separately, which keeps the sign of a zero.
"""

import numpy as np
from llvmlite import ir
from numba import int32, types, uint16, uint32

from .simd import CODEGEN, emits, rounds_to_float16

SIGN, EXPONENT = np.uint32(0x80000000), np.uint32(0x7F800000)
INFINITY, INFINITY_F16 = EXPONENT, np.uint32(0x7C00)
OVERFLOW_F16 = np.uint32(0x477FF000)  # the bits of 65520, from which on numbers are rounded to infinity
NORMAL_F16 = np.uint32(0x38800000)  # the bits of 2**-14, below which the float16 numbers are multiples of 2**-24
STEPS_F16 = np.float32(2.0**24)
DROPPED_BITS = np.uint32(13)  # fraction bits that float16 lacks
COARSER = np.uint32(13 << 23)  # added to the bits of a float32, multiplies it by 2**13
REBIAS_F16 = np.uint32(112 << 10)  # the exponents of float32 count from -127, those of float16 from -15
SIGN_PLACE = np.uint32(16)

BY_INSTRUCTION = rounds_to_float16(CODEGEN)
FLOAT16, FLOAT32, BITS16 = ir.HalfType(), ir.FloatType(), ir.IntType(16)


@emits(types.float32)
def nearest_f16(context, builder, given, number):
    """A float32 rounded to the nearest float16, to the even one of two that are equally near."""
    if BY_INSTRUCTION:
        return builder.fpext(builder.fptrunc(number, FLOAT16), FLOAT32)
    return context.compile_internal(builder, nearest_f16_by_addition, types.float32(types.float32), [number])


@emits(types.uint16)
def bits_f16(context, builder, given, number):
    """The bits, as float16, of a float32 whose value is a float16."""
    if BY_INSTRUCTION:
        return builder.bitcast(builder.fptrunc(number, FLOAT16), BITS16)
    return context.compile_internal(builder, bits_f16_by_integers, types.uint16(types.float32), [number])


def nearest_f16_by_addition(number):
    """As nearest_f16, on any processor."""
    bits = np.uint32(np.float32(number).view(np.uint32))
    sign = uint32(bits & SIGN)
    size = np.uint32(bits ^ sign)
    # A power of two near which the float32 numbers are as far apart as the float16 numbers are near `number`
    coarse = np.uint32(uint32(max(uint32(size & EXPONENT), NORMAL_F16)) + COARSER).view(np.float32)
    rounded = np.float32((size.view(np.float32) + coarse) - coarse)
    return np.uint32(sign | uint32(INFINITY if size >= OVERFLOW_F16 else rounded.view(np.uint32))).view(np.float32)


def bits_f16_by_integers(number):
    """As bits_f16, on any processor."""
    bits = np.uint32(np.float32(number).view(np.uint32))
    sign = uint32(bits & SIGN)
    size = np.uint32(bits ^ sign)
    normal = min(uint32(uint32(size >> DROPPED_BITS) - REBIAS_F16), INFINITY_F16)
    small = uint32(int32(size.view(np.float32) * STEPS_F16))
    return uint16(uint32(sign >> SIGN_PLACE) | uint32(small if size < NORMAL_F16 else normal))
