"""Words and positions of many states. The words: a row for each state, from its first word on, all of the same length.

Long rows are drawn one after the other, with the fill of words.py. Short rows are drawn with the states side by side,
block by block, by the vector code of batch_simd.py; where it does not work, they are drawn one after the other too.
"""

import numpy as np
from numba import njit, uint32, uint64

from .compiling import choose, kernel
from .numpy_only import batch as numpy_only
from .philox import WORD_BITS, add_blocks, load
from .words import NON_TEMPORAL_MIN_ROW_WORDS, NON_TEMPORAL_MIN_WORDS, fill_words

STATES = 32  # side by side


@njit(inline="always")
def fill_row(low, high, k0, k1, out, non_temporal):
    """Fill `out` from the block at counter (low, high) on."""
    fill_words(low, high, k0, k1, 0, out.ctypes, out.size, non_temporal)


@njit(inline="always")
def fill_rows(fill_row, states, length, out):
    """Fill the rows of `states` one after the other, with the function fill_row."""
    non_temporal = out.size >= NON_TEMPORAL_MIN_WORDS and length >= NON_TEMPORAL_MIN_ROW_WORDS
    for row in range(len(states)):
        low, high, k0, k1 = load(states[row])
        fill_row(low, high, k0, k1, out[row * length : (row + 1) * length], non_temporal)


@njit(inline="always")
def copy_blocks(words, rows, lanes, out, place, stride):
    """Copy the first words of the blocks of the first states: of state i to out[place + i * stride] and on."""
    for row in range(rows):
        for lane in range(lanes):
            out[place + row * stride + lane] = words[4 * row + lane]


def batch_words_by(vector):
    """The kernel that fills `out`, which is not empty, with the rows of `states`, of shape (B, 6).

    `vector` is the module batch_simd. Without it, all rows are drawn one after the other.
    """
    if vector is None:

        @kernel
        def batch_words(states, out):
            fill_rows(fill_row, states, out.size // len(states), out)

        return batch_words

    load_columns, store_blocks, fill_long_row = vector.load_columns, vector.store_blocks, vector.fill_long_row
    words_in_flight = vector.WORDS_IN_FLIGHT

    @kernel
    def batch_words(states, out):
        length = out.size // len(states)
        if length >= words_in_flight:
            fill_rows(fill_long_row, states, length, out)
            return
        columns, words = np.empty((3, STATES), np.uint64), np.empty(4 * STATES, np.uint32)
        for start in range(0, len(states), STATES):
            rows = min(STATES, len(states) - start)
            if rows == STATES:
                load_columns(states[start : start + STATES], columns)
            else:  # the last states, fewer than 32. copy_blocks copies only their blocks
                for row in range(rows):
                    low, high, k0, k1 = load(states[start + row])
                    columns[0, row], columns[1, row], columns[2, row] = low, high, uint64(k0) | uint64(k1) << WORD_BITS
            for first in range(0, length, 4):
                number, place, lanes = uint64(first >> 2), start * length + first, min(4, length - first)
                if rows == STATES and lanes == 4:
                    store_blocks(columns, number, out, place, length)
                else:  # not all words belong in `out`
                    store_blocks(columns, number, words, 0, 4)
                    copy_blocks(words, rows, lanes, out, place, length)

    return batch_words


def checks(batch_words):
    """Short rows, some of them with carries through 1 to 4 words of the counter, and a row of every kind of step."""
    states = np.zeros((STATES + 1, 6), np.uint32)
    for i, state in enumerate(states):
        state[: i % 4 + 1] = 2**32 - 1
        state[[0, 4, 5]] = 2**32 - 1 - i % 3, 0x01234567 ^ i, i
    for some, length in ((states, 5), (states[:1], 257)):
        yield batch_words, numpy_only.batch_words, (some, np.zeros(len(some) * length, np.uint32))


module, batch_words = choose("rows one by one", batch_words_by, f"{__name__}_simd", None, checks)


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
