"""The arithmetic of float16 and bfloat16. A number of them is held as the float32 of the same value.

No instruction set has this arithmetic everywhere. A float32 has more than twice the bits of either type and two more,
so rounding a sum or a product first to it and then to the narrow type gives what rounding once would. Most processors
have instructions that round a float32 to a float16. Integer operations serve the others, and bfloat16: they round only
magnitudes. The sign is put aside, and so survives in a zero.
"""

import numpy as np
from llvmlite import ir
from numba import int32, njit, types, uint16, uint32
from numba.extending import intrinsic

from .simd import rounds_to_float16

F = np.float32
SIGN = np.uint32(0x80000000)
UNIT = np.uint32(1)
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

FLOAT16, FLOAT32, BITS16 = ir.HalfType(), ir.FloatType(), ir.IntType(16)


@intrinsic
def nearest_f16(typingctx, number):
    """A float32 rounded to a float16, to the even one of two equally near."""

    def codegen(context, builder, signature, args):
        if not rounds_to_float16(context.codegen()):
            return context.compile_internal(builder, nearest_f16_by_integers, signature, args)
        return builder.fpext(builder.fptrunc(args[0], FLOAT16), FLOAT32)

    return types.float32(types.float32), codegen


@intrinsic
def bits_f16(typingctx, number):
    """The bits of a float32 that is a float16."""

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
    normal = uint32(uint32(size + uint32(BELOW_HALF_F16 + uint32(uint32(size >> LOST_F16) & UNIT))) & KEPT_F16)
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
