"""A tensor as a picture: for each lane a grid of blocks, in which a cell has the origin of its worst element."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...state import State, blocks_for
from ..dump import Dump, Hypothesis
from ..places.fitting import MAX_TABLE, NOT_FOUND, Table
from ..places.origins import FILL, FOREIGN, Origins
from .result import Verification

MAX_ROWS, MAX_COLUMNS = 256, 64  # cells
# A cell shows the largest of its elements' numbers.
EMPTY, RIGHT, SHIFTED, ELSEWHERE, CONSTANT, FOREIGN_CELL = range(6)


class Picture(NamedTuple):
    """The cells: lane, row, column. Each row holds the same number of blocks, a power of two."""

    cells: NDArray[np.uint8]
    lanes: tuple[int, ...]  # in which elements begin
    row_blocks: int
    cell: tuple[int, int]  # rows of blocks, and blocks of a row, in each cell: powers of two


def draw_cells(state: State, values: NDArray[Any], report: Verification) -> Picture:
    """The picture of a tensor of words or numbers, and its report."""
    dump = Dump(state, values)
    width = dump.right.width
    words = dump.size * width
    row_blocks = 1 << max(0, (blocks_for(words) - 1).bit_length() - 4) // 2
    rows = -(-blocks_for(words) // row_blocks)
    down, across = (1 << (-(-n // most) - 1).bit_length() for n, most in ((rows, MAX_ROWS), (row_blocks, MAX_COLUMNS)))
    lanes = tuple(range(0, 4, width))
    lane, row, column = np.indices((len(lanes), -(-rows // down), row_blocks // across))
    first = 4 * (row * down * row_blocks + column * across) + lane * width  # word
    cells = np.where(first < words, RIGHT, EMPTY).astype(np.uint8)
    origins = Origins(dump)
    table = Table(dump, Hypothesis((), function=dump.right), min(words, MAX_TABLE)) if report.mismatches else None
    for position, codes in origins.codes() if table else ():
        wrong = np.flatnonzero(codes)
        kinds = np.select([codes[wrong] < FOREIGN, codes[wrong] >= FILL], [SHIFTED, CONSTANT], FOREIGN_CELL)
        lost = np.flatnonzero(kinds == FOREIGN_CELL)
        kinds[lost[table.find(dump.at(position + wrong[lost])) != NOT_FOUND]] = ELSEWHERE  # type: ignore[union-attr]
        block, in_block = np.divmod((position + wrong) * width, 4)
        place = in_block // width, block // row_blocks // down, block % row_blocks // across
        np.maximum.at(cells, place, kinds.astype(np.uint8))
    return Picture(cells, lanes, row_blocks, (down, across))
