"""A tensor as a picture: for each lane a grid of blocks, in which a cell has the origin of its worst element."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...state import State
from ..dump import Dump, Hypothesis
from ..places.fitting import MAX_TABLE, NOT_FOUND, Table
from ..places.origins import FILL, FOREIGN, Codes, Origins
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
    blocks = -(-dump.size * width // 4)
    row_blocks = 1 << max(0, (blocks - 1).bit_length() - 4) // 2
    rows = -(-blocks // row_blocks)
    down, across = (1 << (-(-n // most) - 1).bit_length() for n, most in ((rows, MAX_ROWS), (row_blocks, MAX_COLUMNS)))
    lanes = tuple(range(0, 4, width))
    cells = np.full((len(lanes), -(-rows // down), row_blocks // across), EMPTY, np.uint8)
    origins = Origins(dump)
    table = Table(dump, Hypothesis((), function=dump.right), min(dump.size * width, MAX_TABLE))
    pieces = origins.codes() if report.mismatches else ((place, piece * 0) for place, piece in dump.pieces())
    for position, codes in pieces:
        index = np.arange(position, position + codes.size)
        kinds = _kinds_of(codes) if report.mismatches else np.full(codes.size, RIGHT)
        lost = np.flatnonzero(kinds == FOREIGN_CELL)
        kinds[lost[table.find(dump.at(index[lost])) != NOT_FOUND]] = ELSEWHERE
        block, lane = np.divmod(index * width, 4)
        np.maximum.at(cells, (lane // width, block // row_blocks // down, block % row_blocks // across), kinds)
    return Picture(cells, lanes, row_blocks, (down, across))


def _kinds_of(codes: Codes) -> NDArray[np.uint8]:
    """The number in a cell for each code."""
    kinds = [codes == 0, codes < FOREIGN, codes >= FILL]
    return np.select(kinds, [RIGHT, SHIFTED, CONSTANT], FOREIGN_CELL).astype(np.uint8)
