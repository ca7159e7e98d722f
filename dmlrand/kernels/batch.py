"""Words of many states: a row for each state, from the state's first word on. All rows have the same length.

Short rows are drawn with the states side by side, block by block. Long rows are drawn one after the other, with the fill
of words.py. Like words.py, this module alone decides between vector code and plain loops.
"""

from contextlib import suppress

import numpy as np
from numba import njit, uint32, uint64

from .. import philox as definition
from . import philox
from .compiling import fallbacks, kernel, works
from .philox import WORD_BITS, add_blocks, block, load
from .words import NON_TEMPORAL_MIN_ROW_WORDS, NON_TEMPORAL_MIN_WORDS, draw, fill_row

STATES = 32  # side by side
LONG_ROW_WORDS = 257  # enough for every branch of batch_simd.fill_long_row


@njit(inline="always")
def store_blocks(low, high, key, number, out):
    """Store block `number`, a uint64, of each of 32 states: its 4 words, then those of the next state.

    `low`, `high` and `key` are arrays of 32 uint64: the halves of the states' counters, and their keys.
    """
    for i in range(STATES):
        block_low, block_high = add_blocks(low[i], high[i], number)
        c0, c1 = uint32(block_low), uint32(block_low >> WORD_BITS)
        c2, c3 = uint32(block_high), uint32(block_high >> WORD_BITS)
        w0, w1, w2, w3 = block(c0, c1, c2, c3, uint32(key[i]), uint32(key[i] >> WORD_BITS))
        out[4 * i] = w0
        out[4 * i + 1] = w1
        out[4 * i + 2] = w2
        out[4 * i + 3] = w3


@njit(inline="always")
def copy_block(source, start, out, place):
    """Copy the 4 words from source[start] on to out[place] and on."""
    for lane in range(4):
        out[place + lane] = source[start + lane]


@njit(inline="always")
def fill_long_row(low, high, k0, k1, out, non_temporal):
    """Fill `out`, of words_in_flight() words or more, from the block at counter (low, high) on."""
    fill_row(low, high, k0, k1, 0, out, non_temporal)


@njit(inline="always")
def words_in_flight():
    """The length from which on rows are drawn one after the other, because that is faster."""
    return 32


PLAIN = store_blocks, copy_block, fill_long_row
if fill_row is not philox.fill_row:
    with suppress(Exception):  # an internal of numba is missing
        from .batch_simd import copy_block, fill_long_row, store_blocks
        from .philox_simd import words_in_flight


@kernel
def batch_words(states, out):
    """Fill `out`, which is not empty, with the rows of `states`, of shape (B, 6)."""
    length = out.size // len(states)
    if length >= words_in_flight():
        non_temporal = out.size >= NON_TEMPORAL_MIN_WORDS and length >= NON_TEMPORAL_MIN_ROW_WORDS
        for row in range(len(states)):
            low, high, k0, k1 = load(states[row])
            fill_long_row(low, high, k0, k1, out[row * length : (row + 1) * length], non_temporal)
        return
    lows, highs, keys = np.zeros(STATES, np.uint64), np.zeros(STATES, np.uint64), np.zeros(STATES, np.uint64)
    words = np.empty(4 * STATES, np.uint32)
    for start in range(0, len(states), STATES):
        rows = min(STATES, len(states) - start)
        for row in range(rows):
            lows[row], highs[row], k0, k1 = load(states[start + row])
            keys[row] = uint64(k0) | uint64(k1) << WORD_BITS
        for first in range(0, length, 4):
            store_blocks(lows, highs, keys, uint64(first >> 2), words)
            for row in range(rows):
                place = (start + row) * length + first
                if first + 4 <= length:
                    copy_block(words, 4 * row, out, place)
                else:
                    for lane in range(length - first):
                        out[place + lane] = words[4 * row + lane]


def _draws_right_short_rows():
    """Whether `batch_words` gives the words of the definition: 5 for each state, with carries in some of the states."""
    states, words = [], []
    for i in range(STATES + 1):
        counter, key = (1 << 32 * (i % 4 + 1)) - 1 - i % 3, (0x01234567 * i & definition.MASK32, i)
        blocks = [
            tuple(position >> 32 * j & definition.MASK32 for j in range(4)) for position in (counter, counter + 1)
        ]
        states.append([*blocks[0], *key])
        words += [*definition.block(blocks[0], key), definition.block(blocks[1], key)[0]]
    return works(batch_words, np.array(states, np.uint32), np.zeros(len(words), np.uint32), expected=words)


def _draws_a_right_long_row():
    """Whether `batch_words` gives the words of `draw`, which words.py has compared with the definition."""
    state, words = np.arange(6, dtype=np.uint32), np.zeros(LONG_ROW_WORDS, np.uint32)
    draw(state.copy(), words)
    return works(batch_words, state.reshape(1, 6), np.zeros_like(words), expected=words.tolist())


vector_code = (store_blocks, copy_block, fill_long_row) != PLAIN
if vector_code and not (_draws_right_short_rows() and _draws_a_right_long_row()):
    store_blocks, copy_block, fill_long_row = PLAIN
    fallbacks.append("plain Philox of many states")
    batch_words = kernel(batch_words.py_func)
