"""A finished file takes the place of an old one and gets its permissions."""

from __future__ import annotations

import os
from contextlib import suppress
from errno import EACCES

from .errors import InUseError
from .names import quoted
from .opening import retry


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
        _replace_when_closed(source, target, shown)
    finally:
        if mode is not None:
            with suppress(OSError):
                os.chmod(target, mode)


def _replace_when_closed(source: str, target: str, shown: str | os.PathLike[str]) -> None:
    try:
        retry(lambda: os.replace(source, target))
    except PermissionError as error:
        outcome = f"{quoted(shown)} was not replaced, because another program has it open"
        raise InUseError(EACCES, f"{os.strerror(EACCES)}: {outcome}. Close it there, then try again.") from error
