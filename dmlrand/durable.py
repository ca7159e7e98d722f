"""Files that are, at every instant, the old ones or the new ones: never half-written, nor used by two at once."""

from __future__ import annotations

import os
import re
import stat
from contextlib import contextmanager, suppress
from errno import EACCES, EDQUOT, ENOENT, ENOLCK, ENOSPC, ENOSYS, ENOTSUP, EOPNOTSUPP
from io import FileIO
from types import SimpleNamespace
from typing import IO, Any

import numpy as np

try:
    import fcntl
except ImportError:  # Windows: parts that a killed process left behind stay there
    fcntl = None  # type: ignore[assignment]

from collections.abc import Callable, Iterator

NO_LOCKS = (ENOSYS, ENOLCK, EOPNOTSUPP, ENOTSUP)
LONGEST_NAME = 255  # bytes, on almost every disk


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a new binary file that takes the place of `path` when the block ends without an exception.

    By then it is on the disk, its name included. An exception leaves the old file, and no other. So does a kill,
    but for a part file beside it, which the next writer of the same path removes.
    """
    target = check_target(path)
    folder = os.path.dirname(target)
    _remove_abandoned_parts(target)
    file = _open_part(target)
    try:
        with file:
            yield file
            file.flush()
            if fcntl is not None:
                copy_mode(target, file.name)
            os.fsync(file.fileno())
            if fcntl is not None:  # under the lock: an unlocked part is anyone's to remove
                os.replace(file.name, target)
        if fcntl is None:
            _replace_on_windows(file.name, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(file.name)
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            raise unwritten(error, f"{target!r} was not written") from error
        raise
    sync_directory(folder)


def check_target(path: str | os.PathLike[str]) -> str:
    """Where a file of this name would lie, a symbolic link followed; an error if none can: ask before long work."""
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), os.fspath(path))
    if os.path.exists(target) and not os.path.isfile(target):
        raise ValueError(
            f"path must name a regular file, or nothing yet; got {target!r}, which is something else. Name another file."
        )
    if not os.access(folder, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), os.fspath(path))
    return target


def save_array(file: IO[bytes], array: np.ndarray[Any, Any]) -> None:
    """numpy.save by `file.write` alone: what numpy writes to a real file by itself fails without the system's reason."""
    np.save(SimpleNamespace(write=file.write), array, allow_pickle=False)


def unwritten(error: OSError, what: str, then: str = "give the same call again") -> OSError:
    """The system's error, with what became of which file, and the remedy: it names neither."""
    assert error.errno is not None
    remedy = "Make room" if error.errno in (ENOSPC, EDQUOT) else "Mend that"
    return OSError(error.errno, f"{os.strerror(error.errno)}: {what}. {remedy} and {then}.")


def copy_mode(old: str, new: str) -> None:
    """Give a new file the permissions of the old one, where there is one and the disk knows permissions."""
    with suppress(OSError):
        os.chmod(new, os.stat(old).st_mode & 0o777)


def _replace_on_windows(part: str, target: str) -> None:
    """Windows renames no open file, and replaces no read-only one: its mode is lifted, and given back."""
    mode = None
    with suppress(OSError):
        mode = os.stat(target).st_mode & 0o777
        os.chmod(target, 0o666)
    try:
        os.replace(part, target)
    finally:
        if mode is not None:
            with suppress(OSError):
                os.chmod(target, mode)


def _part_start(name: str) -> str:
    """What the name of a part begins with: the target's name, as much of it as leaves room for the rest."""
    while len(os.fsencode(name)) > LONGEST_NAME - len("..01234567.part"):
        name = name[:-1]
    return f".{name}."


def _open_part(target: str) -> IO[bytes]:
    """A new file beside `target`, locked for as long as its writer lives."""
    folder, name = os.path.split(target)
    while True:
        file = open(os.path.join(folder, f"{_part_start(name)}{os.urandom(4).hex()}.part"), "xb")
        try:
            if try_lock(file.fileno()) is not False and os.path.exists(file.name):
                return file
        except BaseException:
            file.close()
            os.unlink(file.name)
            raise
        file.close()  # taken for an abandoned one before it was locked, and removed by who did


def _remove_abandoned_parts(target: str) -> None:
    """Remove parts that nobody holds a lock on: their writers were killed."""
    if fcntl is None:
        return
    folder, name = os.path.split(target)
    is_part = re.compile(re.escape(_part_start(name)) + r"[0-9a-f]{8}\.part").fullmatch
    for part in filter(is_part, os.listdir(folder)):
        path = os.path.join(folder, part)
        with suppress(OSError), open(path, "rb") as file:
            if try_lock(file.fileno()):
                os.unlink(path)


def try_lock(file: int, shared: bool = False) -> bool | None:
    """Lock an open file: True; False when another has a lock on it; None where there are no locks.

    Windows has none of this kind, and nor have some network disks.
    """
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


def _open_or_create(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o666)


def _open_lock(path: str, flags: int) -> int:
    """Open a file that is only locked, as far as its permissions let: another user may have left it. No link."""
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:  # for writing, without which NFS does not lock
        return _open_or_create(path, flags)
    except PermissionError:  # without O_CREAT, which sticky folders refuse for a file of another user
        return os.open(path, flags & ~os.O_RDWR | os.O_RDONLY)


@contextmanager
def locked(path: str, busy: str, opener: Callable[[str, int], int] = _open_or_create) -> Iterator[FileIO]:
    """The file, made if need be, open and locked until the block ends. BlockingIOError(busy) where another has it."""
    while True:
        with FileIO(path, "r+", opener=opener) as file:
            if try_lock(file.fileno()) is False:
                raise BlockingIOError(busy)
            if not _is_named(file, path):  # who had it renamed or removed it just now
                continue
            yield file
            return


@contextmanager
def used_alone(path: str) -> Iterator[None]:
    """Keep other commands from a file that is read and then replaced, by a lock on an empty one that lies beside it.

    Without locks, on some disks and on Windows, it keeps nobody.
    """
    folder, name = os.path.split(os.path.realpath(path))
    busy = f"another command is using {path!r}. Wait until it ends, or name another state."
    with locked(os.path.join(folder, f"{_part_start(name)}lock"), busy, _open_lock) as file:
        try:
            yield
        finally:
            held = os.fstat(file.fileno())
            if stat.S_ISREG(held.st_mode) and held.st_size == 0:  # any other is no lock that a command made
                with suppress(OSError):  # one that two had, for want of locks, or another user's
                    remove_open(file)


def remove_open(file: FileIO) -> None:
    """Remove a file that is still open, and locked."""
    if os.name == "nt":  # which removes no open file
        file.close()
    os.unlink(file.name)


def _is_named(file: FileIO, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def sync_directory(directory: str) -> None:
    """Make the new name itself survive a power cut. Systems that cannot sync a directory do so by themselves."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
