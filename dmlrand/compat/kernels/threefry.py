"""Threefry2x32-20 as plain loops. They replace the vector code of threefry_simd.py where it does not work, and fill the
last elements of its outputs.

The counter of element i is the high and the low word of i. An element is either the exclusive or of the two words of
its block (bits), or both words (a pair, which is a child key). `keys` holds the two words of each key, one key after
the other. `out` holds one row for each key, all of one length.

numba widens integer results to 64 bits, so each expression that must stay a 32-bit word is cast as a whole.
"""

import numpy as np
from numba import njit, uint32, uint64

from .. import threefry as definition

(A0, A1, A2, A3), (B0, B1, B2, B3) = [[np.uint32(distance) for distance in row] for row in definition.ROTATIONS]
PARITY = np.uint32(definition.PARITY)
WORD = np.uint32(32)
HALF = np.uint64(32)


@njit(inline="always")
def rotate(x, distance):
    return uint32(uint32(x << distance) | uint32(x >> uint32(WORD - distance)))


@njit(forceinline=True)  # by LLVM, in a quarter of the time that numba's own inlining takes here
def four_rounds(x0, x1, r0, r1, r2, r3, add0, add1):
    """Four rounds. Then add one word of the key schedule to each word."""
    x0 = uint32(x0 + x1)
    x1 = uint32(rotate(x1, r0) ^ x0)
    x0 = uint32(x0 + x1)
    x1 = uint32(rotate(x1, r1) ^ x0)
    x0 = uint32(x0 + x1)
    x1 = uint32(rotate(x1, r2) ^ x0)
    x0 = uint32(x0 + x1)
    x1 = uint32(rotate(x1, r3) ^ x0)
    return uint32(x0 + add0), uint32(x1 + add1)


@njit(inline="always")
def block(x0, x1, k0, k1):
    """The block of counter (x0, x1) and key (k0, k1): two words. All are uint32."""
    k2 = uint32(k0 ^ k1 ^ PARITY)
    x0, x1 = uint32(x0 + k0), uint32(x1 + k1)
    x0, x1 = four_rounds(x0, x1, A0, A1, A2, A3, k1, uint32(k2 + uint32(1)))
    x0, x1 = four_rounds(x0, x1, B0, B1, B2, B3, k2, uint32(k0 + uint32(2)))
    x0, x1 = four_rounds(x0, x1, A0, A1, A2, A3, k0, uint32(k1 + uint32(3)))
    x0, x1 = four_rounds(x0, x1, B0, B1, B2, B3, k1, uint32(k2 + uint32(4)))
    return four_rounds(x0, x1, A0, A1, A2, A3, k2, uint32(k0 + uint32(5)))


def filler(words):
    """The function that writes elements first, first + 1, ..., modulo 2**64: bits of 1 word, or pairs of 2."""

    @njit(inline="always")
    def fill(k0, k1, first, out):
        for i in range(out.size // words):
            position = uint64(first + i)
            x0, x1 = block(uint32(position >> HALF), uint32(position), k0, k1)
            if words == 1:
                out[i] = uint32(x0 ^ x1)
            else:
                out[2 * i], out[2 * i + 1] = x0, x1

    return fill


fill_bits, fill_pairs = filler(1), filler(2)
