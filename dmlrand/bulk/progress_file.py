"""The progress file of a fill: which fill it is, and how many of its bytes are on the disk.

It is written after those bytes were flushed, and replaced atomically. So it never records too many.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..files.atomic_write import replacing_beside
from ..files.checksummed_json import JsonError, decode_json, encode_json
from ..files.errors import RefusedFileError
from ..files.names import check_name, quoted
from ..files.opening import read_at_most
from .request import Request
from .trusted import open_own

FORMAT = "dmlrand fill"
VERSION = 1
TEMPORARY, PROGRESS = ".filling", ".progress"  # added to the name of the target
MAX_PROGRESS_BYTES = 1 << 20  # many times the size of a progress file


class FillError(ValueError):
    """A fill cannot resume from the files beside its target. The message says why, and what to do.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from dmlrand import fill_file, make_state
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder, "words.npy")
    ...     _ = Path(folder, "words.npy.progress").write_text("not a progress file")
    ...     try:
    ...         fill_file(target, make_state(key=42), 1000)
    ...     except FillError as error:
    ...         print(str(error).replace(folder, "").partition(". ")[0])
    '/words.npy.progress' is not complete JSON (Expecting value: line 1 column 1 (char 0))
    """


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

    @property
    def busy(self) -> str:
        """The message for a path that another process is filling."""
        return f"another process is filling {quoted(self.shown)}. Wait until it ends, or name another file."

    def error(self, added: str, problem: str, action: str = "") -> FillError:
        """The error for a problem with the file whose name is the target's with `added`."""
        return FillError(f"{quoted(self.shown + added)} {problem} {action}{self._start_again}")

    @property
    def _start_again(self) -> str:
        return f"To start again, remove {quoted(self.shown + PROGRESS)} and {quoted(self.shown + TEMPORARY)}."

    @contextmanager
    def trusted_files(self) -> Iterator[None]:
        """Turn the refusal of a link, a pipe or another user's file into a FillError."""
        try:
            yield
        except RefusedFileError as error:
            problem = str(error).replace(quoted(self.target)[:-1], quoted(self.shown)[:-1], 1)
            raise FillError(f"{problem} {self._start_again}") from None


def write_progress(paths: FillPaths, request: Request, flushed: int) -> None:
    """Record that the first `flushed` bytes are on the disk.

    The progress file has the permissions of the target, because its key is enough to compute the values.
    """
    data = encode_json(FORMAT, VERSION, {**request.members(), "flushed": flushed})
    with replacing_beside(paths.progress, paths.shown + PROGRESS, permissions_of=paths.target) as file:
        file.write(data)


def read_progress(paths: FillPaths) -> dict[str, Any] | None:
    """The members of the progress file, or None if there is none. FillError for a damaged file or another kind."""
    try:
        data = read_at_most(paths.progress, MAX_PROGRESS_BYTES, open_own)
        if len(data) > MAX_PROGRESS_BYTES:
            raise JsonError(f"has more than {MAX_PROGRESS_BYTES:,} bytes. It is another kind of file.")
        members = decode_json(data, FORMAT, VERSION)
    except FileNotFoundError:
        return None
    except JsonError as error:
        raise paths.error(PROGRESS, error.problem) from None
    # Older releases recorded no distribution. They filled words, or numbers of [0, 1).
    older = "words" if members.get("dtype") == "uint32" else "uniform(low=0.0, high=1.0)"
    del members["version"]
    return {"distribution": older, **members}


def is_finished(progress: dict[str, Any], has_temporary: bool) -> bool:
    """Whether the fill ended and only this progress file remains."""
    return progress.get("flushed") == progress.get("bytes") and not has_temporary


def is_same_fill(progress: dict[str, Any], request: Request) -> bool:
    return {**progress, "flushed": None} == {**request.members(), "flushed": None}


def check_same_fill(paths: FillPaths, progress: dict[str, Any], request: Request) -> None:
    """Raise FillError for the progress file of another fill."""
    for name, requested in request.members().items():
        if progress.get(name) != requested:
            problem = f"belongs to another fill: its {name} is {progress.get(name)}, and {requested} was requested."
            arguments = "counter, key, shape, dtype and distribution"
            remedy = f"To finish that fill, request its values again: this file holds its {arguments}. "
            raise paths.error(PROGRESS, problem, remedy)
