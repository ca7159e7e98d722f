"""Functions on flat arrays and words. They trust their input: they know no shapes, check nothing and raise nothing.

Each kernel is compiled by numba, from a module here. Most kernels also exist in numpy alone, in numpy_only. Both give
the same bits. Importing numba and loading machine code takes longer than importing everything else and drawing a
million words in numpy. So a process begins with numpy, and changes to numba when it has drawn enough words for that to
pay. This module is the only place that decides. Callers therefore name a kernel as an attribute of this package at
each call.
"""

import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any
from warnings import warn

if TYPE_CHECKING:
    from . import philox as philox  # its block function is for users

NUMPY_MAX_CALLS = 10_000  # they take as long as loading numba
NUMPY_MAX_WORDS = 1 << 20  # they take 2 % of the time in which a process loads numba and draws 1 GiB with it

SETTING = "DMLRAND_KERNELS"  # an environment variable for tests and measurements
choice = os.environ.get(SETTING, "")

_KERNELS = {
    "batch": ("batch_words", "move_states"),
    "bitgen": ("bitgen_callbacks", "bitgen_layout", "bitgen_refill"),
    "convert": (
        "bernoulli", "bernoulli_of_words", "integers_32", "integers_64", "integers_of_words_32", "integers_of_words_64",
        "uniform_32", "uniform_64", "uniform_of_words_32", "uniform_of_words_64",
    ),
    "curand": (
        "curand_blocks", "curand_normal_32", "curand_normal_64", "curand_uniform_32", "curand_uniform_64",
    ),
    "half": (
        "normal_bf16", "normal_f16", "normal_of_words_bf16", "normal_of_words_f16", "uniform_bf16", "uniform_f16",
        "uniform_of_words_bf16", "uniform_of_words_f16",
    ),
    "normal": ("box_muller", "normal_32", "normal_64", "normal_of_words_32", "normal_of_words_64"),
    "permutations": ("permute",),
    "philox": (),
    "jax.threefry": (),
    "jax.threefry_kernels": ("threefry_bits", "threefry_fold", "threefry_halves", "threefry_pairs"),
    "words": ("draw", "draw_blocks", "fill", "fill_strided"),
    "jax.xla_functions": (
        "xla_erf32", "xla_erf64", "xla_exp32", "xla_exp64", "xla_log1p32", "xla_log1p64", "xla_power", "xla_tan",
    ),
    "jax.xla": ("xla_erfinv32", "xla_erfinv64", "xla_log32", "xla_log64", "xla_randint", "xla_uniform"),
}  # fmt: skip
ONLY_COMPILED = ("bitgen",)  # modules without a twin in numpy_only
_MODULE_OF = {name: module for module, names in _KERNELS.items() for name in names}

_loading = RLock()  # held while kernels are imported

_calls = 0
_words = 0
_warned = False


def __getattr__(name: str) -> Any:
    if name in _KERNELS:
        return import_module(f"{__name__}.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if choice not in ("", "numpy", "numba"):
        raise ValueError(f"{SETTING} must be numpy or numba, or not be set; got {choice!r}. Unset it.")
    with _loading:
        in_numpy = None if choice == "numba" else _in_numpy(name)
        return _keep(name, _compiled(name) if in_numpy is None else _counting(name, in_numpy))


def __dir__() -> list[str]:
    return sorted({*vars(sys.modules[__name__]), *_KERNELS, *_MODULE_OF})


def _keep(name: str, kernel: Any) -> Any:
    """Make the kernel an attribute of this package, so that later uses do not call __getattr__."""
    setattr(sys.modules[__name__], name, kernel)
    return kernel


def _in_numpy(name: str) -> Callable[..., Any] | None:
    if _MODULE_OF[name] in ONLY_COMPILED:
        return None
    return getattr(import_module(f"{__name__}.numpy_only.{_MODULE_OF[name]}"), name, None)


def _counting(name: str, in_numpy: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel in numpy, until compiled kernels pay. The last argument of a kernel is its output."""

    def kernel(*arguments: Any) -> Any:
        global _calls, _words
        _calls += 1
        _words += arguments[-1].size
        numpy_is_faster = choice != "numba" and _calls <= NUMPY_MAX_CALLS and _words <= NUMPY_MAX_WORDS
        if numpy_is_faster or choice == "numpy":
            result = in_numpy(*arguments)
            if result is not NotImplemented:
                return result
        return _keep(name, _compiled(name))(*arguments)

    return kernel


def _compiled(name: str) -> Any:
    """The compiled kernel, or the kernel in numpy where numba cannot be used."""
    global _warned
    with _loading:
        try:
            return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
        except ImportError as error:
            in_numpy = _in_numpy(name)
            if in_numpy is None:
                raise ImportError(f"kernels.{name} {_cannot_use_numba(error)}") from error
            if not _warned:
                _warned = True
                text = f"dmlrand draws slowly, with numpy alone: compiled code {_cannot_use_numba(error)}"
                warn(text, RuntimeWarning, _level_of_caller())
            return _without_numba(name, in_numpy, error)


def _cannot_use_numba(error: ImportError) -> str:
    remedy = "If it is missing or broken: pip install --force-reinstall numba."
    return f"needs numba, which cannot be used: {error}. {remedy}"


def _level_of_caller() -> int:
    """The stack level, for warn, of the first function outside dmlrand."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "dmlrand":
        frame, level = frame.f_back, level + 1
    return level


def _without_numba(name: str, in_numpy: Callable[..., Any], error: ImportError) -> Callable[..., Any]:
    """The kernel in numpy where numba cannot be used. A type that only the compiled kernel supports is an error."""

    def kernel(*arguments: Any) -> Any:
        result = in_numpy(*arguments)
        if result is NotImplemented:
            raise ImportError(f"kernels.{name} of {arguments[-1].dtype} {_cannot_use_numba(error)}")
        return result

    return kernel


_held_by_fork: list[Any] = []


def _before_fork() -> None:
    """Wait until no other thread imports or compiles kernels: a child lacks that thread, and would wait for it for ever."""
    while True:
        _loading.acquire()
        compiling = getattr(sys.modules.get("numba.core.compiler_lock"), "global_compiler_lock", None)
        lock = getattr(compiling, "_lock", None)
        # Not waited for while _loading is held, because the thread that compiles may need _loading.
        if lock is None or lock.acquire(blocking=False):
            _held_by_fork.extend([_loading] if lock is None else [_loading, lock])
            return
        _loading.release()
        time.sleep(0.001)


def _after_fork() -> None:
    while _held_by_fork:
        _held_by_fork.pop().release()


if hasattr(os, "register_at_fork"):
    # numba imports these modules. Their hooks take locks that the thread which loads numba needs. Python calls the hooks
    # before a fork in reverse order of registration, so ours must be registered after theirs.
    import concurrent.futures.thread  # noqa: F401
    import logging  # noqa: F401

    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
