"""Atomic writes: at every instant a path holds the complete old file or the complete new one."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from errno import EACCES, ENOENT
from typing import IO

from .errors import InUseError, RefusedFileError, failed_write
from .locks import try_lock
from .names import check_name, hidden_name, quoted
from .opening import kind_of, open_regular, open_renamable
from .replacement import copy_mode, replace, temporary_mode
from .syncing import sync, sync_directory


def replacing(path: str | os.PathLike[str]) -> AbstractContextManager[IO[bytes]]:
    """Open a new binary file that replaces `path` when the block ends without an exception.

    The new file and its name are then on the disk. After an exception only the old file exists. A kill may also leave
    a temporary file beside the old one, which the next writer of the same path removes. The new file has the
    permissions of the old one, also while it is being written. A symbolic link is followed.
    """
    return replacing_beside(check_target(path), path)


class _Trial(Exception):
    """Ends try_replacing."""


def try_replacing(path: str | os.PathLike[str], data: bytes) -> None:
    """Raise the error that replacing `path` with this data would raise now. The old file stays, and nothing is left."""
    with suppress(_Trial), replacing(path) as file:
        file.write(data)
        file.flush()
        raise _Trial


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
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            if isinstance(error, InUseError):  # has its own remedy
                raise
            raise failed_write(error, f"{quoted(shown)} was not written") from error
        raise
    sync_directory(os.path.dirname(target))


def check_target(path: str | os.PathLike[str]) -> str:
    """The absolute path at which a file of this name would be written, with symbolic links followed.

    Raises ValueError or OSError if no file can be written there: call this before long work.
    """
    target = check_parent(path)
    check_kind(path)
    return target


def check_parent(path: str | os.PathLike[str]) -> str:
    """check_target for a path at which a file or a folder would be made, whatever is there now."""
    check_name(path)
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        missing = f"the folder of its target, {quoted(folder)}" if os.path.islink(path) else "its folder"
        problem = f"{os.strerror(ENOENT)}: {quoted(path)}. Create {missing}, or name another file."
        raise FileNotFoundError(ENOENT, problem)
    if not os.access(folder, os.W_OK):
        problem = f"{os.strerror(EACCES)}: you may not write to the folder of {quoted(path)}. Name another folder."
        raise PermissionError(EACCES, problem)
    return target


def check_kind(path: str | os.PathLike[str]) -> None:
    """Raise an error for a path that names something other than a regular file, and for one that no file can have."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return
    except OSError as error:  # such as a name that is too long, or a link to itself
        assert error.errno is not None
        raise OSError(error.errno, f"{os.strerror(error.errno)}: {quoted(path)}. Name another file.") from None
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
