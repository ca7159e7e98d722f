"""Threefry2x32-20: the kernels that Python calls, and the plain loops that replace the vector code of threefry_simd.py
where it does not work, and fill the last elements of its outputs.

The counter of element i is the high and the low word of i. An element is either the exclusive or of the two words of
its block (bits), or both words (a pair, which is a child key). `keys` holds the two words of each key, one key after
the other. `out` holds one row for each key, all of one length.

numba widens integer results to 64 bits, so each expression that must stay a 32-bit word is cast as a whole.
"""

import sys
from functools import partial

import numpy as np
from numba import njit, uint32, uint64

from ...kernels.compiling import choose, kernel, named_after
from .. import threefry as definition
from .numpy_only import threefry as numpy_only

(A0, A1, A2, A3), (B0, B1, B2, B3) = [[np.uint32(distance) for distance in row] for row in definition.ROTATIONS]
PARITY = np.uint32(definition.PARITY)
WORD = np.uint32(32)
HALF = np.uint64(32)
CHECKED_KEY = (0x01234567, 0x89ABCDEF)
CHECKED_BLOCKS = 100  # more than one step of the vector code makes


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


def kernels_by(module):
    """The kernels of elements first, first + 1, ... for each key. `first` is a uint64, a multiple of 16."""

    def kernel_by(fill, name):
        @kernel
        @named_after(name)
        def threefry(keys, first, out):
            rows = keys.size // 2
            for row in range(rows):
                size = out.size // rows
                fill(keys[2 * row], keys[2 * row + 1], first, out[row * size : (row + 1) * size])

        return threefry

    return kernel_by(module.fill_bits, "bits"), kernel_by(module.fill_pairs, "pairs")


def checks(kernels):
    """Blocks of both kernels."""
    for words, made in enumerate(kernels, 1):
        arguments = np.array(CHECKED_KEY, np.uint32), np.uint64(0), np.zeros(words * CHECKED_BLOCKS, np.uint32)
        yield made, partial(numpy_only.fill_rows, words), arguments


_, (threefry_bits, threefry_pairs) = choose(
    "plain Threefry", kernels_by, f"{__name__}_simd", sys.modules[__name__], checks
)


@kernel
def threefry_halves(keys, out):
    """A row in JAX's older layout for each key: the numbers 0, 1, ..., size - 1 are cut into two halves.

    The first half holds words 0 of the counters, the second half words 1. The words of each block are written to the
    same places. If the size is odd, a 0 completes the second half, and its result is discarded.
    """
    rows = keys.size // 2
    for row in range(rows):
        size = out.size // rows
        numbers = out[row * size : (row + 1) * size]
        half = (size + 1) // 2
        for i in range(half):
            other = uint32(half + i) if half + i < size else uint32(0)
            x0, x1 = block(uint32(i), other, keys[2 * row], keys[2 * row + 1])
            numbers[i] = x0
            if half + i < size:
                numbers[half + i] = x1


@kernel
def threefry_fold(keys, data, out):
    """The block of counter (0, data[i]) for key i."""
    for i in range(data.size):
        out[2 * i], out[2 * i + 1] = block(uint32(0), data[i], keys[2 * i], keys[2 * i + 1])
