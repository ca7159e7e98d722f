"""Threefry2x32-20 as plain loops. They replace the vector code of threefry_simd.py where it does not work, and fill the
last elements of its outputs.

The rounds of compat/threefry.py build LLVM instructions instead of numbers. The counter of element i is the high and
the low word of i. An element is either the exclusive or of the two words of its block (bits), or both words (a pair,
which is a child key). `keys` holds the two words of each key, one key after the other. `out` holds one row for each
key, all of one length.
"""

from functools import partialmethod

import numpy as np
from llvmlite import ir
from numba import njit, types, uint32, uint64

from ...kernels.simd import emits
from .. import threefry as definition

HALF = np.uint64(32)
PAIR = types.UniTuple(types.uint32, 2)


class Words:
    """A word of LLVM, or a vector of words, with the operators that the rounds use."""

    def __init__(self, builder, elements):
        self.builder, self.elements = builder, elements

    def __and__(self, mask):  # elements have 32 bits already
        assert mask == definition.MASK32
        return self

    def _by(self, instruction, other):
        kind = self.elements.type
        if isinstance(other, Words):
            other = other.elements
        else:
            other = ir.Constant(kind, [other] * kind.count if isinstance(kind, ir.VectorType) else other)
        return Words(self.builder, getattr(self.builder, instruction)(self.elements, other))

    __add__, __xor__, __or__ = partialmethod(_by, "add"), partialmethod(_by, "xor"), partialmethod(_by, "or_")
    __lshift__, __rshift__ = partialmethod(_by, "shl"), partialmethod(_by, "lshr")


@emits(PAIR)
def block(context, builder, given, x0, x1, k0, k1):
    """The block of counter (x0, x1) and key (k0, k1): two words. Integers of 64 bits give their low words."""
    numbers = zip((x0, x1, k0, k1), given)
    x0, x1, k0, k1 = [Words(builder, context.cast(builder, each, kind, types.uint32)) for each, kind in numbers]
    return context.make_tuple(builder, PAIR, [word.elements for word in definition.block((x0, x1), (k0, k1))])


def filler(words):
    """The function that writes elements first, first + 1, ..., modulo 2**64: bits of 1 word, or pairs of 2."""

    @njit(inline="always")
    def fill(k0, k1, first, out):
        for i in range(out.size // words):
            position = uint64(first + i)
            x0, x1 = block(position >> HALF, position, k0, k1)
            if words == 1:
                out[i] = uint32(x0 ^ x1)
            else:
                out[2 * i], out[2 * i + 1] = x0, x1

    return fill


fill_bits, fill_pairs = filler(1), filler(2)
