"""The kernels of cuRAND: blocks in its order, and its numbers. specs/curand.md has the rules.

Here the blocks are chosen: by vector code or by a plain loop, as words.py does for a contiguous run of words.
"""

import numpy as np
from numba import float32, float64, njit, uint64

from .. import philox as definition
from . import philox
from .compiling import choose, kernel
from .normal import normal_pair
from .philox import load

CHECKED_BLOCKS = 100  # more blocks than the vector code has in flight
STEP_32, HALF_STEP_32 = np.float32(2.0**-32), np.float32(2.0**-33)
STEP_53, HALF_STEP_53 = 2.0**-53, 2.0**-54
STEP_52 = 2.0**-52
# One step of a 32-bit fraction of a turn, from cuRAND's own constants in float32.
TURN_32 = np.float32(np.float32(2.3283064e-10) * np.float32(6.2831855))
HALF_TURN_32 = np.float32(TURN_32 / np.float32(2))
PI = np.pi
HIGH_SHIFT = np.uint64(21)  # of the second word of a 53-bit fraction


def curand_blocks_by(module):
    """The kernel of complete blocks: at the state's counter, then each one 2**64 further. Word 2 must not wrap."""
    fill_subsequences = module.fill_subsequences

    @kernel
    def curand_blocks(state, out):
        low, high, k0, k1 = load(state)
        fill_subsequences(low, high, k0, k1, out)

    return curand_blocks


def checks(curand_blocks):
    """Blocks of consecutive subsequences."""
    start = (0x89ABCDEF, 0x01234567, 0xFFFFFF00, 0x76543210)
    key = (0x01234567, 0x89ABCDEF)
    counters = [(*start[:2], start[2] + i, start[3]) for i in range(CHECKED_BLOCKS)]
    words = [word for counter in counters for word in definition.block(counter, key)]
    yield curand_blocks, (np.array([*start, *key], np.uint32), np.zeros(4 * CHECKED_BLOCKS, np.uint32)), words


_, curand_blocks = choose("plain subsequences", curand_blocks_by, "philox_simd", philox, checks)


@kernel
def curand_uniform_32(words, out):
    """A float32 of (0, 1] for each word."""
    for i in range(out.size):
        out[i] = float32(float32(words[i]) * STEP_32) + HALF_STEP_32


@njit(inline="always")
def fraction_53(low, high):
    """The 53 bits that cuRAND makes of two words, as a float64."""
    return float64(uint64(uint64(low) ^ uint64(uint64(high) << HIGH_SHIFT)))


@kernel
def curand_uniform_64(first, second, out):
    """Four float64 of (0, 1] for each visit of a thread: two of its block in `first`, then two of that in `second`."""
    for i in range(out.size // 4):
        for j in range(2):
            k = 4 * i + 2 * j
            out[4 * i + j] = fraction_53(first[k], first[k + 1]) * STEP_53 + HALF_STEP_53
            out[4 * i + 2 + j] = fraction_53(second[k], second[k + 1]) * STEP_53 + HALF_STEP_53


@njit(error_model="numpy")  # the default checks each divisor for zero, which prevents vector code
def read_pairs_32(words, mean, stddev, out):
    for i in range(out.size // 2):
        u = float32(float32(words[2 * i]) * STEP_32) + HALF_STEP_32
        angle = float32(float32(words[2 * i + 1]) * TURN_32) + HALF_TURN_32
        x, y = normal_pair(float64(u), float64(angle))
        out[2 * i] = float32(float32(x) * stddev) + mean
        out[2 * i + 1] = float32(float32(y) * stddev) + mean


@njit(error_model="numpy")
def read_pairs_64(words, half, mean, stddev, out):
    """Two numbers of each block, to the first or second half of each four numbers of `out`."""
    for i in range(out.size // 4):
        k = 4 * i
        u = fraction_53(words[k], words[k + 1]) * STEP_53 + HALF_STEP_53
        angle = (fraction_53(words[k + 2], words[k + 3]) * STEP_52 + STEP_53) * PI
        x, y = normal_pair(u, angle)
        out[k + 2 * half] = x * stddev + mean
        out[k + 2 * half + 1] = y * stddev + mean


@kernel
def curand_normal_32(words, mean, stddev, out):
    """Two float32 for each pair of words. They are computed in float64 and rounded before scaling."""
    read_pairs_32(words, float32(mean), float32(stddev), out)


@kernel
def curand_normal_64(first, second, mean, stddev, out):
    """Four float64 for each visit of a thread, as curand_uniform_64."""
    read_pairs_64(first, 0, mean, stddev, out)
    read_pairs_64(second, 1, mean, stddev, out)
