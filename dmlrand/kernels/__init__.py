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
from typing import Any
from warnings import warn

CALLS_IN_NUMPY = 10_000  # together they take as long as loading numba
WORDS_IN_NUMPY = 1 << 20  # 2 % of the time that drawing 1 GiB takes with numba, loading included

SETTING = "DMLRAND_KERNELS"  # an environment variable for tests and measurements
choice = os.environ.get(SETTING, "")
if choice not in ("", "numpy", "numba"):
    raise ValueError(f"{SETTING} must be numpy or numba, or not be set; got {choice!r}. Unset it.")

_HOMES = {
    "bitgen_callbacks": "bitgen",
    "bitgen_layout": "bitgen",
    "bitgen_refill": "bitgen",
    "draw": "words",
    "fill": "words",
    "integers_32": "convert",
    "integers_64": "convert",
    "normal_32": "normal",
    "normal_64": "normal",
    "normal_bf16": "half",
    "normal_f16": "half",
    "normal_of_words_32": "normal",
    "normal_of_words_64": "normal",
    "scatter": "words",
    "threefry_bernoulli": "draws",
    "threefry_bits": "keys",
    "threefry_categorical": "selections",
    "threefry_fold": "keys",
    "threefry_gumbel": "draws",
    "threefry_halves": "keys",
    "threefry_normal": "draws",
    "threefry_order": "selections",
    "threefry_pairs": "keys",
    "threefry_randint": "draws",
    "threefry_uniform": "draws",
    "threefry_weighted": "selections",
    "uniform_16": "convert",
    "uniform_32": "convert",
    "uniform_64": "convert",
    "xla_erfinv32": "xla",
    "xla_erfinv64": "xla",
    "xla_log32": "xla",
    "xla_log64": "xla",
    "xla_randint": "xla",
    "xla_uniform": "xla",
}

_calls = 0
_words = 0


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    in_numpy = None if choice == "numba" else _in_numpy(name)
    return _keep(name, _compiled(name) if in_numpy is None else _counting(name, in_numpy))


def _keep(name: str, kernel: Any) -> Any:
    """Make it the attribute, so that later uses do not come here."""
    setattr(sys.modules[__name__], name, kernel)
    return kernel


def _in_numpy(name: str) -> Callable[..., Any] | None:
    if _HOMES[name] == "bitgen" or _HOMES[name] == "selections":
        return None
    return getattr(import_module(f"{__name__}.numpy_only.{_HOMES[name]}"), name, None)


def _counting(name: str, in_numpy: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel in numpy, until the compiled one pays; the last argument of a kernel is its output."""

    def kernel(*arguments: Any) -> Any:
        global _calls, _words
        _calls += 1
        _words += arguments[-1].size
        if choice == "numpy" or (_calls <= CALLS_IN_NUMPY and _words <= WORDS_IN_NUMPY):
            result = in_numpy(*arguments)
            if result is not NotImplemented:
                return result
        return _keep(name, _compiled(name))(*arguments)

    return kernel


def _compiled(name: str) -> Any:
    """The compiled kernel; the one in numpy where numba cannot be used."""
    try:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    except ImportError as error:
        in_numpy = _in_numpy(name)
        if in_numpy is None:
            raise ImportError(f"kernels.{name} needs numba, which cannot be used: {error}") from error
        warn(f"dmlrand draws slowly, with numpy alone, because numba cannot be used: {error}", RuntimeWarning, 2)
        return in_numpy
