"""The bytes of a file to fill, as a pure function of the request: any range of them, without the others."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.names import RAW_SUFFIXES, quoted
from .distribution import Distribution
from .request import Request


class Content(Request):
    """The header and the values of a file, all little-endian. The values are computed when they are asked for."""

    def __init__(self, path: str, state: Any, shape: Any, distribution: Distribution) -> None:
        super().__init__(state, shape, distribution)
        self.header = _header(path, self.shape, self.dtype)
        self.total_bytes += len(self.header)

    def fill(self, first: int, out: NDArray[Any], threads: int = 1) -> memoryview:
        """The bytes of the values from index `first` on, a multiple of 4. `out` has rank 1 and receives the values."""
        self.distribution.fill(self.state_before(first), out, threads)
        return little_endian(out)

    def bytes_between(self, start: int, stop: int) -> bytes:
        """Bytes `start` to `stop` of the file."""
        header, size = len(self.header), self.dtype.itemsize
        first = max(start - header, 0) // size // 4 * 4
        last = min(-(-(stop - header) // size), self.value_count)
        if last <= first:
            return self.header[start:stop]
        body = bytes(self.fill(first, np.empty(last - first, self.dtype)))
        offset = header + first * size  # of `body` in the file
        return self.header[start:stop] + body[max(start - offset, 0) : stop - offset]

    def can_resume_at(self, position: Any) -> bool:
        """Whether a fill can resume at this byte: an end of the file, or the start of a block."""
        if type(position) is not int or not 0 <= position <= self.total_bytes:
            return False
        return position in (0, self.total_bytes) or (position - len(self.header)) % (4 * self.dtype.itemsize) == 0


def little_endian(values: NDArray[Any]) -> memoryview:
    """The bytes of values, little-endian. On a big-endian machine they are swapped in place: a copy takes memory."""
    if sys.byteorder == "big":
        values.byteswap(inplace=True)
    return values.data.cast("B")


def _header(path: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> bytes:
    suffix = os.path.splitext(path)[1]
    if suffix in RAW_SUFFIXES:
        return b""
    if suffix != ".npy":
        raise ValueError(
            "path must end in .npy (a tensor for numpy), in .bin, .dat or .raw (values and nothing else), or in .zarr "
            f"(a folder with a Zarr array); got {quoted(path)}. Choose another name."
        )
    file = io.BytesIO()
    description = {"descr": dtype.newbyteorder("<").str, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, description)
    return file.getvalue()
