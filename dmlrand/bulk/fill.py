"""Fill a file of any size in constant memory. An interrupted fill is resumed by the same call.

Values are written to a temporary file or folder beside the target, NAME.filling. The progress file, NAME.progress,
records how many bytes are on the disk. At the end the temporary file gets the target's name, and the progress file is
removed. After a kill between any two of these steps the next call resumes: specs/bulk.md, section 2, lists the cases.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from ..arrays.integers import check_int
from ..files.atomic_write import sync_directory
from ..files.names import ZARR_SUFFIX
from ..messages import format_value
from ..state import State, StateLike
from .content import Content
from .distribution import check_distribution
from .file_target import FileTarget
from .flushing import write_flushed
from .progress_file import FillPaths, is_finished, read_progress
from .zarr_array import ZarrArray
from .zarr_target import ZarrTarget

Progress = Callable[[int, int], object]

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
    dtype: DTypeLike | None = None,
    distribution: str | None = None,
    chunks: Any = None,
    progress: Progress | None = None,
    threads: int = 1,
    flush_bytes: int = FLUSH_BYTES,
    **bounds: Any,
) -> State:
    """Fill a file with the values of a state. The file may be larger than memory.

    If the call is interrupted or killed, the same call resumes and completes the file. The result is byte for byte the
    file that `numpy.save(path, random_generator(state, shape).values)` writes, or those values alone, however often
    the call was interrupted. Until the file is complete, `path` keeps its old content, and `path + ".filling"` and
    `path + ".progress"` exist beside it. While one call fills a path, a second call for it is refused.
    Clauses: specs/bulk.md, sections 1 to 3 and 9.

    Parameters
    ----------
    path : path
        `*.npy` for a numpy tensor; `*.bin`, `*.dat` or `*.raw` for the values and nothing else; `*.zarr` for a folder
        with a Zarr array of format 3, uncompressed. Little-endian. A file is replaced, a folder is not.
    state : as in random_generator
    shape : int or sequence of 1 to 8 ints >= 0
        Row-major; fewer than 2**63 bytes.
    dtype : numpy dtype, optional
        uint32 for words, or a type that the distribution's function draws, except bfloat16. The default is that of the
        function: uint32, float32, int32 or bool.
    distribution : str, optional
        "words" for the values of random_generator, or the name of a function of numbers, such as "uniform", "integers"
        or "normal", for the values of this function. By default dtype decides: "words" for uint32, else "uniform".
    chunks : int or sequence of ints >= 1, optional
        The sizes of a chunk of a Zarr array along each axis. A chunk must fit in memory. By default a chunk holds up to
        32 MiB of consecutive values. The values do not depend on it.
    progress : callable, optional
        Called as progress(bytes done, total bytes): once at the start, where a resumed fill stands, and after each
        piece or chunk.
    threads : int >= 1
        The number of threads that may compute values.
    flush_bytes : int >= 1
        After this many bytes, and at the start more often, the written bytes are flushed to the disk and recorded in
        the progress file. After a kill, at most twice as many (and one chunk) are written again.
    **bounds : numbers, optional
        The parameters of the distribution's function, such as low and high, or mean and stddev, with its defaults.

    Returns
    -------
    uint32 array, the state after the values, in the shape of the argument

    Raises
    ------
    FillError (a ValueError)
        The files beside path belong to another fill or are damaged. Nothing was changed.
    BlockingIOError
        Another process is filling path.
    OSError
        The disk is full or has failed. The flushed bytes are kept: free disk space, then try again.
    FileExistsError (an OSError)
        path ends in .zarr and exists, and is not the array that this call makes.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from dmlrand import make_state
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fill_file(folder + "/values.npy", make_state(key=42), (2, 4))
    ...     np.load(folder + "/values.npy")
    array([ 2,  0,  0,  0, 42,  0], dtype=uint32)
    array([[2632642643, 2012563771,  314527917, 1463989207],
           [4242219303, 1404726525, 2207210094, 1951270651]], dtype=uint32)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fill_file(folder + "/dice.bin", make_state(key=42), 6, distribution="integers", low=1, high=7)
    ...     np.fromfile(folder + "/dice.bin", np.int32)
    array([ 2,  0,  0,  0, 42,  0], dtype=uint32)
    array([6, 2, 4, 2, 4, 4], dtype=int32)
    """
    target = _target(path, state, shape, chunks, distribution, dtype, bounds)
    check_int(threads, "threads", 1)
    check_int(flush_bytes, "flush_bytes", 1)
    target.check_path(path)
    with target.paths.trusted_files(), target.opened():
        start = target.resume_position()
        if start is not None:
            _write(target, start, threads, flush_bytes, progress)
            target.publish()
            sync_directory(os.path.dirname(target.paths.target))
        with suppress(FileNotFoundError):  # a complete Zarr array may have none
            os.unlink(target.paths.progress)
        sync_directory(os.path.dirname(target.paths.target))
    return target.request.new_state()


def _write(
    target: FileTarget | ZarrTarget, start: int, threads: int, flush_bytes: int, progress: Progress | None
) -> None:
    # The callback is called here and not in write_flushed, so that its errors are not taken for the disk's.
    with closing(write_flushed(target, start, threads, flush_bytes)) as steps:
        for done in steps:
            if progress is not None:
                progress(done, target.request.total_bytes)


def fill_status(
    path: str | os.PathLike[str],
    state: StateLike,
    shape: Any,
    dtype: DTypeLike | None = None,
    *,
    distribution: str | None = None,
    chunks: Any = None,
    **bounds: Any,
) -> FillStatus:
    """How far fill_file with the same arguments has come. Nothing is changed.

    Raises the errors of fill_file for the arguments and for a damaged progress file.
    """
    target = _target(path, state, shape, chunks, distribution, dtype, bounds)
    with target.paths.trusted_files():
        progress = read_progress(target.paths)
        in_progress = progress is not None and not is_finished(progress, target.has_temporary())
    complete, total_bytes = target.is_complete(), target.request.total_bytes
    flushed = progress.get("flushed", 0) if progress and in_progress else total_bytes * complete
    return FillStatus(in_progress, complete, flushed, total_bytes)


def _target(
    path: str | os.PathLike[str],
    state: Any,
    shape: Any,
    chunks: Any,
    distribution: Any,
    dtype: Any,
    bounds: dict[str, Any],
) -> FileTarget | ZarrTarget:
    """The checked request of fill_file, and where it goes."""
    paths = FillPaths.of(path)
    checked = check_distribution(distribution, dtype, bounds)
    if paths.target.endswith(ZARR_SUFFIX):
        return ZarrTarget(paths, ZarrArray(state, shape, checked, chunks))
    content = Content(paths.shown, state, shape, checked)
    if chunks is not None:
        raise TypeError(
            f"chunks must be given only with a path that ends in .zarr; got {format_value(chunks)}. Leave it out."
        )
    return FileTarget(paths, content)
