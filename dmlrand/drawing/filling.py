"""Arrays of any size and strides, filled piece by piece by code that needs flat memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.threads import share
from .tensor import is_contiguous_aligned

Array = NDArray[Any]
Make = Callable[[int, Array], object]  # make(start, flat) writes elements start, start + 1, ... of an output to `flat`

SCRATCH_ELEMENTS = 1 << 16  # in the scratch for outputs that kernels cannot write to; it fits in a core's L2 cache
THREADING_MIN_BYTES = 4 << 20  # threads share outputs from this size on; for smaller ones, starting threads costs more
PIECE_ELEMENTS = 1 << 18  # that a thread fills at a time; smaller pieces spend more time in Python between them


def fill_pieces(out: Array, make: Make, threads: int, limit: int | None = None) -> None:
    """Fill `out`, of any strides, by calls of `make`, in row-major order of its indices.

    How `out` is cut into pieces changes only speed and memory, because `make` gives each element by its number alone.
    `limit` is the largest number of elements for one call of `make`.
    """
    flat, shared = is_contiguous_aligned(out), threads > 1 and out.nbytes >= THREADING_MIN_BYTES
    if flat and limit is None and out.size and not shared:
        make(0, out.reshape(-1))
        return

    def fill(job: tuple[int, Array]) -> None:
        start, piece = job
        if flat:
            make(start, piece.reshape(-1))
        else:
            made = np.empty(piece.size, out.dtype)
            make(start, made)
            np.copyto(piece, made.reshape(piece.shape))

    step = (PIECE_ELEMENTS if shared else out.size) if flat else SCRATCH_ELEMENTS
    jobs = pieces(out, min(step, limit or step))
    if shared:
        share(fill, jobs, threads)
    else:
        for job in jobs:
            fill(job)


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
