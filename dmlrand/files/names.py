"""Names of files: how a message shows one, the names of hidden files, and the names that Windows refuses."""

from __future__ import annotations

import os
import re
import sys

# https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file
_FORBIDDEN = re.compile(r'[<>:"|?*\x00-\x1f]')
_DEVICE = re.compile(r"(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(COM|LPT)[0-9\u00b9\u00b2\u00b3]) *([.:].*)?", re.IGNORECASE)
_DRIVE = re.compile(r"([\\/]{2}[?.][\\/])?([A-Za-z]:)?")
MAX_NAME_UNITS = 255  # UTF-16 code units, on Windows
MAX_PATH_UNITS = 259
MAX_NAME_BYTES = 255  # on almost every other disk
ADDED_UNITS = len("..progress.01234567.part")  # the most that a temporary file adds to the name of its target

RAW_SUFFIXES = (".bin", ".dat", ".raw")  # of files with words or numbers and nothing else
ZARR_SUFFIX = ".zarr"  # of folders with a Zarr array


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


def hidden_name(name: str, ending: str) -> str:
    """The name .NAME.ending. NAME is cut where necessary, so that a disk takes the name with every ending in use."""
    while len(os.fsencode(name)) > MAX_NAME_BYTES - len("..01234567.part"):
        name = name[:-1]
    return f".{name}.{ending}"


def check_name(path: str | os.PathLike[str]) -> None:
    """Raise ValueError for a path that Windows refuses, if this is Windows."""
    if sys.platform == "win32":
        from .win32 import long_paths_enabled

        check_windows_name(os.fspath(path), os.path.abspath(path), long_paths_enabled())


def check_windows_name(path: str, full_path: str, long_paths: bool) -> None:
    """Raise ValueError for a path that Windows refuses, or takes for another file or a device.

    `full_path` is the absolute path. `long_paths` says whether it may have more than 259 characters.
    """
    for name in re.split(r"[\\/]", _DRIVE.sub("", path, count=1)):
        if name not in ("", ".", ".."):
            _check_name(name, path)
    longest = MAX_PATH_UNITS - ADDED_UNITS
    if not long_paths and not full_path.startswith("\\\\?\\") and _units(full_path) > longest:
        raise ValueError(
            f"path must have at most {longest} characters, so that Windows allows it and the paths of temporary files; "
            f"got {quoted(full_path)}, which has {_units(full_path)}. Choose a shorter name or folder, or enable long "
            "paths in Windows."
        )


def _check_name(name: str, path: str) -> None:
    forbidden = _FORBIDDEN.search(name)
    if _DEVICE.fullmatch(name):
        problem = "is the name of a device"
    elif forbidden:
        problem = f'contains {forbidden.group()!r}: Windows forbids < > : " | ? * and control characters'
    elif name[-1] in ". ":
        problem = "ends in a dot or a space, which Windows drops"
    elif _units(name) > MAX_NAME_UNITS:
        problem = f"has {_units(name)} characters: Windows allows {MAX_NAME_UNITS}"
    else:
        return
    raise ValueError(
        f"path must be a name that Windows allows; got {quoted(path)}, where {quoted(name)} {problem}. "
        "Choose another name."
    )


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
