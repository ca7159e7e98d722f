"""How every kernel is compiled: without the GIL, and cached on disk where that is possible."""

from contextlib import suppress

from numba import cfunc, config, njit

if config.DISABLE_JIT:  # kernels would run as Python, which wraps no integers
    raise ImportError("NUMBA_DISABLE_JIT is set. Unset it to draw at full speed")

fallbacks: list[str] = []  # what replaces vector code in this process: part of the name of its cached machine code


def kernel(function):
    """Compile on first call. Decorate only functions that Python calls; what those use takes `njit`."""
    compiled = njit(nogil=True)(function)
    with suppress(Exception):  # no directory that can be written, or numba has changed: compiled once in each process
        from .machine_code_cache import MachineCodeCache

        compiled._cache = MachineCodeCache(function, fallbacks)
    return compiled


def callback(signature):
    """Compile at once to a C function, whose `address` others call. It must not raise: an exception would be lost."""

    def compile_now(function):
        options = {"error_model": "numpy"}  # without a check of each divisor for zero
        with suppress(Exception):  # as numba.cfunc below, but with this package's cache
            from numba.core.ccallback import CFunc
            from numba.core.sigutils import normalize_signature

            from .machine_code_cache import MachineCodeCache

            compiled = CFunc(function, normalize_signature(signature), {}, options)
            compiled._cache = MachineCodeCache(function, fallbacks)
            compiled.compile()
            return compiled
        return cfunc(signature, **options)(function)

    return compile_now


def works(compiled, *arguments, expected):
    """Whether a kernel compiles on this machine and writes the expected words into its last argument."""
    out = arguments[-1]
    try:
        compiled(*arguments)
    except Exception:  # whatever numba and LLVM raise: numba may have changed, or the processor be of an untried kind
        return False
    return out.tolist() == expected
