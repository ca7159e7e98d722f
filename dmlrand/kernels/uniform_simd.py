"""Uniform reals as explicit vector code: the rules uniform_f32 and uniform_f64 of rules.py for a vector of 16 words.

philox_simd.py uses it while the words are in registers, which saves storing and loading them.
"""

from llvmlite import ir

from .simd import I32, I64, constant, shuffle, splat

WORDS = 16  # in a vector


def uniform_vector(builder, words, low, width):
    """The vector of numbers of [low, low + width), of the type of `low` and `width`, that a vector of words makes."""
    if low.type == ir.FloatType():
        bits_type, fraction_bits, bits_of_one = ir.VectorType(I32, WORDS), 23, 127 << 23
    else:
        bits_type, fraction_bits, bits_of_one = ir.VectorType(I64, WORDS // 2), 52, 1023 << 52
        words = shuffle(builder, words, words, [i ^ 1 for i in range(WORDS)])  # the first of two words is the high one
    count = bits_type.count
    fraction = builder.and_(builder.bitcast(words, bits_type), constant(bits_type, (1 << fraction_bits) - 1))
    numbers_type = ir.VectorType(low.type, count)
    above_one = builder.bitcast(builder.or_(fraction, constant(bits_type, bits_of_one)), numbers_type)
    unit = builder.fsub(above_one, constant(numbers_type, 1.0))  # exact
    return builder.fadd(builder.fmul(unit, splat(builder, width, count)), splat(builder, low, count))
