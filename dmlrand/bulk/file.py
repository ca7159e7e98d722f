"""The bytes of a file to fill: any range of them can be computed without the others."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files import open_like, sync
from .request import FLUSH_BYTES, Distribution, OtherFillError, Request, little_endian

PIECE_BYTES = 16 << 20  # computed and written at a time; large enough to be shared among threads
PROBE_BYTES = 1 << 16


class File(Request):
    """The bytes of a file: any range of them, without the others."""

    def __init__(self, state: Any, shape: Any, distribution: Distribution, is_npy: bool) -> None:
        super().__init__(state, shape, distribution)
        file = io.BytesIO()
        if is_npy:
            description = {"descr": self.dtype.newbyteorder("<").str, "fortran_order": False, "shape": self.shape}
            np.lib.format.write_array_header_1_0(file, description)
        self.header = file.getvalue()  # of a multiple of 64 bytes
        self.total_bytes += len(self.header)

    def is_in(self, path: str) -> bool:
        """Whether the file has this length, and its first and last bytes."""
        if not os.path.isfile(path) or os.path.getsize(path) != self.total_bytes:
            return False
        with open(path, "rb") as file:
            return self._agrees(file, self.total_bytes)

    def resume(self, temporary: str) -> int:
        """How many bytes of the temporary file are on the disk. They are checked to be those of this file."""
        if not os.path.exists(temporary):
            return 0
        with open(temporary, "rb") as file:
            size = min(os.fstat(file.fileno()).st_size, self.total_bytes)
            done = max(size - 1, 0) // FLUSH_BYTES * FLUSH_BYTES
            if not self._agrees(file, done):
                raise OtherFillError
        return done

    def _agrees(self, file: Any, size: int) -> bool:
        """Whether the first and the last PROBE_BYTES of the first `size` bytes are right.

        A comparison of all bytes would take as long as writing them.
        """
        for start in (0, max(0, size - PROBE_BYTES)):
            stop = min(start + PROBE_BYTES, size)
            file.seek(start)
            if file.read(stop - start) != b"".join(self._between(start, stop, 1, self._buffer(PROBE_BYTES))):
                return False
        return True

    def write(self, temporary: str, target: str, done: int, threads: int) -> Iterator[int]:
        """Write the bytes from `done` on. Yields how many are written."""

        def opener(path: str, flags: int) -> int:
            return open_like(target, path, flags | os.O_CREAT)

        buffer = self._buffer(min(PIECE_BYTES, self.total_bytes))
        with open(temporary, "r+b", 0, opener=opener) as file:
            file.truncate(done)
            file.seek(done)
            while done < self.total_bytes:
                flush_at = (done // FLUSH_BYTES + 1) * FLUSH_BYTES
                stop = min(done + PIECE_BYTES, flush_at, self.total_bytes)
                for part in self._between(done, stop, threads, buffer):
                    while part:
                        part = part[file.write(part) :]
                done = stop
                if done == flush_at:
                    sync(file.fileno())
                yield done
            sync(file.fileno())

    def _buffer(self, size: int) -> NDArray[Any]:
        """Room for the values of any `size` bytes of the file."""
        return np.empty(size // self.dtype.itemsize + 5, self.dtype)

    def _between(self, start: int, stop: int, threads: int, buffer: NDArray[Any]) -> tuple[memoryview, memoryview]:
        """Bytes `start` to `stop` of the file: those of the header, and those of values."""
        header, size = len(self.header), self.dtype.itemsize
        first = max(start - header, 0) // size // 4 * 4
        last = max(first, -(-(stop - header) // size))
        values, offset = buffer[: last - first], header + first * size
        self.distribution.fill(self.state_at(first), values, threads)
        body = little_endian(values)[max(start - offset, 0) : max(stop - offset, 0)]
        return memoryview(self.header)[start:stop], body
