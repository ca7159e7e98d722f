"""A file of any size, filled in constant memory, by as many runs as it takes.

Values go to a part beside the target, NAME.filling; what is known to be on the disk is told by NAME.progress, the
voucher. At the end the part gets the target's name, and then the voucher goes. A kill between any two of these steps
leaves something that the next run knows: specs/bulk.md, section 2, goes through them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from io import FileIO
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ..arrays.integers import check_int
from ..files.atomic_write import (
    NotRegularError,
    check_name,
    check_target,
    copy_mode,
    locked,
    mode_beside,
    open_regular,
    remove_open,
    replace,
    sync_directory,
    try_lock,
    unwritten,
)
from ..files.names import quoted
from ..state import State, StateLike
from .content import Content
from .flushing import Flusher
from .progress_file import (
    PART,
    PROGRESS,
    FillError,
    check_probes,
    check_same_fill,
    is_of,
    read_voucher,
    start_anew,
    write_voucher,
)

Progress = Callable[[int, int], object]

PIECE_BYTES = 16 << 20  # made and written at a time; from here on threads share the work
FLUSH_BYTES = 256 << 20


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
    """Fill a file with the values of a state, however many. Killed at any instant, the same call finishes it.

    The file is the one that `numpy.save(path, random_generator(state, shape).values)` would write, or those values
    alone, byte for byte, however often the call was interrupted. Until it is whole, `path` stays as it was; beside it
    lie `path + ".filling"` and `path + ".progress"`. Two calls at once never mix: the second is refused.

    Parameters
    ----------
    path : path
        `*.npy` for a numpy tensor; `*.bin`, `*.dat` or `*.raw` for the values and nothing else. Little-endian.
    state : array_like of uint32, shape (6,) or (1, ..., 1, 6)
        Never modified.
    shape : int or sequence of 1 to 8 ints >= 0
        Row-major; fewer than 2**63 bytes.
    dtype : uint32, float32 or float64
        uint32: the words, as random_generator gives them. float32, float64: numbers of [0, 1), as
        `uniform(state, shape, dtype=dtype)` gives them.
    progress : callable, optional
        Called as progress(bytes done, bytes in all): at the start, where a resumed fill stands, and after each piece.
    threads : int >= 1
        How many threads may share the making of the values.
    flush_bytes : int >= 1
        How often what was written is flushed to the disk and vouched for: what a kill can cost.

    Returns
    -------
    uint32 array, the state after the values, in the shape of the argument

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.
    FillError (a ValueError)
        What lies beside path belongs to another fill, or cannot be trusted. Nothing was changed.
    BlockingIOError
        Another process is filling path.
    OSError
        The disk is full, or failed. What was flushed is kept: make room, and give the same call.

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
    check_name(path)
    target = os.path.realpath(path)  # a symbolic link stays one
    content = Content(target, state, shape, dtype)
    check_int(threads, "threads", 1)
    check_int(flush_bytes, "flush_bytes", 1)
    if os.path.exists(target) and not os.path.isfile(target):
        raise ValueError(
            f"path must name a file; got {quoted(target)}, which is something else. write_words writes to pipes."
        )
    check_target(path)
    with _lock(target) as file:
        try:
            flushed = _trusted(target, content, file)
        except FillError:
            _remove_if_empty(file)
            raise
        if flushed is None:
            _remove_if_empty(file)
        else:
            # Called here and not where it is written, so that no error of the callback is taken for one of the disk.
            with closing(_write(file, content, flushed, target + PROGRESS, threads, flush_bytes)) as steps:
                for done in steps:
                    if progress is not None:
                        progress(done, content.bytes)
            _publish(file, target)
        os.unlink(target + PROGRESS)
        sync_directory(os.path.dirname(target))
    return content.new_state()


@contextmanager
def _lock(target: str) -> Iterator[FileIO]:
    """The part, opened and locked. The lock stays with it when it gets the target's name."""
    busy = f"another process is filling {quoted(target)}. Wait until it ends, or name another file."
    with locked(target + PART, busy, _open_part) as file:
        with suppress(FileNotFoundError, PermissionError), open(target, "rb", opener=open_regular) as old:
            if try_lock(old.fileno(), shared=True) is False:  # whole, but its writer has yet to tidy up
                _remove_if_empty(file)
                raise BlockingIOError(busy)
        yield file


