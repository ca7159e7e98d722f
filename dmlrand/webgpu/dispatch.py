"""Words of a stream written to a buffer of a device, by one or more dispatches of the shader."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..state import UINT32, State, advance_blocks, blocks_for
from .devices import import_wgpu, pipeline

WORD_BYTES = 4
WORKGROUP_BLOCKS = 64  # blocks that one workgroup computes: @workgroup_size in philox.wgsl
MAX_BINDING_BYTES = 1 << 31  # so that the shader can count words and blocks in 32 bits


def fill(
    device: Any,
    buffer: Any,
    offset: int,
    state: State,
    first_word: int,
    count: int,
    entry_point: str,
    max_binding_bytes: int = MAX_BINDING_BYTES,
) -> None:
    """Write words first_word, first_word + 1, ... of the stream that starts at `state` to `buffer`.

    `offset` is in bytes. The shader sees a part of the buffer, its binding, whose size and alignment the device limits.
    So there is one dispatch for each binding. The arguments are not checked.
    """
    alignment = device.limits["min-storage-buffer-offset-alignment"]
    limit = min(device.limits["max-storage-buffer-binding-size"], max_binding_bytes)
    encoder = device.create_command_encoder()
    end = offset + WORD_BYTES * count
    while offset < end:
        start = offset - offset % alignment
        stop = min(end, start + limit // WORD_BYTES * WORD_BYTES)
        words = (stop - offset) // WORD_BYTES
        binding = {"buffer": buffer, "offset": start, "size": stop - start}
        _dispatch(device, encoder, binding, (offset - start) // WORD_BYTES, state, first_word, words, entry_point)
        offset, first_word = stop, first_word + words
    device.queue.submit([encoder.finish()])


def _dispatch(
    device: Any, encoder: Any, binding: Any, first: int, state: State, first_word: int, count: int, entry_point: str
) -> None:
    """Encode one dispatch. `first` is the index of its first word in the binding."""
    wgpu = import_wgpu()
    skipped_blocks, lane = divmod(first_word, 4)
    groups = -(-blocks_for(lane + count) // WORKGROUP_BLOCKS)
    rows = -(-groups // device.limits["max-compute-workgroups-per-dimension"])
    columns = -(-groups // rows)
    # The members of the shader's struct Draw, and two words that fill it up to a multiple of 16 bytes.
    numbers = [lane, count, first, columns * WORKGROUP_BLOCKS, 0, 0]
    draw = np.array([*advance_blocks(state, skipped_blocks).ravel(), *numbers], UINT32)
    uniform = device.create_buffer_with_data(data=draw, usage=wgpu.BufferUsage.UNIFORM)

    compiled = pipeline(device, entry_point)
    entries = [
        {"binding": 0, "resource": {"buffer": uniform, "offset": 0, "size": draw.nbytes}},
        {"binding": 1, "resource": binding},
    ]
    compute = encoder.begin_compute_pass()
    compute.set_pipeline(compiled)
    compute.set_bind_group(0, device.create_bind_group(layout=compiled.get_bind_group_layout(0), entries=entries))
    compute.dispatch_workgroups(columns, rows, 1)
    compute.end()
