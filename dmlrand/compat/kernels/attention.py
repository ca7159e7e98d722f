"""The mask of FlashAttention 2's dropout, tile by tile: specs/torch.md, section 5.

A tile has 16 rows and 32 columns. For each of its 32 lanes, a Philox4x32 block of 7 rounds gives 16 bytes, one for each
element that the lane holds in the accumulators of the instruction mma.m16n8.
"""

import numpy as np
from numba import njit, uint8, uint32, uint64

from ... import philox
from ...kernels.compiling import kernel
from ...kernels.philox import load

ROUNDS = 7
ROWS, COLUMNS, LANES = 16, 32, 32  # of a tile
M0, M1 = np.uint64(philox.M0), np.uint64(philox.M1)
W0, W1 = np.uint32(philox.W0), np.uint32(philox.W1)
WORD_BITS, BYTE_BITS = np.uint64(32), np.uint32(8)


@njit(inline="always")
def short_block(c0, c1, c2, c3, k0, k1):
    """The four words of a counter and a key, all uint32, after 7 rounds."""
    for _ in range(ROUNDS):
        product0, product1 = uint64(M0 * uint64(c0)), uint64(M1 * uint64(c2))
        c0 = uint32(uint32(product1 >> WORD_BITS) ^ c1 ^ k0)
        c1 = uint32(product1)
        c2 = uint32(uint32(product0 >> WORD_BITS) ^ c3 ^ k1)
        c3 = uint32(product0)
        k0, k1 = uint32(k0 + W0), uint32(k1 + W1)
    return c0, c1, c2, c3


@njit(inline="always")
def store_bytes(word, limit, row, column, checked, out):
    """Two bytes of a word to neighbours in a row, and two 8 rows below. `checked`: only where they lie in `out`."""
    for i in range(4):
        y, x = row + i // 2 * 8, column + i % 2
        if not checked or (0 <= y < out.shape[0] and 0 <= x < out.shape[1]):
            out[y, x] = uint8(uint8(word) <= limit)
        word = uint32(word >> BYTE_BITS)


@njit(inline="always")
def store_tile(low, tile_row, tile_column, k0, k1, limit, row, column, checked, out):
    """A tile whose first element has this row and column in `out`."""
    for lane in range(LANES):
        counter = uint64(low + uint64(lane))
        words = short_block(
            uint32(counter), uint32(counter >> WORD_BITS), uint32(tile_row), uint32(tile_column), k0, k1
        )
        y, x = row + lane // 4, column + lane % 4 * 2
        store_bytes(words[0], limit, y, x, checked, out)
        store_bytes(words[1], limit, y, x + 8, checked, out)
        store_bytes(words[2], limit, y, x + 16, checked, out)
        store_bytes(words[3], limit, y, x + 24, checked, out)


@kernel
def flash_mask(state, first_row, first_column, limit, out):
    """1 where an element is kept, else 0, for the rows and columns of one head that begin at the given ones.

    The state's key is the seed. Words 0 and 1 of its counter are the offset of lane 0 of the head.
    """
    low, _, k0, k1 = load(state)
    highest = uint8(limit)
    for tile_row in range(first_row // ROWS, -(-(first_row + out.shape[0]) // ROWS)):
        row = tile_row * ROWS - first_row
        for tile_column in range(first_column // COLUMNS, -(-(first_column + out.shape[1]) // COLUMNS)):
            column = tile_column * COLUMNS - first_column
            if row >= 0 and row + ROWS <= out.shape[0] and column >= 0 and column + COLUMNS <= out.shape[1]:
                store_tile(low, tile_row, tile_column, k0, k1, highest, row, column, False, out)
            else:
                store_tile(low, tile_row, tile_column, k0, k1, highest, row, column, True, out)
