"""The rounding of float32 to float16. A variable holds such a number as the float32 of the same value.

Most processors have an instruction for it. On other processors integer operations round the magnitude. The sign is
treated separately, which keeps the sign of a zero.
"""

import numpy as np
from llvmlite import ir
from numba import int32, types, uint16, uint32
from numba.extending import intrinsic

from .simd import rounds_to_float16

F = np.float32
SIGN = np.uint32(0x80000000)
UNIT = np.uint32(1)
DROPPED_BITS = np.uint32(13)  # fraction bits that float16 lacks
BELOW_HALF = np.uint32(0xFFF)  # half of the last remaining bit, less one
UPPER = np.uint32(0xFFFFE000)
OVERFLOW_F16 = np.uint32(0x47800000)  # the bits of 65536, beyond the largest float16
INFINITY = np.uint32(0x7F800000)
NORMAL_F16 = np.uint32(0x38800000)  # the bits of 2**-14, below which the float16 numbers are multiples of 2**-24,
HALF = F(0.5)  # as the float32 numbers of [0.5, 1) are
STEPS_F16 = F(2.0**24)
REBIAS_F16 = np.uint32(112 << 10)  # the exponents of float32 count from -127, those of float16 from -15
INFINITY_F16 = np.uint32(0x7C00)
SIGN_PLACE = np.uint32(16)

FLOAT16, FLOAT32, BITS16 = ir.HalfType(), ir.FloatType(), ir.IntType(16)


@intrinsic
def nearest_f16(typingctx, number):
    """A float32 rounded to the nearest float16, to the even one of two that are equally near."""

    def codegen(context, builder, signature, args):
        if not rounds_to_float16(context.codegen()):
            return context.compile_internal(builder, nearest_f16_by_integers, signature, args)
        return builder.fpext(builder.fptrunc(args[0], FLOAT16), FLOAT32)

    return types.float32(types.float32), codegen


@intrinsic
def bits_f16(typingctx, number):
    """The bits, as float16, of a float32 whose value is a float16."""

    def codegen(context, builder, signature, args):
        if not rounds_to_float16(context.codegen()):
            return context.compile_internal(builder, bits_f16_by_integers, signature, args)
        return builder.bitcast(builder.fptrunc(args[0], FLOAT16), BITS16)

    return types.uint16(types.float32), codegen


def nearest_f16_by_integers(number):
    """As nearest_f16, on any processor."""
    number = np.float32(number)
    bits = np.uint32(number.view(np.uint32))
    sign = uint32(bits & SIGN)
    size = np.uint32(bits ^ sign)
    normal = uint32(uint32(size + uint32(BELOW_HALF + uint32(uint32(size >> DROPPED_BITS) & UNIT))) & UPPER)
    normal = uint32(INFINITY if normal >= OVERFLOW_F16 else normal)
    small = np.float32((size.view(np.float32) + HALF) - HALF)
    rounded = np.uint32(sign | uint32(small.view(np.uint32) if size < NORMAL_F16 else normal))
    return rounded.view(np.float32)


def bits_f16_by_integers(number):
    """As bits_f16, on any processor."""
    number = np.float32(number)
    bits = np.uint32(number.view(np.uint32))
    sign = uint32(bits & SIGN)
    size = np.uint32(bits ^ sign)
    normal = uint32(uint32(size >> DROPPED_BITS) - REBIAS_F16)
    normal = uint32(INFINITY_F16 if size == INFINITY else normal)
    small = uint32(int32(size.view(np.float32) * STEPS_F16))
    return uint16(uint32(sign >> SIGN_PLACE) | uint32(small if size < NORMAL_F16 else normal))
