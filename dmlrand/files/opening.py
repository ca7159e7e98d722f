"""Openers for `open` that follow no link, wait for no pipe, and let Windows rename a file while it is open."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from .errors import NotRegularError

T = TypeVar("T")
RETRY_SECONDS = 2.0  # how long calls are repeated while another program has a file open, on Windows
MAX_PAUSE_SECONDS = 0.05  # between two attempts
# Do not follow a symbolic link, and do not wait for the other end of a pipe. Windows has neither flag.
NOT_FOLLOWING = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def open_renamable(path: str, flags: int, mode: int) -> int:
    """os.open without following links. On Windows the file can be renamed, and so stays locked, while it is open."""
    if sys.platform == "win32":
        from . import win32

        return win32.open_renamable(path, flags)
    return os.open(path, flags | NOT_FOLLOWING, mode)


def open_regular(path: str, flags: int, mode: int = 0o666) -> int:
    """Open a regular file. NotRegularError for a symbolic link, a pipe, a device or a folder.

    A link is not followed and a pipe is not waited for, even if one replaces the file during this call. The exception
    is Windows, where users may not create links.
    """
    with suppress(FileNotFoundError):
        _check_regular(path, os.lstat(path))
    file = open_renamable(path, flags, mode)
    try:
        _check_regular(path, os.fstat(file))
    except BaseException:
        os.close(file)
        raise
    return file


def _check_regular(path: str, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularError(path, kind_of(status))


def kind_of(status: os.stat_result) -> str:
    """What a path names that is not a regular file, for errors."""
    kinds = {stat.S_IFLNK: "a symbolic link", stat.S_IFIFO: "a pipe", stat.S_IFDIR: "a folder"}
    return kinds.get(stat.S_IFMT(status.st_mode), "a device or a socket")


def open_to_read(path: str, flags: int) -> int:
    """os.open for a file that may be replaced meanwhile. On Windows this waits for the writer and does not block it."""
    if os.name != "nt" or os.path.isdir(path):
        return os.open(path, flags)
    return retry(lambda: open_renamable(path, flags, 0o666))


def retry(call: Callable[[], T]) -> T:
    """The result of call(). On Windows a PermissionError can mean that another program has the file open: try again."""
    end, pause = time.monotonic() + RETRY_SECONDS, 0.001
    while True:
        try:
            return call()
        except PermissionError:
            if time.monotonic() > end:
                raise
        time.sleep(pause)
        pause = min(2 * pause, MAX_PAUSE_SECONDS)
