"""The mask of FlashAttention 2's dropout, by the rules of attention.py on arrays."""

import numpy as np

from .... import philox
from ....kernels.numpy_only.words import LOW_HALF, WORD_BITS, counter_and_key

ROUNDS = 7
ROWS, COLUMNS, LANES = 16, 32, 32  # of a tile
TILE_ROWS_AT_ONCE = 8  # so that the words of a few thousand columns stay in a core's caches

# Byte 4 * q + b of a lane has row lane // 4 + 8 * (b // 2) and column 8 * q + 2 * (lane % 4) + b % 2 of its tile.
_lane, _byte = np.arange(LANES)[:, None], np.arange(16)
TILE_ROW = _lane // 4 + 8 * (_byte % 4 // 2)
TILE_COLUMN = 8 * (_byte // 4) + 2 * (_lane % 4) + _byte % 2


def flash_mask(state, first_row, first_column, limit, out):
    rows, columns = out.shape
    step = ROWS * TILE_ROWS_AT_ONCE
    for row in range(first_row - first_row % ROWS, first_row + rows, step):
        start, stop = max(row, first_row), min(row + step, first_row + rows)
        kept = _tiles(state, row // ROWS, -(-stop // ROWS), first_column, columns) <= limit
        out[start - first_row : stop - first_row] = kept[start - row : stop - row]


def _tiles(state, first_tile, last_tile, first_column, columns):
    """The bytes of the rows of tiles from the first one to before the last one."""
    low, _, key = counter_and_key(state)
    lows = np.uint64(low) + np.arange(LANES, dtype=np.uint64)
    left, right = first_column // COLUMNS, -(-(first_column + columns) // COLUMNS)
    tile_rows = np.arange(first_tile, last_tile, dtype=np.uint64)[:, None, None]
    tile_columns = np.arange(left, right, dtype=np.uint64)[:, None]
    counter = tuple(np.broadcast_arrays(lows & LOW_HALF, lows >> WORD_BITS, tile_rows, tile_columns))
    for _ in range(ROUNDS):
        counter = philox.apply_round(counter, key)
        key = philox.bump_key(key)
    drawn = np.stack(counter, axis=-1).astype("<u4").view(np.uint8)
    tiles = np.empty((last_tile - first_tile, right - left, ROWS, COLUMNS), np.uint8)
    tiles[..., TILE_ROW, TILE_COLUMN] = drawn
    matrix = tiles.swapaxes(1, 2).reshape(ROWS * (last_tile - first_tile), COLUMNS * (right - left))
    return matrix[:, first_column - left * COLUMNS :][:, :columns]
