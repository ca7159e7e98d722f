"""How every kernel is compiled. Its machine code is cached on disk where that is possible."""

from contextlib import suppress
from importlib import import_module

import numpy as np
from llvmlite import binding
from numba import config, njit, types
from numba.core.ccallback import CFunc

if config.DISABLE_JIT:  # kernels would run as Python code, whose integers do not wrap
    raise ImportError("NUMBA_DISABLE_JIT is set. Unset it to draw at full speed")

OPTIONS = {"error_model": "numpy"}  # no check of each divisor for zero, which would prevent vectors
shared: dict[str, object] = {}  # what kernels call by a symbol
fallbacks: list[str] = []  # names of what replaces vector code in this process; names of cache files include them


def kernel(function):
    """Compile on first call. For functions that Python calls; functions that only kernels call take `njit`."""
    return cached(njit(nogil=True, **OPTIONS)(function), function)


def cached(compiled, function):
    """`compiled`, an object of numba, which now finds and keeps the function's machine code on disk."""
    with suppress(Exception):  # no writable directory, or numba has changed: each process compiles
        from .machine_code_cache import MachineCodeCache

        compiled._cache = MachineCodeCache(function, fallbacks)
    return compiled


def named_after(variant):
    """Give a function that is defined once for each variant, such as a rule, a name of its own.

    numba names machine code by a function's qualified name, its types, and a number that each process counts from 0.
    If all these functions had one name, kernels cached by different processes could hold different code under the same
    name. In a process that loads both, the linker would use one of the two for both.
    """

    def rename(function):
        function.__qualname__ = f"{function.__name__}_{variant}"
        return function

    return rename


def callback(signature):
    """Compile at once to a C function, which others call by its `address`. An exception in it would be lost."""

    def compile_now(function):
        compiled = cached(CFunc(function, (signature.args, signature.return_type), {}, OPTIONS), function)
        compiled.compile()
        return compiled

    return compile_now


def call_by_symbol(symbol, compiled):
    """The numba function that calls compiled code, made by `callback`, through a symbol of the process.

    The code of a function that kernels call otherwise becomes a part of theirs, and LLVM compiles it again for each.
    """
    binding.add_symbol(symbol, compiled.address)
    shared[symbol] = compiled  # numba frees the code of an object that is gone
    return types.ExternalFunction(symbol, compiled._sig)


def choose(replacement, make, vector, plain, checks):
    """The module of vector code and the kernels make(module), or the same of other code where those do not work.

    `vector` is the whole name of the module of vector code, and `plain` is the module of plain loops, or None.
    checks(kernels) yields kernels, their forms in numpy, and arguments.
    """
    try:
        module = import_module(vector)
        kernels = make(module)
        if give_right_words(checks(kernels)):
            return module, kernels
    except Exception:  # numba may have changed, or the processor is of an untested kind
        pass
    fallbacks.append(replacement)
    kernels = make(plain)
    if not give_right_words(checks(kernels)):
        raise ImportError(f"this version of numba compiles the loops of {replacement} to wrong words")
    return plain, kernels


def give_right_words(checks):
    """Whether each kernel that `checks` yields writes the same words to its arguments as its form in numpy."""
    for compiled, of_numpy, arguments in checks:
        expected = [np.copy(each) for each in arguments]
        of_numpy(*expected)
        compiled(*arguments)
        if not all(map(np.array_equal, arguments, expected)):
            return False
    return True
