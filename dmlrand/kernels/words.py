"""The kernels that Python calls for words: a draw, and blocks at any numbers.

This module alone decides which fill runs: the vector code of philox_simd.py, or the plain loop of philox.py where the
vector code cannot be imported, cannot be compiled, or does not give the words of the definition.
"""

import sys

import numpy as np

from .. import philox as definition
from . import philox
from .compiling import fallbacks, gives, kernel, vector_code, works
from .philox import add_blocks, advance, block, load, split_counter

# Outputs of this size and larger are written with non-temporal stores, which bypass the caches. 32 MiB is the size of a
# large last-level cache.
NON_TEMPORAL_MIN_WORDS = 1 << 23
NON_TEMPORAL_MIN_ROW_WORDS = 1 << 16  # in shorter rows the fence after each row costs more than such stores gain
CHECKED_BLOCKS = 100  # more blocks than the vector code has in flight

fill_row = philox.fill_row
if sys.byteorder == "little":  # the vector code stores words in this byte order
    with vector_code("plain Philox"):
        from .philox_simd import fill_row


@kernel
def draw(state, out):
    """Fill `out` with words from lane 0 of the state's block on. Advance the state in place past the blocks used."""
    low, high, k0, k1 = load(state)
    fill_row(low, high, k0, k1, 0, out, out.size >= NON_TEMPORAL_MIN_WORDS)
    advance(state, (out.size + 3) // 4)


def _draws_right_words(check):
    """Whether `draw` gives the words of the definition where the counter carries through three of its words."""
    counter, key = (1 << 96) - 40, (0x01234567, 0x89ABCDEF)
    words = [
        word
        for position in range(counter, counter + CHECKED_BLOCKS)
        for word in definition.block(tuple(position >> 32 * i & definition.MASK32 for i in range(4)), key)
    ]
    state = np.array([*(counter >> 32 * i & definition.MASK32 for i in range(4)), *key], np.uint32)
    return check(draw, state, np.zeros(4 * CHECKED_BLOCKS, np.uint32), expected=words)


if fill_row is not philox.fill_row and not _draws_right_words(works):
    fill_row = philox.fill_row
    fallbacks.append("plain Philox")
    draw = kernel(draw.py_func)
    if not _draws_right_words(gives):
        raise ImportError("this version of numba compiles the plain loop to wrong words")


@kernel
def draw_blocks(state, numbers, out):
    """Four words for each of `numbers`, uint64: the block at the state's counter + this number."""
    low, high, k0, k1 = load(state)
    for i in range(numbers.size):
        block_low, block_high = add_blocks(low, high, numbers[i])
        c0, c1, c2, c3 = split_counter(block_low, block_high)
        out[4 * i], out[4 * i + 1], out[4 * i + 2], out[4 * i + 3] = block(c0, c1, c2, c3, k0, k1)
