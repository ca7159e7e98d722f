"""The persisted state of `run`, `fill` and `stream`: read from a file or made from options, advanced, and saved."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from ..checkpoint import DEFAULT_NAME
from ..files import check_target, exclusive_use, quoted, replacing
from ..state import State, counter_of, distance_blocks, key_of
from .arguments import add_start, single_state, start
from .raw_states import encode_state_file, save_state_file
from .streams import visible


class PersistedState(NamedTuple):
    """A state and its file. `path` is None for a state that only the options give."""

    path: str | None
    name: str
    state: State
    metadata: dict[str, Any] | None
    resumed: bool  # read from the file

    def save(self, new_state: State) -> None:
        """Write the state from which the next command resumes."""
        if self.path is not None:
            save_state_file(self.path, {self.name: new_state}, self.metadata)

    def check_save(self) -> None:
        """Raise the error that `save` would raise now, before values are drawn that the state file would not record."""
        if self.path is not None:
            _try_replacing(self.path, encode_state_file(self.path, {self.name: self.state}, self.metadata))

    def print_origin(self) -> None:
        if self.path is not None:
            print(visible(f"state    {self.path}, {'resumed' if self.resumed else 'new'}"))

    def print_counters(self, new_state: State) -> None:
        blocks = distance_blocks(self.state, new_state)
        print(f"counter  {counter_of(self.state):#034x} before")
        print(f"         {counter_of(new_state):#034x} after, {blocks} block{'s' * (blocks != 1)} on")


def add_state_options(parser: argparse.ArgumentParser, required: bool) -> None:
    parser.add_argument(
        "--state",
        required=required,
        metavar="FILE",
        help="the state: created if the file does not exist, else read and advanced; .npy for a bare tensor",
    )
    add_start(parser)


@contextmanager
def open_state(options: argparse.Namespace) -> Iterator[PersistedState]:
    """The state to start from. Its file is locked until the block ends."""
    if options.state is None:
        yield PersistedState(None, DEFAULT_NAME, _new_state(options, "no --state is given"), None, False)
        return
    if not options.state:
        raise ValueError("--state must name a file; got an empty name.")
    check_target(options.state)  # before anything is drawn
    with exclusive_use(options.state):
        state = _read_state(options, options.state)
        state.check_save()
        yield state


def _read_state(options: argparse.Namespace, path: str) -> PersistedState:
    """The state of the file, or a new one if there is no file. ValueError if the options ask for another stream."""
    if not os.path.exists(path):
        state = _new_state(options, f"{quoted(path)} does not exist")
        return PersistedState(path, DEFAULT_NAME, state, None, False)
    name, state, metadata = single_state(path)
    requested = start(options)
    if requested is not None and key_of(requested) != key_of(state):
        raise ValueError(
            f"{quoted(path)} holds key {key_of(state):#018x}, but the options ask for {key_of(requested):#018x}. "
            "Drop these options to resume, or name another --state to start a new stream."
        )
    # A stream goes up from its first counter, modulo 2**128: at most half of the way counts as up.
    if requested is not None and options.counter is not None and distance_blocks(requested, state) >= 1 << 127:
        raise ValueError(
            f"{quoted(path)} is at counter {counter_of(state):#034x}, before --counter {counter_of(requested):#034x}, "
            "so its stream did not begin there. Drop --counter to resume, or name another --state for a new stream."
        )
    return PersistedState(path, name, state, metadata, True)


def _new_state(options: argparse.Namespace, why: str) -> State:
    state = start(options)
    if state is None:
        raise ValueError(f"{why}. Give --seed, or --counter and --key, to start a stream.")
    return state


class _Trial(Exception):
    """Ends _try_replacing."""


def _try_replacing(path: str, data: bytes) -> None:
    """Raise the error that replacing `path` with this data would raise now. The old file stays, and nothing is left."""
    with suppress(_Trial), replacing(path) as file:
        file.write(data)
        file.flush()
        raise _Trial
