"""Atomic writes: at every instant a path holds the complete old file or the complete new one."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from errno import EACCES, EINVAL, ENOENT, ENOTSUP, ENOTTY, EOPNOTSUPP
from typing import IO

from .errors import InUseError, RefusedFileError, failed_write, system_error
from .locks import try_lock
from .names import check_name, hidden_name, quoted
from .opening import kind_of, open_regular, open_renamable, retry

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

NO_DIRECTORY_SYNC = (EINVAL, EACCES, ENOTSUP, EOPNOTSUPP)  # EACCES: Windows opens no directory
NO_FULL_SYNC = (EINVAL, ENOTSUP, EOPNOTSUPP, ENOTTY)


def replacing(path: str | os.PathLike[str]) -> AbstractContextManager[IO[bytes]]:
    """Open a new binary file that replaces `path` when the block ends without an exception.

    The new file and its name are then on the disk. After an exception only the old file exists. A kill may also leave
    a temporary file beside the old one, which the next writer of the same path removes. The new file has the
    permissions of the old one, also while it is being written. A symbolic link is followed.
    """
    return replacing_beside(check_target(path), path)


@contextmanager
def replacing_beside(
    target: str, shown: str | os.PathLike[str], permissions_of: str | None = None
) -> Iterator[IO[bytes]]:
    """`replacing` for a checked path. A symbolic link is replaced. Messages show the path as `shown`.

    The new file has the permissions of the file `permissions_of`, which is `target` by default.
    """
    model = permissions_of or target
    _remove_abandoned(target)
    file = _open_temporary(target, temporary_mode(model))
    try:
        with file:
            yield file
            file.flush()
            copy_mode(model, file.name)
            sync(file.fileno())
            replace(file.name, target, shown)  # while locked: another writer removes an unlocked temporary file
    except BaseException as error:
        with suppress(OSError):
            os.unlink(file.name)
        if isinstance(error, InUseError):  # has its own remedy
            raise
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            raise failed_write(error, f"{quoted(shown)} was not written") from error
        raise
    sync_directory(os.path.dirname(target))


def check_target(path: str | os.PathLike[str]) -> str:
    """The absolute path at which a file of this name would be written, with symbolic links followed.

    Raises ValueError or OSError if no file can be written there: call this before long work.
    """
    target = check_parent(path)
    check_regular(path)
    return target


def check_parent(path: str | os.PathLike[str]) -> str:
    """check_target for a path at which a file or a folder would be made, whatever is there now."""
    check_name(path)
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        missing = f"the folder of its target, {quoted(folder)}" if os.path.islink(path) else "its folder"
        raise system_error(ENOENT, f"{quoted(path)}. Create {missing}, or name another file.")
    if not os.access(folder, os.W_OK):
        raise system_error(EACCES, f"you may not write to the folder of {quoted(path)}. Name another folder.")
    return target


def check_regular(path: str | os.PathLike[str]) -> None:
    """Raise an error for a path that names something other than a regular file, and for one that no file can have."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return
    except OSError as error:  # such as a name that is too long, or a link to itself
        raise system_error(error.errno, f"{quoted(path)}. Name another file.") from None
    if not stat.S_ISREG(status.st_mode):
        raise ValueError(
            f"path must name a regular file, or nothing yet; got {quoted(path)}, which is {kind_of(status)}. "
            "Name another file."
        )


def _open_temporary(target: str, mode: int) -> IO[bytes]:
    """A new file beside `target`, locked as long as its writer lives."""
    folder, name = os.path.split(target)
    while True:
        path = os.path.join(folder, hidden_name(name, f"{os.urandom(4).hex()}.part"))
        file = open(path, "xb", opener=lambda path, flags: open_renamable(path, flags, mode))
        try:
            if try_lock(file.fileno()) is not False and os.path.exists(file.name):
                return file
        except BaseException:
            file.close()
            os.unlink(file.name)
            raise
        file.close()  # another writer took it for an abandoned one before it was locked, and removed it


def _remove_abandoned(target: str) -> None:
    """Remove temporary files that no process has locked: their writers were killed."""
    folder, name = os.path.split(target)
    is_temporary = re.compile(re.escape(hidden_name(name, "")) + r"[0-9a-f]{8}\.part").fullmatch
    for found in filter(is_temporary, os.listdir(folder)):
        path = os.path.join(folder, found)
        with suppress(OSError, RefusedFileError), open(path, "rb", opener=open_regular) as file:
            if try_lock(file.fileno()):
                os.unlink(path)


def temporary_mode(target: str) -> int:
    """The mode for a temporary file of `target`: only users who may read the target can read the temporary file."""
    try:
        return os.stat(target).st_mode & 0o777 | 0o600  # its owner writes it
    except FileNotFoundError:
        return 0o666  # less the umask, as for any new file


def copy_mode(old: str, new: str) -> None:
    """Give a new file the permissions of the old one, if there is one and the disk has permissions.

    On Windows `replace` does this. The only permission there is to write, and a file without it cannot be renamed.
    """
    if os.name == "nt":
        return
    with suppress(OSError):
        os.chmod(new, os.stat(old).st_mode & 0o777)


def replace(source: str, target: str, shown: str | os.PathLike[str]) -> None:
    """os.replace. On Windows the target may be read-only, or be open in another program for a moment.

    An error shows the target as `shown`.
    """
    if os.name != "nt":
        os.replace(source, target)
        return
    mode = None
    with suppress(OSError):
        mode = os.stat(target).st_mode & 0o777
        os.chmod(target, 0o666)
    try:
        retry(lambda: os.replace(source, target))
    except PermissionError as error:
        outcome = f"{quoted(shown)} was not replaced, because another program has it open"
        raise InUseError(EACCES, f"{os.strerror(EACCES)}: {outcome}. Close it there, then try again.") from error
    finally:
        if mode is not None:
            with suppress(OSError):
                os.chmod(target, mode)


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
