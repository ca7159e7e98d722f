"""The cases of the group cuda: 1 GiB of numbers on a CUDA device. They are not measured where there is none.

The references are a memset of the same memory, and PyTorch's generators on the device. Each run waits for its results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from bench_case import LIMIT, OTHER, OURS, STATE, WALL_CLOCKS, Case, Goal, NotMeasured, Run, Runs

from dmlrand import cuda
from dmlrand.cuda.devices import check_device, import_cuda, is_simulated

GIB = 1 << 30
DEVICE_MEMSET = "memset of the device"
FUNCTIONS: dict[str, Any] = {
    "words": (cuda.random_generator, np.uint32, "random_"),
    "uniform float32": (cuda.uniform, np.float32, "uniform_"),
    "normal float32": (cuda.normal, np.float32, "normal_"),
}


def cases() -> Iterator[Case]:
    for name, (draw, dtype, torch_name) in FUNCTIONS.items():
        reference = f"torch.cuda {torch_name}"
        goals = (Goal(OURS, (DEVICE_MEMSET,), 0.9), Goal(OURS, (reference,), 2)) if name == "words" else ()
        prepare = _preparation(draw, np.dtype(dtype), torch_name, reference)
        yield Case("cuda", f"{name} on a CUDA device, 1 GiB", GIB, prepare, goals, WALL_CLOCKS)


def _preparation(draw: Callable[..., Any], dtype: np.dtype[Any], torch_name: str, reference: str) -> Callable[[], Runs]:
    def prepare() -> Runs:
        try:
            check_device()
        except (ImportError, RuntimeError) as error:
            raise NotMeasured(f"no device: {error}") from error
        if is_simulated():
            raise NotMeasured("no device: NUMBA_ENABLE_CUDASIM is set in the environment. Unset it.")
        numba_cuda = import_cuda()
        count = GIB // dtype.itemsize
        out = numba_cuda.device_array(count, dtype)

        def run(work: Callable[[], Any], kind: str = OURS) -> Run:
            return Run(lambda: (work(), numba_cuda.synchronize()), kind)

        runs: Runs = {
            OURS: run(lambda: draw(STATE, count, out=out)),
            DEVICE_MEMSET: run(lambda: out.gpu_data.memset(0), LIMIT),
        }
        if find_spec("torch") is not None and (torch := import_module("torch")).cuda.is_available():
            kind = torch.int32 if dtype == np.uint32 else torch.float32
            runs[reference] = run(getattr(torch.empty(count, dtype=kind, device="cuda"), torch_name), OTHER)
        return runs

    return prepare
