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


def missing_file(path: str, remedy: str) -> FileNotFoundError:
    """The error for a file that does not exist. `remedy` says how to make it."""
    return FileNotFoundError(ENOENT, f"{os.strerror(ENOENT)}: {quoted(path)}. Check the name, or {remedy}")


def failed_write(error: OSError, outcome: str, next_step: str = "try again") -> OSError:
    """The system's error with the outcome for the file and the remedy, which the system does not name."""
    assert error.errno is not None
    if error.errno in (ENOSPC, EDQUOT):
        remedy = "Free disk space"
    elif error.errno == EFBIG:
        remedy = "Raise the limit on file sizes (ulimit -f) or use another disk"
    else:
        remedy = "Remove the cause"
    return OSError(error.errno, f"{os.strerror(error.errno)}: {outcome}. {remedy}, then {next_step}.")
