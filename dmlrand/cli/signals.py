"""Signals that ask a command to end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 128 + signal.SIGINT  # the exit code after Ctrl-C
# Windows also has SIGBREAK, for Ctrl-Break. Nothing sends SIGTERM there: other processes can only kill a process.
STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name))


@contextmanager
def break_as_interrupt() -> Iterator[None]:
    """Let Ctrl-Break of Windows do the same as Ctrl-C. By default it ends the process without an exit code of ours."""
    number = getattr(signal, "SIGBREAK", None)
    if number is None or threading.current_thread() is not threading.main_thread():  # only the main thread may do it
        yield
        return
    before = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(number, before)