def _open_part(path: str, flags: int) -> int:
    """Open or make the part. Nobody reads it who may not read the target."""
    target = path.removesuffix(PART)
    try:
        return open_regular(path, flags | os.O_CREAT, mode_beside(target))
    except NotRegularError as error:
        raise FillError(f"{error} {start_anew(target)}") from None


def _remove_if_empty(file: FileIO) -> None:
    """Leave no part that was made only to be locked."""
    if os.fstat(file.fileno()).st_size == 0:
        remove_open(file)


def _trusted(target: str, content: Content, part: FileIO) -> int | None:
    """How many bytes of the part can be gone on with; None where the target itself is this fill's, and whole."""
    size = os.fstat(part.fileno()).st_size
    voucher = read_voucher(target + PROGRESS)
    if voucher is None:
        if size:
            raise FillError(
                f"{quoted(part.name)} holds {size} bytes that no side file vouches for. {start_anew(target)}"
            )
        return 0
    if voucher.get("flushed") == voucher.get("bytes") and size == 0:  # a fill that ended but for tidying up
        return None if is_of(voucher, content) and _is_whole(target, content) else 0
    check_same_fill(target + PROGRESS, voucher, content)
    flushed: Any = voucher.get("flushed")
    if not content.is_cut(flushed):
        raise FillError(
            f"{quoted(target + PROGRESS)} vouches for {flushed!r} bytes, where no fill stops. {start_anew(target)}"
        )
    if size < flushed:
        raise FillError(
            f"{quoted(part.name)} has {size} bytes, fewer than the {flushed} that its side file vouches for. "
            f"{start_anew(target)}"
        )
    check_probes(content, part, flushed)
    return int(flushed)


def _is_whole(target: str, content: Content) -> bool:
    try:
        with FileIO(target, opener=open_regular) as file:
            if os.fstat(file.fileno()).st_size != content.bytes:
                return False
            check_probes(content, file, content.bytes)
    except (FileNotFoundError, FillError):
        return False
    return True


def _write(
    file: FileIO,
    content: Content,
    start: int,
    voucher: str,
    threads: int,
    flush_bytes: int,
) -> Generator[int, None, None]:
    """Write the part from byte `start` on, and vouch for it on the way and at the end. Gives the bytes done so far."""
    done = start
    flusher = Flusher(file, content, voucher, start)
    try:
        file.truncate(start)
        _check_room(file, content.bytes - start)
        file.seek(start)
        write_voucher(voucher, content, start)
        yield done
        with flusher:
            for piece in _pieces(content, start, threads, flush_bytes):
                _write_all(file, piece)
                done += len(piece)
                if done - flusher.begun >= flush_bytes or done == content.bytes:
                    flusher.begin(done)
                yield done
            flusher.finish()
    except OSError as error:
        if error.errno is None:
            raise
        _remove_if_empty(file)
        target = file.name.removesuffix(PART)
        what = f"{flusher.flushed:,} of {content.bytes:,} bytes of {quoted(target)} are kept"
        raise unwritten(error, what) from error


def _pieces(content: Content, start: int, threads: int, flush_bytes: int) -> Iterator[memoryview | bytes]:
    """The bytes of the file from `start` on, in pieces that each begin with a new block."""
    header, size = len(content.header), content.dtype.itemsize
    if start < header:
        yield content.header[start:]
        start = header
    step = max(min(PIECE_BYTES, flush_bytes) // size // 4 * 4, 4)
    buffer = np.empty(min(step, content.values), content.dtype)
    for first in range((start - header) // size, content.values, step):
        yield content.fill(first, buffer[: content.values - first], threads)


def _write_all(file: FileIO, data: memoryview | bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def _check_room(file: FileIO, missing: int) -> None:
    """Found out now, and not after hours."""
    import shutil
    from errno import ENOSPC

    disk = shutil.disk_usage(os.path.dirname(file.name))
    if disk.total and disk.free < missing:  # some network disks say 0 of 0
        raise OSError(ENOSPC, os.strerror(ENOSPC))


def _publish(file: FileIO, target: str) -> None:
    """Give the whole part the target's name."""
    copy_mode(target, file.name)
    replace(file.name, target)
    sync_directory(os.path.dirname(target))
