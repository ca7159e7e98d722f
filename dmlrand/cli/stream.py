"""`dmlrand stream`: raw words to a pipe, for statistical test batteries and whatever else reads bytes."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..files.atomic_write import unwritten
from ..state import State, advance_blocks
from .arguments import Commands, integer
from .persisted_state import KeptState, add_kept_state, open_state
from .signals import STOPPING


def add(commands: Commands) -> None:
    stream = commands.add_parser("stream", help="write raw little-endian words to stdout, without end")
    stream.add_argument("--words", type=integer, metavar="N", help="stop after N words")
    add_kept_state(stream, required=False)
    stream.set_defaults(run=_stream)


def _stream(options: argparse.Namespace) -> int:
    if sys.stdout is None:
        raise ValueError("stdout is closed, and the words have nowhere to go. Send them to a pipe or a file: | or >.")
    if sys.stdout.isatty():
        raise ValueError("stdout is a terminal, and the words are raw bytes. Send them to a pipe or a file: | or >.")
    with open_state(options) as kept:
        return _write(kept, options.words)


def _write(kept: KeptState, words: int | None) -> int:
    from ..bulk.pipe import BUFFER_WORDS, write_steps

    state = kept.state
    with _stop_signals() as stopped:
        try:
            for state in _told(write_steps(sys.stdout.buffer, state, words)):
                if stopped:
                    break
            _ignore_signals()  # inside the try: a second signal may come between the last buffer and this line
        except KeyboardInterrupt:  # the second signal, in the middle of a buffer: no word of it may be written again
            state = advance_blocks(state, BUFFER_WORDS // 4)
            _ignore_signals()
        kept.save(state)
    return 128 + stopped[0] if stopped else 0


def _told(steps: Iterator[State]) -> Iterator[State]:
    """The steps, whose errors of stdout say what they are of."""
    try:
        yield from steps
    except OSError as error:
        if error.errno is None:
            raise
        what = "stdout did not take all of the words, and the state is as it was"
        raise unwritten(error, what) from error


def _ignore_signals() -> None:
    """Nothing may stop the save: without it the words written would come again."""
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def _stop_signals() -> Iterator[list[int]]:
    """The signal that came, as a wish to stop at the next whole buffer; a second one stops at once."""
    received: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        received.append(number)
        if len(received) == 2:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, note) for number in STOPPING}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
