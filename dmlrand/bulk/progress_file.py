"""The progress file of a fill: which fill it is, and how many of its bytes are on the disk.

It is written after those bytes were flushed, and replaced atomically. So it never records too many.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from ..files.atomic_write import replacing_beside
from ..files.checksummed_json import JsonError, decode_json, encode_json
from ..files.errors import NotRegularError
from ..files.names import check_name, quoted
from ..files.opening import open_regular
from ..state import counter_of, key_of
from .content import Content

FORMAT = "dmlrand fill"
VERSION = 1
TEMPORARY, PROGRESS = ".filling", ".progress"  # added to the name of the target
MAX_PROGRESS_BYTES = 1 << 20  # many times the size of a progress file


class FillError(ValueError):
    """A fill cannot resume from the files beside its target. The message says why, and what to do."""


class FillPaths(NamedTuple):
    """The absolute path of the file to fill, with a symbolic link followed, and how messages show that path."""

    target: str
    shown: str

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> FillPaths:
        check_name(path)
        target = os.path.realpath(path)
        return cls(target, target if os.path.islink(path) else os.fspath(path))

    @property
    def temporary(self) -> str:
        return self.target + TEMPORARY

    @property
    def progress(self) -> str:
        return self.target + PROGRESS

    def error(self, added: str, problem: str, action: str = "") -> FillError:
        """The error for a problem with the file whose name is the target's with `added`."""
        start_again = f"To start again, remove {quoted(self.shown + PROGRESS)} and {quoted(self.shown + TEMPORARY)}."
        return FillError(f"{quoted(self.shown + added)} {problem} {action}{start_again}")


def write_progress(paths: FillPaths, content: Content, flushed: int) -> None:
    """Record that the first `flushed` bytes are on the disk.

    The progress file has the permissions of the target, because its key is enough to compute the values.
    """
    data = encode_json(FORMAT, VERSION, {**_request(content), "flushed": flushed})
    with replacing_beside(paths.progress, paths.shown + PROGRESS, permissions_of=paths.target) as file:
        file.write(data)


def read_progress(paths: FillPaths) -> dict[str, Any] | None:
    """The members of the progress file, or None if there is none. FillError for a damaged file or another kind."""
    try:
        with open(paths.progress, "rb", opener=open_regular) as file:
            data = file.read(MAX_PROGRESS_BYTES + 1)
        if len(data) > MAX_PROGRESS_BYTES:
            raise JsonError(f"has more than {MAX_PROGRESS_BYTES:,} bytes. It is another kind of file.")
        return decode_json(data, FORMAT, VERSION)
    except FileNotFoundError:
        return None
    except NotRegularError as error:
        raise paths.error(PROGRESS, f"must be a regular file; got {error.kind}.") from None
    except JsonError as error:
        raise paths.error(PROGRESS, error.problem) from None


def is_finished(progress: dict[str, Any], temporary_bytes: int) -> bool:
    """Whether the fill ended and only this progress file remains."""
    return progress.get("flushed") == progress.get("bytes") and temporary_bytes == 0


def is_same_fill(progress: dict[str, Any], content: Content) -> bool:
    return {**progress, "flushed": None} == {**_request(content), "flushed": None}


def check_same_fill(paths: FillPaths, progress: dict[str, Any], content: Content) -> None:
    """Raise FillError for the progress file of another fill."""
    for name, requested in _request(content).items():
        if progress.get(name) != requested:
            problem = f"belongs to another fill: its {name} is {progress.get(name)}, and {requested} was requested."
            remedy = (
                "To finish that fill, request its values again: this file holds its counter, key, shape and dtype. "
            )
            raise paths.error(PROGRESS, problem, remedy)


def _request(content: Content) -> dict[str, Any]:
    """Everything that the bytes depend on."""
    return {
        "counter": f"0x{counter_of(content.state):032x}",
        "key": f"0x{key_of(content.state):016x}",
        "shape": list(content.shape),
        "dtype": content.dtype.name,
        "bytes": content.total_bytes,
    }
