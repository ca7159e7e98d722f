"""Flushing files and folders to the disk."""

from __future__ import annotations

import os
import sys
from errno import EACCES, EINVAL, ENOTSUP, ENOTTY, EOPNOTSUPP

from .errors import failed_write
from .names import quoted

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

NO_DIRECTORY_SYNC = (EINVAL, EACCES, ENOTSUP, EOPNOTSUPP)  # EACCES: Windows opens no directory
NO_FULL_SYNC = (EINVAL, ENOTSUP, EOPNOTSUPP, ENOTTY)


def sync(file: int) -> None:
    """Flush an open file to the disk, including the disk's own cache. macOS needs F_FULLFSYNC for the latter."""
    full_sync = getattr(fcntl, "F_FULLFSYNC", None)
    if sys.platform != "win32" and full_sync is not None:
        try:
            fcntl.fcntl(file, full_sync)
            return
        except OSError as error:  # some network disks do not know the command
            if error.errno not in NO_FULL_SYNC:
                raise
    os.fsync(file)


def sync_directory(directory: str) -> None:
    """Make the names in a directory survive a power cut. Systems that cannot flush a directory need no flush."""
    try:
        handle = os.open(directory, os.O_RDONLY)
        try:
            sync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno in NO_DIRECTORY_SYNC:
            return
        outcome = f"files in {quoted(directory)} have new names, but a power cut may restore the old ones"
        raise failed_write(error, outcome, "check the files before you try again") from error
