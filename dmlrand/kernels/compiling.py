"""How every kernel is compiled: it releases the GIL, and its machine code is cached on disk where that is possible."""

from contextlib import contextmanager, suppress

from numba import cfunc, config, njit

from .loading import may_pass

if config.DISABLE_JIT:  # kernels would run as Python code, whose integers do not wrap
    raise ImportError("NUMBA_DISABLE_JIT is set. Unset it to draw at full speed")

fallbacks: list[str] = []  # what replaces vector code in this process. Names of cache files depend on it


def kernel(function):
    """Compile on first call. For functions that Python calls; functions that only kernels call take `njit`."""
    compiled = njit(nogil=True)(function)
    with suppress(Exception):  # no writable directory, or numba has changed: each process compiles
        from .machine_code_cache import MachineCodeCache

        compiled._cache = MachineCodeCache(function, fallbacks)
    return compiled


def callback(signature):
    """Compile at once to a C function, which others call by its `address`. An exception in it would be lost."""

    def compile_now(function):
        options = {"error_model": "numpy"}  # no check of each divisor for zero
        with suppress(Exception):  # as numba.cfunc does, but with this package's cache
            from numba.core.ccallback import CFunc
            from numba.core.sigutils import normalize_signature

            from .machine_code_cache import MachineCodeCache

            compiled = CFunc(function, normalize_signature(signature), {}, options)
            compiled._cache = MachineCodeCache(function, fallbacks)
            compiled.compile()
            return compiled
        return cfunc(signature, **options)(function)

    return compile_now


@contextmanager
def vector_code(replacement):
    """A context in which to import vector code. If an internal of numba is missing, `replacement` is used instead."""
    try:
        yield
    except Exception as error:
        if may_pass(error):
            raise
        fallbacks.append(replacement)


def gives(compiled, *arguments, expected):
    """Whether a kernel writes the expected words into its last argument."""
    compiled(*arguments)
    return arguments[-1].tolist() == expected


def works(compiled, *arguments, expected):
    """Whether a kernel of vector code compiles on this machine and gives the expected words."""
    try:
        return gives(compiled, *arguments, expected=expected)
    except Exception as error:  # numba may have changed, or the processor is of an untested kind
        if may_pass(error):
            raise
        return False
