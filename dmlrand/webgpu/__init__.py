"""Tensors on a GPU, by WebGPU: the same words as dmlrand.random_generator, in the memory of the device.

Needs the package wgpu (extra `webgpu`) and an adapter: a GPU with a driver, or lavapipe, which runs on the processor.
The state stays six words on the host. Clauses: specs/webgpu.md. Not for cryptography.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..arrays.integers import check_int
from ..arrays.tensor import Shape, check_sizes
from ..arrays.window import consecutive_region, whole_region
from ..messages import format_value
from ..outputs import Outputs
from ..state import UINT32, StateLike, advance_blocks, blocks_for, check_state
from .device_array import DeviceArray
from .devices import UNIFORM, WORDS, default_device, device_errors, import_wgpu, shader_source
from .dispatch import WORD_BYTES, fill

__all__ = ["DeviceArray", "Outputs", "random_generator", "random_window", "shader_source", "uniform"]

FLOAT32 = np.dtype(np.float32)


def random_generator(
    state: StateLike, shape: Any, *, device: Any = None, out: Any = None, offset: int = 0
) -> Outputs[DeviceArray]:
    """`dmlrand.random_generator` on a GPU: the same words and the same new state.

    `values` is a DeviceArray of uint32, and `state` an array of NumPy. The call returns before the device has made the
    words. values.to_numpy() waits for them.

    Parameters
    ----------
    state, shape : as in dmlrand.random_generator
        The words must fit in one buffer: see device.limits["max-buffer-size"].
    device : wgpu.GPUDevice, optional
        The default is a device of the adapter that wgpu prefers, made at the first call.
    out : wgpu.GPUBuffer, optional
        A buffer of `device`, which must then be given, to write the words to instead of a new one. It needs the usage
        STORAGE, and COPY_SRC for to_numpy. No other byte of it is written.
    offset : int >= 0, a multiple of 4
        Where the words begin in `out`, in bytes.

    Raises
    ------
    RuntimeError
        There is no adapter, or the device is lost.
    MemoryError
        The device has no memory for the words.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> values, state = random_generator(make_state(key=42), (2, 3))
    >>> values.to_numpy()
    array([[2632642643, 2012563771,  314527917],
           [1463989207, 4242219303, 1404726525]], dtype=uint32)
    >>> state
    array([ 2,  0,  0,  0, 42,  0], dtype=uint32)
    """
    return _draw(state, shape, None, UINT32, device, out, offset)


def random_window(
    state: StateLike, shape: Any, window: Any, *, device: Any = None, out: Any = None, offset: int = 0
) -> DeviceArray:
    """`dmlrand.random_window` on a GPU, for windows whose words are consecutive in the tensor.

    Such a window takes ints or ranges of one element along the first axes, one range of step 1 along the next axis, and
    all of the axes after it. Another window is a ValueError. The tensor must have fewer than 2**63 words. All other
    arguments are those of random_generator.

    >>> from dmlrand import make_state
    >>> random_window(make_state(key=42), (2**30, 2**30), (5, slice(1, 4))).to_numpy()
    array([3116674875,   96954776, 1110757889], dtype=uint32)
    """
    return _draw(state, shape, window, UINT32, device, out, offset).values


def uniform(
    state: StateLike, shape: Any, *, window: Any = None, device: Any = None, out: Any = None, offset: int = 0
) -> Outputs[DeviceArray]:
    """`dmlrand.uniform` on [0, 1) as float32, on a GPU, with the same bits.

    `window` is that of random_window. All other arguments are those of random_generator. Scale the
    numbers in your own shader if you need another range: GPUs may fuse a product and a sum, so the bits of scaled
    numbers depend on the GPU.

    >>> from dmlrand import make_state
    >>> uniform(make_state(key=42), 3).values.to_numpy()
    array([0.8354591 , 0.9162973 , 0.49464953], dtype=float32)
    """
    return _draw(state, shape, window, FLOAT32, device, out, offset)


def _draw(
    state: Any, shape: Any, window: Any, dtype: np.dtype[Any], device: Any, out: Any, offset: int
) -> Outputs[DeviceArray]:
    wgpu = import_wgpu()
    start, sizes = check_state(state), check_sizes(shape)
    region = whole_region(sizes) if window is None else consecutive_region(sizes, window)
    count = prod(region.sizes)
    if device is not None and not isinstance(device, wgpu.GPUDevice):
        raise TypeError(
            f"device must be a wgpu.GPUDevice; got {type(device).__name__}. adapter.request_device_sync() makes one."
        )
    if out is not None:
        _check_out(out, offset, count, device)
    elif offset != 0:
        raise TypeError(f"offset must be left out without out; got {format_value(offset)}. Pass the buffer as out.")
    device = default_device() if device is None else device
    with device_errors(device, f"{WORD_BYTES * count} bytes"):
        buffer = _new_buffer(device, region.sizes, count) if out is None else out
        if count:
            fill(device, buffer, offset, start, region.offset, count, WORDS if dtype is UINT32 else UNIFORM)
    values = DeviceArray(device, buffer, offset, region.sizes, dtype)
    return Outputs(values, advance_blocks(start, blocks_for(prod(sizes))))


def _new_buffer(device: Any, sizes: Shape, count: int) -> Any:
    """A buffer for `count` words, or None if there are none."""
    largest = device.limits["max-buffer-size"]
    if WORD_BYTES * count > largest:
        raise ValueError(
            f"the output must fit in one buffer of the device, of at most {largest} bytes; got shape {sizes} of "
            f"{WORD_BYTES * count} bytes. Draw parts of the tensor with random_window."
        )
    usage = import_wgpu().BufferUsage
    uses = usage.STORAGE | usage.COPY_SRC | usage.COPY_DST
    return device.create_buffer(size=WORD_BYTES * count, usage=uses) if count else None


def _check_out(out: Any, offset: Any, count: int, device: Any) -> None:
    wgpu = import_wgpu()
    if device is None:
        raise TypeError("device must be given with out; got None. Pass the device that made the buffer.")
    if not isinstance(out, wgpu.GPUBuffer):
        raise TypeError(
            f"out must be a wgpu.GPUBuffer; got {type(out).__name__}. device.create_buffer makes one, and "
            "DeviceArray.buffer is one."
        )
    if not out.usage & wgpu.BufferUsage.STORAGE:
        raise ValueError(
            "out must have the usage wgpu.BufferUsage.STORAGE; got a buffer without it. "
            "Make it with usage=wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC."
        )
    if check_int(offset, "offset", 0) % WORD_BYTES:
        raise ValueError(f"offset must be a multiple of {WORD_BYTES} bytes; got {offset}. Each word has 4 bytes.")
    if offset + WORD_BYTES * count > out.size:
        raise ValueError(
            f"out must have at least {WORD_BYTES * count} bytes after offset {offset}; got a buffer of {out.size} "
            "bytes. Make a larger one, or draw fewer words."
        )
