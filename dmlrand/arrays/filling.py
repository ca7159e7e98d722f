"""Arrays of any size and strides, piece by piece: filled by kernels that write flat memory, or read flat."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .tensor import Shape, is_contiguous_aligned

Array = NDArray[Any]
# make(position, shape, flat): write the elements from number `position` on, of a piece of `shape`, to `flat`.
Make = Callable[[int, Shape, Array], object]

ONE_THREAD = 1  # the default of `threads`, told from True and 1.0 by identity
SCRATCH_ELEMENTS = 1 << 16  # elements made at a time for an output kernels cannot write to directly: within a core's L2
THREADING_MIN_BYTES = 16 << 20  # bytes from which threads share the work: less would not repay starting them
MAX_PIECE_ELEMENTS = 1 << 20  # elements that a thread takes at a time: after a piece, Python starts with cold caches
MIN_PIECE_ELEMENTS = 1 << 18
MAPPED_RESIDENT_ELEMENTS = 1 << 20  # elements of a mapped file that may stay in memory once they were read


def fill_pieces(out: Array, make: Make, threads: int, limit: int | None = None, direct: bool = False) -> None:
    """Fill `out` by calls of `make`, row-major by index whatever its strides.

    The cut into pieces shows in nothing but speed and memory: `make` must give each element by its number alone. It
    is asked for at most `limit` elements at a time, where that is given. With `direct` it writes to `out` as it is;
    without, only flat memory.
    """
    flat = direct or is_contiguous_aligned(out)
    if threads > 1 and out.nbytes >= THREADING_MIN_BYTES:
        from ..kernels.threads import share

        step = min(_share_of(out.size, threads), limit or MAX_PIECE_ELEMENTS) if flat else SCRATCH_ELEMENTS
        share(lambda: _filler(out, make, flat), pieces(out, step), threads)
    elif flat and limit is None and out.size:
        make(0, out.shape, out.reshape(-1))
    else:
        fill = _filler(out, make, flat)
        for job in pieces(out, limit or SCRATCH_ELEMENTS):
            fill(job)


def _share_of(size: int, threads: int) -> int:
    """The elements that a thread takes at a time: two pieces or more for each thread, where they are not too small."""
    step = MAX_PIECE_ELEMENTS
    while step > MIN_PIECE_ELEMENTS and size < 2 * threads * step:
        step //= 2
    return step


def _filler(out: Array, make: Make, flat: bool) -> Callable[[tuple[int, Array]], None]:
    """What fills one piece after another: straight into it where kernels can, else by way of a scratch of its own."""
    scratch = None if flat else np.empty(min(out.size, SCRATCH_ELEMENTS), out.dtype)

    def fill(job: tuple[int, Array]) -> None:
        position, piece = job
        if scratch is None:
            make(position, piece.shape, piece.reshape(-1))
            return
        made = scratch[: piece.size]
        make(position, piece.shape, made)
        np.copyto(piece, made.reshape(piece.shape))

    return fill


def pieces(array: Array, limit: int) -> Iterator[tuple[int, Array]]:
    """Cut an array of any strides into views of at most `limit` elements.

    Yields (position, view) in row-major order, position counting the elements before the view. An empty array has
    no pieces.
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


def flat_pieces(array: Array) -> Iterator[tuple[int, Array]]:
    """The pieces of an array that is only read, each as a flat array: (position, elements).

    A file opened with mmap_mode="r" is given back to the system on the way, so that reading it takes little memory.
    """
    kept = 0
    for position, piece in pieces(np.asarray(array), SCRATCH_ELEMENTS):
        yield position, piece.reshape(-1)
        if position - kept >= MAPPED_RESIDENT_ELEMENTS:
            _give_back(array)
            kept = position


def _give_back(array: Array) -> None:
    import mmap

    # Only what cannot have been written to: the pages of a copy-on-write map may hold more than the file.
    if isinstance(array, np.memmap) and array.mode == "r" and hasattr(mmap, "MADV_DONTNEED"):
        array._mmap.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]
