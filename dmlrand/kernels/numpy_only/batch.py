"""Words and positions of many states, with the states and their blocks side by side in arrays of counters."""

import numpy as np

from ... import philox
from .words import CHUNK_WORDS, counters_at, fill_row


def batch_words(states, out):
    rows = out.reshape(len(states), -1)
    length = rows.shape[1]
    if length > CHUNK_WORDS:
        for state, row in zip(states, rows):
            fill_row(state, 0, row)
        return
    step = CHUNK_WORDS // length
    numbers = np.arange((length + 3) // 4, dtype=np.uint64)
    for start in range(0, len(states), step):
        c0, c1, c2, c3, k0, k1 = states[start : start + step].astype(np.uint64).T[:, :, None]
        blocks = np.stack(philox.block(counters_at(c0, c1, c2, c3, numbers), (k0, k1)), axis=-1)
        rows[start : start + step] = blocks.reshape(len(blocks), -1)[:, :length]


def move_states(states, low, high, out):
    low, high = (np.broadcast_to(blocks, len(states)) for blocks in (low, high))
    for start in range(0, len(states), CHUNK_WORDS):
        rows = slice(start, start + CHUNK_WORDS)
        words = states[rows].astype("<u4")
        counters = words.view("<u8")
        counters[:, 0] += low[rows]
        counters[:, 1] += high[rows] + (counters[:, 0] < low[rows])  # the carry
        out[rows] = words
