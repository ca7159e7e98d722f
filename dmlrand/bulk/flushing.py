"""Flushing in a thread of its own: the next values are computed and written while the disk is busy."""

from __future__ import annotations

from io import FileIO
from typing import TYPE_CHECKING

from ..files.syncing import sync
from .content import Content
from .progress_file import FillPaths, write_progress

if TYPE_CHECKING:
    from concurrent.futures import Future  # slow to import, and named only in the body of a function


class Flusher:
    """Flushes the temporary file, and then records in the progress file how many bytes are on the disk."""

    def __init__(self, file: FileIO, content: Content, paths: FillPaths, flushed: int) -> None:
        self._file, self._content, self._paths = file, content, paths
        self.recorded = self.started = flushed  # bytes recorded as flushed; bytes whose flush was started
        self._task: Future[None] | None = None

    def __enter__(self) -> Flusher:
        from concurrent.futures import ThreadPoolExecutor

        self._thread = ThreadPoolExecutor(1)
        return self

    def __exit__(self, *exception: object) -> None:
        self._thread.shutdown()

    def start(self, written: int) -> None:
        """Finish the previous flush, then start to flush the first `written` bytes."""
        self.finish()
        self.started = written
        self._task = self._thread.submit(sync, self._file.fileno())

    def finish(self) -> None:
        """Wait for the flush that was started, and record its bytes."""
        if self._task is not None:
            self._task.result()
            self._task = None
            write_progress(self._paths, self._content, self.started)
            self.recorded = self.started
