"""How numba and the compiled kernels are loaded: Ctrl-C waits for the end, and a load that fails leaves nothing behind.

A module of numba registers its functions while it is imported. If one is imported halfway, numba stays broken for the
rest of the process, unless all of numba is imported again.
"""

import errno
import os
import signal
import sys
from contextlib import contextmanager
from threading import RLock, current_thread, main_thread

MAY_PASS = (errno.EAGAIN, errno.EINTR, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC)

_one_at_a_time = RLock()  # the end of a load that fails removes modules


@contextmanager
def undisturbed():
    """A context in which to import modules of compiled kernels, and to compile them."""
    with _interrupt_held(), _one_at_a_time, _undone_if_it_fails():
        yield


def may_pass(error):
    """Whether the cause of a failure is one that passes: a lack of memory, stack or descriptors, a failing disk."""
    while error is not None:
        if isinstance(error, (MemoryError, RecursionError)) or getattr(error, "errno", None) in MAY_PASS:
            return True
        if any(os.strerror(number) in str(error) for number in MAY_PASS):  # an ImportError of a shared library
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def _interrupt_held():
    """Ctrl-C takes effect at the end. A second one takes effect at once."""
    handler = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or not callable(handler):  # Python calls handlers in the main thread alone
        yield
        return
    held = []

    def hold(number, frame):
        if held:
            handler(number, frame)
        held.append(number)

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if held:
            handler(signal.SIGINT, sys._getframe())


@contextmanager
def _undone_if_it_fails():
    before = set(sys.modules)
    try:
        yield
    except BaseException:
        if "numba" not in before:
            _forget(set(sys.modules) - before)
        raise


def _holds_kernels(name):
    """Whether a module is one of compiled kernels, by its name, as dmlrand.verification.recovery_kernels."""
    package, *parts = name.split(".")
    return package == __package__.partition(".")[0] and any(part.endswith("kernels") for part in parts)


def _forget(names):
    """Remove modules of numba and of kernels, so that the next load imports them again."""
    for name in names:
        if name.partition(".")[0] in ("numba", "llvmlite") or _holds_kernels(name):
            del sys.modules[name]
            parent, _, child = name.rpartition(".")
            if parent in sys.modules:
                vars(sys.modules[parent]).pop(child, None)
