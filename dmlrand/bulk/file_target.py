"""A fill of one file: its temporary file, from which position the fill resumes, and the rename at the end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import numpy as np

from ..files.atomic_write import check_target, copy_mode, replace, sync, temporary_mode
from ..files.errors import RefusedFileError
from ..files.locks import locked, remove_open, try_lock
from ..files.opening import open_regular
from ..messages import format_value
from .content import Content
from .probes import find_wrong_probe, is_complete
from .progress_file import (
    PROGRESS,
    TEMPORARY,
    FillError,
    FillPaths,
    check_same_fill,
    is_finished,
    is_same_fill,
    read_progress,
)
from .trusted import open_own

FIRST_PIECE_BYTES = 1 << 20


class FileTarget:
    """The file to fill."""

    check_path = staticmethod(check_target)

    def __init__(self, paths: FillPaths, content: Content) -> None:
        self.paths, self.request = paths, content

    def is_complete(self) -> bool:
        return is_complete(self.request, self.paths.target)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Open and lock the temporary file. The lock stays on the file when it gets the target's name."""

        def open_temporary(path: str, flags: int) -> int:
            return open_own(path, flags | os.O_CREAT, temporary_mode(self.paths.target))

        with locked(self.paths.temporary, self.paths.busy, open_temporary) as self._file:
            with (
                suppress(FileNotFoundError, PermissionError),
                open(self.paths.target, "rb", opener=open_regular) as old,
            ):
                if try_lock(old.fileno(), shared=True) is False:  # complete, but its writer has not ended yet
                    self.remove_if_empty()
                    raise BlockingIOError(self.paths.busy)
            yield

    def has_temporary(self) -> bool:
        """Whether a temporary file holds anything."""
        return os.path.exists(self.paths.temporary) and os.path.getsize(self.paths.temporary) > 0

    def remove_if_empty(self) -> None:
        """Remove a temporary file that was created only to be locked."""
        if os.fstat(self._file.fileno()).st_size == 0:
            remove_open(self._file)

    def resume_position(self) -> int | None:
        """How many bytes of the temporary file are correct; None if the target itself is complete."""
        try:
            progress = read_progress(self.paths)
            if progress is not None and is_finished(progress, self.has_temporary()):
                if is_same_fill(progress, self.request) and self.is_complete():
                    self.remove_if_empty()
                    return None
                return 0
            return self._check_temporary(progress)
        except (FillError, RefusedFileError):
            self.remove_if_empty()
            raise

    def _check_temporary(self, progress: dict[str, Any] | None) -> int:
        """How many bytes of the temporary file are correct. FillError if they cannot be trusted."""
        paths, size = self.paths, os.fstat(self._file.fileno()).st_size
        if progress is None:
            if size:
                raise paths.error(TEMPORARY, f"holds {size} bytes, and no progress file records them as flushed.")
            return 0
        check_same_fill(paths, progress, self.request)
        flushed: Any = progress.get("flushed")
        if not self.request.can_resume_at(flushed):
            problem = f"records {format_value(flushed)} bytes as flushed, but a fill flushes complete blocks."
            raise paths.error(PROGRESS, problem)
        if size < flushed:
            raise paths.error(
                TEMPORARY, f"has {size} bytes, fewer than the {flushed} that its progress file records as flushed."
            )
        wrong = find_wrong_probe(self.request, self._file, flushed)
        if wrong is not None:
            raise paths.error(
                TEMPORARY, "does not hold the values of this fill between bytes {} and {}.".format(*wrong)
            )
        return int(flushed)

    def begin(self, start: int) -> None:
        self._file.truncate(start)
        self._file.seek(start)

    def write_from(self, start: int, threads: int, piece_bytes: int) -> Iterator[int]:
        for piece in self._pieces(start, threads, piece_bytes):
            view = memoryview(piece)
            while view:
                view = view[self._file.write(view) :]
            yield len(piece)

    def _pieces(self, start: int, threads: int, piece_bytes: int) -> Iterator[memoryview | bytes]:
        """The bytes of the file from `start` on, in pieces that each begin with a new block.

        The first piece is small and each next one is twice as large, so that the first progress is reported at once.
        """
        content = self.request
        header, size = len(content.header), content.dtype.itemsize
        if start < header:
            yield content.header[start:]
            start = header
        step = max(piece_bytes // size // 4 * 4, 4)
        buffer = np.empty(min(step, content.value_count), content.dtype)
        first, count = (start - header) // size, min(FIRST_PIECE_BYTES // size, step)
        while first < content.value_count:
            yield content.fill(first, buffer[:count][: content.value_count - first], threads)
            first, count = first + count, min(2 * count, step)

    def flush(self) -> Callable[[], None]:
        return partial(sync, self._file.fileno())

    def publish(self) -> None:
        """Give the complete temporary file the target's name."""
        copy_mode(self.paths.target, self.paths.temporary)
        replace(self.paths.temporary, self.paths.target, self.paths.shown)
