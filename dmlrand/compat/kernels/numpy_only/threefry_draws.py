"""The Threefry kernels in NumPy: the definition, with Python's integers for few blocks and with arrays for many."""

from functools import partial

import numpy as np

from ....kernels.numpy_only.words import CHUNK_WORDS, PYTHON_MAX_BLOCKS
from ... import threefry

MASK32 = np.uint64(threefry.MASK32)
HALF = np.uint64(32)
MASK64 = (1 << 64) - 1


def blocks_from(key, first, count):
    """Words 0 and words 1 of the blocks of elements first, first + 1, ...: two rows."""
    if count <= PYTHON_MAX_BLOCKS:
        numbers = range(first, first + count)
        return np.array([threefry.block((i >> 32, i & threefry.MASK32), key) for i in numbers], np.uint32).T
    numbers = np.arange(count, dtype=np.uint64) + np.uint64(first)
    return threefry.block((numbers >> HALF, numbers & MASK32), tuple(np.uint64(word) for word in key))


def fill_rows(words, keys, first, out):
    """The elements of each row, of 1 or 2 words. The numbers of elements wrap at 2**64."""
    pairs = keys.reshape(-1, 2).tolist()
    count = out.size // max(1, len(pairs) * words)
    for key, row in zip(pairs, out.reshape(len(pairs), count, words)):
        for start in range(0, count, CHUNK_WORDS):
            chunk = row[start : start + CHUNK_WORDS]
            x0, x1 = blocks_from(key, int(first) + start & MASK64, len(chunk))
            if words == 1:
                chunk[:, 0] = x0 ^ x1
            else:
                chunk[:, 0], chunk[:, 1] = x0, x1


threefry_bits, threefry_pairs = partial(fill_rows, 1), partial(fill_rows, 2)


def threefry_halves(keys, out):
    pairs = keys.reshape(-1, 2).astype(np.uint64)
    rows = out.reshape(len(pairs), out.size // max(1, len(pairs)))
    for key, row in zip(pairs, rows):
        half = (row.size + 1) // 2
        counters = np.arange(2 * half, dtype=np.uint64)
        counters[row.size :] = 0
        words = threefry.block((counters[:half], counters[half:]), tuple(key))
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
