"""Probes: short ranges of a file, compared with the values that a fill puts there."""

from __future__ import annotations

import os
from io import FileIO

from ..files.errors import RefusedFileError
from ..files.opening import open_regular
from .content import Content

PROBE_COUNT = 256
PROBE_BYTES = 4096


def find_wrong_probe(content: Content, file: FileIO, size: int) -> tuple[int, int] | None:
    """The first range (start, stop) of the file's first `size` bytes that differs from the content, or None.

    A comparison of all bytes would take as long as writing them again. The probes are the first range, the last one,
    and others evenly spaced between them.
    """
    last = max(size - PROBE_BYTES, 0)
    for start in sorted({last * i // (PROBE_COUNT - 1) for i in range(PROBE_COUNT)}):
        stop = min(start + PROBE_BYTES, size)
        file.seek(start)
        if file.read(stop - start) != content.bytes_between(start, stop):
            return start, stop
    return None


def is_complete(content: Content, path: str) -> bool:
    """Whether the file has the length of the content and passes the probes."""
    try:
        with FileIO(path, opener=open_regular) as file:
            size = os.fstat(file.fileno()).st_size
            return size == content.total_bytes and find_wrong_probe(content, file, size) is None
    except (FileNotFoundError, PermissionError, RefusedFileError):
        return False
