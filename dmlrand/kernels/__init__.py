"""Functions on flat arrays and words: trusted input, no shapes, no checks, no exceptions.

Each kernel exists compiled by numba, in a module here, and most exist in numpy alone, in numpy_only. Both give the same
bits. Importing numba and loading machine code takes longer than importing everything else and drawing a million words
in numpy. So a process begins with numpy, and turns to numba when it has drawn so much that this pays. That is decided
here and nowhere else: callers name a kernel as an attribute of this package each time they call it.
"""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any
from warnings import warn

if TYPE_CHECKING:
    from . import philox as philox  # its block function is for users

CALLS_IN_NUMPY = 10_000  # together they take as long as loading numba
WORDS_IN_NUMPY = 1 << 20  # 2 % of the time that drawing 1 GiB takes with numba, loading included

SETTING = "DMLRAND_KERNELS"  # an environment variable for tests and measurements
choice = os.environ.get(SETTING, "")

_KERNELS = {
    "bitgen": ("bitgen_callbacks", "bitgen_layout", "bitgen_refill"),
    "convert": ("integers_32", "integers_64", "uniform_32", "uniform_64"),
    "half": ("normal_bf16", "normal_f16", "uniform_bf16", "uniform_f16"),
    "normal": ("normal_32", "normal_64", "normal_of_words_32", "normal_of_words_64"),
    "philox": (),
    "jax.threefry": (),
    "jax.threefry_kernels": ("threefry_bits", "threefry_fold", "threefry_halves", "threefry_pairs"),
    "words": ("draw", "fill", "fill_strided"),
    "jax.xla": ("xla_erfinv32", "xla_erfinv64", "xla_log32", "xla_log64", "xla_randint", "xla_uniform"),
}
ONLY_COMPILED = ("bitgen",)  # modules without a twin in numpy_only
_HOMES = {name: module for module, names in _KERNELS.items() for name in names}

_calls = 0
_words = 0
_warned = False


def __getattr__(name: str) -> Any:
    if name in _KERNELS:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if choice not in ("", "numpy", "numba"):
        raise ValueError(f"{SETTING} must be numpy or numba, or not be set; got {choice!r}. Unset it.")
    in_numpy = None if choice == "numba" else _in_numpy(name)
    return _keep(name, _compiled(name) if in_numpy is None else _counting(name, in_numpy))


def __dir__() -> list[str]:
    return sorted({*vars(sys.modules[__name__]), *_KERNELS, *_HOMES})


def _keep(name: str, kernel: Any) -> Any:
    """Make it the attribute, so that later uses do not come here."""
    setattr(sys.modules[__name__], name, kernel)
    return kernel


def _in_numpy(name: str) -> Callable[..., Any] | None:
    if _HOMES[name] in ONLY_COMPILED:
        return None
    return getattr(import_module(f"{__name__}.numpy_only.{_HOMES[name]}"), name, None)


def _counting(name: str, in_numpy: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel in numpy, until the compiled one pays; the last argument of a kernel is its output."""

    def kernel(*arguments: Any) -> Any:
        global _calls, _words
        _calls += 1
        _words += arguments[-1].size
        few = choice != "numba" and _calls <= CALLS_IN_NUMPY and _words <= WORDS_IN_NUMPY
        if few or choice == "numpy":
            result = in_numpy(*arguments)
            if result is not NotImplemented:
                return result
        return _keep(name, _compiled(name))(*arguments)

    return kernel


def _compiled(name: str) -> Any:
    """The compiled kernel; the one in numpy where numba cannot be used."""
    global _warned
    try:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    except ImportError as error:
        in_numpy = _in_numpy(name)
        if in_numpy is None:
            raise ImportError(f"kernels.{name} needs numba, which cannot be used: {error}") from error
        if not _warned:
            _warned = True
            warn(f"dmlrand draws slowly, with numpy alone, because numba cannot be used: {error}", RuntimeWarning, 2)
        return _alone(name, in_numpy, str(error))


def _alone(name: str, in_numpy: Callable[..., Any], reason: str) -> Callable[..., Any]:
    """The kernel in numpy where no other can take over: a type that it lacks is an error."""

    def kernel(*arguments: Any) -> Any:
        result = in_numpy(*arguments)
        if result is NotImplemented:
            kind = arguments[-1].dtype
            raise ImportError(f"kernels.{name} of {kind} needs numba, which cannot be used: {reason}")
        return result

    return kernel
