"""Files: atomic replacement, a lock, .npy arrays, checksummed JSON, and how errors name a path."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import IO, Any

import numpy as np

from .messages import format_value

ALGORITHM = "PHILOX_4X32_10"
RAW_SUFFIXES = (".bin", ".dat", ".raw")  # of files with words or numbers and nothing else
ZARR_SUFFIX = ".zarr"  # of folders with a Zarr array
NO_LOCKS = (errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK)  # from disks that lack them
IS_LOCKED = (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)  # the last two: on Windows
NOT_FOLLOWING = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)  # no symbolic links; Windows: raw bytes


# Paths and errors


def quoted(path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> str:
    """A path in quotes, as the user typed it: repr without the backslashes that it doubles."""
    return repr(os.fsdecode(path)).replace("\\\\", "\\")


def error_text(error: BaseException) -> str:
    """The text of an error, with the paths of an OSError as the user typed them."""
    text = str(error)
    if isinstance(error, OSError):
        for path in (error.filename, error.filename2):
            if isinstance(path, str | bytes):
                text = text.replace(repr(path), quoted(path))
    return text


def system_error(number: int | None, problem: str) -> OSError:
    """The system's error of this number. The message says its reason, then the problem and the remedy."""
    assert number is not None
    return OSError(number, f"{os.strerror(number)}: {problem}")  # of the subclass for this number


def missing_file(path: str, remedy: str) -> OSError:
    """The FileNotFoundError for a file that does not exist. `remedy` says how to make it."""
    return system_error(errno.ENOENT, f"{quoted(path)}. Check the name, or {remedy}")


def failed_write(error: OSError, outcome: str, next_step: str = "try again") -> OSError:
    """The system's error with the outcome for the file and the remedy."""
    return system_error(error.errno, f"{outcome}. Free disk space or remove another cause, then {next_step}.")


def reader_has_gone(error: OSError) -> bool:
    """Whether a write failed because the reader closed the pipe. The C library of Windows reports EINVAL for that."""
    on_windows = os.name == "nt" and error.errno == errno.EINVAL and error.filename is None
    return isinstance(error, BrokenPipeError) or on_windows


def check_target(path: str | os.PathLike[str]) -> str:
    """The absolute path at which a file of this name would be written, with symbolic links followed.

    Raises ValueError or OSError if nothing can be written there: call this before long work.
    """
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise system_error(errno.ENOENT, f"{quoted(path)}. Create its folder, or name another file.")
    if not os.access(folder, os.W_OK):
        raise system_error(errno.EACCES, f"you may not write to the folder of {quoted(path)}. Name another folder.")
    if os.path.exists(target) and not os.path.isfile(target) and not target.endswith(ZARR_SUFFIX):
        kind = "a folder" if os.path.isdir(target) else "a pipe or a device"
        raise ValueError(
            f"path must name a regular file, or nothing yet; got {quoted(path)}, which is {kind}. Name another file."
        )
    return target


def read_file(path: str, limit: int | None = None) -> bytes:
    """The first `limit` bytes of a file, or all. Of a pipe or a device, which may have no end, at most 16 MiB.

    An error of the disk names the file.
    """
    with open(path, "rb") as file:
        try:
            return file.read((os.fstat(file.fileno()).st_size or 1 << 24) if limit is None else limit)
        except OSError as error:
            raise OSError(error.errno, error.strerror, path) from None


# Atomic replacement


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
        with open(temporary, "xb", opener=lambda name, flags: open_like(target, name, flags)) as file:
            yield file
            file.flush()
            sync(file.fileno())
        replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, temporary):
            raise failed_write(error, f"{quoted(path)} was not written") from error
        raise
    sync_directory(folder)


def open_like(target: str, path: str, flags: int) -> int:
    """os.open without following a link. A new file gets the permissions of the file `target`, if that exists."""
    mode = os.stat(target).st_mode & 0o777 if os.path.isfile(target) else None
    file = os.open(path, flags | NOT_FOLLOWING, 0o666 if mode is None else mode)
    if mode is not None and os.name == "posix":
        with suppress(OSError):  # from disks without permissions
            os.fchmod(file, mode)  # os.open applies the umask
    return file


def replace(source: str, target: str) -> None:
    """os.replace. On Windows another program, such as a virus scanner, can have a file open for a moment: try again."""
    for attempt in range(20):
        try:
            os.replace(source, target)
            return
        except PermissionError:
            if os.name != "nt" or attempt == 19:
                raise
        time.sleep(0.1)


def sync(file: int) -> None:
    """Flush an open file to the disk, including the disk's own cache."""
    os.fsync(file)
    if sys.platform == "darwin":
        import fcntl

        with suppress(OSError):  # some network disks do not know the command
            fcntl.fcntl(file, fcntl.F_FULLFSYNC)


