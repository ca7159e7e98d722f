"""A fill of a Zarr array: the temporary folder, from which chunk the fill resumes, and the rename at the end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EEXIST
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from ..files.atomic_write import check_parent, replace, sync, sync_directory
from ..files.errors import RefusedFileError
from ..files.locks import exclusive_use
from ..files.names import quoted
from ..files.opening import check_kind
from ..messages import format_value
from .progress_file import PROGRESS, TEMPORARY, FillPaths, check_same_fill, is_finished, read_progress
from .trusted import check_owner, open_inside
from .zarr_array import METADATA, Chunk, ZarrArray


class ZarrTarget:
    """The folder to fill. A fill never replaces a folder: it makes a new one."""

    check_path = staticmethod(check_parent)

    def __init__(self, paths: FillPaths, array: ZarrArray) -> None:
        self.paths, self.request = paths, array
        self._written: list[str] = []  # and not flushed

    def is_complete(self) -> bool:
        """Whether the folder describes this array and passes the probes."""
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError, RefusedFileError):
            check_owner(self.paths.target, os.lstat(self.paths.target))
            if _read(self.paths.target, METADATA) == self.request.metadata():
                return self._find_wrong_chunk(self.paths.target, self.request.total_bytes) is None
        return False

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Lock the name. The lock is on an empty file beside the folder."""
        with exclusive_use(self.paths.target, self.paths.busy):
            yield

    def has_temporary(self) -> bool:
        """Whether a temporary folder holds anything. RefusedFileError for one that is not a folder of this user."""
        with suppress(FileNotFoundError):
            status = os.lstat(self.paths.temporary)
            check_kind(self.paths.temporary, status, folder=True)
            check_owner(self.paths.temporary, status)
            return bool(os.listdir(self.paths.temporary))
        return False

    def remove_if_empty(self) -> None:
        with suppress(OSError):
            os.rmdir(self.paths.temporary)

    def resume_position(self) -> int | None:
        """How many bytes of values of the temporary folder are correct; None if the target itself is complete."""
        progress, has_temporary = read_progress(self.paths), self.has_temporary()
        if os.path.lexists(self.paths.target):
            if not has_temporary and self.is_complete():
                return None
            problem = f"{os.strerror(EEXIST)}: {quoted(self.paths.shown)}. Remove it, or name another folder."
            raise FileExistsError(EEXIST, problem)
        if progress is None and has_temporary:
            raise self.paths.error(TEMPORARY, "is not empty, and no progress file records its chunks as flushed.")
        if progress is None or is_finished(progress, has_temporary):
            return 0
        check_same_fill(self.paths, progress, self.request)
        return self._check_temporary(progress.get("flushed"))

    def _check_temporary(self, flushed: Any) -> int:
        """`flushed`, if the temporary folder holds the chunks that it counts. Else FillError."""
        if not self.request.can_resume_at(flushed):
            problem = f"records {format_value(flushed)} bytes as flushed, but a fill flushes complete chunks."
            raise self.paths.error(PROGRESS, problem)
        wrong = self._find_wrong_chunk(self.paths.temporary, flushed)
        if wrong is not None:
            problem = f"does not hold the values of this fill in {wrong}, which its progress file records as flushed."
            raise self.paths.error(TEMPORARY, problem)
        return int(flushed)

    def _find_wrong_chunk(self, folder: str, flushed: int) -> str | None:
        """The first of the recorded chunks that is missing, has a wrong length or fails its probe.

        The probes are the first chunk and the last one. A comparison of all would take as long as writing them again.
        """
        done, last = 0, None
        for chunk in self.request.chunk_files():
            if done == flushed:
                break
            if _size(folder, chunk.name) != self.request.chunk_bytes or not (done or self._is_right(folder, chunk)):
                return chunk.name
            done, last = done + chunk.value_bytes, chunk
        return last.name if last and not self._is_right(folder, last) else None

    def _is_right(self, folder: str, chunk: Chunk) -> bool:
        return _read(folder, chunk.name) == self.request.chunk_data(chunk)

    def begin(self, start: int) -> None:
        """Make the temporary folder. Chunks that are not recorded stay there, and are replaced."""
        with suppress(FileExistsError):
            os.mkdir(self.paths.temporary)

    def write_from(self, start: int, threads: int, piece_bytes: int) -> Iterator[int]:
        """Write the description of the array, then the chunks, each as one piece: piece_bytes does not divide them."""
        self._write(METADATA, self.request.metadata())
        yield 0  # a fill without values has no other piece
        done = 0
        for chunk in self.request.chunk_files():
            if done >= start:
                self._write(chunk.name, self.request.chunk_data(chunk, threads))
                yield chunk.value_bytes
            done += chunk.value_bytes

    def _write(self, name: str, data: bytes | memoryview) -> None:
        with open(name, "wb", opener=partial(open_inside, self.paths.temporary)) as file:
            file.write(data)
        self._written.append(name)

    def flush(self) -> Callable[[], None]:
        names, self._written = self._written, []
        return partial(_flush, self.paths.temporary, names)

    def publish(self) -> None:
        """Give the complete temporary folder the target's name."""
        replace(self.paths.temporary, self.paths.target, self.paths.shown)


def _flush(folder: str, names: list[str]) -> None:
    """Flush the files of these names in the folder, and the folders on their paths."""
    folders: set[PurePosixPath] = set()
    for name in map(PurePosixPath, names):
        with open(name, "r+b", opener=partial(open_inside, folder)) as file:
            sync(file.fileno())
        folders.update(name.parents)
    for inner in folders:
        sync_directory(os.path.join(folder, inner))


def _read(folder: str, name: str) -> bytes:
    with open(name, "rb", opener=partial(open_inside, folder)) as file:
        return file.read()


def _size(folder: str, name: str) -> int | None:
    """The length of a file, or None if there is no file."""
    with suppress(FileNotFoundError), open(name, "rb", opener=partial(open_inside, folder)) as file:
        return os.fstat(file.fileno()).st_size
    return None
