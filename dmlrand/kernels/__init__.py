"""Functions on flat arrays and words. They trust their input: they know no shapes, check nothing and raise nothing.

Each kernel is compiled by numba, from a module here. Most kernels also exist in numpy alone, in numpy_only. Both give
the same bits. Importing numba and loading machine code takes longer than importing everything else and drawing a
million words in numpy. So a process begins with numpy, and changes to numba when it has drawn enough words for that to
pay. This module is the only place that decides. Callers therefore name a kernel as an attribute of this package at
each call.
"""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any
from warnings import warn

from ..imports import importing
from .loading import may_pass, undisturbed

if TYPE_CHECKING:
    from . import philox as philox  # its block function is for users

NUMPY_MAX_CALLS = 10_000  # they take as long as loading numba
NUMPY_MAX_WORDS = 1 << 20  # they take 2 % of the time in which a process loads numba and draws 1 GiB with it
MAX_LOADS = 5  # that fail for a cause that may pass

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
    "cuda": (),
    "limits": (),
    "jax.xla_functions": (
        "xla_erf32", "xla_erf64", "xla_exp32", "xla_exp64", "xla_fma", "xla_log1p32", "xla_log1p64", "xla_power",
        "xla_tan",
    ),
    "jax.xla": ("xla_erfinv32", "xla_erfinv64", "xla_log32", "xla_log64", "xla_randint", "xla_uniform"),
}  # fmt: skip
ONLY_COMPILED = ("bitgen",)  # modules without a twin in numpy_only
_MODULE_OF = {name: module for module, names in _KERNELS.items() for name in names}

_calls = 0
_words = 0
_failed_loads = 0
_problems: dict[str, str] = {}  # why a kernel cannot be compiled; under "", why no further kernel can be
_warned = False


def __getattr__(name: str) -> Any:
    if name in _KERNELS:
        return _module(name)
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if choice not in ("", "numpy", "numba"):
        raise ValueError(f"{SETTING} must be numpy or numba, or not be set; got {choice!r}. Unset it.")
    with importing():
        in_numpy = _in_numpy(name)
    if in_numpy is not None:
        return _keep(name, _counting(name, in_numpy))
    try:
        return _keep(name, _compiled(name))
    except Exception as error:
        raise ImportError(f"kernels.{name} {_cannot_use_numba(error)}") from error


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


def _module(name: str) -> Any:
    """A module of compiled kernels. sources.py must run before the first of them is loaded."""
    with importing():
        import_module(f"{__name__}.sources")
        return import_module(f"{__name__}.{name}")


def _compiled(name: str, arguments: tuple[Any, ...] = ()) -> Any:
    """The compiled kernel. If there are arguments, it has machine code for them."""
    with undisturbed():
        kernel = getattr(_module(_MODULE_OF[name]), name)
        if arguments:
            kernel.compile(tuple(map(sys.modules["numba"].typeof, arguments)))
        return kernel


def _counting(name: str, in_numpy: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel in numpy, until compiled kernels pay. The last argument of a kernel is its output."""

    def kernel(*arguments: Any) -> Any:
        global _calls, _words
        _calls += 1
        _words += arguments[-1].size
        numpy_is_faster = choice != "numba" and _calls <= NUMPY_MAX_CALLS and _words <= NUMPY_MAX_WORDS
        problem = _problems.get("") or _problems.get(name)
        if numpy_is_faster or choice == "numpy" or problem:
            result = in_numpy(*arguments)
            if result is not NotImplemented:
                return result
        if problem:
            raise ImportError(f"kernels.{name} of {arguments[-1].dtype} {problem}")
        return _call_compiled(name, in_numpy, arguments)

    return kernel


def _call_compiled(name: str, in_numpy: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call the compiled kernel. If it cannot be loaded for any reason, call the kernel in numpy."""
    try:
        compiled = _compiled(name, arguments)
    except Exception as error:
        result = in_numpy(*arguments)
        _note_failure(name, error)
        if result is NotImplemented:
            raise ImportError(f"kernels.{name} of {arguments[-1].dtype} {_cannot_use_numba(error)}") from error
        return result
    return _keep(name, compiled)(*arguments)


def _note_failure(name: str, error: Exception) -> None:
    """After a failure that may pass, count calls and words again from 0. Warn of another one."""
    global _calls, _words, _failed_loads, _warned
    _failed_loads += 1
    if may_pass(error) and _failed_loads < MAX_LOADS:
        _calls = _words = 0
        return
    _problems[name if "numba" in sys.modules else ""] = problem = _cannot_use_numba(error)
    if not _warned:
        _warned = True
        text = f"dmlrand draws slowly, with numpy alone: compiled code {problem}"
        warn(text, RuntimeWarning, _level_of_caller())


def _cannot_use_numba(error: Exception) -> str:
    remedy = "If it is missing or broken: pip install --force-reinstall numba."
    cause = str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}".removesuffix(": ")
    return f"needs numba, which cannot be used: {cause}. {remedy}"


def _level_of_caller() -> int:
    """The stack level, for warn, of the first function outside dmlrand."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "dmlrand":
        frame, level = frame.f_back, level + 1
    return level
