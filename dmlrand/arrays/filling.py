"""Arrays of any size and strides, filled piece by piece by code that needs flat memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.threads import share
from .tensor import Shape, is_contiguous_aligned

Array = NDArray[Any]
# make(position, shape, flat) writes a piece of `shape` to `flat`. Its first element is number `position` of the output.
Make = Callable[[int, Shape, Array], object]

SCRATCH_ELEMENTS = 1 << 16  # in the scratch for outputs that kernels cannot write to; it fits in a core's L2 cache
THREADING_MIN_BYTES = 4 << 20  # threads share outputs from this size on; for smaller ones, starting threads costs more
MAX_PIECE_ELEMENTS = 1 << 20  # that a thread fills at a time; smaller pieces spend more time in Python between them
MIN_PIECE_ELEMENTS = 1 << 18


def fill_pieces(out: Array, make: Make, threads: int, limit: int | None = None, direct: bool = False) -> None:
    """Fill `out` by calls of `make`, in row-major order of its indices. Its strides do not matter.

    How `out` is cut into pieces changes only speed and memory, because `make` gives each element by its number alone.
    `limit` is the largest number of elements for one call of `make`. With `direct`, `make` can write to `out` of any
    strides; without, `make` writes only to flat memory.
    """
    flat = direct or is_contiguous_aligned(out)
    if flat and limit is None and out.size and (threads == 1 or out.nbytes < THREADING_MIN_BYTES):
        make(0, out.shape, out.reshape(-1))
        return

    def fill(job: tuple[int, Array]) -> None:
        position, piece = job
        made = piece.reshape(-1) if flat else np.empty(piece.size, out.dtype)
        make(position, piece.shape, made)
        if not flat:
            np.copyto(piece, made.reshape(piece.shape))

    if threads > 1 and out.nbytes >= THREADING_MIN_BYTES:
        step = min(_piece_elements(out.size, threads), limit or MAX_PIECE_ELEMENTS) if flat else SCRATCH_ELEMENTS
        share(fill, pieces(out, step), threads)
    else:
        for job in pieces(out, limit or SCRATCH_ELEMENTS):
            fill(job)


def _piece_elements(size: int, threads: int) -> int:
    """The elements that a thread fills at a time: at least two pieces for each thread, unless pieces get too small."""
    step = MAX_PIECE_ELEMENTS
    while step > MIN_PIECE_ELEMENTS and size < 2 * threads * step:
        step //= 2
    return step


def pieces(array: Array, limit: int) -> Iterator[tuple[int, Array]]:
    """Cut an array of any strides into views of at most `limit` elements.

    Yields (position, view) in row-major order. `position` is the number of elements before the view. An empty array
    has no pieces.
    """
    if array.size == 0:
        return
    axis, below = array.ndim, 1
    while axis and below * array.shape[axis - 1] <= limit:
        axis -= 1
        below *= array.shape[axis]
    if axis == 0:
        yield 0, array
        return
    step = limit // below
    position = 0
    for index in np.ndindex(array.shape[: axis - 1]):
        row = array[index]
        for start in range(0, len(row), step):
            view = row[start : start + step]
            yield position, view
            position += view.size
