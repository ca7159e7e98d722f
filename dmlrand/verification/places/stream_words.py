"""The right words at any place of a stream: consecutive words, or words at given positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...kernels.numpy_only.words import words_at as words_at_positions
from ...plan import WORDS, draw
from ...state import State, advance_blocks

POSITION_BIAS_BLOCKS = 1 << 60  # makes every position of an int64 array positive


def words_from(state: State, first: int, count: int) -> NDArray[np.uint32]:
    """`count` consecutive words of the stream. Word 0 is the state's first word; `first` is any int."""
    blocks, lane = divmod(first, 4)
    return draw(advance_blocks(state, blocks), WORDS, count, lane=lane).values


def words_at(state: State, positions: NDArray[np.int64]) -> NDArray[np.uint32]:
    """The words of the stream at positions between -2**61 and 2**61, counted from the state's first word."""
    start = advance_blocks(state, -POSITION_BIAS_BLOCKS).reshape(6)
    biased = (positions + 4 * POSITION_BIAS_BLOCKS).astype(np.uint64)
    words: NDArray[np.uint32] = words_at_positions(start, biased)  # type: ignore[no-untyped-call]
    return words
