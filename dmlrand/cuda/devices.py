"""The CUDA device, its arrays and its streams: made and checked through numba-cuda."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from ..drawing.arguments import check_int
from ..drawing.imports import extra_needed
from ..drawing.tensor import Shape, check_addressable

NO_DEVICE = (
    "CUDA needs an NVIDIA GPU with its driver, and NVIDIA's compiler NVVM; numba-cuda does not find both. Install the "
    "driver of your GPU, and NVVM by pip install numba-cuda[cu13], or numba-cuda[cu12] with a driver before version "
    "580. For tests without a GPU, set NUMBA_ENABLE_CUDASIM=1 in the environment before Python starts: numba-cuda's "
    "simulator gives the same numbers, slowly."
)


def import_cuda() -> Any:
    """The module numba.cuda, of the package numba-cuda. (numba has an older one of its own.)"""
    with extra_needed("CUDA needs", "numba-cuda", "cuda", "numba_cuda"):
        import_module("numba_cuda")
        return import_module("numba.cuda")


def check_device() -> str:
    """The name of the current device. RuntimeError if there is none, or no compiler for it."""
    cuda = import_cuda()
    if is_simulated():
        return "the simulator of numba-cuda"
    if not cuda.is_available():
        raise RuntimeError(NO_DEVICE)
    name = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


def is_simulated() -> bool:
    """Whether numba-cuda runs kernels as Python code, without a device."""
    return bool(import_module("numba").config.ENABLE_CUDASIM)


def new_array(sizes: Shape, dtype: np.dtype[Any], stream: Any) -> Any:
    """A new array on the current device."""
    return import_cuda().device_array(check_addressable(sizes, "shape", dtype.itemsize), dtype, stream=stream)


def check_stream(stream: Any) -> Any:
    """`stream` as a stream of numba, or 0 for CUDA's default stream."""
    cuda = import_cuda()
    if stream is None or isinstance(stream, type(cuda.default_stream())):
        return stream or 0
    handle = check_int(stream, "stream", 0)
    return cuda.external_stream(handle) if handle else 0


def check_out(out: Any, sizes: Shape, dtype: np.dtype[Any]) -> Any:
    """`out` as a device array of numba."""
    interface = getattr(out, "__cuda_array_interface__", None)
    if interface is not None and interface["data"][1]:
        raise ValueError("out must be writable; got a read-only array. Pass a writable one, such as a copy.")
    array = out if getattr(out, "__cuda_ndarray__", False) else import_cuda().as_cuda_array(out)
    if array.dtype != dtype:
        raise TypeError(f"out must hold {dtype}; got {array.dtype}. Allocate it with that dtype, or pass a view.")
    if tuple(array.shape) != sizes:
        raise ValueError(f"out must have the shape of the result, {sizes}; got {tuple(array.shape)}.")
    if not array.is_c_contiguous():
        raise ValueError(
            f"out must be contiguous in row-major order; got shape {sizes} with strides {array.strides} in bytes. "
            "Draw a new array, and copy it."
        )
    return array
