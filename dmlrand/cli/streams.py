"""stdout and stderr as a caller may have left them: closed, full, or of an encoding that lacks a file's name."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO


def occupy_closed_descriptors() -> None:
    """Open the null device for each of stdin, stdout and stderr that is closed.

    The next file to be opened would get its number, and what any library writes to stderr would go into that file.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the system gives the lowest free number


@contextmanager
def any_text(stream: TextIO | None) -> Iterator[None]:
    """Let the stream take every text: a character that its encoding lacks is written as an escape such as \\xe9."""
    if not isinstance(stream, io.TextIOWrapper):  # closed, or a caller's object without an encoding
        yield
        return
    before = stream.errors
    stream.reconfigure(errors="backslashreplace")
    try:
        yield
    finally:
        stream.reconfigure(errors=before)


def print_error(text: str) -> None:
    """Print to stderr, if that can be: an error that cannot be told is still told by the exit code."""
    if sys.stderr is None:  # closed: print would take stdout for it
        return
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


def discard(stream: TextIO) -> None:
    """Let what the stream still holds, and all that comes, go to the null device: Python flushes it again at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
