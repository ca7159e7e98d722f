"""Words of many states: a row for each state, from the state's first word on. All rows have the same length.

Short rows are drawn with the states side by side: each element of a vector belongs to another state. Long rows are drawn
one after the other, with the fill of words.py.
"""

import numpy as np
from numba import njit, uint32, uint64

from .compiling import kernel
from .philox import WORD_BITS, add_blocks, block, load
from .words import NON_TEMPORAL_MIN_ROW_WORDS, NON_TEMPORAL_MIN_WORDS, fill_row

SIDE_BY_SIDE = 32  # states drawn at a time: enough vectors in flight to hide the latency of multiplications
SIDE_BY_SIDE_MAX_WORDS = 47  # in a row. From 48 words on, the fill of one row after the other is faster


@njit
def fill_side_by_side(states, out):
    """Block i of 32 states, then block i + 1 of the same states, up to the end of their rows."""
    length = out.size // len(states)
    low, high = np.empty(SIDE_BY_SIDE, np.uint64), np.empty(SIDE_BY_SIDE, np.uint64)
    k0, k1 = np.empty(SIDE_BY_SIDE, np.uint32), np.empty(SIDE_BY_SIDE, np.uint32)
    lanes = np.empty((4, SIDE_BY_SIDE), np.uint32)
    lane0, lane1, lane2, lane3 = lanes[0], lanes[1], lanes[2], lanes[3]
    for start in range(0, len(states), SIDE_BY_SIDE):
        rows = min(SIDE_BY_SIDE, len(states) - start)
        for row in range(rows):
            low[row], high[row], k0[row], k1[row] = load(states[start + row])
        for first in range(0, length, 4):
            # A loop of constant length, which the compiler vectorises. The words beyond `rows` are not used.
            for row in range(SIDE_BY_SIDE):
                block_low, block_high = add_blocks(low[row], high[row], uint64(first >> 2))
                lane0[row], lane1[row], lane2[row], lane3[row] = block(
                    uint32(block_low),
                    uint32(block_low >> WORD_BITS),
                    uint32(block_high),
                    uint32(block_high >> WORD_BITS),
                    k0[row],
                    k1[row],
                )
            for row in range(rows):
                place = (start + row) * length + first
                if first + 4 <= length:
                    out[place], out[place + 1] = lane0[row], lane1[row]
                    out[place + 2], out[place + 3] = lane2[row], lane3[row]
                else:
                    for lane in range(length - first):
                        out[place + lane] = lanes[lane, row]


@kernel
def batch_words(states, out):
    """Fill `out`, whose size is a multiple of the number of states. `states` has shape (B, 6) and B is not 0."""
    length = out.size // len(states)
    if length <= SIDE_BY_SIDE_MAX_WORDS:
        fill_side_by_side(states, out)
        return
    non_temporal = out.size >= NON_TEMPORAL_MIN_WORDS and length >= NON_TEMPORAL_MIN_ROW_WORDS
    for row in range(len(states)):
        low, high, k0, k1 = load(states[row])
        fill_row(low, high, k0, k1, 0, out[row * length : (row + 1) * length], non_temporal)
