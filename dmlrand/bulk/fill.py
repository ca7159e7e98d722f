"""Fill a file of any size in constant memory. An interrupted fill is resumed by the same call.

The values go to NAME.filling, which gets the name NAME at the end. Bytes after the first k * FLUSH_BYTES are written
only when those are on the disk. So the size of NAME.filling is the progress, and no other record of it exists.
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Iterator
from errno import EEXIST, ENOSPC
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ..drawing.arguments import check_int
from ..drawing.messages import format_value
from ..files import RAW_SUFFIXES, ZARR_SUFFIX, exclusive_use, open_like, quoted, sync, sync_directory, system_error
from ..state import State, StateLike
from .request import FLUSH_BYTES, Distribution, Request, check_distribution
from .zarr_array import ZarrArray

PIECE_BYTES = 16 << 20  # computed and written at a time: large enough to be shared among threads, a part of FLUSH_BYTES
PROBE_BYTES = 1 << 16


class FillError(ValueError):
    """NAME.filling holds the values of another fill. The message names it, and what to do.

    >>> issubclass(FillError, ValueError)
    True
    """


def fill_file(
    path: str | os.PathLike[str],
    state: StateLike,
    shape: Any,
    *,
    dtype: DTypeLike | None = None,
    distribution: str | None = None,
    chunks: Any = None,
    overwrite: bool = False,
    progress: Callable[[int, int], object] | None = None,
    threads: int = 1,
    **parameters: Any,
) -> State:
    """Fill a file with the values of a state. The file may be larger than memory.

    If the call is interrupted or killed, the same call resumes and completes the file: byte for byte the file that
    `numpy.save(path, random_generator(state, shape).values)` writes, or those values alone. Until then the values are
    in `path + ".filling"`. If `path` already holds the values, nothing is written. Clauses: specs/bulk.md.

    Parameters
    ----------
    path : path
        `*.npy` for a numpy tensor; `*.bin`, `*.dat` or `*.raw` for the values and nothing else; `*.zarr` for a folder
        with a Zarr array of format 3, uncompressed, which the package zarr writes. Files are little-endian.
    state : as in random_generator
    shape : int or sequence of 1 to 8 ints >= 0
        Row-major; fewer than 2**63 bytes.
    dtype : numpy dtype, optional
        uint32 for words, or a type that the distribution's function draws, except bfloat16. The default is that of the
        function: uint32, float32, int32 or bool.
    distribution : str, optional
        "words" for the values of random_generator, or the name of a function of numbers, such as "uniform", "integers"
        or "normal". By default dtype decides: "words" for uint32, else "uniform".
    chunks : int or sequence of ints >= 1, optional
        The sizes of a chunk of a Zarr array along each axis. A chunk must fit in memory. By default a chunk holds up to
        32 MiB of consecutive values.
    overwrite : bool
        Replace a file that exists, once the new one is complete. A folder is not replaced.
    progress : callable, optional
        Called as progress(bytes done, total bytes): at the start, and after each piece or chunk.
    threads : int >= 1
        The number of threads that may compute values.
    **parameters : numbers, optional
        The parameters of the distribution's function, such as low and high, with its defaults.

    Returns
    -------
    uint32 array, the state after the values, in the shape of the argument

    Raises
    ------
    FileExistsError (an OSError)
        path has other content, and overwrite is False.
    FillError (a ValueError)
        path + ".filling" holds the values of another fill. Nothing was changed.
    BlockingIOError
        Another process is filling path.
    OSError
        The disk is full or has failed, or `progress` raised an OSError. Call again to resume.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from dmlrand import make_state
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fill_file(folder + "/dice.npy", make_state(key=42), (2, 3), distribution="integers", low=1, high=7)
    ...     np.load(folder + "/dice.npy")
    array([ 2,  0,  0,  0, 42,  0], dtype=uint32)
    array([[6, 2, 4],
           [2, 4, 4]], dtype=int32)
    """
    content = _content(path, state, shape, dtype, distribution, chunks, parameters)
    check_int(threads, "threads", 1)
    with exclusive_use(path, "name another file") as target:
        if os.path.exists(target) and not (overwrite and isinstance(content, File)):
            if content.is_in(target):
                return content.new_state()
            remedy = "Pass overwrite=True or --overwrite" if isinstance(content, File) else "Remove it"
            raise system_error(EEXIST, f"{quoted(path)} has other content. {remedy}, or name another path.")
        _write(content, target, os.fspath(path), threads, progress or (lambda done, total: None))
    return content.new_state()


def _content(
    path: Any, state: Any, shape: Any, dtype: Any, distribution: Any, chunks: Any, parameters: dict[str, Any]
) -> File | ZarrArray:
    """The checked request of fill_file."""
    drawn, suffix = check_distribution(distribution, dtype, parameters), os.path.splitext(os.fspath(path))[1]
    if suffix == ZARR_SUFFIX:
        return ZarrArray(state, shape, drawn, chunks)
    if chunks is not None:
        raise TypeError(f"chunks must be given only with a path in .zarr; got {format_value(chunks)}. Leave it out.")
    if suffix not in (".npy", *RAW_SUFFIXES):
        raise ValueError(
            "path must end in .npy (a tensor for numpy), in .bin, .dat or .raw (values and nothing else), or in .zarr "
            f"(a folder with a Zarr array); got {quoted(path)}. Choose another name."
        )
    return File(state, shape, drawn, is_npy=suffix == ".npy")


def _write(
    content: File | ZarrArray, target: str, shown: str, threads: int, progress: Callable[[int, int], object]
) -> None:
    """Fill the temporary file or folder, from where it stands, and give it the target's name."""
    temporary = target + ".filling"
    done = content.resume(temporary)
    if done is None:
        remedy = "Repeat the call of that fill, or remove it to start again"
        raise FillError(f"{quoted(shown + '.filling')} holds the values of another fill. {remedy}.")
    try:
        disk = shutil.disk_usage(os.path.dirname(target))
        if disk.total and disk.free < content.total_bytes - done:  # some network disks report 0 of 0 bytes
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        progress(done, content.total_bytes)
        for done in content.write(temporary, target, done, threads):
            progress(done, content.total_bytes)
    except OSError as error:
        if error.errno is None:
            raise
        raise system_error(
            error.errno,
            f"the fill of {quoted(shown)} stopped after {done:,} of {content.total_bytes:,} bytes. Free disk space or "
            "remove another cause, then call again to resume.",
        ) from error
    os.replace(temporary, target)
    sync_directory(os.path.dirname(target))


