"""The kernels in numpy alone: Threefry, the arithmetic of XLA, cuRAND's order, blocks, and masks of attention.

Threefry uses Python's integers for few blocks and arrays for many. XLA's functions run on arrays: numpy has no type in
which products of float64 are exact, so kernels of float64 are missing or return NotImplemented.
"""

from functools import partial

import numpy as np

from ... import philox
from ...kernels import rules
from ...kernels.numpy_only.words import CHUNK_WORDS, LOW_HALF, PYTHON_MAX_BLOCKS, WORD_BITS, blocks_at, counter_and_key
from .. import threefry
from . import xla


def fill_rows(words, keys, first, out):
    """The elements of each row, of 1 or 2 words. The numbers of elements wrap at 2**64."""
    pairs = keys.reshape(-1, 2).tolist()
    count = out.size // max(1, len(pairs) * words)
    for key, row in zip(pairs, out.reshape(len(pairs), count, words)):
        for start in range(0, count, CHUNK_WORDS):
            chunk = row[start : start + CHUNK_WORDS]
            if len(chunk) <= PYTHON_MAX_BLOCKS:
                numbers = range(int(first) + start, int(first) + start + len(chunk))
                x0, x1 = np.array([threefry.block((i >> 32, i), key) for i in numbers], np.uint32).T
            else:
                numbers = np.arange(start, start + len(chunk), dtype=np.uint64) + first
                x0, x1 = threefry.block((numbers >> WORD_BITS, numbers), key)
            if words == 1:
                chunk[:, 0] = x0 ^ x1
            else:
                chunk[:, 0], chunk[:, 1] = x0, x1


threefry_bits, threefry_pairs = partial(fill_rows, 1), partial(fill_rows, 2)


def threefry_halves(keys, out):
    pairs = keys.reshape(-1, 2).tolist()
    count = out.size // max(1, len(pairs))
    half = (count + 1) // 2
    counters = np.arange(2 * half, dtype=np.uint64)
    counters[count:] = 0
    for key, row in zip(pairs, out.reshape(len(pairs), count)):
        row[:half], words = threefry.block((counters[:half], counters[half:]), key)
        row[half:] = words[: count - half]


def threefry_fold(keys, data, out):
    pairs = out.reshape(-1, 2)
    if data.size <= PYTHON_MAX_BLOCKS:
        for i, (number, key) in enumerate(zip(data.tolist(), keys.reshape(-1, 2).tolist())):
            pairs[i] = threefry.block((0, number), key)
    else:
        words = threefry.block((0, data.astype(np.uint64)), keys.reshape(-1, 2).T.astype(np.uint64))
        pairs[:, 0], pairs[:, 1] = words


def curand_blocks(state, out):
    (c0, c1, c2, c3), key = counter_and_key(state)
    subsequences = np.arange(out.size // 4, dtype=np.uint64) + np.uint64(c2 | c3 << 32)
    counter = np.uint64(c0), np.uint64(c1), subsequences & LOW_HALF, subsequences >> WORD_BITS
    out[:] = np.stack(philox.block(counter, key), axis=1).reshape(-1)


def draw_blocks(state, numbers, out):
    out[:] = blocks_at(state, numbers).reshape(-1)


def box_muller(u, angles, out):
    out[::2], out[1::2] = rules.pair_of_reals(u, angles)


# XLA


def of_float32(function, *arrays):
    *given, out = arrays
    if out.dtype != np.float32:
        return NotImplemented
    with np.errstate(all="ignore"):  # bounds may be infinite
        out[:] = function(*given)
    return None


xla_log32, xla_log1p32 = partial(of_float32, xla.log_32), partial(of_float32, xla.log1p_32)
xla_exp32, xla_erf32 = partial(of_float32, xla.exp_32), partial(of_float32, xla.erf_32)
xla_erfinv32 = partial(of_float32, xla.erfinv_32)
xla_fma = partial(of_float32, xla.fma)
xla_uniform = partial(
    of_float32, partial(xla.uniform, dropped_bits=np.uint32(9), step=np.float32(2.0**-23), real=np.float32)
)


def xla_randint(high, low, span, start, out):
    unsigned = out.dtype.type
    factor = xla.factor_of_high(np.array([1 << 4 * out.itemsize], out.dtype), span, unsigned)
    out[:] = xla.integer(high, low, span, start, factor, unsigned)


# FlashAttention's masks, by the rules of attention.py on arrays

ROUNDS, LANES = 7, 32
TILE_ROWS_AT_ONCE = 8  # so that the words of a few thousand columns stay in a core's caches

# Byte 4 * q + b of a lane has row lane // 4 + 8 * (b // 2) and column 8 * q + 2 * (lane % 4) + b % 2 of its tile.
_lane, _byte = np.arange(LANES)[:, None], np.arange(16)
TILE_ROW = _lane // 4 + 8 * (_byte % 4 // 2)
TILE_COLUMN = 8 * (_byte // 4) + 2 * (_lane % 4) + _byte % 2


def flash_mask(state, first_row, first_column, limit, out):
    (c0, c1, *_), key = counter_and_key(state)
    lows = np.uint64(c0 | c1 << 32) + np.arange(LANES, dtype=np.uint64)
    tile_columns = np.arange(first_column, first_column + out.shape[2], dtype=np.uint64)[:, None]
    for i in range(0, len(out), TILE_ROWS_AT_ONCE):
        tiles = out[i : i + TILE_ROWS_AT_ONCE].swapaxes(1, 2)
        tile_rows = np.arange(first_row + i, first_row + i + len(tiles), dtype=np.uint64)[:, None, None]
        counter = np.broadcast_arrays(lows & LOW_HALF, lows >> WORD_BITS, tile_rows, tile_columns)
        words = np.stack(philox.block(counter, key, ROUNDS), axis=-1)
        tiles[..., TILE_ROW, TILE_COLUMN] = words.astype("<u4").view(np.uint8) <= limit
