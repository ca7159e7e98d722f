"""A random order of n items, and its inverse, by a Feistel network of 10 rounds: specs/permutations.md, section 3."""

import numpy as np

from ... import philox
from .words import WORD_BITS

ROUNDS = 10
CHUNK_ITEMS = 1 << 14  # positions at a time; their halves stay in a core's caches


def permute(key, rows, columns, n, inverse, out):
    for begin in range(0, out.size, CHUNK_ITEMS):
        items = out[begin : begin + CHUNK_ITEMS].view(np.uint64)
        walking = np.ones(items.size, bool)
        while walking.any():
            items[walking] = apply_network(key.tolist(), rows, columns, inverse, items[walking])
            walking = items >= np.uint64(n)


def apply_network(key, rows, columns, inverse, items):
    """The network, or its inverse, applied once to each item, a uint64 array."""
    row, column = np.divmod(items, np.uint64(columns))
    for number in reversed(range(ROUNDS)) if inverse else range(ROUNDS):
        if number % 2:
            column = changed(column, columns, below(columns, number, key, row), inverse)
        else:
            row = changed(row, rows, below(rows, number, key, column), inverse)
    return row * np.uint64(columns) + column


def changed(half, size, added, inverse):
    """The half after a round, or before it."""
    return (half + (np.uint64(size) - added if inverse else added)) % np.uint64(size)


def below(size, number, key, half):
    """The random numbers below `size` that a round adds: they depend on the other halves, `half`."""
    low, high, _, _ = philox.block((half, number, key[0], key[1]), (key[2], key[3]))
    width = np.uint64(size)
    return ((low * width >> WORD_BITS) + high * width) >> WORD_BITS
