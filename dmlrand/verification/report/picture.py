"""A tensor as a picture: cells, each with the origin of its worst element."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays.tensor import Shape
from ...state import State
from ..dump import Dump
from ..places.origins import FAR, FILL, FOREIGN, Codes, Origins
from .result import Verification

MAX_CELLS = 256  # in each direction: a cell is then at least three pixels wide
# A cell shows the largest of its elements' numbers.
EMPTY, RIGHT, EARLY_CELL, FAR_CELL, CONSTANT_CELL, FOREIGN_CELL = range(6)


class Picture(NamedTuple):
    """The cells of a tensor: row, column. The rows follow one another in the tensor's row-major order."""

    cells: NDArray[np.uint8]
    rows: int
    columns: int  # elements in a row
    row_axes: tuple[int, ...]  # that are merged into the rows; none: the rows are those of a flat tensor
    column_axes: tuple[int, ...]
    cell: tuple[int, int]  # rows and columns in each cell, powers of two


def layout_of(shape: Shape) -> Picture:
    """The first axes as rows and the last axes as columns, so that the picture is as square as possible.

    A tensor of one axis is wrapped into rows whose length is a power of two. All cells are right, or empty.
    """
    size = prod(shape)
    long = tuple(axis for axis, length in enumerate(shape) if length > 1)
    splits = [(long[:n], long[n:], prod(shape[axis] for axis in long[n:])) for n in range(1, len(long))]
    wrapped = (), (), max(4, 1 << ((size - 1).bit_length() + 1) // 2)
    row_axes, column_axes, columns = min(splits, key=lambda each: max(each[2], size // each[2]), default=wrapped)
    rows = -(-size // columns)
    down, across = (1 << (-(-length // MAX_CELLS) - 1).bit_length() for length in (rows, columns))
    row, column = np.indices((-(-rows // down), -(-columns // across)))
    cells = np.where(row * down * columns + column * across < size, RIGHT, EMPTY).astype(np.uint8)
    return Picture(cells, rows, columns, row_axes, column_axes, (down, across))


def draw_cells(state: State, values: NDArray[Any], report: Verification) -> Picture:
    """The picture of a tensor and its report."""
    picture, origins = layout_of(values.shape), Origins(Dump(state, values))
    down, across = picture.cell
    for position, codes in origins.codes() if report.mismatches else ():
        wrong = np.flatnonzero(codes)
        row, column = np.divmod(position + wrong, picture.columns)
        np.maximum.at(picture.cells, (row // down, column // across), _cells_of(codes[wrong], origins))
    return picture


def _cells_of(codes: Codes, origins: Origins) -> NDArray[np.uint8]:
    """The number in a cell for each code of a wrong element."""
    early = codes < 0
    far = (codes >= FAR) & (codes < FOREIGN)
    early[far] = np.array([offset < 0 for offset in origins.far], np.bool_)[codes[far] - FAR]
    kinds = [early, codes < FOREIGN, codes >= FILL]
    return np.select(kinds, [EARLY_CELL, FAR_CELL, CONSTANT_CELL], FOREIGN_CELL).astype(np.uint8)
