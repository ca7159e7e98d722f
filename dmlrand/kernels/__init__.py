"""Functions on flat arrays and words. They trust their input: they know no shapes, check nothing and raise nothing.

Importing numba and loading machine code takes longer than importing everything else and drawing a million words in
numpy. So a process begins with numpy, and changes to numba when it has drawn enough words for that to pay. A `Kernel`
holds both forms, and its attribute `run` is the form of this process. The kernels of a rule are found by `of_rule`, all
others are at the end of this file. Those that only imitated systems need are in `dmlrand.compat.kernels`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any
from warnings import warn

from ..drawing.imports import lazy_attributes
from ..drawing.messages import level_of_user
from . import sources as sources  # takes the digest of the text before anything is compiled

if TYPE_CHECKING:
    from . import philox as philox  # its block function is for users

NUMPY_MAX_CALLS = 10_000  # they take as long as loading numba
NUMPY_MAX_WORDS = 1 << 20  # they take 2 % of the time in which a process loads numba and draws 1 GiB with it

SETTING = "DMLRAND_KERNELS"  # an environment variable for tests and measurements
forced = os.environ.get(SETTING, "")

all_kernels: list[Kernel] = []  # for tests, which let kernels choose their forms again
_calls = 0
_words = 0
_numba_fails = False  # then every kernel that has a form in numpy keeps it
_one_at_a_time = RLock()  # numba cannot be imported by two threads at once


class Kernel:
    """A function on flat arrays in two forms, which give the same bits: in numpy, and compiled by numba.

    `run` is the form of this process. The last argument of a kernel is its output. One form may be missing.
    """

    def __init__(self, module: str, name: str, *arguments: Any, checks: bool = False) -> None:
        """The object `name` of a module and of its twin in numpy.

        With arguments, the compiled form is what the object returns for them, and numpy's takes them before the others.

        With `checks`, callers have not checked the first argument, a state, and the last one. A state of another
        type, rank or size is a TypeError, and so is an output that is strided, unaligned or read-only: numba compiles
        for no others, and the compiled kernel checks the size. So the checks take no time of a small draw.
        """
        self._module, self._object, self._arguments, self._checks = module, name, arguments, checks
        self.run: Callable[..., Any] = self._run
        all_kernels.append(self)

    def __call__(self, *arguments: Any) -> Any:
        return self.run(*arguments)

    @cached_property
    def numpy(self) -> Any:
        """The form in numpy, or None."""
        if forced not in ("", "numpy", "numba"):
            raise ValueError(f"{SETTING} must be numpy or numba, or not be set; got {forced!r}. Unset it.")
        found = getattr(import_module(f"{self._module.rpartition('.')[0]}.numpy_only"), self._object, None)
        return found and partial(found, *self._arguments)

    @property
    def compiled(self) -> Any:
        found = getattr(import_module(self._module), self._object)
        return found(*self._arguments) if self._arguments else found

    def _run(self, *arguments: Any) -> Any:
        """Run the form in numpy, until compiled kernels pay."""
        state, out = arguments[0], arguments[-1]
        if self._checks and (state.dtype != "uint32" or state.shape != (6,) or not out.flags.carray):
            raise TypeError("the kernel takes a state of uint32 and shape (6,), and a contiguous output")
        global _calls, _words
        _calls += 1
        _words += out.size
        numpy_is_faster = forced != "numba" and _calls <= NUMPY_MAX_CALLS and _words <= NUMPY_MAX_WORDS
        if self.numpy and (numpy_is_faster or forced == "numpy" or _numba_fails):
            result = self.numpy(*arguments)
            if result is not NotImplemented:
                return result
        return self._run_compiled(arguments)

    def _run_compiled(self, arguments: tuple[Any, ...]) -> Any:
        """Change to the compiled form. If it cannot be loaded for any reason, the process goes on with numpy."""
        global _numba_fails
        try:
            with _one_at_a_time:
                compiled = self.compiled
                compiled.disable_compile(False)
                compiled.compile(tuple(map(sys.modules["numba"].typeof, arguments)))
                compiled.disable_compile(self._checks)
        except Exception as error:
            result = self.numpy(*arguments) if self.numpy else NotImplemented
            if result is NotImplemented:
                kernel = f"kernels.{self._object} of {arguments[-1].dtype}"
                raise ImportError(f"{kernel} {_cannot_use_numba(error)}") from error
            if not _numba_fails:
                _numba_fails = True
                text = f"dmlrand draws slowly, with numpy alone: compiled code {_cannot_use_numba(error)}"
                warn(text, RuntimeWarning, level_of_user())
            return result
        self.run = compiled
        return compiled(*arguments)


@dataclass(frozen=True, slots=True)  # its attributes are read faster than those of a NamedTuple
class RuleKernels:
    """The kernels of a rule of rules.py. Their outputs are contiguous."""

    fill: Kernel  # with consecutive numbers
    fill_region: Kernel
    convert: Kernel  # given words


@cache
def of_rule(name: str) -> RuleKernels:
    """The kernels of the rule of this name."""
    module = f"{__name__}.fill"
    fill = Kernel(module, "fill_kernel", name, checks=True)
    return RuleKernels(fill, *(Kernel(module, kernel, name) for kernel in ("fill_region_kernel", "convert_kernel")))


def only_compiled(module: str) -> Any:
    """A module whose kernels exist only compiled, by its whole name. ImportError if numba cannot be used."""
    try:
        with _one_at_a_time:
            return import_module(module)
    except Exception as error:
        raise ImportError(f"{module} {_cannot_use_numba(error)}") from error


def replaced() -> list[str]:
    """What plain loops do in this process because vector code does not work here. Empty on a supported processor."""
    for module in ("kernels.words", "kernels.batch", "compat.kernels.threefry_draws"):
        only_compiled(f"dmlrand.{module}")
    return list(only_compiled("dmlrand.kernels.compiling").fallbacks)


def _cannot_use_numba(error: Exception) -> str:
    remedy = "If it is missing or broken: pip install --force-reinstall numba."
    if sys.platform == "emscripten":
        remedy = "There is no numba for WebAssembly."
    cause = str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}".removesuffix(": ")
    return f"needs numba, which cannot be used: {cause}. {remedy}"


batch_words, move_states = (Kernel(f"{__name__}.batch", name) for name in ("batch_words", "move_states"))
permute = Kernel(f"{__name__}.permutations", "permute")

__getattr__, __dir__ = lazy_attributes(__name__, {"cuda": (), "philox": ()})
