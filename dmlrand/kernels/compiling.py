"""How every kernel is compiled: without the GIL, and cached on disk where that is possible."""

from contextlib import suppress
from pathlib import Path

from numba import njit
from numba.core.caching import FunctionCache
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature

HERE = Path(__file__).parent


class _Cache(FunctionCache):
    """numba's cache, but for three things it gets wrong for us.

    Kernels inline helpers from other files, so cached code is stale when any of the files changed, and not only the
    kernel's own. A full disk is no error: the kernel is then compiled anew in each process. Nor is a damaged file,
    such as a power cut leaves: the cache starts anew.
    """

    def __init__(self, function):
        super().__init__(function)
        definitions = HERE.parent / "philox.py", HERE.parent / "threefry.py"
        sources = [path.stat() for path in (*sorted(HERE.glob("*.py")), *definitions) if path.exists()]
        self._cache_file._source_stamp = [(source.st_mtime, source.st_size) for source in sources]

    def load_overload(self, sig, target_context):
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever unpickling a damaged file raises
            with suppress(Exception):
                self.flush()
            return None

    def save_overload(self, sig, data):
        try:
            super().save_overload(sig, data)
        except Exception:  # the disk's, or a damaged index's
            self.disable()


def kernel(function):
    """Compile on first call. Decorate only functions that Python calls; what those use takes `njit`."""
    return _cached(njit(nogil=True)(function), function)


def callback(signature):
    """Compile at once to a C function, whose `address` others call. It must raise nothing: nobody would see it."""

    def compile_now(function):
        # As numba's cfunc, whose own cache raises like cache=True below. Without a check of each divisor for zero.
        compiled = _cached(CFunc(function, normalize_signature(signature), {}, {"error_model": "numpy"}), function)
        compiled.compile()
        return compiled

    return compile_now


def _cached(compiled, function):
    try:
        # Not cache=True: that raises here when numba finds no directory it may write to.
        compiled._cache = _Cache(function)
    except RuntimeError:
        pass
    return compiled
