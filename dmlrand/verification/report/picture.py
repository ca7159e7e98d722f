"""A tensor as a picture: cells, each with the origin of its worst element."""

from __future__ import annotations

from collections import Counter
from math import isqrt, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays.tensor import Shape
from ...state import State
from ..dump import Dump
from ..places.origins import FAR, FILL, FOREIGN, Codes, Origins
from ..places.segments import element_codes
from .result import Segment, Verification

MAX_CELLS = 256  # in each direction, of all tiles together: a cell is then at least three pixels wide
MAX_TILES_SIDE = 8  # tiles in each direction, so that the index of a tile can be read
# A cell shows the largest of its elements' numbers.
EMPTY, RIGHT, OFFSET_CELL, EARLY_CELL, FAR_CELL, CONSTANT_CELL, FOREIGN_CELL = range(7)
MAX_OFFSETS = 3  # told apart, as OFFSET_CELL to FAR_CELL; of more, one has OFFSET_CELL, and the others are early or far


class Direction(NamedTuple):
    """The rows or the columns of a picture, or of each of its tiles."""

    size: int  # indexes
    stride: int  # elements from one index to the next
    axis: int | None  # of the tensor; None for a flat tensor, which is wrapped
    cell: int  # indexes in each cell, a power of two

    @property
    def cells(self) -> int:
        return -(-self.size // self.cell)

    def cell_of(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        cells: NDArray[np.int64] = places // self.stride % self.size // self.cell
        return cells


class Layout(NamedTuple):
    """Where the elements of a tensor are drawn."""

    rows: Direction
    columns: Direction
    tile_axes: tuple[int, ...] = ()  # there is a tile for each of their indexes
    grid: tuple[int, int] = (1, 1)  # rows and columns of tiles
    tiles: int = 1
    folded: tuple[int, ...] = ()  # axes that are not drawn: a cell holds the elements of each of their indexes


class Picture(NamedTuple):
    """The cells of a tensor: tile, row, column. `offsets` are the meanings of OFFSET_CELL and the numbers after it.

    If `others` is True, EARLY_CELL and FAR_CELL are all other offsets, by their sign.
    """

    layout: Layout
    cells: NDArray[np.uint8]
    offsets: tuple[int, ...]
    others: bool
    slices: int  # one for each index of the axes that are not rows and columns
    wrong_slices: int


def layout_of(shape: Shape) -> Layout:
    """The two largest axes as rows and columns, and as many of the others as fit, shortest first, as a grid of tiles.

    A tensor of one axis is wrapped into rows whose length is a power of two.
    """
    long = [axis for axis, size in enumerate(shape) if size > 1]
    if len(long) < 2:
        size = prod(shape)
        length = max(4, 1 << ((size - 1).bit_length() + 1) // 2)
        return Layout(_direction(-(-size // length), length, None), _direction(length, 1, None))
    drawn = sorted(sorted(long, key=lambda axis: (shape[axis], axis))[-2:])
    others = sorted((axis for axis in long if axis not in drawn), key=lambda axis: shape[axis])
    while prod(shape[axis] for axis in others) > MAX_TILES_SIDE**2:
        others.pop()
    tile_axes = tuple(sorted(others))
    tiles = prod(shape[axis] for axis in tile_axes)
    across = shape[tile_axes[-1]] if tile_axes else 1  # the last axis goes across, if that fits
    if len(tile_axes) == 1 or max(across, tiles // across) > MAX_TILES_SIDE:
        across = isqrt(tiles - 1) + 1
    grid = -(-tiles // across), across
    rows, columns = (
        _direction(shape[axis], prod(shape[axis + 1 :]), axis, tiles_side) for axis, tiles_side in zip(drawn, grid)
    )
    folded = tuple(axis for axis in long if axis not in (*drawn, *tile_axes))
    return Layout(rows, columns, tile_axes, grid, tiles, folded)


def _direction(size: int, stride: int, axis: int | None, tiles_side: int = 1) -> Direction:
    least = -(-size // (MAX_CELLS // tiles_side))
    return Direction(size, stride, axis, 1 << (least - 1).bit_length())


def draw_cells(state: State, values: NDArray[Any], report: Verification) -> Picture:
    """The picture of a tensor and its report. Beyond the picture, the memory needed is one byte for each slice."""
    layout = layout_of(values.shape)
    offsets, others = _common_offsets(report.segments)
    cells = np.full((layout.tiles, layout.rows.cells, layout.columns.cells), RIGHT, np.uint8)
    if layout.columns.axis is None:  # wrapped
        _, row, column = np.indices(cells.shape)
        first = row * layout.rows.cell * layout.rows.stride + column * layout.columns.cell
        cells[first >= values.size] = EMPTY
    not_drawn = tuple(sorted((*layout.tile_axes, *layout.folded)))
    slices = prod(values.shape[axis] for axis in not_drawn)
    wrong_slices = np.zeros(slices, np.bool_)
    origins = Origins(state)
    for position, codes in element_codes(origins, Dump(state, values)) if report.mismatches else ():
        wrong = np.flatnonzero(codes)
        if wrong.size:
            places = position + wrong
            tile = flat_index(places, values.shape, layout.tile_axes)
            row = tile * layout.rows.cells + layout.rows.cell_of(places)
            cell = row * layout.columns.cells + layout.columns.cell_of(places)
            np.maximum.at(cells.reshape(-1), cell, _origins_of(codes[wrong], offsets, origins))
            wrong_slices[flat_index(places, values.shape, not_drawn)] = True
    return Picture(layout, cells, offsets, others, slices, int(np.count_nonzero(wrong_slices)))


def flat_index(places: NDArray[np.int64], shape: Shape, axes: tuple[int, ...]) -> NDArray[np.int64]:
    """The flat index along some axes of the elements at `places`."""
    index = np.zeros(places.shape, np.int64)
    for axis in axes:
        index = index * shape[axis] + places // prod(shape[axis + 1 :]) % shape[axis]
    return index


def _origins_of(codes: Codes, offsets: tuple[int, ...], origins: Origins) -> NDArray[np.uint8]:
    """The number in a cell for each code of a wrong element."""
    numbers = np.where(codes < 0, EARLY_CELL, FAR_CELL).astype(np.uint8)
    for code in np.unique(codes[(codes >= FAR) & (codes < FOREIGN)]).tolist():
        if origins.is_early(code):
            numbers[codes == code] = EARLY_CELL
    for number, offset in enumerate(offsets):
        code = origins.code_of(offset)
        if code is not None:
            numbers[codes == code] = OFFSET_CELL + number
    numbers[codes >= FILL] = CONSTANT_CELL
    numbers[codes == FOREIGN] = FOREIGN_CELL
    return numbers


def _common_offsets(segments: tuple[Segment, ...]) -> tuple[tuple[int, ...], bool]:
    """The offsets with most words, and whether there are others."""
    words: Counter[int] = Counter()
    varying = False
    for segment in segments:
        if segment.step != 0:
            varying = True
        elif segment.offset:
            words[segment.offset] += round(segment.share * (segment.stop - segment.start))
    others = varying or len(words) > MAX_OFFSETS
    common = words.most_common(1 if others else MAX_OFFSETS)
    return tuple(offset for offset, _ in common), others
