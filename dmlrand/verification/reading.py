"""Tensors of any size and strides, read as flat pieces."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import DTypeLike

from ..arrays.filling import SCRATCH_ELEMENTS, Array, pieces

MAPPED_RESIDENT_ELEMENTS = 1 << 20  # of a mapped file that may stay in memory after they were read


def flat_pieces(array: Array) -> Iterator[tuple[int, Array]]:
    """The pieces of an array that is only read, each as a flat array: (position, elements).

    The pages of a file opened with mmap_mode="r" are read ahead, and released after reading, so that they take little
    memory.
    """
    released = 0
    _advise(array, "MADV_SEQUENTIAL")
    try:
        for position, piece in pieces(np.asarray(array), SCRATCH_ELEMENTS):
            yield position, piece.reshape(-1)
            if position - released >= MAPPED_RESIDENT_ELEMENTS:
                _advise(array, "MADV_DONTNEED")
                released = position
    finally:
        _advise(array, "MADV_NORMAL")


def unit_of(dtype: DTypeLike) -> str:
    """What an element of a dump of this dtype is called."""
    return "word" if np.dtype(dtype).kind == "u" else "number"


def _advise(array: Array, advice: str) -> None:
    """Tell the system how a mapped file is read. After MADV_DONTNEED, later reads load its pages again."""
    import mmap

    # Only a read-only map: the pages of a copy-on-write map can differ from the file.
    if isinstance(array, np.memmap) and array.mode == "r" and hasattr(mmap, advice):
        array._mmap.madvise(getattr(mmap, advice))  # type: ignore[attr-defined]
