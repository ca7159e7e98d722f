"""The cases of the groups cuda and webgpu. They are not measured where there is no device.

The references are a memset of the same memory, and PyTorch's generators on the device. Each run waits for its results.
"""

from functools import partial
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from measurement import LIMIT, OTHER, OURS, STATE, Case, Goal, NotMeasured, Run

from dmlrand import cuda, webgpu
from dmlrand.cuda.devices import check_device, import_cuda, is_simulated
from dmlrand.webgpu.devices import default_device

GIB, WEBGPU_BYTES = 1 << 30, 1 << 26
MEMSET = "memset of the device"
# The draws of each number, its dtype, and the method of PyTorch's tensors.
NUMBERS = {
    "words": ("random_generator", np.uint32, "random_"),
    "uniform float32": ("uniform", np.float32, "uniform_"),
    "normal float32": ("normal", np.float32, "normal_"),
}


def cases():
    for name, (draw, dtype, method) in NUMBERS.items():
        torch_run = f"torch.cuda {method}"
        goals = (Goal(OURS, (MEMSET,), 0.9), Goal(OURS, (torch_run,), 2)) if name == "words" else ()
        prepare = partial(cuda_runs, getattr(cuda, draw), np.dtype(dtype), method, torch_run)
        yield Case("cuda", f"{name} on a CUDA device, 1 GiB", GIB, prepare, goals)
    for name, (draw, _, _) in NUMBERS.items():
        prepare = partial(webgpu_runs, getattr(webgpu, draw))
        yield Case("webgpu", f"{name} on a WebGPU device, 64 MiB", WEBGPU_BYTES, prepare)


def cuda_runs(draw, dtype, method, torch_run):
    require(check_device)
    if is_simulated():
        raise NotMeasured("no device: NUMBA_ENABLE_CUDASIM is set in the environment. Unset it.")
    numba_cuda = import_cuda()
    count = GIB // dtype.itemsize
    out = numba_cuda.device_array(count, dtype)

    def run(work, kind=OURS):
        return Run(lambda: (work(), numba_cuda.synchronize()), kind)

    runs = {OURS: run(lambda: draw(STATE, count, out=out)), MEMSET: run(lambda: out.gpu_data.memset(0), LIMIT)}
    if find_spec("torch") is not None and (torch := import_module("torch")).cuda.is_available():
        kind = torch.int32 if dtype == np.uint32 else torch.float32
        runs[torch_run] = run(getattr(torch.empty(count, dtype=kind, device="cuda"), method), OTHER)
    return runs


def webgpu_runs(draw):
    device = require(default_device)
    count = WEBGPU_BYTES // 4
    out = webgpu.random_generator(STATE, count).values.buffer

    def run(work, kind=OURS):
        return Run(lambda: (work(), device.queue.read_buffer(out, 0, 4)), kind)

    def zeros():
        encoder = device.create_command_encoder()
        encoder.clear_buffer(out, 0, WEBGPU_BYTES)
        device.queue.submit([encoder.finish()])

    return {OURS: run(lambda: draw(STATE, count, device=device, out=out)), MEMSET: run(zeros, LIMIT)}


def require(find_device):
    try:
        return find_device()
    except (ImportError, RuntimeError) as error:
        raise NotMeasured(f"no device: {error}") from error
