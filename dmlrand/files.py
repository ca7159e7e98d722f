"""Files: atomic replacement, a lock, .npy arrays, checksummed JSON, and how errors name a path."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import SimpleNamespace
from typing import IO, Any

import numpy as np

from .drawing.messages import format_value

ALGORITHM = "PHILOX_4X32_10"
RAW_SUFFIXES = (".bin", ".dat", ".raw")  # of files with words or numbers and nothing else
ZARR_SUFFIX = ".zarr"  # of folders with a Zarr array


# Paths and errors


def quoted(path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> str:
    """A path in quotes, as the user typed it: repr without the backslashes that it doubles."""
    return repr(os.fsdecode(path)).replace("\\\\", "\\")


def system_error(number: int, problem: str) -> OSError:
    """The system's error of this number. The message says its reason, then the problem and the remedy."""
    return OSError(number, f"{os.strerror(number)}: {problem}")  # of the subclass for this number


def missing_file(path: str, remedy: str) -> OSError:
    """The error for a file that does not exist."""
    return system_error(errno.ENOENT, f"{quoted(path)}. Check the name, or {remedy}")


def reader_has_gone(error: OSError) -> bool:
    """Whether a write failed because the reader closed the pipe. The C library of Windows reports EINVAL for that."""
    on_windows = os.name == "nt" and error.errno == errno.EINVAL and error.filename is None
    return isinstance(error, BrokenPipeError) or on_windows


# Atomic replacement


def check_target(path: str | os.PathLike[str]) -> str:
    """The absolute path at which a file of this name would be written, with symbolic links followed.

    Raises ValueError or OSError if nothing can be written there: call this before long work.
    """
    target = os.path.realpath(path)
    if not os.path.isdir(os.path.dirname(target)):
        raise system_error(errno.ENOENT, f"{quoted(path)}. Create its folder, or name another file.")
    if os.path.exists(target) and not os.path.isfile(target) and not target.endswith(ZARR_SUFFIX):
        raise ValueError(f"path must name a regular file, or nothing yet; got {quoted(path)}. Name another file.")
    return target


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a new binary file that replaces `path` when the block ends without an exception.

    The new file and its name are then on the disk. After an exception only the old file exists. A killed process may
    leave a temporary file beside the old one. The new file has the permissions of the old one. A symbolic link is
    followed.
    """
    target = check_target(path)
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name}.{os.urandom(4).hex()}.part")
    try:
        with open(temporary, "xb", opener=partial(open_like, target)) as file:
            yield file
            file.flush()
            sync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.errno is not None:
            remedy = "Free disk space or remove another cause, then try again"
            raise system_error(error.errno, f"{quoted(path)} was not written. {remedy}.") from error
        raise
    sync_directory(folder)


def open_like(target: str, path: str, flags: int) -> int:
    """os.open without following a link. A new file gets the permissions of the file `target`, if that exists."""
    mode = os.stat(target).st_mode & 0o777 if os.path.isfile(target) else None
    file = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666 if mode is None else mode)
    if mode is not None and os.name == "posix":
        with suppress(OSError):  # from disks without permissions
            os.fchmod(file, mode)  # os.open applies the umask
    return file


def sync(file: int) -> None:
    """Flush an open file to the disk. On macOS, os.fsync leaves it in the disk's own cache."""
    os.fsync(file)
    if sys.platform == "darwin":
        import fcntl

        with suppress(OSError):  # some network disks do not know the command
            fcntl.fcntl(file, fcntl.F_FULLFSYNC)


def sync_directory(directory: str) -> None:
    """Make the names in a directory survive a power cut, on systems and disks that can flush a directory."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            sync(handle)
        finally:
            os.close(handle)


# A lock


@contextmanager
def exclusive_use(path: str | os.PathLike[str], remedy: str = "name another state") -> Iterator[str]:
    """Lock out other processes while a file is read and then replaced. Yields check_target(path).

    The lock is on an empty file beside it. BlockingIOError if another process has the lock. On a disk without locks
    this does nothing.
    """
    target = check_target(path)
    folder, name = os.path.split(target)
    lock = os.path.join(folder, f".{name}.lock")
    with open(lock, "ab") as file:
        # The file has no links if the process that had the lock has removed it since we opened it.
        if not _try_lock(file.fileno()) or not os.fstat(file.fileno()).st_nlink:
            raise BlockingIOError(f"{quoted(path)} is in use already, by another process or option. Wait, or {remedy}.")
        try:
            yield target
        finally:
            if os.name == "nt":
                file.close()  # Windows removes no file that is open
            with suppress(OSError):
                if not os.path.getsize(lock):  # else it is a file of a user
                    os.unlink(lock)


def _try_lock(file: int) -> bool:
    """Lock an open file until it is closed. False if another process has locked it. True on a disk without locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)  # the last two: on Windows
    return True


# Arrays in .npy files


def save_array(file: IO[bytes], array: np.ndarray[Any, Any]) -> None:
    """numpy.save through `file.write` only: for a real file it uses C calls, whose errors lack the system's reason."""
    np.save(SimpleNamespace(write=file.write), little_endian(array), allow_pickle=False)


def little_endian(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array in the byte order of files. It is copied only on a big-endian machine."""
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


def in_native_order(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array in the machine's byte order. It is copied only if it has the other order."""
    return array.astype(array.dtype.newbyteorder("="), copy=False)


# Checksummed JSON


class JsonError(ValueError):
    """The problem of a file, and the remedy. The caller puts the file's name before the message."""


def encode_json(format: str, version: int, members: dict[str, Any]) -> bytes:
    """The bytes of a file with these members."""
    body = {"format": format, "version": version, "algorithm": ALGORITHM, **members}
    document = {**body, "checksum": _checksum(body)}
    return (json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def decode_json(data: bytes, format: str, *versions: int) -> dict[str, Any]:
    """The members given to encode_json with one of the versions, and `version`. JsonError for any other data."""
    try:
        document = json.loads(data.decode())  # json.loads would also read UTF-16 and UTF-32
        body = {name: value for name, value in document.items() if name != "checksum"} if type(document) is dict else {}
        expected = _checksum(body)
    except (ValueError, RecursionError) as error:
        raise JsonError(f"is not complete JSON ({error}). It was truncated or is another file.") from None
    if (body.get("format"), body.get("algorithm")) != (format, ALGORITHM):
        raise JsonError(f'has no "format": "{format}" and "algorithm": "{ALGORITHM}". It is another kind of file.')
    if body.get("version") not in versions:
        known = " or ".join(map(str, versions))
        raise JsonError(f"has version {format_value(body.get('version'))}, not {known}. Update dmlrand to read it.")
    if document.get("checksum") != expected:
        raise JsonError("does not match its checksum. It was changed or damaged. Restore a copy.")
    return {name: value for name, value in body.items() if name not in ("format", "algorithm")}


def _checksum(body: dict[str, Any]) -> str:
    """A checksum of the meaning, not of the text: sorted members, no white space. Reformatting does not change it."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
