"""The state that a command starts from, and leaves advanced in its file: what `run`, `fill` and `stream` share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..checkpoint import SINGLE, save_checkpoint
from ..files.atomic_write import check_name, check_target, used_alone
from ..files.names import quoted
from ..state import State, counter_of, distance_blocks, key_of
from .arguments import add_start, single_state, start


class KeptState(NamedTuple):
    """A state, and where it is kept: path is None for one that only the options tell."""

    path: str | None
    name: str
    state: State
    metadata: dict[str, Any] | None
    resumed: bool

    def save(self, new_state: State) -> None:
        """Let the next command go on from here."""
        if self.path is not None:
            save_checkpoint(self.path, {self.name: new_state}, self.metadata)

    def print_origin(self) -> None:
        if self.path is not None:
            print(f"state    {self.path}, {'resumed' if self.resumed else 'new'}")

    def print_counters(self, new_state: State) -> None:
        blocks = distance_blocks(self.state, new_state)
        print(f"counter  {counter_of(self.state):#034x} before")
        print(f"         {counter_of(new_state):#034x} after, {blocks} block{'s' * (blocks != 1)} on")


def add_kept_state(parser: argparse.ArgumentParser, required: bool) -> None:
    parser.add_argument(
        "--state",
        required=required,
        metavar="FILE",
        help="the state: created when absent, resumed from and advanced when there; .npy for a bare tensor",
    )
    add_start(parser)


@contextmanager
def open_state(options: argparse.Namespace) -> Iterator[KeptState]:
    """The state to start from, kept from other commands until the block ends."""
    if options.state is None:
        yield KeptState(None, SINGLE, _start_new(options, "no --state is given"), None, False)
        return
    _check_can_be_kept(options.state)
    with used_alone(options.state):
        yield _read_state(options, options.state)


def _read_state(options: argparse.Namespace, path: str) -> KeptState:
    """The state of a file, or of a file to come. Options that ask for another stream than the file's are an error."""
    if not os.path.exists(path):
        return KeptState(path, SINGLE, _start_new(options, f"{quoted(path)} does not exist"), None, False)
    name, state, metadata = single_state(path)
    asked = start(options)
    if asked is not None and key_of(asked) != key_of(state):
        raise ValueError(
            f"{quoted(path)} holds key {key_of(state):#018x}, but the options ask for {key_of(asked):#018x}. "
            "Drop them to resume, or name another --state to start anew."
        )
    return KeptState(path, name, state, metadata, True)


def _check_can_be_kept(path: str) -> None:
    """Find out before anything is drawn what would fail when the state is saved."""
    if not path:
        raise ValueError("--state must name a file; got an empty name.")
    check_target(path)


def _start_new(options: argparse.Namespace, why: str) -> State:
    state = start(options)
    if state is None:
        raise ValueError(f"{why}. Give --seed, or --counter and --key, to start a stream.")
    return state


def check_two_files(output: str | os.PathLike[str], state: str | None) -> None:
    """Refuse a state that would be the output, or one of the files beside it that a fill keeps."""
    check_name(output)
    if state is None:
        return
    check_name(state)
    target = os.path.realpath(output)
    if os.path.realpath(state) in (target, f"{target}.filling", f"{target}.progress"):
        raise ValueError(
            f"--output and --state must be two files; got {quoted(output)} and {quoted(state)}, "
            "which is the output or a file that a fill keeps beside it."
        )
