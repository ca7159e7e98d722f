"""Words, by the block function of dmlrand.philox on arrays of counters."""

import numpy as np

from ... import philox

PYTHON_MAX_BLOCKS = 8  # for up to this many blocks Python's integers are faster than numpy's arrays
CHUNK_WORDS = 1 << 15  # words drawn at a time, so that the arrays of counters stay in a core's caches
LOW_HALF = np.uint64(philox.MASK32)
WORD_BITS = np.uint64(32)
BLOCK_SHIFT, LANE_MASK = np.uint64(2), np.uint64(3)


def counter_and_key(state):
    """The four words of the counter and the two of the key, as Python integers."""
    words = state.tolist()
    return tuple(words[:4]), tuple(words[4:])


def counters_at(c0, c1, c2, c3, numbers):
    """The words of the counters that are `numbers`, a uint64 array, further than (c0, c1, c2, c3)."""
    lows = numbers + (c0 | c1 << WORD_BITS)
    highs = (lows < numbers) + (c2 | c3 << WORD_BITS)  # a sum less than its summand has wrapped
    return lows & LOW_HALF, lows >> WORD_BITS, highs & LOW_HALF, highs >> WORD_BITS


def blocks_at(state, numbers):
    """The blocks at the state's counter + numbers, a uint64 array: words of shape (numbers.size, 4)."""
    *counter, k0, k1 = state.astype(np.uint64)
    return np.stack(philox.block(counters_at(*counter, numbers), (k0, k1)), axis=1).astype(np.uint32)


def blocks_by_python(state, first, count):
    """As blocks_at for numbers first, first + 1, ..., computed with Python's integers: a list of words."""
    counter, key = counter_and_key(state)
    return [word for i in range(count) for word in philox.block(philox.add_blocks(counter, first + i), key)]


def fill_row(state, offset, out):
    """Words offset, offset + 1, ... of the stream, to the flat array `out` of any stride."""
    for start in range(0, out.size, CHUNK_WORDS):
        piece = out[start : start + CHUNK_WORDS]
        first, lane = divmod(offset + start, 4)
        count = (lane + piece.size + 3) // 4
        if count <= PYTHON_MAX_BLOCKS:
            piece[:] = blocks_by_python(state, first, count)[lane : lane + piece.size]
        else:
            numbers = np.arange(count, dtype=np.uint64) + np.uint64(first)
            piece[:] = blocks_at(state, numbers).reshape(-1)[lane : lane + piece.size]


def words_at(state, positions):
    """The words at any positions of the stream, in the shape of `positions`, a uint64 array."""
    blocks = blocks_at(state, positions.reshape(-1) >> BLOCK_SHIFT)
    lanes = (positions.reshape(-1, 1) & LANE_MASK).astype(np.intp)
    return np.take_along_axis(blocks, lanes, axis=1).reshape(positions.shape)


def advance(state, blocks):
    """Advance the counter of a state in place."""
    state[:4] = philox.add_blocks(counter_and_key(state)[0], int(blocks))