def sync_directory(directory: str) -> None:
    """Make the names in a directory survive a power cut. Systems that cannot flush a directory need no flush."""
    try:
        handle = os.open(directory, os.O_RDONLY)
        try:
            sync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno == errno.EIO:
            outcome = f"files in {quoted(directory)} have new names, but a power cut may restore the old ones"
            raise failed_write(error, outcome, "check the files before you try again") from error


# A lock


@contextmanager
def exclusive_use(path: str | os.PathLike[str], remedy: str = "name another state") -> Iterator[None]:
    """Lock out other processes while a file is read and then replaced. The lock is on an empty file beside it.

    BlockingIOError if another process has the lock. On a disk without locks this does nothing.
    """
    folder, name = os.path.split(os.path.realpath(path))
    lock = os.path.join(folder, f".{name}.lock")
    while True:
        with open(lock, "ab", opener=lambda name, flags: os.open(name, flags | NOT_FOLLOWING, 0o666)) as file:
            if not _try_lock(file.fileno()):
                raise BlockingIOError(f"another process is using {quoted(path)}. Wait until it ends, or {remedy}.")
            found = os.fstat(file.fileno())
            if not found.st_nlink:  # the process that had the lock has just removed the file: lock a new one
                continue
            try:
                yield
            finally:
                if os.name == "nt":
                    file.close()  # Windows removes no file that is open
                with suppress(OSError):
                    if not found.st_size:
                        os.unlink(lock)
            return


def _try_lock(file: int) -> bool:
    """Lock an open file until it is closed. False if another process has locked it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in IS_LOCKED:
            return False
        if error.errno not in NO_LOCKS:
            raise
    return True


# Arrays in .npy files


def save_array(file: IO[bytes], array: np.ndarray[Any, Any]) -> None:
    """numpy.save through `file.write` only, little-endian on every machine.

    For a real file numpy uses C calls, whose errors lack the system's reason.
    """
    little_endian = array.astype(array.dtype.newbyteorder("<"), copy=False)
    np.save(SimpleNamespace(write=file.write), little_endian, allow_pickle=False)


def load_array(file: str | IO[bytes]) -> Any:
    """numpy.load without pickles, memory-mapped for a path, and without a warning about sizes that overflow.

    numpy raises an error for such sizes.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return np.load(file, mmap_mode="r" if isinstance(file, str) else None, allow_pickle=False)


def in_native_order(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The values of a .npy file in the machine's byte order. An array of that order is not copied."""
    return array.astype(array.dtype.newbyteorder("="), copy=False)


# Checksummed JSON. json is imported where it is used: `import dmlrand` should cost little more than `import numpy`.


class JsonError(ValueError):
    """The problem of a file, and the remedy. The caller puts the file's name before the message."""


def encode_json(format: str, version: int, members: dict[str, Any]) -> bytes:
    """The bytes of a file with these members."""
    import json

    body = {"format": format, "version": version, "algorithm": ALGORITHM, **members}
    document = {**body, "checksum": _checksum(body)}
    return (json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def decode_json(data: bytes, format: str, *versions: int) -> dict[str, Any]:
    """The members given to encode_json with one of the versions, and `version`. JsonError for any other data."""
    import json

    try:
        document = json.loads(data.decode())  # json.loads would also read UTF-16 and UTF-32
        body = {name: value for name, value in document.items() if name != "checksum"} if type(document) is dict else {}
        expected = _checksum(body)
    except (ValueError, RecursionError) as error:
        raise JsonError(f"is not complete JSON ({error}). It was truncated or is another file.") from None
    if body.get("format") != format:
        raise JsonError(f'has no "format": "{format}". It is another kind of file.')
    found = body.get("version")
    if type(found) is not int or found not in versions:  # in Python, True and 1.0 equal 1
        known = " or ".join(map(str, versions))
        raise JsonError(f"has version {format_value(found)}, not {known}. Update dmlrand to read it.")
    if body.get("algorithm") != ALGORITHM:
        problem = f"has algorithm {format_value(body.get('algorithm'))}, not {ALGORITHM!r}"
        raise JsonError(f"{problem}. Load it with the program that wrote it.")
    if document.get("checksum") != expected:
        raise JsonError("does not match its checksum. It was changed or damaged. Restore a copy.")
    return {name: value for name, value in body.items() if name not in ("format", "algorithm")}


def _checksum(body: dict[str, Any]) -> str:
    """A checksum of the meaning, not of the text: sorted members, no white space. Reformatting does not change it."""
    import hashlib
    import json

    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
