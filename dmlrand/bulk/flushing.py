"""Writing what a fill lacks, with flushes in a thread of their own: values are computed while the disk is busy."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from errno import ENOSPC
from typing import TYPE_CHECKING, Protocol

from ..files.errors import failed_write
from ..files.names import quoted
from .progress_file import FillPaths, write_progress
from .request import Request

if TYPE_CHECKING:
    from concurrent.futures import Future  # slow to import, and named only in the body of a function

PIECE_BYTES = 16 << 20  # computed and written at a time; large enough to be shared among threads


class Target(Protocol):
    """The temporary file or folder of a fill, open for writing."""

    paths: FillPaths

    @property
    def request(self) -> Request: ...

    def begin(self, start: int) -> None:
        """Cut off everything but the first `start` bytes of the fill. Called before the progress file is written."""

    def write_from(self, start: int, threads: int, piece_bytes: int) -> Iterator[int]:
        """Write the bytes from `start` on, piece by piece. Yields the size of each piece."""

    def flush(self) -> Callable[[], None]:
        """A function that flushes all that is written now. It is called while more is written."""

    def remove_if_empty(self) -> None:
        """Remove what was created only to be locked."""


def write_flushed(target: Target, start: int, threads: int, flush_bytes: int) -> Generator[int, None, None]:
    """Write the bytes of a fill from `start` on, and record flushed bytes. Yields the number of bytes done."""
    paths, total = target.paths, target.request.total_bytes
    done = start
    flusher = _Flusher(target, start)
    try:
        target.begin(start)
        _check_free_space(paths, total - start)
        write_progress(paths, target.request, start)
        yield done
        with flusher:
            for size in target.write_from(start, threads, min(PIECE_BYTES, flush_bytes)):
                done += size
                # The first flush begins after 16 MiB, and each later one when the bytes have doubled, so that an early
                # interruption loses at most half of them.
                due = min(flush_bytes, max(PIECE_BYTES, flusher.started - start), total - flusher.started)
                flusher.start_if_due(done, due)
                yield done
            flusher.finish()
    except OSError as error:
        if error.errno is None:
            raise
        target.remove_if_empty()
        outcome = f"{flusher.recorded:,} of {total:,} bytes of {quoted(paths.shown)} are kept"
        raise failed_write(error, outcome) from error


class _Flusher:
    """Flushes what is written, and then records in the progress file how many bytes are on the disk."""

    def __init__(self, target: Target, flushed: int) -> None:
        self._target = target
        self.recorded = self.started = flushed  # bytes recorded as flushed; bytes whose flush was started
        self._task: Future[None] | None = None

    def __enter__(self) -> _Flusher:
        from concurrent.futures import ThreadPoolExecutor

        self._thread = ThreadPoolExecutor(1)
        return self

    def __exit__(self, *exception: object) -> None:
        self._thread.shutdown()
        with suppress(OSError):  # after an interruption or another error, which is raised; else nothing is left to do
            self.finish()

    def start_if_due(self, written: int, due: int) -> None:
        """If `due` bytes wait for a flush, finish the previous flush, then start to flush the first `written` bytes."""
        if written - self.started < due:
            return
        self.finish()
        self._task = self._thread.submit(self._target.flush())
        self.started = written

    def finish(self) -> None:
        """Wait for the flush that was started, and record its bytes."""
        if self._task is not None:
            task, self._task = self._task, None
            task.result()
            write_progress(self._target.paths, self._target.request, self.started)
            self.recorded = self.started


def _check_free_space(paths: FillPaths, missing: int) -> None:
    """Raise OSError before the first write, and not after hours, if the disk has too little free space."""
    disk = shutil.disk_usage(os.path.dirname(paths.target))
    if disk.total and disk.free < missing:  # some network disks report 0 of 0 bytes
        raise OSError(ENOSPC, os.strerror(ENOSPC))
