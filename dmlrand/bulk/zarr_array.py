"""A Zarr array to fill, chunk by chunk."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from ..drawing.arguments import check_int
from ..drawing.imports import extra_needed
from ..drawing.plan import draw
from ..drawing.tensor import Shape
from ..files import sync, sync_directory
from .request import FLUSH_BYTES, Distribution, Request

CHUNK_BYTES = 32 << 20  # of the largest chunk by default. Threads share chunks of 4 MiB and more


class ZarrArray(Request):
    """A Zarr array, whose chunks are files. The package zarr makes and writes them, each with one rename.

    After each FLUSH_BYTES of chunks they are flushed, and only then the next ones are written. So the number of chunks
    that exist is the progress. To flush each chunk alone would take twice as long for small ones.
    """

    def __init__(self, state: Any, shape: Any, distribution: Distribution, chunks: Any) -> None:
        with extra_needed("a Zarr array needs", "zarr", "zarr"):
            import zarr
        super().__init__(state, shape, distribution)
        sizes = _default_chunks(self.shape, self.dtype.itemsize) if chunks is None else chunks
        self.chunks = tuple(
            check_int(size, f"chunks[{axis}]", 1)
            for axis, size in enumerate(sizes if isinstance(sizes, (tuple, list)) else (sizes,))
        )
        if len(self.chunks) != len(self.shape):
            raise ValueError(f"chunks must hold one size for each axis of shape {self.shape}; got {self.chunks}.")
        self.grid = tuple(-(-axis // size) for axis, size in zip(self.shape, self.chunks))
        self.chunk_bytes = math.prod(self.chunks) * self.dtype.itemsize  # also of a chunk at an edge, which is padded
        self.total_bytes = math.prod(self.grid) * self.chunk_bytes
        self.flush_bytes: int = max(1, FLUSH_BYTES // self.chunk_bytes) * self.chunk_bytes
        self.zarr: Any = zarr
        self.origin = {
            "state": self.state.ravel().tolist(),
            "new_state": self.new_state().ravel().tolist(),
            "distribution": str(distribution),
        }

    def is_in(self, path: str) -> bool:
        """Whether the folder has this description and all chunks."""
        array = self._open(path, "r")
        return array is not None and array.nchunks_initialized == array.nchunks

    def resume(self, temporary: str) -> int | None:
        """How many bytes of chunks are on the disk, or None if the folder is of another fill."""
        if not os.path.exists(os.path.join(temporary, "zarr.json")):
            return 0
        array = self._open(temporary, "r")
        if array is None:
            return None
        size: int = array.nchunks_initialized * self.chunk_bytes
        return max(size - 1, 0) // self.flush_bytes * self.flush_bytes

    def write(self, temporary: str, target: str, done: int, threads: int) -> Iterator[int]:
        """Write the chunks after the first `done` bytes of chunks. Yields how many bytes are written."""
        for path in Path(temporary).rglob("*.partial"):  # zarr's temporary files, after a kill
            path.unlink()
        with self.zarr.config.set({"array.write_empty_chunks": True}):  # also chunks that hold only zeros
            array = self._open(temporary, "r+")
            if array is None:
                array = self.zarr.create_array(
                    temporary, shape=self.shape, chunks=self.chunks, dtype=self.dtype, compressors=None,
                    attributes={"dmlrand": self.origin},
                )  # fmt: skip
        names = ["zarr.json"]
        for place in islice(np.ndindex(*self.grid), done // self.chunk_bytes, None):
            window = tuple(slice(index * size, (index + 1) * size) for index, size in zip(place, self.chunks))
            array[window] = draw(self.state, self.distribution.rule, self.shape, window, None, threads).values
            names.append("/".join(map(str, ("c", *place))))
            done += self.chunk_bytes
            if done % self.flush_bytes == 0:
                _flush(temporary, names)
                names.clear()
            yield done
        _flush(temporary, names)

    def _open(self, folder: str, mode: str) -> Any:
        """The array of a folder, or None if the folder does not hold an array of this description."""
        try:
            array = self.zarr.open_array(folder, mode=mode)
            found = array.shape, array.chunks, array.dtype, array.attrs.get("dmlrand")
        except (OSError, ValueError, LookupError, TypeError):
            return None
        return array if found == (self.shape, self.chunks, self.dtype, self.origin) else None


def _flush(folder: str, names: list[str]) -> None:
    """Flush files of the folder, and the folders on their paths."""
    for name in names:
        with open(os.path.join(folder, name), "r+b") as file:
            sync(file.fileno())
    for inner in {parent for name in names for parent in PurePosixPath(name).parents}:
        sync_directory(os.path.join(folder, inner))


def _default_chunks(shape: Shape, itemsize: int) -> Shape:
    """Chunks of consecutive values, which are faster than others."""
    chunks, left = [], max(CHUNK_BYTES // itemsize, 1)
    for size in reversed(shape):
        chunks.append(max(min(size, left), 1))
        left //= chunks[-1]
    return tuple(reversed(chunks))
