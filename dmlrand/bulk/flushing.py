"""Flushing what was written while more is written, so that the disk never waits for the generator."""

from __future__ import annotations

from io import FileIO
from typing import TYPE_CHECKING

from ..files.atomic_write import sync
from .content import Content
from .progress_file import write_voucher

if TYPE_CHECKING:
    from concurrent.futures import Future  # slow to import, and named only in the body of a function


class Flusher:
    """Flushes a part from a thread of its own, and vouches for what is on the disk then, and for no more."""

    def __init__(self, file: FileIO, content: Content, voucher: str, flushed: int) -> None:
        self._file, self._content, self._voucher = file, content, voucher
        self.flushed = self.begun = flushed
        self._task: Future[None] | None = None

    def __enter__(self) -> Flusher:
        from concurrent.futures import ThreadPoolExecutor

        self._thread = ThreadPoolExecutor(1)
        return self

    def __exit__(self, *exception: object) -> None:
        self._thread.shutdown()

    def begin(self, written: int) -> None:
        """Begin to flush the first `written` bytes, all of which were written; the flush before has ended by then."""
        self.finish()
        self.begun = written
        self._task = self._thread.submit(sync, self._file.fileno())

    def finish(self) -> None:
        """Wait for the flush that was begun, and vouch for it."""
        if self._task is not None:
            self._task.result()
            self._task = None
            write_voucher(self._voucher, self._content, self.begun)
            self.flushed = self.begun
