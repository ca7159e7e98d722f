"""Words and positions of many states. The words: a row for each state, from its first word on, all of the same length.

Short rows are drawn with the states side by side, block by block. Long rows are drawn one after the other, with the
fill of words.py. The plain loops are here, the vector code is in batch_simd.py. Here one of both is chosen.
"""

import sys

import numpy as np
from numba import njit, uint32, uint64

from .. import philox as definition
from .compiling import choose, kernel
from .philox import WORD_BITS, add_blocks, block_at, load
from .words import NON_TEMPORAL_MIN_ROW_WORDS, NON_TEMPORAL_MIN_WORDS, draw, fill_words

STATES = 32  # side by side
MIN_LONG_ROW_WORDS = 64  # from here on rows are drawn faster one after the other, if they hold all words in flight
CHECKED_ROW_WORDS = 257  # enough for every branch of batch_simd.fill_long_row


@njit(inline="always")
def load_columns(states, columns):
    """Write 32 states to `columns`, uint64 of shape (3, 32): the halves of the counters, low first, and the keys."""
    for i in range(STATES):
        columns[0, i], columns[1, i], k0, k1 = load(states[i])
        columns[2, i] = uint64(k0) | uint64(k1) << WORD_BITS


@njit(inline="always")
def store_blocks(columns, number, out, place, stride):
    """Store block `number`, a uint64, of each of the 32 states of `columns`: of state i at out[place + i * stride]."""
    for i in range(STATES):
        low, high = add_blocks(columns[0, i], columns[1, i], number)
        w0, w1, w2, w3 = block_at(low, high, columns[2, i], columns[2, i] >> WORD_BITS)
        first = place + i * stride
        out[first] = w0
        out[first + 1] = w1
        out[first + 2] = w2
        out[first + 3] = w3


@njit(inline="always")
def fill_long_row(low, high, k0, k1, out, non_temporal):
    """Fill `out`, which has words_in_flight() words or more, from the block at counter (low, high) on."""
    fill_words(low, high, k0, k1, 0, out, non_temporal)


@njit(inline="always")
def words_in_flight():
    """How many words fill_long_row computes at a time."""
    return 1


@njit(inline="always")
def copy_blocks(words, rows, lanes, out, place, stride):
    """Copy the first words of the blocks of the first states: of state i to out[place + i * stride] and on."""
    for row in range(rows):
        for lane in range(lanes):
            out[place + row * stride + lane] = words[4 * row + lane]


def batch_words_by(module):
    """The kernel that fills `out`, which is not empty, with the rows of `states`, of shape (B, 6)."""
    load_columns, store_blocks, fill_long_row = module.load_columns, module.store_blocks, module.fill_long_row
    words_in_flight = module.words_in_flight

    @njit(inline="always")
    def fill_long_rows(states, length, out):
        non_temporal = out.size >= NON_TEMPORAL_MIN_WORDS and length >= NON_TEMPORAL_MIN_ROW_WORDS
        for row in range(len(states)):
            low, high, k0, k1 = load(states[row])
            fill_long_row(low, high, k0, k1, out[row * length : (row + 1) * length], non_temporal)

    @njit(inline="always")
    def fill_short_rows(states, length, out):
        columns, words = np.empty((3, STATES), np.uint64), np.empty(4 * STATES, np.uint32)
        last = np.zeros((STATES, 6), np.uint32)  # the last states, if they are fewer than 32
        for start in range(0, len(states), STATES):
            rows = min(STATES, len(states) - start)
            some = states[start : start + rows]
            if rows < STATES:
                last[:rows] = some
                some = last
            load_columns(some, columns)
            for first in range(0, length, 4):
                lanes = min(4, length - first)
                direct = rows == STATES and lanes == 4  # else not all words belong in `out`
                target, place, stride = (out, start * length + first, length) if direct else (words, 0, 4)
                store_blocks(columns, uint64(first >> 2), target, place, stride)
                if not direct:
                    copy_blocks(words, rows, lanes, out, start * length + first, length)

    @kernel
    def batch_words(states, out):
        length = out.size // len(states)
        if length >= max(words_in_flight(), MIN_LONG_ROW_WORDS):
            fill_long_rows(states, length, out)
        else:
            fill_short_rows(states, length, out)

    return batch_words


def checks(batch_words):
    """Short rows, some of them with carries, and a long row, with the words of `draw`, which words.py has checked."""
    states, words = [], []
    for i in range(STATES + 1):
        counter, key = (1 << 32 * (i % 4 + 1)) - 1 - i % 3, (0x01234567 * i & definition.MASK32, i)
        blocks = [
            tuple(position >> 32 * j & definition.MASK32 for j in range(4)) for position in (counter, counter + 1)
        ]
        states.append([*blocks[0], *key])
        words += [*definition.block(blocks[0], key), definition.block(blocks[1], key)[0]]
    yield batch_words, (np.array(states, np.uint32), np.zeros(len(words), np.uint32)), words
    state, long_row = np.arange(6, dtype=np.uint32), np.zeros(CHECKED_ROW_WORDS, np.uint32)
    draw(state.copy(), long_row)
    yield batch_words, (state.reshape(1, 6), np.zeros_like(long_row)), long_row.tolist()


module, batch_words = choose(
    "plain Philox of many states", batch_words_by, f"{__name__}_simd", sys.modules[__name__], checks
)


@kernel
def move_states(states, low, high, out):
    """Write to `out` the states, of shape (B, 6), each low + 2**64 * high blocks further.

    `low` and `high` are uint64 arrays: of one number for all states, or of one for each.
    """
    for row in range(len(states)):
        start_low, start_high, k0, k1 = load(states[row])
        end_low, end_high = add_blocks(start_low, start_high, low[row if len(low) > 1 else 0])
        end_high = uint64(end_high + high[row if len(high) > 1 else 0])
        out[row, 0], out[row, 1] = uint32(end_low), uint32(end_low >> WORD_BITS)
        out[row, 2], out[row, 3] = uint32(end_high), uint32(end_high >> WORD_BITS)
        out[row, 4], out[row, 5] = k0, k1
