"""Numbers on a device: the checked arguments, the buffer, and the array that a call returns."""

from __future__ import annotations

from math import prod
from typing import Any

from ..arrays.integers import check_int
from ..arrays.tensor import Shape
from ..messages import format_value
from ..plan import BoundRule
from ..state import State
from .device_array import ELEMENT_BYTES, DeviceArray
from .devices import default_device, device_errors, import_wgpu
from .dispatch import fill

UNSUPPORTED = ("float16", "bfloat16", "float64", "int64", "uint64")  # no types of WGSL


def draw(
    rule: BoundRule, states: State, lane: int, count: int, sizes: Shape, device: Any, out: Any, offset: Any
) -> DeviceArray:
    """An array of `sizes` with `count` numbers of each state, of shape (B, 6). Each row begins at number `lane`."""
    wgpu = import_wgpu()
    if device is not None and not isinstance(device, wgpu.GPUDevice):
        raise TypeError(
            f"device must be a wgpu.GPUDevice; got {type(device).__name__}. adapter.request_device_sync() makes one."
        )
    values_bytes = ELEMENT_BYTES * prod(sizes)
    if out is not None:
        _check_out(out, offset, values_bytes, device)
    elif offset != 0:
        raise TypeError(f"offset must be left out without out; got {format_value(offset)}. Pass the buffer as out.")
    device = default_device() if device is None else device
    with device_errors(device, f"{values_bytes} bytes"):
        buffer = _new_buffer(device, sizes, values_bytes) if out is None else out
        if values_bytes:
            fill(device, buffer, offset, states, lane, count, rule)
    return DeviceArray(device, buffer, offset, sizes, rule.dtype)


def _new_buffer(device: Any, sizes: Shape, values_bytes: int) -> Any:
    """A buffer for the values, or None if there are none."""
    largest = device.limits["max-buffer-size"]
    if values_bytes > largest:
        raise ValueError(
            f"the output must fit in one buffer of the device, of at most {largest} bytes; got shape {sizes} of "
            f"{values_bytes} bytes. Draw parts of the tensor with random_window."
        )
    usage = import_wgpu().BufferUsage
    uses = usage.STORAGE | usage.COPY_SRC | usage.COPY_DST
    return device.create_buffer(size=values_bytes, usage=uses) if values_bytes else None


def _check_out(out: Any, offset: Any, values_bytes: int, device: Any) -> None:
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
    if check_int(offset, "offset", 0) % ELEMENT_BYTES:
        raise ValueError(f"offset must be a multiple of {ELEMENT_BYTES} bytes; got {offset}. Each word has 4 bytes.")
    if offset + values_bytes > out.size:
        raise ValueError(
            f"out must have at least {values_bytes} bytes after offset {offset}; got a buffer of {out.size} "
            "bytes. Make a larger one, or draw fewer words."
        )
