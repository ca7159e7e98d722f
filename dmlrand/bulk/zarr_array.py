"""A Zarr array to fill, chunk by chunk."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from ..arrays.integers import check_int
from ..arrays.tensor import Shape, check_addressable
from ..files import sync, sync_directory
from ..imports import extra_needed
from ..messages import format_value
from .request import FLUSH_BYTES, Distribution, OtherFillError, Request

METADATA = "zarr.json"
CHUNK_BYTES = 32 << 20  # of the largest chunk by default. Threads share chunks of 4 MiB and more


class _Chunk(NamedTuple):
    """A file of a Zarr array: its name within the folder, the window of its values, and their size without padding."""

    name: str
    window: tuple[slice, ...]
    value_bytes: int


class ZarrArray(Request):
    """A Zarr array, whose chunks are files. The package zarr makes and writes them, each with one rename.

    After each FLUSH_BYTES of chunks they are flushed, and only then the next ones are written. So the number of chunks
    that exist is the progress.
    """

    def __init__(self, state: Any, shape: Any, distribution: Distribution, chunks: Any) -> None:
        super().__init__(state, shape, distribution)
        size = self.dtype.itemsize
        self.chunks = _default_chunks(self.shape, size) if chunks is None else _check_chunks(chunks, self.shape, size)
        self.flushed_chunks = max(1, FLUSH_BYTES // (math.prod(self.chunks) * size))  # with one flush
        self.origin = {
            "state": self.state.ravel().tolist(),
            "new_state": self.new_state().ravel().tolist(),
            "distribution": str(distribution),
        }

    def is_in(self, path: str) -> bool:
        """Whether the folder has this description, all chunks, and the right first and last chunk."""
        windows = [chunk.window for chunk in self._chunks() if _exists(path, chunk)]
        if not self._describes(path) or len(windows) < sum(1 for _ in self._chunks()):
            return False
        array = _zarr().open_array(path, mode="r")
        return all(
            np.array_equal(array[window], self.distribution.window(self.state, self.shape, window, 1))
            for window in windows[:1] + windows[-1:]
        )

    def resume(self, temporary: str) -> int:
        """How many bytes of values are in chunks that are on the disk."""
        for path in Path(temporary).rglob("*.partial"):  # zarr's temporary files, after a kill
            path.unlink()
        if os.path.exists(temporary) and os.listdir(temporary) and not self._describes(temporary):
            raise OtherFillError
        written = [each.value_bytes for each in takewhile(lambda each: _exists(temporary, each), self._chunks())]
        return sum(written[: max(len(written) - 1, 0) // self.flushed_chunks * self.flushed_chunks])

    def write(self, temporary: str, target: str, done: int, threads: int) -> Iterator[int]:
        """Write the chunks after `done` bytes of values. Yields how many bytes of values are written."""
        zarr = _zarr()
        if not self._describes(temporary):
            zarr.create_array(
                temporary, shape=self.shape, chunks=self.chunks, dtype=self.dtype, compressors=None,
                attributes={"dmlrand": self.origin},
            )  # fmt: skip
        with zarr.config.set({"array.write_empty_chunks": True}):  # also chunks that hold only zeros
            array = zarr.open_array(temporary, mode="r+")
        names, position = [METADATA], 0
        for number, chunk in enumerate(self._chunks(), 1):
            position += chunk.value_bytes
            if position > done:
                array[chunk.window] = self.distribution.window(self.state, self.shape, chunk.window, threads)
                names.append(chunk.name)
                if number % self.flushed_chunks == 0:
                    _flush(temporary, names)
                    names.clear()
                yield position
        _flush(temporary, names)

    def _describes(self, folder: str) -> bool:
        """Whether the folder's description is that of this array."""
        import json

        try:
            found = json.loads(Path(folder, METADATA).read_bytes())
            grid = found["shape"], found["chunk_grid"]["configuration"]["chunk_shape"]
            kind, origin = found["data_type"], found["attributes"]["dmlrand"]
        except (OSError, ValueError, LookupError, TypeError):
            return False
        return (grid, kind, origin) == (([*self.shape], [*self.chunks]), self.dtype.name, self.origin)

    def _chunks(self) -> Iterator[_Chunk]:
        """All chunks in row-major order, the order in which a fill writes them."""
        for place in np.ndindex(*(-(-size // step) for size, step in zip(self.shape, self.chunks))):
            window = tuple(
                slice(index * step, min((index + 1) * step, size))
                for index, step, size in zip(place, self.chunks, self.shape)
            )
            values = math.prod(axis.stop - axis.start for axis in window)
            yield _Chunk("/".join(map(str, ("c", *place))), window, values * self.dtype.itemsize)


def _zarr() -> Any:
    with extra_needed("a Zarr array needs", "zarr", "zarr"):
        import zarr
    return zarr


def _exists(folder: str, chunk: _Chunk) -> bool:
    return os.path.exists(os.path.join(folder, chunk.name))


def _flush(folder: str, names: list[str]) -> None:
    """Flush the files of these names in the folder, and the folders on their paths."""
    for name in names:
        with open(os.path.join(folder, name), "r+b") as file:
            sync(file.fileno())
    for inner in {parent for name in names for parent in PurePosixPath(name).parents}:
        sync_directory(os.path.join(folder, inner))


def _check_chunks(chunks: Any, shape: Shape, itemsize: int) -> Shape:
    sizes = tuple(chunks) if isinstance(chunks, (tuple, list)) else (chunks,)
    if len(sizes) != len(shape):
        raise ValueError(
            f"chunks must hold one size for each axis of shape {shape}; got {format_value(chunks)}. {shape} itself "
            "gives one chunk."
        )
    checked = tuple(check_int(size, f"chunks[{axis}]", 1) for axis, size in enumerate(sizes))
    return check_addressable(checked, "chunks", itemsize)


def _default_chunks(shape: Shape, itemsize: int) -> Shape:
    """Chunks of consecutive values, which are faster than others."""
    chunks, left = [], max(CHUNK_BYTES // itemsize, 1)
    for size in reversed(shape):
        chunks.append(max(min(size, left), 1))
        left //= chunks[-1]
    return tuple(reversed(chunks))
