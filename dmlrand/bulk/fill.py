"""Fill a file of any size in constant memory. An interrupted fill is resumed by the same call.

Values are written to a temporary file beside the target, NAME.filling. The progress file, NAME.progress, records how
many bytes are on the disk. At the end the temporary file gets the target's name, and the progress file is removed. After
a kill between any two of these steps the next call resumes: specs/bulk.md, section 2, lists the cases.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from errno import ENOSPC
from io import FileIO
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from ..arrays.integers import check_int
from ..files.atomic_write import check_target
from ..files.errors import NotRegularError, failed_write
from ..files.locks import locked, remove_open, try_lock
from ..files.names import quoted
from ..files.opening import open_regular
from ..files.replacement import copy_mode, replace, temporary_mode
from ..files.syncing import sync_directory
from ..state import State, StateLike
from .content import Content
from .flushing import Flusher
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
    write_progress,
)

Progress = Callable[[int, int], object]

PIECE_BYTES = 16 << 20  # computed and written at a time; large enough to be shared among threads
FLUSH_BYTES = 256 << 20


class FillStatus(NamedTuple):
    """How far a fill has come."""

    in_progress: bool  # an unfinished fill of this path, perhaps of another request, has a progress file
    complete: bool  # the file holds this fill
    flushed_bytes: int  # of this path's fill; the same call does not write them again
    total_bytes: int


def fill_file(
    path: str | os.PathLike[str],
    state: StateLike,
    shape: Any,
    *,
    dtype: DTypeLike = np.uint32,
    progress: Progress | None = None,
    threads: int = 1,
    flush_bytes: int = FLUSH_BYTES,
) -> State:
    """Fill a file with the values of a state. The file may be larger than memory.

    If the call is interrupted or killed, the same call resumes and completes the file. The result is byte for byte the
    file that `numpy.save(path, random_generator(state, shape).values)` writes, or those values alone, however often
    the call was interrupted. Until the file is complete, `path` keeps its old content, and `path + ".filling"` and
    `path + ".progress"` exist beside it. While one call fills a path, a second call for it is refused.

    Parameters
    ----------
    path : path
        `*.npy` for a numpy tensor; `*.bin`, `*.dat` or `*.raw` for the values and nothing else. Little-endian.
    state : array_like of uint32, shape (6,) or (1, ..., 1, 6)
        Never modified.
    shape : int or sequence of 1 to 8 ints >= 0
        Row-major; fewer than 2**63 bytes.
    dtype : uint32, float32 or float64
        uint32: the words of random_generator. float32, float64: numbers of [0, 1), those of
        `uniform(state, shape, dtype=dtype)`.
    progress : callable, optional
        Called as progress(bytes done, total bytes): once at the start, where a resumed fill stands, and after each
        piece.
    threads : int >= 1
        The number of threads that may compute values.
    flush_bytes : int >= 1
        After this many bytes the written bytes are flushed to the disk and recorded in the progress file. A kill costs
        at most twice as many.

    Returns
    -------
    uint32 array, the state after the values, in the shape of the argument

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.
    FillError (a ValueError)
        The files beside path belong to another fill or are damaged. Nothing was changed.
    BlockingIOError
        Another process is filling path.
    OSError
        The disk is full or has failed. The flushed bytes are kept: free disk space, then try again.

    Examples
    --------
    >>> import tempfile
    >>> from dmlrand import make_state
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fill_file(folder + "/values.npy", make_state(key=42), (2, 4))
    ...     np.load(folder + "/values.npy")
    array([ 2,  0,  0,  0, 42,  0], dtype=uint32)
    array([[2632642643, 2012563771,  314527917, 1463989207],
           [4242219303, 1404726525, 2207210094, 1951270651]], dtype=uint32)
    """
    paths = FillPaths.of(path)
    content = Content(paths.shown, state, shape, dtype)
    check_int(threads, "threads", 1)
    check_int(flush_bytes, "flush_bytes", 1)
    check_target(path)
    with _lock(paths) as file:
        start = _resume_position(paths, content, file)
        if start is not None:
            # The callback is called here and not inside _write, so that its errors are not taken for those of the disk.
            with closing(_write(file, content, start, paths, threads, flush_bytes)) as steps:
                for done in steps:
                    if progress is not None:
                        progress(done, content.total_bytes)
            _publish(paths)
        os.unlink(paths.progress)
        sync_directory(os.path.dirname(paths.target))
    return content.new_state()


def fill_status(path: str | os.PathLike[str], state: StateLike, shape: Any, dtype: DTypeLike = np.uint32) -> FillStatus:
    """How far fill_file(path, state, shape, dtype=dtype) has come. Nothing is changed.

    Raises the errors of fill_file for the arguments and for a damaged progress file.
    """
    paths = FillPaths.of(path)
    content = Content(paths.shown, state, shape, dtype)
    progress = read_progress(paths)
    temporary_bytes = os.path.getsize(paths.temporary) if os.path.exists(paths.temporary) else 0
    in_progress = progress is not None and not is_finished(progress, temporary_bytes)
    complete = is_complete(content, paths.target)
    flushed = progress.get("flushed", 0) if progress and in_progress else content.total_bytes * complete
    return FillStatus(in_progress, complete, flushed, content.total_bytes)


@contextmanager
def _lock(paths: FillPaths) -> Iterator[FileIO]:
    """The temporary file, opened and locked. The lock stays on the file when it gets the target's name."""
    busy = f"another process is filling {quoted(paths.shown)}. Wait until it ends, or name another file."

    def open_temporary(path: str, flags: int) -> int:
        try:
            return open_regular(path, flags | os.O_CREAT, temporary_mode(paths.target))
        except NotRegularError as error:
            raise paths.error(TEMPORARY, f"must be a regular file; got {error.kind}.") from None

    with locked(paths.temporary, busy, open_temporary) as file:
        with suppress(FileNotFoundError, PermissionError), open(paths.target, "rb", opener=open_regular) as old:
            if try_lock(old.fileno(), shared=True) is False:  # complete, but its writer has not ended yet
                _remove_if_empty(file)
                raise BlockingIOError(busy)
        yield file


