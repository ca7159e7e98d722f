"""Positions of a random order of n items, by a Feistel network of 10 rounds: specs/permutations.md, section 3."""

import numpy as np

from ... import philox
from .words import WORD_BITS

ROUNDS = 10
CHUNK_ITEMS = 1 << 14  # positions at a time; their halves stay in a core's caches


def permute(key, rows, columns, n, start, step, out):
    for begin in range(0, out.size, CHUNK_ITEMS):
        piece = out[begin : begin + CHUNK_ITEMS]
        items = (start + np.arange(begin, begin + piece.size, dtype=np.int64) * step).view(np.uint64)
        walking = np.ones(items.size, bool)
        while walking.any():
            items[walking] = apply_network(key.tolist(), rows, columns, items[walking])
            walking = items >= np.uint64(n)
        piece[:] = items.view(np.int64)


def apply_network(key, rows, columns, items):
    """The network, applied once to each item, a uint64 array."""
    row, column = np.divmod(items, np.uint64(columns))
    for number in range(0, ROUNDS, 2):
        row = (row + below(rows, number, key, column)) % np.uint64(rows)
        column = (column + below(columns, number + 1, key, row)) % np.uint64(columns)
    return row * np.uint64(columns) + column


def below(size, number, key, half):
    """The random numbers below `size` that a round adds: they depend on the other halves, `half`."""
    low, high, _, _ = philox.block((half, number, key[0], key[1]), (key[2], key[3]))
    width = np.uint64(size)
    return ((low * width >> WORD_BITS) + high * width) >> WORD_BITS
