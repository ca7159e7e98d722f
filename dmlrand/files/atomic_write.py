"""Files that are, at every instant, the old ones or the new ones: never half-written, nor used by two at once."""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from errno import EACCES, EDQUOT, EINVAL, ENOENT, ENOLCK, ENOSPC, ENOSYS, ENOTSUP, ENOTTY, EOPNOTSUPP
from io import FileIO
from types import SimpleNamespace
from typing import IO, Any, TypeVar

import numpy as np

from .names import check_windows_name, quoted

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

T = TypeVar("T")
NO_LOCKS = (ENOSYS, ENOLCK, EOPNOTSUPP, ENOTSUP)
NO_DIRECTORY_SYNC = (EINVAL, EACCES, ENOTSUP, EOPNOTSUPP)  # EACCES: Windows opens no directory
NO_FULL_SYNC = (EINVAL, ENOTSUP, EOPNOTSUPP, ENOTTY)
LONGEST_NAME = 255  # bytes, on almost every disk
# Seconds for which Windows is asked again for a file that another program has open, and the longest pause between.
PATIENCE, LONGEST_PAUSE = 2.0, 0.05
# Flags that follow no symbolic link and wait for no other end of a pipe. Windows has neither.
_NOT_FOLLOWING = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class NotRegularError(ValueError):
    """Something else than a regular file bears the name of one: a symbolic link, a pipe, a device, a folder."""


class InUseError(PermissionError):
    """Windows did not replace a file, because another program has it open."""


def replacing(path: str | os.PathLike[str]) -> AbstractContextManager[IO[bytes]]:
    """Open a new binary file that takes the place of `path` when the block ends without an exception.

    By then it is on the disk, its name included. An exception leaves the old file, and no other. So does a kill,
    but for a part file beside it, which the next writer of the same path removes. The new file has the permissions of
    the old one, while it is written too. A symbolic link is followed.
    """
    target = check_target(path)
    return replacing_beside(target, target)


@contextmanager
def replacing_beside(target: str, neighbour: str) -> Iterator[IO[bytes]]:
    """As replacing, but the new file has the permissions of `neighbour`, and a symbolic link is replaced."""
    folder = os.path.dirname(target)
    _remove_abandoned_parts(target)
    file = _open_part(target, neighbour)
    try:
        with file:
            yield file
            file.flush()
            copy_mode(neighbour, file.name)
            sync(file.fileno())
            replace(file.name, target)  # under the lock: an unlocked part is anyone's to remove
    except BaseException as error:
        with suppress(OSError):
            os.unlink(file.name)
        if isinstance(error, InUseError):
            raise
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            raise unwritten(error, f"{quoted(target)} was not written") from error
        raise
    sync_directory(folder)


def check_target(path: str | os.PathLike[str]) -> str:
    """Where a file of this name would lie, a symbolic link followed; an error if none can: ask before long work."""
    check_name(path)
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), os.fspath(path))
    if os.path.exists(target) and not os.path.isfile(target):
        raise ValueError(
            f"path must name a regular file, or nothing yet; got {quoted(target)}, which is something else. "
            "Name another file."
        )
    if not os.access(folder, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), os.fspath(path))
    return target


def check_name(path: str | os.PathLike[str]) -> None:
    """Raise ValueError for a path that this system cannot give a file, as far as that is a rule of its own: Windows."""
    if sys.platform == "win32":
        from .win32 import long_paths_enabled

        check_windows_name(os.fspath(path), os.path.abspath(path), long_paths_enabled())


def save_array(file: IO[bytes], array: np.ndarray[Any, Any]) -> None:
    """numpy.save by `file.write` alone: what numpy writes to a real file by itself fails without the system's reason."""
    np.save(SimpleNamespace(write=file.write), array, allow_pickle=False)


def unwritten(error: OSError, what: str, then: str = "give the same call again") -> OSError:
    """The system's error, with what became of which file, and the remedy: it names neither."""
    assert error.errno is not None
    remedy = "Make room" if error.errno in (ENOSPC, EDQUOT) else "Mend that"
    return OSError(error.errno, f"{os.strerror(error.errno)}: {what}. {remedy} and {then}.")


def mode_beside(target: str) -> int:
    """The mode to create a temporary file of `target` with: only users who may read the target can read it."""
    try:
        return os.stat(target).st_mode & 0o777 | 0o600  # the owner of the temporary file writes it
    except FileNotFoundError:
        return 0o666  # less the umask, as of any new file


def copy_mode(old: str, new: str) -> None:
    """Give a new file the permissions of the old one, where there is one and the disk knows permissions.

    On Windows `replace` does it: the only permission there is to write, and a file without it can't be renamed.
    """
    if os.name == "nt":
        return
    with suppress(OSError):
        os.chmod(new, os.stat(old).st_mode & 0o777)


def replace(part: str, target: str) -> None:
    """os.replace. On Windows the target may be read-only, or be open for a moment in another program."""
    if os.name != "nt":
        os.replace(part, target)
        return
    mode = None
    with suppress(OSError):
        mode = os.stat(target).st_mode & 0o777
        os.chmod(target, 0o666)
    try:
        _replace_when_closed(part, target)
    finally:
        if mode is not None:
            with suppress(OSError):
                os.chmod(target, mode)


def _replace_when_closed(part: str, target: str) -> None:
    try:
        _ask_again(lambda: os.replace(part, target))
    except PermissionError as error:
        what = f"{quoted(target)} was not replaced, because another program has it open"
        raise InUseError(
            EACCES, f"{os.strerror(EACCES)}: {what}. Close it there and give the same call again."
        ) from error


