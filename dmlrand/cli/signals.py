"""Signals that ask a command to end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# Windows has one more, of Ctrl-Break. Its SIGTERM is never sent: to end a process from outside is to kill it.
STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name))


@contextmanager
def break_as_interrupt() -> Iterator[None]:
    """Let Ctrl-Break of Windows do what Ctrl-C does. Otherwise it ends the process without an exit code of ours."""
    number = getattr(signal, "SIGBREAK", None)
    if number is None or threading.current_thread() is not threading.main_thread():  # which alone may set handlers
        yield
        return
    before = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(number, before)
