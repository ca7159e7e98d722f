"""The cases of the group webgpu: 64 MiB of numbers on a WebGPU device. They are not measured where there is none.

The reference is a fill with zeros of the same memory. Each run waits for its results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bench_case import LIMIT, OURS, STATE, WALL_CLOCKS, Case, NotMeasured, Run, Runs

from dmlrand import webgpu
from dmlrand.webgpu.devices import default_device

BYTES = 1 << 26
DEVICE_FILL = "fill of the device"
FUNCTIONS: dict[str, Any] = {
    "words": webgpu.random_generator,
    "uniform float32": webgpu.uniform,
    "normal float32": webgpu.normal,
}


def cases() -> Iterator[Case]:
    for name, draw in FUNCTIONS.items():
        title = f"{name} on a WebGPU device, {BYTES >> 20} MiB"
        yield Case("webgpu", title, BYTES, _preparation(draw), clocks=WALL_CLOCKS)


def _preparation(draw: Callable[..., Any]) -> Callable[[], Runs]:
    def prepare() -> Runs:
        try:
            device = default_device()
        except (ImportError, RuntimeError) as error:
            raise NotMeasured(f"no device: {error}") from error
        out = webgpu.random_generator(STATE, BYTES // 4).values.buffer

        def run(work: Callable[[], Any], kind: str = OURS) -> Run:
            return Run(lambda: (work(), device.queue.read_buffer(out, 0, 4)), kind)

        def zeros() -> None:
            encoder = device.create_command_encoder()
            encoder.clear_buffer(out, 0, BYTES)
            device.queue.submit([encoder.finish()])

        return {
            OURS: run(lambda: draw(STATE, BYTES // 4, device=device, out=out)),
            DEVICE_FILL: run(zeros, LIMIT),
        }

    return prepare
