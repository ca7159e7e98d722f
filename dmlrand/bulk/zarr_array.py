"""The files of a Zarr array to fill, each as a pure function of the request.

The rules are those of Zarr's format 3: https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html. The chunks are
not compressed, because random words cannot be made smaller. So no file needs the package zarr to be written.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ..arrays.integers import check_int
from ..arrays.tensor import Shape, check_addressable
from ..messages import format_value
from .content import little_endian
from .distribution import Distribution
from .request import Request

METADATA = "zarr.json"
CHUNK_BYTES = 32 << 20  # of the largest chunk by default. Threads share chunks of 4 MiB and more


class Chunk(NamedTuple):
    """A file of the array: its name within the folder, the window of its values, and their size without padding."""

    name: str
    window: tuple[slice, ...]
    value_bytes: int


class ZarrArray(Request):
    """A request, and the sizes of the chunks. The bytes of a chunk are computed when they are asked for."""

    def __init__(self, state: Any, shape: Any, distribution: Distribution, chunks: Any) -> None:
        super().__init__(state, shape, distribution)
        size = self.dtype.itemsize
        self.chunks = _default_chunks(self.shape, size) if chunks is None else _check_chunks(chunks, self.shape, size)
        self.chunk_bytes = math.prod(self.chunks) * size  # of every file: those at the edges are padded

    def members(self) -> dict[str, Any]:
        return {**super().members(), "chunks": list(self.chunks)}

    def metadata(self) -> bytes:
        """The file that describes the array. Its attributes hold the states before and after the values."""
        import json

        origin = {
            "state": self.state.ravel().tolist(),
            "new_state": self.new_state().ravel().tolist(),
            "distribution": str(self.distribution),
        }
        order = {"configuration": {"endian": "little"}} if self.dtype.itemsize > 1 else {}
        description = {
            "zarr_format": 3,
            "node_type": "array",
            "shape": list(self.shape),
            "data_type": self.dtype.name,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(self.chunks)}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": self.dtype.type(0).item(),
            "codecs": [{"name": "bytes"} | order],
            "attributes": {"dmlrand": origin},
        }
        return (json.dumps(description, indent=2) + "\n").encode()

    def chunk_files(self) -> Iterator[Chunk]:
        """All chunks in row-major order, the order in which a fill writes them."""
        for place in np.ndindex(*(-(-size // step) for size, step in zip(self.shape, self.chunks))):
            window = tuple(
                slice(index * step, min((index + 1) * step, size))
                for index, step, size in zip(place, self.chunks, self.shape)
            )
            values = math.prod(axis.stop - axis.start for axis in window)
            yield Chunk("/".join(map(str, ("c", *place))), window, values * self.dtype.itemsize)

    def can_resume_at(self, position: Any) -> bool:
        """Whether a fill can resume after so many bytes of values: at a boundary between chunks."""
        ends = accumulate((chunk.value_bytes for chunk in self.chunk_files()), initial=0)
        return type(position) is int and position in ends

    def chunk_data(self, chunk: Chunk, threads: int = 1) -> memoryview:
        """The bytes of a chunk. At the edges of the array it is padded with zeros."""
        values = self.distribution.window(self.state, self.shape, chunk.window, threads)
        if values.shape != self.chunks:
            padded = np.zeros(self.chunks, self.dtype)
            padded[tuple(slice(size) for size in values.shape)] = values
            values = padded
        return little_endian(values)


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
