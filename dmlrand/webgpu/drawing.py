"""Numbers on a device: checks of the arguments, the buffer, and the dispatch of the shader that fills it."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, TypedDict

import numpy as np

from ..drawing.arguments import check_int
from ..drawing.messages import format_value
from ..drawing.plan import BoundRule
from ..drawing.tensor import Shape
from ..state import UINT32, State, advance_blocks, blocks_for
from .device_array import ELEMENT_BYTES, DeviceArray
from .devices import default_device, import_wgpu, pipeline

UNSUPPORTED = ("float16", "bfloat16", "float64", "int64", "uint64")  # no types of WGSL

STATE_BYTES = 24
STRUCT_WORDS = 64  # from one struct to the next in a buffer: no device needs a larger alignment than 256 bytes
WORKGROUP_BLOCKS = 64  # blocks that one workgroup computes: @workgroup_size of the shader
MAX_BINDING_BYTES = 1 << 31  # so that the shader can count numbers and blocks in 32 bits


class Options(TypedDict, total=False):
    """What the functions of the distributions take beside their parameters."""

    device: Any
    out: Any
    offset: int


def draw(rule: BoundRule, states: State, lane: int, sizes: Shape, device: Any, out: Any, offset: Any) -> DeviceArray:
    """An array of `sizes`, with as many numbers of each state of shape (B, 6). Each row begins at number `lane`."""
    wgpu = import_wgpu()
    if device is not None and not isinstance(device, wgpu.GPUDevice):
        raise TypeError(
            f"device must be a wgpu.GPUDevice; got {type(device).__name__}. adapter.request_device_sync() makes one."
        )
    if out is not None and not isinstance(out, wgpu.GPUBuffer):
        raise TypeError(
            f"out must be a wgpu.GPUBuffer; got {type(out).__name__}. device.create_buffer makes one, and "
            "DeviceArray.buffer is one."
        )
    if check_int(offset, "offset", 0) % ELEMENT_BYTES:
        raise ValueError(f"offset must be a multiple of {ELEMENT_BYTES} bytes; got {offset}. Each word has 4 bytes.")
    if offset and out is None:
        raise TypeError(f"offset must be left out without out; got {format_value(offset)}. Pass the buffer as out.")
    device = default_device() if device is None else device
    buffer, count = out, prod(sizes)
    if count and out is None:
        uses = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST
        buffer = device.create_buffer(size=ELEMENT_BYTES * count, usage=uses)
    if count:
        fill(device, buffer, offset, states, lane, count // len(states), rule)
    return DeviceArray(device, buffer, offset, sizes, rule.dtype)


def fill(device: Any, buffer: Any, offset: int, states: State, lane: int, count: int, rule: BoundRule) -> None:
    """Write `count` numbers of each state, row after row, to `buffer`, from byte `offset` on.

    `states` has the shape (B, 6). Each row begins with number `lane` of the first block. The shader sees a part of the
    buffer, its binding, whose size and alignment the device limits. So there is one dispatch for each binding. The
    arguments are not checked.
    """
    alignment = device.limits["min-storage-buffer-offset-alignment"]
    limit = min(device.limits["max-storage-buffer-binding-size"], MAX_BINDING_BYTES)
    for place, some, first, numbers in _pieces(states, lane, count, limit - alignment):
        start = offset + ELEMENT_BYTES * place
        before = start % alignment
        size = before + ELEMENT_BYTES * numbers * len(some)
        binding = {"buffer": buffer, "offset": start - before, "size": size}
        _dispatch(device, binding, before // ELEMENT_BYTES, some, first, numbers, rule)


def _pieces(states: State, lane: int, count: int, room: int) -> Iterator[tuple[int, State, int, int]]:
    """The pieces for bindings of `room` bytes: the place of the first number, and states, lane and count as in fill."""
    rows = room // max(STATE_BYTES, ELEMENT_BYTES * count)
    if rows:
        for row in range(0, len(states), rows):
            yield row * count, states[row : row + rows], lane, count
        return
    most = room // ELEMENT_BYTES
    for row, state in enumerate(states):
        for start in range(0, count, most):
            skipped_blocks, first = divmod(lane + start, 4)
            piece = advance_blocks(state, skipped_blocks).reshape(1, 6)
            yield row * count + start, piece, first, min(most, count - start)


def _dispatch(device: Any, binding: Any, first: int, states: State, lane: int, count: int, rule: BoundRule) -> None:
    """Submit one dispatch. `first` is the index of its first number in the binding."""
    usage = import_wgpu().BufferUsage
    row_blocks = blocks_for(lane + count)
    groups = -(-row_blocks * len(states) // WORKGROUP_BLOCKS)
    rows = -(-groups // device.limits["max-compute-workgroups-per-dimension"])
    columns = -(-groups // rows)
    facts = np.zeros(2 * STRUCT_WORDS + states.size, UINT32)  # struct Draw, struct Fill and the states
    facts[:10] = *states[0], lane, count, first, columns * WORKGROUP_BLOCKS
    parameters = rule.parameters.view(UINT32)
    facts[STRUCT_WORDS : STRUCT_WORDS + parameters.size] = parameters
    facts[STRUCT_WORDS + 4 : STRUCT_WORDS + 6] = len(states), row_blocks
    facts[2 * STRUCT_WORDS :] = states.ravel()

    compiled = pipeline(device, rule.name, "fill_row" if len(states) == 1 else "fill_rows")
    given = device.create_buffer(size=facts.nbytes, usage=usage.UNIFORM | usage.STORAGE | usage.COPY_DST)
    device.queue.write_buffer(given, 0, facts)
    size = 4 * STRUCT_WORDS
    structs = [{"buffer": given, "offset": offset, "size": size} for offset in (0, size)]
    resources = (structs[0], binding, structs[1], {"buffer": given, "offset": 2 * size, "size": states.nbytes})
    entries = [{"binding": number, "resource": resource} for number, resource in enumerate(resources)]
    encoder = device.create_command_encoder()
    compute = encoder.begin_compute_pass()
    compute.set_pipeline(compiled)
    compute.set_bind_group(0, device.create_bind_group(layout=compiled.get_bind_group_layout(0), entries=entries))
    compute.dispatch_workgroups(columns, rows, 1)
    compute.end()
    device.queue.submit([encoder.finish()])
