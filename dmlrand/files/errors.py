"""Errors of files: the system's reason, the outcome and the remedy."""

from __future__ import annotations

import os
from errno import EDQUOT, EFBIG, ENOENT, ENOSPC

from .names import quoted


class RefusedFileError(ValueError):
    """A path names a link, a pipe, a device or a folder where a regular file must be, or a file that is not trusted."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{quoted(path)} {problem}")


class InUseError(PermissionError):
    """Windows did not replace a file, because another program has it open."""


def system_error(number: int | None, problem: str) -> OSError:
    """The system's error of this number. The message says its reason, then the problem and the remedy."""
    assert number is not None
    return OSError(number, f"{os.strerror(number)}: {problem}")  # of the subclass for this number


def missing_file(path: str, remedy: str) -> OSError:
    """The FileNotFoundError for a file that does not exist. `remedy` says how to make it."""
    return system_error(ENOENT, f"{quoted(path)}. Check the name, or {remedy}")


def failed_write(error: OSError, outcome: str, next_step: str = "try again") -> OSError:
    """The system's error with the outcome for the file and the remedy."""
    if error.errno in (ENOSPC, EDQUOT):
        remedy = "Free disk space"
    elif error.errno == EFBIG:
        remedy = "Raise the limit on file sizes (ulimit -f) or use another disk"
    else:
        remedy = "Remove the cause"
    return system_error(error.errno, f"{outcome}. {remedy}, then {next_step}.")
