"""The CUDA device, its arrays and its streams: made and checked through numba-cuda."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from ..arrays.integers import check_int
from ..arrays.tensor import Shape, check_addressable
from ..imports import extra_needed

NO_DEVICE = (
    "CUDA needs an NVIDIA GPU with its driver; found none. Install the driver of your GPU. For tests without a GPU, "
    "set NUMBA_ENABLE_CUDASIM=1 in the environment before Python starts: numba-cuda's simulator gives the same "
    "numbers, slowly."
)
NO_COMPILER = (
    "CUDA needs NVIDIA's compiler NVVM; found none. Install it: pip install numba-cuda[cu13], or numba-cuda[cu12] with "
    "a driver before version 580."
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
        raise RuntimeError(NO_DEVICE if cuda.cuda_error() else NO_COMPILER)
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
    if stream is None:
        return 0
    if isinstance(stream, type(cuda.default_stream())):
        return stream
    if not hasattr(stream, "__index__"):
        raise TypeError(
            f"stream must be a stream of numba.cuda, or its handle as an int; got {type(stream).__name__}. PyTorch has "
            "the handle as torch.cuda.current_stream().cuda_stream, CuPy as cupy.cuda.get_current_stream().ptr."
        )
    handle = check_int(stream, "stream", 0)
    return cuda.external_stream(handle) if handle else 0


def check_out(out: Any, sizes: Shape, dtype: np.dtype[Any]) -> Any:
    """`out` as a device array of numba."""
    array = out if getattr(out, "__cuda_ndarray__", False) else _from_another_package(out)
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


def _from_another_package(out: Any) -> Any:
    """A device array of numba that shares the memory of `out`."""
    interface = getattr(out, "__cuda_array_interface__", None)
    if interface is None:
        raise TypeError(
            f"out must have __cuda_array_interface__; got {type(out).__name__}. numba.cuda.device_array, CuPy and "
            "PyTorch make such arrays, in the memory of a CUDA device."
        )
    if interface["data"][1]:
        raise ValueError("out must be writable; got a read-only array. Pass a writable one, such as a copy.")
    if is_simulated():
        raise TypeError(
            f"out must be an array of numba.cuda, because the simulator has no other arrays; got {type(out).__name__}. "
            "numba.cuda.device_array makes one."
        )
    return import_cuda().as_cuda_array(out)
