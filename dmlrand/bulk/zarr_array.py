"""A Zarr array to fill, chunk by chunk."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.integers import check_int
from ..arrays.tensor import Shape
from ..drawing.plan import draw
from ..files import sync, sync_directory
from ..imports import extra_needed
from ..messages import format_value
from .request import FLUSH_BYTES, Distribution, Request

CHUNK_BYTES = 32 << 20  # of the largest chunk by default. Threads share chunks of 4 MiB and more
Window = tuple[slice, ...]  # of the values of a chunk


class ZarrArray(Request):
    """A Zarr array, whose chunks are files. The package zarr makes and writes them, each with one rename.

    After each FLUSH_BYTES of chunks they are flushed, and only then the next ones are written. So the number of chunks
    that exist is the progress. To flush each chunk alone would take twice as long for small ones.
    """

    def __init__(self, state: Any, shape: Any, distribution: Distribution, chunks: Any) -> None:
        super().__init__(state, shape, distribution)
        size = self.dtype.itemsize
        self.chunks = _default_chunks(self.shape, size) if chunks is None else _check_chunks(chunks, self.shape)
        self.flushed_chunks = max(1, FLUSH_BYTES // (math.prod(self.chunks) * size))  # with one flush
        self.origin = {
            "state": self.state.ravel().tolist(),
            "new_state": self.new_state().ravel().tolist(),
            "distribution": str(distribution),
        }

    def is_in(self, path: str) -> bool:
        """Whether the folder has this description, all chunks, and the right first and last chunk."""
        array, windows = self._open(path, "r"), [window for _, window in self._chunks()]
        if array is None or array.nchunks_initialized < len(windows):
            return False
        return all(np.array_equal(array[each], self._values(each, 1)) for each in windows[:1] + windows[-1:])

    def resume(self, temporary: str) -> int | None:
        """How many bytes of values are in chunks that are on the disk, or None if the folder is of another fill."""
        if not os.path.exists(os.path.join(temporary, "zarr.json")):
            return 0
        array = self._open(temporary, "r")
        if array is None:
            return None
        flushed = max(array.nchunks_initialized - 1, 0) // self.flushed_chunks * self.flushed_chunks
        return sum(self._bytes(window) for _, window in islice(self._chunks(), flushed))

    def write(self, temporary: str, target: str, done: int, threads: int) -> Iterator[int]:
        """Write the chunks after `done` bytes of values. Yields how many bytes of values are written."""
        for path in Path(temporary).rglob("*.partial"):  # zarr's temporary files, after a kill
            path.unlink()
        zarr = _zarr()
        with zarr.config.set({"array.write_empty_chunks": True}):  # also chunks that hold only zeros
            array = self._open(temporary, "r+")
            if array is None:
                array = zarr.create_array(
                    temporary, shape=self.shape, chunks=self.chunks, dtype=self.dtype, compressors=None,
                    attributes={"dmlrand": self.origin},
                )  # fmt: skip
        names, position = ["zarr.json"], 0
        for number, (name, window) in enumerate(self._chunks(), 1):
            position += self._bytes(window)
            if position > done:
                array[window] = self._values(window, threads)
                names.append(name)
                if number % self.flushed_chunks == 0:
                    _flush(temporary, names)
                    names.clear()
                yield position
        _flush(temporary, names)

    def _open(self, folder: str, mode: str) -> Any:
        """The array of a folder, or None if the folder does not hold an array of this description."""
        try:
            array = _zarr().open_array(folder, mode=mode)
            found = array.shape, array.chunks, array.dtype, array.attrs.get("dmlrand")
        except (OSError, ValueError, LookupError, TypeError):
            return None
        return array if found == (self.shape, self.chunks, self.dtype, self.origin) else None

    def _chunks(self) -> Iterator[tuple[str, Window]]:
        """The file and the window of each chunk in row-major order, the order in which a fill writes them."""
        for place in np.ndindex(*(-(-size // step) for size, step in zip(self.shape, self.chunks))):
            axes = zip(place, self.chunks, self.shape)
            window = tuple(slice(index * step, min((index + 1) * step, size)) for index, step, size in axes)
            yield "/".join(map(str, ("c", *place))), window

    def _bytes(self, window: Window) -> int:
        """How many bytes the values of a chunk have, without padding."""
        return int(math.prod(axis.stop - axis.start for axis in window)) * self.dtype.itemsize

    def _values(self, window: Window, threads: int) -> NDArray[Any]:
        return draw(self.state, self.distribution.rule, self.shape, window, None, threads).values


def _zarr() -> Any:
    with extra_needed("a Zarr array needs", "zarr", "zarr"):
        import zarr
    return zarr


def _flush(folder: str, names: list[str]) -> None:
    """Flush the files of these names in the folder, and the folders on their paths."""
    for name in names:
        with open(os.path.join(folder, name), "r+b") as file:
            sync(file.fileno())
    for inner in {parent for name in names for parent in PurePosixPath(name).parents}:
        sync_directory(os.path.join(folder, inner))


def _check_chunks(chunks: Any, shape: Shape) -> Shape:
    sizes = tuple(chunks) if isinstance(chunks, (tuple, list)) else (chunks,)
    if len(sizes) != len(shape):
        raise ValueError(
            f"chunks must hold one size for each axis of shape {shape}; got {format_value(chunks)}. {shape} itself "
            "gives one chunk."
        )
    return tuple(check_int(size, f"chunks[{axis}]", 1) for axis, size in enumerate(sizes))


def _default_chunks(shape: Shape, itemsize: int) -> Shape:
    """Chunks of consecutive values, which are faster than others."""
    chunks, left = [], max(CHUNK_BYTES // itemsize, 1)
    for size in reversed(shape):
        chunks.append(max(min(size, left), 1))
        left //= chunks[-1]
    return tuple(reversed(chunks))
