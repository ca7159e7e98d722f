"""The kernels for JAX's keys, by the definition of Threefry on Python's integers or on arrays of counters."""

import numpy as np

from .... import threefry
from ..words import CHUNK_WORDS, PYTHON_MAX_BLOCKS

MASK32 = np.uint64(threefry.MASK32)
HALF = np.uint64(32)


def blocks_from(key, first, count):
    """Words 0 and words 1 of the counters of elements first, first + 1, ...: two rows."""
    if count <= PYTHON_MAX_BLOCKS:
        numbers = range(first, first + count)
        return np.array([threefry.block((i >> 32, i & threefry.MASK32), key) for i in numbers], np.uint32).T
    numbers = np.arange(count, dtype=np.uint64) + np.uint64(first)
    return threefry.block((numbers >> HALF, numbers & MASK32), tuple(np.uint64(word) for word in key))


def fill_bits(key, first, out):
    """Words of bits of elements first, first + 1, ..."""
    for start in range(0, out.size, CHUNK_WORDS):
        part = out[start : start + CHUNK_WORDS]
        x0, x1 = blocks_from(key, first + start, part.size)
        part[:] = x0 ^ x1


def fill_pairs(key, out):
    """Pairs of elements 0, 1, ..., to an array of shape (n, 2)."""
    for start in range(0, len(out), CHUNK_WORDS):
        part = out[start : start + CHUNK_WORDS]
        part[:, 0], part[:, 1] = blocks_from(key, start, len(part))


def rows(keys, out):
    """Each key, as Python integers, with its row of the output."""
    pairs = keys.reshape(-1, 2)
    return zip(pairs.tolist(), out.reshape(len(pairs), out.size // max(1, len(pairs))))


def threefry_bits(keys, out):
    for key, row in rows(keys, out):
        fill_bits(key, 0, row)


def threefry_pairs(keys, out):
    for key, row in rows(keys, out):
        fill_pairs(key, row.reshape(-1, 2))


def threefry_halves(keys, out):
    for key, row in rows(keys, out):
        half = (row.size + 1) // 2
        counters = np.arange(2 * half, dtype=np.uint64)
        counters[row.size :] = 0
        words = threefry.block((counters[:half], counters[half:]), tuple(np.uint64(word) for word in key))
        row[:half], row[half:] = words[0], words[1][: row.size - half]


def threefry_fold(keys, data, out):
    pairs = out.reshape(-1, 2)
    if data.size <= PYTHON_MAX_BLOCKS:
        blocks = zip(data.tolist(), keys.reshape(-1, 2).tolist())
        for i, (number, key) in enumerate(blocks):
            pairs[i] = threefry.block((0, number), key)
        return
    words = tuple(keys.reshape(-1, 2).T.astype(np.uint64))
    pairs[:, 0], pairs[:, 1] = threefry.block((np.zeros(data.size, np.uint64), data.astype(np.uint64)), words)
