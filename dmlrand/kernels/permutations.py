"""A random order of n items, and its inverse, by a Feistel network of 10 rounds: specs/permutations.md, section 3.

The network is applied to many positions at a time, round by round, so that the compiler vectorises each round.
"""

import numpy as np
from numba import njit, uint32, uint64

from .compiling import kernel
from .philox import WORD_BITS, block

ROUNDS = 10
CHUNK_ITEMS = 2048  # positions at a time; their halves stay in a core's L1 cache


@njit
def apply_round(number, key, inverse, given, size, changed):
    """Add to each half in `changed` a random number below `size`, which depends on the other half, modulo `size`.

    The inverse of the round subtracts it.
    """
    k0, k1, k2, k3 = key[0], key[1], key[2], key[3]
    width = uint64(size)
    for i in range(changed.size):
        w0, w1, _, _ = block(given[i], number, k0, k1, k2, k3)
        # floor(v * size / 2**64) of the 64-bit number v = w0 + 2**32 * w1. size is at most 2**31, so nothing overflows.
        scaled = uint32(uint64(uint64(uint64(w0) * width >> WORD_BITS) + uint64(w1) * width) >> WORD_BITS)
        total = uint32(changed[i] + (uint32(size - scaled) if inverse else scaled))
        reduced = uint32(total - size)
        changed[i] = reduced if reduced < total else total


@njit
def apply_network(key, rows, columns, inverse, row, column):
    for step in range(ROUNDS):
        number = ROUNDS - 1 - step if inverse else step
        if number % 2:
            apply_round(uint32(number), key, inverse, row, columns, column)
        else:
            apply_round(uint32(number), key, inverse, column, rows, row)


@kernel
def permute(key, rows, columns, n, inverse, out):
    """Replace positions in an order of n items, n at most rows * columns, by the items there; or items by positions.

    `out` is an int64 array, and `key` holds four words. `rows` and `columns` are at most 2**31.
    """
    rows, columns = uint32(rows), uint32(columns)
    width = uint64(columns)
    row, column = np.empty(CHUNK_ITEMS, np.uint32), np.empty(CHUNK_ITEMS, np.uint32)
    for begin in range(0, out.size, CHUNK_ITEMS):
        items = out[begin : begin + CHUNK_ITEMS]
        for i in range(items.size):
            position = uint64(items[i])
            row[i], column[i] = uint32(position // width), uint32(position % width)
        apply_network(key, rows, columns, inverse, row[: items.size], column[: items.size])
        for i in range(items.size):
            item = uint64(uint64(row[i]) * width + uint64(column[i]))
            while item >= uint64(n):  # walk along the cycle
                row[i], column[i] = uint32(item // width), uint32(item % width)
                apply_network(key, rows, columns, inverse, row[i : i + 1], column[i : i + 1])
                item = uint64(uint64(row[i]) * width + uint64(column[i]))
            items[i] = np.int64(item)
