"""The masks of attention's dropout on a CUDA device: of the kernel flash and of the memory-efficient kernel."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...drawing.tensor import check_sizes
from ...drawing.window import one_per_axis, window_region
from ...operator import random_window
from ...state import State, make_state
from .. import kernels
from ..shared import FLOAT32, check_choice, check_signed_seed
from .generator import check_chance, check_offset, uniforms

__all__ = ["attention_dropout_mask", "flash_attn_dropout_mask"]

LANES, TILE_ROWS, TILE_COLUMNS = 32, 16, 32  # of FlashAttention. A head takes 32 offsets.


def attention_dropout_mask(
    shape: Any, p: float, seed: int, offset: int, kernel: str = "flash", *, window: Any = ...
) -> NDArray[np.bool_]:
    """Which elements of the attention matrix `scaled_dot_product_attention` keeps on a CUDA device. shape is (batch,
    heads, queries, keys). seed and offset, a multiple of 4, are those of the CUDA generator before the call. kernel is
    "flash" for SDPBackend.FLASH_ATTENTION, "efficient" for SDPBackend.EFFICIENT_ATTENTION. window is the part of the
    mask to compute, as in random_window. p is `dropout_p`; for "flash" it is below 1.

    >>> mask = attention_dropout_mask((8, 16, 4096, 4096), 0.1, seed=42, offset=0, window=(0, 3, slice(2), slice(100)))
    >>> mask.shape, int(mask.sum())
    ((2, 100), 181)
    """
    sizes = check_sizes(shape)
    if len(sizes) != 4:
        raise ValueError(f"shape must be (batch, heads, queries, keys); got {sizes}.")
    key, first, chance = check_signed_seed(seed), check_offset(offset), check_chance(p, FLOAT32)
    is_flash = check_choice(kernel, "kernel", ("flash", "efficient")) == "flash"
    if is_flash and chance == 1:
        raise ValueError(f"p must be below 1 for the kernel flash, as in FlashAttention; got {p}.")
    result = window_region(sizes, window).sizes  # checks the window
    batches, heads, rows, columns = map(_positions, sizes, one_per_axis(window, 4))
    mask = np.empty((len(batches), len(heads), len(rows), len(columns)), np.bool_)
    for i, j in np.ndindex(mask.shape[:2] if mask.size else (0, 0)):
        if is_flash:
            counter = (first + LANES * (batches[i] * sizes[1] + heads[j])) % (1 << 64)
            mask[i, j] = _flash(make_state(counter=counter, key=key), chance, rows, columns)
        else:
            head = batches[i], heads[j], _slice(rows), _slice(columns)
            mask[i, j] = random_window(make_state(counter=first // 4, key=key), sizes, head) >= _lowest_kept(chance)
    return mask.reshape(result)


def flash_attn_dropout_mask(shape: Any, dropout_p: float, rng_state: Any, *, window: Any = ...) -> NDArray[np.bool_]:
    """The mask of a call of FlashAttention 2 (package flash_attn), as attention_dropout_mask of this module.
    `rng_state` is what the forward pass returns: the seed and the offset, in an array or a list. A tensor needs
    `.cpu().numpy()`."""
    words = rng_state.tolist() if isinstance(rng_state, np.ndarray) else rng_state
    if not isinstance(words, (list, tuple)) or len(words) != 2:
        raise TypeError(f"rng_state must be two ints, the seed and the offset; got {rng_state!r}.")
    return attention_dropout_mask(shape, dropout_p, words[0], words[1] % (1 << 64), window=window)


def _positions(size: int, index: Any) -> range:
    """The positions along an axis that an int or a slice selects."""
    return range(size)[index if isinstance(index, slice) else slice(index % size, index % size + 1)]


def _flash(state: State, chance: Any, rows: range, columns: range) -> NDArray[Any]:
    """A part of the mask of the head whose lane 0 begins at the state."""
    top, left = rows.start // TILE_ROWS, columns.start // TILE_COLUMNS
    down, across = rows[-1] // TILE_ROWS + 1 - top, columns[-1] // TILE_COLUMNS + 1 - left
    tiles = np.empty((down, TILE_ROWS, across, TILE_COLUMNS), np.uint8)
    kernels.flash_mask.run(state, top, left, floor(float(np.float32(1) - chance) * 255), tiles)
    matrix = tiles.reshape(TILE_ROWS * down, TILE_COLUMNS * across)
    return matrix[_slice(rows, TILE_ROWS * top), _slice(columns, TILE_COLUMNS * left)]


def _slice(positions: range, first: int = 0) -> slice:
    """The positions, counted from `first` on."""
    return slice(positions.start - first, positions.stop - first, positions.step)


@lru_cache(maxsize=8)
def _lowest_kept(chance: Any) -> int:
    """The lowest word whose uniform number is above a chance. All higher words have such numbers."""
    return bisect_right(range(1 << 32), chance, key=lambda word: uniforms(np.array([word], np.uint32))[0])