def _remove_if_empty(file: FileIO) -> None:
    """Remove a temporary file that was created only to be locked."""
    if os.fstat(file.fileno()).st_size == 0:
        remove_open(file)


def _resume_position(paths: FillPaths, content: Content, file: FileIO) -> int | None:
    """How many bytes of the temporary file are correct; None if the target itself is complete."""
    try:
        progress = read_progress(paths)
        if progress is not None and is_finished(progress, os.fstat(file.fileno()).st_size):
            if is_same_fill(progress, content) and is_complete(content, paths.target):
                _remove_if_empty(file)
                return None
            return 0
        return _check_temporary(paths, progress, content, file)
    except FillError:
        _remove_if_empty(file)
        raise


def _check_temporary(paths: FillPaths, progress: dict[str, Any] | None, content: Content, file: FileIO) -> int:
    """How many bytes of the temporary file are correct. FillError if they cannot be trusted."""
    size = os.fstat(file.fileno()).st_size
    if progress is None:
        if size:
            raise paths.error(TEMPORARY, f"holds {size} bytes, and no progress file records them as flushed.")
        return 0
    check_same_fill(paths, progress, content)
    flushed: Any = progress.get("flushed")
    if not content.can_resume_at(flushed):
        problem = f"records {flushed!r} bytes as flushed, but a fill flushes complete blocks."
        raise paths.error(PROGRESS, problem)
    if size < flushed:
        raise paths.error(
            TEMPORARY, f"has {size} bytes, fewer than the {flushed} that its progress file records as flushed."
        )
    wrong = find_wrong_probe(content, file, flushed)
    if wrong is not None:
        raise paths.error(TEMPORARY, "does not hold the values of this fill between bytes {} and {}.".format(*wrong))
    return int(flushed)


def _write(
    file: FileIO, content: Content, start: int, paths: FillPaths, threads: int, flush_bytes: int
) -> Generator[int, None, None]:
    """Write the temporary file from byte `start` on, and record flushed bytes. Yields the number of bytes done."""
    done = start
    flusher = Flusher(file, content, paths, start)
    try:
        file.truncate(start)
        _check_free_space(paths, content.total_bytes - start)
        file.seek(start)
        write_progress(paths, content, start)
        yield done
        with flusher:
            for piece in _pieces(content, start, threads, flush_bytes):
                _write_all(file, piece)
                done += len(piece)
                if done - flusher.started >= flush_bytes or done == content.total_bytes:
                    flusher.start(done)
                yield done
            flusher.finish()
    except OSError as error:
        if error.errno is None:
            raise
        _remove_if_empty(file)
        outcome = f"{flusher.recorded:,} of {content.total_bytes:,} bytes of {quoted(paths.shown)} are kept"
        raise failed_write(error, outcome) from error


def _pieces(content: Content, start: int, threads: int, flush_bytes: int) -> Iterator[memoryview | bytes]:
    """The bytes of the file from `start` on, in pieces that each begin with a new block."""
    header, size = len(content.header), content.dtype.itemsize
    if start < header:
        yield content.header[start:]
        start = header
    step = max(min(PIECE_BYTES, flush_bytes) // size // 4 * 4, 4)
    buffer = np.empty(min(step, content.value_count), content.dtype)
    for first in range((start - header) // size, content.value_count, step):
        yield content.fill(first, buffer[: content.value_count - first], threads)


def _write_all(file: FileIO, data: memoryview | bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def _check_free_space(paths: FillPaths, missing: int) -> None:
    """Raise OSError before the first write, and not after hours, if the disk has too little free space."""
    disk = shutil.disk_usage(os.path.dirname(paths.target))
    if disk.total and disk.free < missing:  # some network disks report 0 of 0 bytes
        raise OSError(ENOSPC, os.strerror(ENOSPC))


def _publish(paths: FillPaths) -> None:
    """Give the complete temporary file the target's name."""
    copy_mode(paths.target, paths.temporary)
    replace(paths.temporary, paths.target, paths.shown)
    sync_directory(os.path.dirname(paths.target))
