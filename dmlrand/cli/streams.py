"""stdout and stderr that are closed, full, or of an encoding that lacks the characters of a file's name."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EINVAL
from typing import TextIO

STDOUT = "<stdout>"


def occupy_closed_descriptors() -> None:
    """Open the null device for each of stdin, stdout and stderr that is closed.

    Otherwise the next file that is opened gets that number, and text that a library writes to stderr goes into the
    file.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the system gives the lowest free number


def stderr_is_a_terminal() -> bool:
    """Whether a person may watch stderr. It is None in a program without a console."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def any_text(stream: TextIO | None) -> Iterator[None]:
    """Let the stream take every text: a character that its encoding lacks becomes an escape such as \\xe9."""
    if not isinstance(stream, io.TextIOWrapper):  # closed, or an object of the caller without an encoding
        yield
        return
    before = stream.errors
    stream.reconfigure(errors="backslashreplace")
    try:
        yield
    finally:
        stream.reconfigure(errors=before)


@contextmanager
def named_errors(stdout: TextIO | None) -> Iterator[None]:
    """Put STDOUT as the file's name into the errors of writes to stdout, so that they differ from those of files."""
    if not isinstance(stdout, io.TextIOWrapper):
        yield
        return
    write = stdout.write

    def write_named(text: str) -> int:
        try:
            return write(text)
        except OSError as error:
            if error.errno == EINVAL:  # on Windows: the reader has gone
                raise
            raise OSError(error.errno, error.strerror, STDOUT) from error

    stdout.write = write_named  # type: ignore[method-assign]
    try:
        yield
    finally:
        vars(stdout).pop("write", None)


def visible(text: str) -> str:
    """`text` with an escape such as \\x1b for each control character, which could move a terminal's cursor."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", lambda found: repr(found[0])[1:-1], text)


def print_error(text: str) -> None:
    """Print to stderr. If stderr is closed or fails, the exit code alone reports the error."""
    if sys.stderr is None:  # closed. print(file=None) would write to stdout
        return
    try:
        print(visible(text), file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Print the result of completed work. A reader of stdout that has gone does not change the exit code."""
    try:
        yield
    except OSError as error:
        from ..bulk.pipe import reader_has_gone

        if not reader_has_gone(error):
            raise


def discard(stream: TextIO) -> None:
    """Redirect the stream to the null device. Python flushes the text in its buffer there when it exits."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
