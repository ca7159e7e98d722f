"""Openers for `open` that wait for no pipe, follow no link, and let Windows rename a file while it is open."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from ...files import quoted


class RefusedFileError(ValueError):
    """A path names a link, a pipe, a device or a folder where a regular file must be."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{quoted(path)} {problem}")


T = TypeVar("T")
RETRY_SECONDS = 2.0  # how long calls are repeated while another program has a file open, on Windows
MAX_PAUSE_SECONDS = 0.05  # between two attempts
READ_BYTES = 1 << 20
# Windows has none of these flags.
NOT_WAITING = getattr(os, "O_NONBLOCK", 0)  # for the other end of a pipe
NOT_FOLLOWING = getattr(os, "O_NOFOLLOW", 0) | NOT_WAITING
FOLDER = getattr(os, "O_DIRECTORY", 0)


def open_renamable(path: str, flags: int, mode: int, within: int | None = None) -> int:
    """os.open without following links. On Windows the file can be renamed, and so stays locked, while it is open."""
    return os.open(path, flags | NOT_FOLLOWING, mode, dir_fd=within)


def open_regular(name: str, flags: int, mode: int = 0o666, within: int | None = None, path: str | None = None) -> int:
    """Open a regular file, or a folder with the flag FOLDER. RefusedFileError for a symbolic link and any other kind.

    A link is not followed and a pipe is not waited for, even if one replaces the file during this call. The exception
    is Windows, where users may not create links. `within` is an open folder in which `name` is, and `path` is the
    whole path, which errors show.
    """
    path, folder = path or name, bool(flags & FOLDER)
    with suppress(FileNotFoundError):
        check_kind(path, os.stat(name, dir_fd=within, follow_symlinks=False), folder)
    return checked(open_renamable(name, flags, mode, within), lambda status: check_kind(path, status, folder))


def checked(file: int, check: Callable[[os.stat_result], None]) -> int:
    """The open file, if the check raises no error."""
    try:
        check(os.fstat(file))
    except BaseException:
        os.close(file)
        raise
    return file


def check_kind(path: str, status: os.stat_result, folder: bool = False, remedy: str = "") -> None:
    """Refuse what is not a regular file, or not a folder."""
    if stat.S_IFMT(status.st_mode) != (stat.S_IFDIR if folder else stat.S_IFREG):
        wanted = "folder" if folder else "regular file"
        raise RefusedFileError(path, f"must be a {wanted}; got {kind_of(status)}.{remedy}")


def kind_of(status: os.stat_result) -> str:
    """What a path names, for errors."""
    kinds = {stat.S_IFREG: "a file", stat.S_IFLNK: "a symbolic link", stat.S_IFIFO: "a pipe", stat.S_IFDIR: "a folder"}
    return kinds.get(stat.S_IFMT(status.st_mode), "a device or a socket")


def open_to_read(path: str, flags: int) -> int:
    """Open a regular file, or a link to one, that may be replaced meanwhile. RefusedFileError for a pipe or a device.

    On Windows this waits for the writer and does not block it.
    """
    _check_readable(path, os.stat(path))  # before it is opened, which can have an effect on a device
    file = os.open(path, flags | NOT_WAITING)
    return checked(file, lambda status: _check_readable(path, status))


def _check_readable(path: str, status: os.stat_result) -> None:
    if not stat.S_ISDIR(status.st_mode):  # `open` itself reports a folder
        check_kind(path, status, remedy=" Copy its content to a file, and name that file.")
