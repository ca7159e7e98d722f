"""cuRAND's host API through ctypes, for the live tests and the maker of the recorded answers.

`curandCreateGeneratorHost` makes a generator that runs on the CPU, so no GPU is needed. The library comes from one of
NVIDIA's packages: pip install nvidia-curand-cu12.
"""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from typing import Any

import numpy as np
from numpy.typing import NDArray

PACKAGES = ("nvidia-curand-cu12", "nvidia-curand")
PHILOX4_32_10 = 161  # CURAND_RNG_PSEUDO_PHILOX4_32_10
FUNCTIONS = {  # the function for each method of compat.curand.Generator, the type it makes, and that of its parameters
    "generate": ("curandGenerate", np.uint32, None),
    "generate_uniform": ("curandGenerateUniform", np.float32, None),
    "generate_uniform_double": ("curandGenerateUniformDouble", np.float64, None),
    "generate_normal": ("curandGenerateNormal", np.float32, ctypes.c_float),
    "generate_normal_double": ("curandGenerateNormalDouble", np.float64, ctypes.c_double),
}


@cache
def load_library() -> Any:
    """The library of the first package that is installed, or None."""
    for package in PACKAGES:
        try:
            listed = files(package) or []
        except PackageNotFoundError:
            continue
        for path in listed:
            if path.name.startswith("libcurand.so"):
                return ctypes.CDLL(str(path.locate()))
    return None


def version() -> int:
    """The version of the library, such as 10310 for 10.3.10."""
    number = ctypes.c_int()
    _check(load_library().curandGetVersion(ctypes.byref(number)))
    return number.value


class HostGenerator:
    """A host generator of cuRAND, with the methods of compat.curand.Generator."""

    def __init__(self, seed: int = 0, offset: int = 0) -> None:
        self._library = load_library()
        self._handle = ctypes.c_void_p()
        _check(self._library.curandCreateGeneratorHost(ctypes.byref(self._handle), PHILOX4_32_10))
        self.set_seed(seed)
        self.set_offset(offset)

    def __del__(self) -> None:
        self._library.curandDestroyGenerator(self._handle)

    def set_seed(self, seed: int) -> None:
        _check(self._library.curandSetPseudoRandomGeneratorSeed(self._handle, ctypes.c_ulonglong(seed)))

    def set_offset(self, offset: int) -> None:
        _check(self._library.curandSetGeneratorOffset(self._handle, ctypes.c_ulonglong(offset)))

    def set_order(self, order: int) -> None:
        _check(self._library.curandSetGeneratorOrdering(self._handle, ctypes.c_int(order)))

    def draw(self, method: str, n: int, *parameters: float, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """n numbers of the function for `method`, written to `out` if it is given."""
        name, dtype, parameter_type = FUNCTIONS[method]
        values = np.empty(n, dtype) if out is None else out
        converted = [parameter_type(each) for each in parameters] if parameter_type else []
        pointer = values.ctypes.data_as(ctypes.c_void_p)
        _check(getattr(self._library, name)(self._handle, pointer, ctypes.c_size_t(n), *converted))
        return values


def _check(status: int) -> None:
    if status:
        raise RuntimeError(f"cuRAND must return status 0; got {status}. curand.h lists the codes.")
