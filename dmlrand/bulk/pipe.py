"""Words as raw little-endian bytes, to a pipe or any binary file, without end where none is asked for."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from errno import EINVAL
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.integers import check_int
from ..operator import random_generator
from ..state import State, StateLike, advance_blocks, check_state

BUFFER_WORDS = 1 << 18  # 1 MiB, made and written again and again: the most that Linux lets a pipe hold


def write_words(file: Any, state: StateLike, words: int | None = None) -> State:
    """Write the words of a state to a binary file or pipe, raw and little-endian.

    Parameters
    ----------
    file : binary file object
        Anything with a `write` that takes bytes and blocks: open(path, "wb"), sys.stdout.buffer, a process's stdin.
        A buffered file is flushed, and its buffer then passed by.
    state : array_like of uint32, shape (6,) or (1, ..., 1, 6)
        Never modified.
    words : int >= 0, optional
        How many; None goes on until the reader closes the pipe.

    Returns
    -------
    uint32 array, in the shape of the argument
        The state after all the words that the file took, counting a block it took in part: with it, no word is
        written twice. A pipe takes words that its reader may never read. All of `words` were taken unless the reader
        closed the pipe, which is an end like any other and raises nothing.

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.
    OSError
        The file fails in another way.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write_words(file, [0, 0, 0, 0, 42, 0], 3)
    array([ 1,  0,  0,  0, 42,  0], dtype=uint32)
    >>> file.getvalue().hex(" ", 4)
    '53f0ea9c 3b49f577 ad50bf12'
    """
    new_state = check_state(state).copy()
    for new_state in write_steps(file, state, words):
        pass
    return new_state


def write_steps(file: Any, state: StateLike, words: int | None = None) -> Iterator[State]:
    """write_words, giving the state each time that a buffer of up to 1 MiB was taken: for what must stop in between."""
    start = check_state(state)
    if words is not None:
        check_int(words, "words", 0)
    if isinstance(file, io.TextIOBase) or not hasattr(file, "write"):
        raise TypeError(
            f"file must be a binary file open for writing; got {type(file).__name__}. "
            "Open it with mode 'wb'; of a text file such as sys.stdout, take .buffer."
        )
    return _steps(file, start, words)


def _steps(file: Any, start: State, words: int | None) -> Iterator[State]:
    raw = _unbuffered(file)
    buffer = np.empty(BUFFER_WORDS, np.uint32)
    done = 0
    while words is None or done < words:
        piece = buffer if words is None else buffer[: words - done]
        state = advance_blocks(start, done // 4)
        random_generator(state, out=piece)
        taken, has_reader = _write(raw, piece)
        yield advance_blocks(state, -(-taken // 16))
        if not has_reader:
            return
        done += piece.size


def _write(file: Any, piece: NDArray[np.uint32]) -> tuple[int, bool]:
    """Write the piece. Return how many of its bytes may have been taken, and False if the reader has closed the pipe."""
    view = piece.astype("<u4", copy=False).data.cast("B")
    taken = 0
    try:
        while taken < len(view):
            count = file.write(view[taken:])
            if count is None:
                raise BlockingIOError(
                    "file must be one whose writes block; got one that would not. Set it to blocking."
                )
            taken += count
    except OSError as error:
        if not reader_has_gone(error):
            raise
        # Windows does not say how much of the last write the reader got.
        return len(view) if os.name == "nt" and isinstance(file, io.FileIO) else taken, False
    return taken, True


def reader_has_gone(error: OSError) -> bool:
    """Whether a write failed since the reader closed the pipe, for which the C library of Windows says EINVAL."""
    return isinstance(error, BrokenPipeError) or (os.name == "nt" and error.errno == EINVAL and error.filename is None)


def _unbuffered(file: Any) -> Any:
    """The file below the buffer, which tells how much it took; where it is a pipe, one that holds a whole piece or more."""
    if isinstance(file, io.BufferedWriter):
        file.flush()
        file = file.raw
    if sys.platform == "linux":
        import fcntl

        with suppress(AttributeError, OSError):  # no file of the system's; no pipe, or no right
            if fcntl.fcntl(file.fileno(), fcntl.F_GETPIPE_SZ) < 4 * BUFFER_WORDS:  # a larger one stays as it is
                fcntl.fcntl(file.fileno(), fcntl.F_SETPIPE_SZ, 4 * BUFFER_WORDS)
    return file