def _ask_again(call: Callable[[], T]) -> T:
    """The result of call(). Windows refuses files that are open elsewhere, most of which are closed in a moment."""
    end, pause = time.monotonic() + PATIENCE, 0.001
    while True:
        try:
            return call()
        except PermissionError:
            if time.monotonic() > end:
                raise
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def open_to_read(path: str, flags: int) -> int:
    """os.open, as an opener for `open`. On Windows a file that is being replaced is waited for, and not kept from it."""
    if os.name != "nt" or os.path.isdir(path):
        return os.open(path, flags)
    return _ask_again(lambda: _open(path, flags, 0o666))


def _part_start(name: str) -> str:
    """What the name of a part begins with: the target's name, as much of it as leaves room for the rest."""
    while len(os.fsencode(name)) > LONGEST_NAME - len("..01234567.part"):
        name = name[:-1]
    return f".{name}."


def _open_part(target: str, neighbour: str) -> IO[bytes]:
    """A new file beside `target`, locked for as long as its writer lives, for those who may read `neighbour`."""
    folder, name = os.path.split(target)
    mode = mode_beside(neighbour)
    while True:
        path = os.path.join(folder, f"{_part_start(name)}{os.urandom(4).hex()}.part")
        file = open(path, "xb", opener=lambda path, flags: _open(path, flags, mode))
        try:
            if try_lock(file.fileno()) is not False and os.path.exists(file.name):
                return file
        except BaseException:
            file.close()
            os.unlink(file.name)
            raise
        file.close()  # taken for an abandoned one before it was locked, and removed by who did


def _open(path: str, flags: int, mode: int) -> int:
    """os.open. On Windows the file can be renamed while it is open, and so stays locked until it has its new name."""
    if sys.platform == "win32":
        from .win32 import open_renamable

        return open_renamable(path, flags)
    return os.open(path, flags | _NOT_FOLLOWING, mode)


def _remove_abandoned_parts(target: str) -> None:
    """Remove parts that nobody holds a lock on: their writers were killed."""
    folder, name = os.path.split(target)
    is_part = re.compile(re.escape(_part_start(name)) + r"[0-9a-f]{8}\.part").fullmatch
    for part in filter(is_part, os.listdir(folder)):
        path = os.path.join(folder, part)
        with suppress(OSError, NotRegularError), open(path, "rb", opener=open_regular) as file:
            if try_lock(file.fileno()):
                os.unlink(path)


def try_lock(file: int, shared: bool = False) -> bool | None:
    """Lock an open file: True; False when another has a lock on it; None on a disk without locks."""
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


def open_regular(path: str, flags: int, mode: int = 0o666) -> int:
    """Open a regular file: an opener for `open`. NotRegularError for a symbolic link, a pipe, a device or a folder.

    No link is followed and no pipe is waited for, also where one takes the file's place during this call (but not on
    Windows, whose users may not make links).
    """
    with suppress(FileNotFoundError):
        _check_regular(path, os.lstat(path))
    file = _open(path, flags, mode)
    try:
        _check_regular(path, os.fstat(file))
    except BaseException:
        os.close(file)
        raise
    return file


def _check_regular(path: str, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kinds = {stat.S_IFLNK: "a symbolic link", stat.S_IFIFO: "a pipe", stat.S_IFDIR: "a folder"}
        kind = kinds.get(stat.S_IFMT(status.st_mode), "a device or a socket")
        raise NotRegularError(f"{quoted(path)} must be a regular file; got {kind}.")


def _open_lock(path: str, flags: int) -> int:
    """Open a file that is only locked, as far as its permissions let: another user may have left it. No link."""
    flags |= _NOT_FOLLOWING
    try:  # for writing, without which NFS does not lock
        return os.open(path, flags | os.O_CREAT, 0o666)
    except PermissionError:  # without O_CREAT, which sticky folders refuse for a file of another user
        return os.open(path, flags & ~os.O_RDWR | os.O_RDONLY)


@contextmanager
def locked(path: str, busy: str, opener: Callable[[str, int], int]) -> Iterator[FileIO]:
    """What `opener` opens or makes, locked until the block ends. BlockingIOError(busy) where another has the lock."""
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

    On a disk without locks it keeps nobody.
    """
    folder, name = os.path.split(os.path.realpath(path))
    busy = f"another command is using {quoted(path)}. Wait until it ends, or name another state."
    with locked(os.path.join(folder, f"{_part_start(name)}lock"), busy, _open_lock) as file:
        try:
            yield
        finally:
            # Nothing that goes wrong here makes a failure of the work, which is done. A lock may be another user's, or
            # gone already where two had it for want of locks.
            with suppress(OSError):
                held = os.fstat(file.fileno())
                if stat.S_ISREG(held.st_mode) and held.st_size == 0:  # any other is no lock that a command made
                    remove_open(file)
            with suppress(OSError):
                file.close()


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


def sync(file: int) -> None:
    """Flush an open file to the disk, and the disk's own cache too: fsync, for which macOS has another name."""
    full_sync = getattr(fcntl, "F_FULLFSYNC", None)
    if sys.platform != "win32" and full_sync is not None:
        try:
            fcntl.fcntl(file, full_sync)
            return
        except OSError as error:  # a disk that knows no such command, as some network disks
            if error.errno not in NO_FULL_SYNC:
                raise
    os.fsync(file)


def sync_directory(directory: str) -> None:
    """Make the names in a directory survive a power cut. Systems that cannot sync a directory do so by themselves."""
    try:
        handle = os.open(directory, os.O_RDONLY)
        try:
            sync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno in NO_DIRECTORY_SYNC:
            return
        what = f"files in {quoted(directory)} have new names, but a power cut may bring the old ones back"
        raise unwritten(error, what, "look at the files before you give the same call again") from error
