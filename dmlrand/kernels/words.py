"""The kernels that Python calls for words: a draw, a strided region of the stream, and a strided output.

This module alone decides which `fill_words` runs: the vector code of philox_simd.py, or the plain loop of philox.py
where the vector code does not work (see compiling.choose).
"""

import numpy as np
from numba import njit, uint32, uint64

from .. import philox as definition
from . import philox
from .compiling import choose, kernel
from .philox import WORD_BITS, add_blocks, block, load

# Outputs of this size and larger are written with non-temporal stores, which bypass the caches. 32 MiB is the size of a
# large last-level cache.
NON_TEMPORAL_MIN_WORDS = 1 << 23
NON_TEMPORAL_MIN_ROW_WORDS = 1 << 16  # in shorter rows the fence after each row costs more than such stores gain
CHECKED_BLOCKS = 100  # more blocks than the vector code has in flight
SCRATCH_WORDS = 1536  # words drawn at a time for a strided output: they stay in a core's L1 cache


@njit(inline="always")
def fill_stepped_row(low, high, k0, k1, offset, step, out):
    """Words offset, offset + step, ...: one block for each word. A step of 4 or more never uses a block twice."""
    for i in range(out.size):
        word = offset + i * step
        block_low, block_high = add_blocks(low, high, uint64(word >> 2))
        w0, w1, w2, w3 = block(
            uint32(block_low),
            uint32(block_low >> WORD_BITS),
            uint32(block_high),
            uint32(block_high >> WORD_BITS),
            k0,
            k1,
        )
        lane = word & 3
        even, odd = (w0, w1) if lane < 2 else (w2, w3)
        out[i] = odd if lane & 1 else even


def draw_by(module):
    """The kernel that fills `out` with words from lane 0 of the state's block on.

    It advances the state in place past the blocks used.
    """
    fill_words = module.fill_words

    @kernel
    def draw(state, out):
        low, high, k0, k1 = load(state)
        fill_words(low, high, k0, k1, 0, out, out.size >= NON_TEMPORAL_MIN_WORDS)
        low, high = add_blocks(low, high, uint64((out.size + 3) // 4))
        state[0], state[1] = uint32(low), uint32(low >> WORD_BITS)
        state[2], state[3] = uint32(high), uint32(high >> WORD_BITS)

    return draw


def checks(draw):
    """Words of a stream whose counter carries through three of its words."""
    counter, key = (1 << 96) - 40, (0x01234567, 0x89ABCDEF)
    words = [
        word
        for position in range(counter, counter + CHECKED_BLOCKS)
        for word in definition.block(tuple(position >> 32 * i & definition.MASK32 for i in range(4)), key)
    ]
    state = np.array([*(counter >> 32 * i & definition.MASK32 for i in range(4)), *key], np.uint32)
    yield draw, (state, np.zeros(4 * CHECKED_BLOCKS, np.uint32)), words


module, draw = choose("plain Philox", draw_by, "philox_simd", philox, checks)
fill_words = module.fill_words


@kernel
def fill(state, offset, sizes, strides, total_words, out):
    """Fill `out` with a strided region of the stream: word offset + sum(index * strides), indices in row-major order.

    All arguments count words. `sizes` and `strides` have at least one axis and no zero. The last axis gives the rows.
    `out` is a piece of an output of `total_words` words.
    """
    low, high, k0, k1 = load(state)
    length, step = sizes[-1], strides[-1]
    non_temporal = total_words >= NON_TEMPORAL_MIN_WORDS and length >= NON_TEMPORAL_MIN_ROW_WORDS
    for row in range(out.size // length):
        start, rest = offset, row
        for axis in range(sizes.size - 2, -1, -1):
            start += rest % sizes[axis] * strides[axis]
            rest //= sizes[axis]
        target = out[row * length : (row + 1) * length]
        if step == 1:
            fill_words(low, high, k0, k1, start, target, non_temporal)
        else:
            fill_stepped_row(low, high, k0, k1, start, step, target)


@kernel
def fill_strided(state, offset, out):
    """Fill `out`, whose elements may lie any one distance apart, with words offset, offset + 1, ..."""
    low, high, k0, k1 = load(state)
    scratch = np.empty(SCRATCH_WORDS, np.uint32)
    for start in range(0, out.size, SCRATCH_WORDS):
        target = out[start : start + SCRATCH_WORDS]
        words = scratch[: target.size]
        fill_words(low, high, k0, k1, offset + start, words)
        for i in range(words.size):
            target[i] = words[i]


@kernel
def draw_blocks(state, numbers, out):
    """Four words for each of `numbers`, uint64: the block at the state's counter + this number."""
    low, high, k0, k1 = load(state)
    for i in range(numbers.size):
        block_low, block_high = add_blocks(low, high, numbers[i])
        w0, w1, w2, w3 = block(
            uint32(block_low),
            uint32(block_low >> WORD_BITS),
            uint32(block_high),
            uint32(block_high >> WORD_BITS),
            k0,
            k1,
        )
        out[4 * i], out[4 * i + 1], out[4 * i + 2], out[4 * i + 3] = w0, w1, w2, w3
