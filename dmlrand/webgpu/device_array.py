"""Arrays in the memory of a WebGPU device."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..drawing.tensor import Shape

ELEMENT_BYTES = 4  # of every type
READ_PIECE_BYTES = 1 << 24  # the size of the buffer through which an array is read


@dataclass(frozen=True, eq=False)
class DeviceArray:
    """A contiguous, row-major array in a buffer of a WebGPU device.

    Attributes
    ----------
    device : wgpu.GPUDevice
    buffer : wgpu.GPUBuffer
        May be larger than the array. None if the array has no elements and no buffer was given.
    offset : int
        The place of the first element in the buffer, in bytes.
    shape : tuple of ints
    dtype : numpy.dtype
        uint32, int32, float32 or bool. In the buffer, every element has 4 bytes: a bool is the uint32 0 or 1.

    >>> from dmlrand import make_state, webgpu
    >>> webgpu.random_generator(make_state(key=42), (2, 3)).values.nbytes
    24
    """

    device: Any
    buffer: Any
    offset: int
    shape: Shape
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The number of bytes of all elements in the buffer."""
        return ELEMENT_BYTES * self.size

    def to_numpy(self) -> NDArray[Any]:
        """A copy as a NumPy array. Waits until the device has made the values.

        The buffer needs the usage COPY_SRC, which new buffers have.
        """
        words = np.empty(self.shape, np.uint32)
        target = words.reshape(-1).view(np.uint8)
        for start in range(0, self.nbytes, READ_PIECE_BYTES):
            piece = target[start : start + READ_PIECE_BYTES]
            read = self.device.queue.read_buffer(self.buffer, self.offset + start, piece.size)
            piece[:] = np.frombuffer(read, np.uint8)
        return words.astype(bool) if self.dtype == bool else words.view(self.dtype)
