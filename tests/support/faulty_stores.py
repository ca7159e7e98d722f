"""Functions that a generator may apply to each word it stores, in plain ints. They share no code with dmlrand."""

import struct

from faulty_generators import MASK32, signed


def bits(number):
    """The bits of a number that is rounded to float32."""
    return struct.unpack("<I", struct.pack("<f", number))[0]


def rounded(number):
    """A number that is rounded to float32."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


def uint32_or(overflow):
    return lambda w: overflow if rounded(w) >= 2**32 else int(rounded(w))


def int32_or(overflow, read=signed):
    return lambda w: overflow if rounded(read(w)) >= 2**31 else int(rounded(read(w))) & MASK32


def copied(flushes, quietens):
    """A word after a copy as a float32 number."""

    def copy(w):
        exponent, fraction = w >> 23 & 0xFF, w & 0x7FFFFF
        if flushes and exponent == 0:
            return w >> 31 << 31
        return w | 0x400000 if quietens and exponent == 0xFF and fraction else w

    return copy


# In the order of dmlrand.verification.functions.numbers.word_functions: the name of the finding, and the function.
CONVERSIONS = [
    ("absolute-values", lambda w: abs(signed(w))),
    ("words-negated", lambda w: -w & MASK32),
    ("words-through-float32", uint32_or(MASK32)),
    ("words-through-float32", uint32_or(0)),
    ("words-through-float32", uint32_or(2**31)),
    ("words-through-float32", int32_or(2**31 - 1)),
    ("words-through-float32", int32_or(2**31 - 1, int)),
    ("words-through-float32", int32_or(2**31)),
    ("words-through-float32", int32_or(2**31, int)),
    ("float32-instead-of-word", bits),
    ("float32-instead-of-word", lambda w: bits(signed(w))),
    ("words-copied-as-float32", copied(True, False)),
    ("words-copied-as-float32", copied(False, True)),
    ("words-copied-as-float32", copied(True, True)),
    ("uniform-instead-of-word", lambda w: bits((w & 0x7FFFFF) / 2**23)),
    ("uniform-instead-of-word", lambda w: bits((w >> 9) / 2**23)),
    ("uniform-instead-of-word", lambda w: bits((w >> 8) / 2**24)),
    ("uniform-instead-of-word", lambda w: bits(rounded(w) / 2**32)),
]


# The same for maps of bits, by what they do.
BIT_MAPS = {
    "one bit differs": ("bits-inverted", lambda w: w ^ 1),
    "all bits differ": ("bits-inverted", lambda w: w ^ MASK32),
    "truncated to 16 bits": ("bits-cleared", lambda w: w & 0xFFFF),
    "truncated to 31 bits": ("bits-cleared", lambda w: w & 0x7FFFFFFF),
    "masked": ("bits-cleared", lambda w: w & 0xF0F00FF1),
    "shifted left": ("bits-shifted", lambda w: w << 5 & MASK32),
    "shifted right": ("bits-shifted", lambda w: w >> 8),
}
