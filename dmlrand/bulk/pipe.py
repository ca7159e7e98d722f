"""Words as raw little-endian bytes to a pipe or any binary file, endless if no number of words is given."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from ..drawing.arguments import check_int
from ..files import little_endian, reader_has_gone
from ..operator import random_generator
from ..state import State, StateLike, check_state

BUFFER_WORDS = 1 << 18  # 1 MiB, the largest pipe that Linux gives every user


def write_words(file: Any, state: StateLike, words: int | None = None) -> State:
    """Write the words of a state to a binary file or pipe, raw and little-endian.

    Parameters
    ----------
    file : binary file object
        Anything with a `write` that takes bytes and blocks: open(path, "wb"), sys.stdout.buffer, a process's stdin.
        A buffered file is flushed, and the words are written without its buffer.
    state : as in random_generator
    words : int >= 0, optional
        How many words. None: endless, until the reader closes the pipe.

    Returns
    -------
    uint32 array, in the shape of the argument
        The state after the words. If the reader closes the pipe, the call ends without an error, and the state is that
        after the last buffer of 1 MiB of which a part may have gone into the pipe: a call with it repeats no word.

    Raises
    ------
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
    """write_words in steps of up to 1 MiB, so that the caller can stop between them. Yields the state after each."""
    state = check_state(state)
    left = math.inf if words is None else check_int(words, "words", 0)
    raw = _unbuffered(file)
    buffer = np.empty(BUFFER_WORDS, np.uint32)
    while left:
        piece = buffer[: min(BUFFER_WORDS, left)]
        state = random_generator(state, out=piece).state
        view = little_endian(piece).view(np.uint8).data
        try:
            while view:
                count = raw.write(view)
                if count is None:
                    raise BlockingIOError("file must block in write; got a non-blocking file. Set it to blocking.")
                view = view[count:]
        except OSError as error:
            if not reader_has_gone(error):
                raise
            left = piece.size  # this piece is the last one
        yield state
        left -= piece.size


def _unbuffered(file: Any) -> Any:
    """The file without its buffer: its write returns how many bytes it took.

    A pipe is enlarged to hold one piece: `dmlrand stream | wc -c` is then 2.4 times as fast.
    """
    if isinstance(file, io.BufferedWriter):
        file.flush()
        file = file.raw
    if sys.platform == "linux":
        import fcntl

        with suppress(AttributeError, OSError):  # no file of the system; no pipe, or no permission
            fcntl.fcntl(file.fileno(), fcntl.F_SETPIPE_SZ, 4 * BUFFER_WORDS)
    return file