class File(Request):
    """The bytes of a file: any range of them, without the others."""

    def __init__(self, state: Any, shape: Any, distribution: Distribution, is_npy: bool) -> None:
        super().__init__(state, shape, distribution)
        file = io.BytesIO()
        if is_npy:
            description = {"descr": self.dtype.newbyteorder("<").str, "fortran_order": False, "shape": self.shape}
            np.lib.format.write_array_header_1_0(file, description)
        self.header = file.getvalue()  # of a multiple of 64 bytes
        self.total_bytes += len(self.header)
        self.buffer = np.empty((max(PIECE_BYTES, PROBE_BYTES) + 64) // self.dtype.itemsize, self.dtype)

    def is_in(self, path: str) -> bool:
        """Whether the file has this length, and its first and last bytes."""
        has_size = os.path.isfile(path) and os.path.getsize(path) == self.total_bytes
        return has_size and self._agrees(path, self.total_bytes)

    def resume(self, temporary: str) -> int | None:
        """How many bytes of the temporary file are on the disk, or None if they are not those of this file."""
        if not os.path.exists(temporary):
            return 0
        size = min(os.path.getsize(temporary), self.total_bytes)
        done = max(size - 1, 0) // FLUSH_BYTES * FLUSH_BYTES
        return done if self._agrees(temporary, done) else None

    def _agrees(self, path: str, size: int) -> bool:
        """Whether the first and the last PROBE_BYTES of the first `size` bytes are right.

        A comparison of all bytes would take as long as writing them.
        """
        last = max(size - PROBE_BYTES, 0) // 64 * 64
        with open(path, "rb") as file:
            for start, stop in ((0, min(PROBE_BYTES, size)), (last, size)):
                file.seek(start)
                if file.read(stop - start) != b"".join(self._between(start, stop)):
                    return False
        return True

    def write(self, temporary: str, target: str, done: int, threads: int) -> Iterator[int]:
        """Write the bytes from `done` on. Yields how many are written."""
        with open(temporary, "ab", 0, opener=partial(open_like, target)) as file:
            file.truncate(done)
            for start in range(done, self.total_bytes, PIECE_BYTES):
                stop = min(start + PIECE_BYTES, self.total_bytes)
                for part in self._between(start, stop, threads):
                    while part:
                        part = part[file.write(part) :]
                if stop % FLUSH_BYTES == 0:
                    sync(file.fileno())
                yield stop
            sync(file.fileno())

    def _between(self, start: int, stop: int, threads: int = 1) -> tuple[memoryview, memoryview]:
        """Bytes `start` to `stop` of the file: those of the header, and those of values.

        Both are multiples of 64, or the end of the file, so that no value is cut.
        """
        header, size = len(self.header), self.dtype.itemsize
        first, last = (max(edge - header, 0) // size for edge in (start, stop))
        return memoryview(self.header)[start:stop], self.values(first, self.buffer[: last - first], threads)
