"""Threefry2x32-20 as plain numba loops.

The vector code in threefry_simd.py is tested against these loops. The loops replace it where it does not work, and fill
the last elements of its outputs.

The counter of element i is the high and the low word of i. An element is either the exclusive or of the two words of
its block (bits), or both words (a pair, which is a child key).

numba widens integer results to 64 bits, so each expression that must stay a 32-bit word is cast as a whole.
"""

import numpy as np
from numba import njit, uint32, uint64

from ... import threefry

(A0, A1, A2, A3), (B0, B1, B2, B3) = [[np.uint32(distance) for distance in row] for row in threefry.ROTATIONS]
PARITY = np.uint32(threefry.PARITY)
WORD = np.uint32(32)
HALF = np.uint64(32)


@njit(inline="always")
def rotate(x, distance):
    return uint32(uint32(x << distance) | uint32(x >> uint32(WORD - distance)))


@njit(inline="always")
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


@njit(inline="always")
def fill_bits(k0, k1, first, out):
    """The bits of elements first, first + 1, ..., modulo 2**64."""
    for i in range(out.size):
        position = uint64(first + i)
        x0, x1 = block(uint32(position >> HALF), uint32(position), k0, k1)
        out[i] = uint32(x0 ^ x1)


@njit(inline="always")
def fill_pairs(k0, k1, first, out):
    """The pairs of elements first, first + 1, ..., modulo 2**64, one after the other."""
    for i in range(out.size // 2):
        position = uint64(first + i)
        x0, x1 = block(uint32(position >> HALF), uint32(position), k0, k1)
        out[2 * i] = x0
        out[2 * i + 1] = x1


@njit(inline="always")
def fill_halves(k0, k1, out):
    """JAX's older layout. The numbers 0, 1, ..., out.size - 1 are cut into two halves.

    The first half holds words 0 of the counters, the second half words 1. The words of each block are written to the
    same places. If the size is odd, a 0 completes the second half, and its result is discarded.
    """
    half = (out.size + 1) // 2
    for i in range(half):
        other = uint32(half + i) if half + i < out.size else uint32(0)
        x0, x1 = block(uint32(i), other, k0, k1)
        out[i] = x0
        if half + i < out.size:
            out[half + i] = x1
