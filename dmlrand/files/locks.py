"""Locks on files: flock, and on Windows LockFileEx."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import ENOLCK, ENOSYS, ENOTSUP, EOPNOTSUPP
from io import FileIO

from .names import hidden_name, quoted
from .opening import NOT_FOLLOWING

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

NO_LOCKS = (ENOSYS, ENOLCK, EOPNOTSUPP, ENOTSUP)  # from disks without locks


def try_lock(file: int, shared: bool = False) -> bool | None:
    """Lock an open file: True; False if another process has a lock on it; None on a disk without locks."""
    if sys.platform == "win32":
        from . import win32

        return win32.try_lock(file, shared)
    if fcntl is None:
        return None
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in NO_LOCKS:
            return None
        raise
    return True


@contextmanager
def locked(path: str, busy: str, opener: Callable[[str, int], int]) -> Iterator[FileIO]:
    """Open or create a file with `opener` and lock it until the block ends.

    BlockingIOError(busy) if another process has the lock.
    """
    while True:
        with FileIO(path, "r+", opener=opener) as file:
            if try_lock(file.fileno()) is False:
                raise BlockingIOError(busy)
            if not is_named(file, path):  # the process that had the lock has just renamed or removed the file
                continue
            yield file
            return


@contextmanager
def exclusive_use(path: str, busy: str | None = None) -> Iterator[None]:
    """Lock out other commands while a file is read and then replaced. The lock is on an empty file beside it.

    `busy` is the message for a path that is locked. On a disk without locks this does nothing.
    """
    folder, name = os.path.split(os.path.realpath(path))
    busy = busy or f"another command is using {quoted(path)}. Wait until it ends, or name another state."

    def open_lock(lock: str, flags: int) -> int:
        try:
            return _open_lock(lock, flags)
        except OSError as error:
            if os.path.lexists(lock):  # the cause is the lock file itself, such as a link
                raise
            # Name the file that the user gave: a lock file that does not exist cannot be the cause.
            raise OSError(error.errno, error.strerror, path) from None

    with locked(os.path.join(folder, hidden_name(name, "lock")), busy, open_lock) as file:
        try:
            yield
        finally:
            # The work is done, so an error here must not make it a failure. The lock file may belong to another user,
            # or be gone already where two commands ran on a disk without locks.
            with suppress(OSError):
                _remove_empty(file)
            with suppress(OSError):
                file.close()


def _remove_empty(file: FileIO) -> None:
    """Remove a lock file. Commands create only empty ones."""
    status = os.fstat(file.fileno())
    if stat.S_ISREG(status.st_mode) and status.st_size == 0:
        remove_open(file)


def remove_open(file: FileIO) -> None:
    """Remove a file that is still open and locked."""
    if os.name == "nt":  # Windows does not remove open files
        file.close()
    os.unlink(file.name)


def is_named(file: FileIO, path: str) -> bool:
    """Whether the path still names the open file."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def _open_lock(path: str, flags: int) -> int:
    """Open a lock file with the access that its permissions allow: another user may have left it. No links."""
    flags |= NOT_FOLLOWING
    try:  # with write access, which NFS needs for locks
        return os.open(path, flags | os.O_CREAT, 0o666)
    except PermissionError:  # sticky folders refuse O_CREAT for another user's file
        return os.open(path, flags & ~os.O_RDWR | os.O_RDONLY)
