"""Arrays in .npy files: written little-endian, read in either byte order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import IO, Any

import numpy as np


def save_array(file: IO[bytes], array: np.ndarray[Any, Any]) -> None:
    """numpy.save through `file.write` only, little-endian on every machine.

    For a real file numpy uses C calls, whose errors lack the system's reason.
    """
    little_endian = array.astype(array.dtype.newbyteorder("<"), copy=False)
    np.save(SimpleNamespace(write=file.write), little_endian, allow_pickle=False)


def load_array(file: str | IO[bytes]) -> Any:
    """numpy.load without pickles, memory-mapped for a path, and without a warning about sizes that overflow.

    numpy raises an error for such sizes.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return np.load(file, mmap_mode="r" if isinstance(file, str) else None, allow_pickle=False)


def in_native_order(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The values of a .npy file in the machine's byte order. An array of that order is not copied."""
    return array.astype(array.dtype.newbyteorder("="), copy=False)
