"""Tensors of any size and strides, read as flat pieces."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import DTypeLike

from ..drawing.filling import SCRATCH_ELEMENTS, Array, pieces


def flat_pieces(array: Array) -> Iterator[tuple[int, Array]]:
    """The pieces of an array that is only read, each as a flat array: (position, elements)."""
    for position, piece in pieces(np.asarray(array), SCRATCH_ELEMENTS):
        yield position, piece.reshape(-1)


def unit_of(dtype: DTypeLike) -> str:
    """What an element of a dump of this dtype is called."""
    return "word" if np.dtype(dtype).kind == "u" else "number"
