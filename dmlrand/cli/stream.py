"""`dmlrand stream`: raw words to a pipe, for statistical test batteries and other programs that read bytes."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..files import failed_write
from ..state import State, advance_blocks
from .arguments import integer
from .parser import Commands, add_command
from .persisted_state import PersistedState, add_state_options, open_state
from .signals import STOPPING


def add(commands: Commands) -> None:
    stream = add_command(
        commands,
        "stream",
        help="write raw little-endian words to stdout, endless unless --words is given",
        example="dmlrand stream --seed 42 --words 1000000 > words.bin",
    )
    stream.add_argument("--words", type=integer, metavar="N", help="stop after N words")
    add_state_options(stream, required=False)
    stream.set_defaults(run=_stream)


def _stream(options: argparse.Namespace) -> int:
    problem = "closed" if sys.stdout is None else "a terminal" if sys.stdout.isatty() else None
    if problem is not None:
        raise ValueError(f"stdout is {problem}. Send the words, which are raw bytes, to a pipe (|) or to a file (>).")
    with open_state(options) as start:
        return _write(start, options.words)


def _write(start: PersistedState, words: int | None) -> int:
    from ..bulk.pipe import BUFFER_WORDS, write_steps

    state = start.state
    with _stop_signals() as received:
        try:
            for state in _until(received, _with_stdout_errors(write_steps(sys.stdout.buffer, state, words))):
                pass
            _ignore_signals()  # inside the try: a second signal may come between the last buffer and this line
        except KeyboardInterrupt:  # the second signal, while a buffer was being written: skip the whole buffer
            state = advance_blocks(state, BUFFER_WORDS // 4)
            _ignore_signals()
        start.save(state)
    return 128 + received[0] if received else 0


def _until(received: list[int], steps: Iterator[State]) -> Iterator[State]:
    """The steps up to the one during which a signal was received."""
    for state in steps:
        yield state
        if received:
            return


def _with_stdout_errors(steps: Iterator[State]) -> Iterator[State]:
    """The steps. Their errors say that stdout failed."""
    try:
        yield from steps
    except OSError as error:
        if error.errno is None:
            raise
        outcome = "stdout did not take all of the words, and the state is unchanged"
        raise failed_write(error, outcome, "repeat the command") from error


def _ignore_signals() -> None:
    """Nothing may stop the save: without it the next stream would repeat the words."""
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def _stop_signals() -> Iterator[list[int]]:
    """The list of signals received. The first one asks for a stop after the current buffer; the second stops at
    once."""
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
