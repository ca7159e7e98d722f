"""States in files, which several commands read and write, and `dmlrand state`. specs/cli.md, specs/checkpoint.md"""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..checkpoint import DEFAULT_NAME, Checkpoint, is_state, load_checkpoint, save_checkpoint
from ..files import RAW_SUFFIXES, exclusive_use, missing_file, quoted, replacing
from ..state import State, advance_blocks, check_state, distance_blocks, key_of, seed_state
from .output import print_json, state_members
from .parser import Commands, Parser, add_command, integer, start

STATE_BYTES = 24  # of a raw state


# Files


def load_states(path: str) -> Checkpoint:
    """The states and the metadata of a checkpoint, or of a file of six raw words."""
    try:
        if not path.endswith(RAW_SUFFIXES):
            return load_checkpoint(path)
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise missing_file(path, f"make a state with: dmlrand state new {shlex.quote(path)}") from None
    if len(data) != STATE_BYTES:
        raise ValueError(
            f"{quoted(path)} must hold a state, six little-endian uint32 words in {STATE_BYTES} bytes; it holds "
            f"{len(data)} bytes. Store the four words of the counter, and then the two words of the key."
        )
    return Checkpoint({DEFAULT_NAME: np.frombuffer(data, "<u4").astype(np.uint32)}, None)


def save_states(path: str, states: Mapping[str, State], metadata: Mapping[str, Any] | None = None) -> None:
    """Write six raw words to a file with a raw name, and else a checkpoint."""
    if not path.endswith(RAW_SUFFIXES):
        save_checkpoint(path, states, metadata)
        return
    (state,) = states.values()
    with replacing(path) as file:
        file.write(state.ravel().astype("<u4").tobytes())


def load_state(path: str) -> tuple[str, State, dict[str, Any] | None]:
    """The name, state and metadata of a file of one state."""
    states, metadata = load_states(path)
    if len(states) != 1 or not is_state(*states.values()):
        held = ", ".join(f"{name} ({type(value).__name__})" for name, value in states.items())
        raise ValueError(f"{quoted(path)} must hold one state; got {held}. Save it alone, with save_checkpoint.")
    ((name, state),) = states.items()
    return name, state, metadata


def given_state(options: argparse.Namespace, path: str | None, name: str) -> State:
    """The state of a file or of the options of Parser.add_start. Errors call the argument of the file `name`."""
    state = start(options)
    if path is None and state is None:
        raise ValueError(f"give {name}, --seed, or --counter and --key, to name the state.")
    if path is not None and state is not None:
        raise ValueError(f"{name} must not be given with --seed, --counter or --key. A file has a state of its own.")
    return load_state(path)[1] if state is None else state  # type: ignore[arg-type]


# The state from which run, fill and stream start


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
            save_states(self.path, {self.name: new_state}, self.metadata)


@contextmanager
def open_state(options: argparse.Namespace) -> Iterator[PersistedState]:
    """The state to start from. Its file is locked until the block ends."""
    path, requested = options.state, start(options)
    with exclusive_use(path) if path is not None else nullcontext():
        if path is not None and os.path.exists(path):
            name, state, metadata = load_state(path)
            if requested is not None and key_of(requested) != key_of(state):
                raise ValueError(
                    f"{quoted(path)} holds key {key_of(state):#018x}, but the options ask for key "
                    f"{key_of(requested):#018x}. Drop them to resume, or name another --state to start a new stream."
                )
            yield PersistedState(path, name, state, metadata, True)
        elif requested is None:
            remedy = "Give --seed, or --counter and --key, or a --state file that exists."
            raise ValueError(f"there is no state to start from. {remedy}")
        else:
            yield PersistedState(path, DEFAULT_NAME, requested, None, False)


# dmlrand state


def add_state(commands: Commands) -> Parser:
    example = "dmlrand state new state.json --seed 42\ndmlrand state show state.json"
    family = add_command(commands, "state", "create, show and advance states", None, example)
    actions = family.add_subparsers(title="actions", metavar="ACTION", required=True)

    about = "write a new state; without options its key comes from the operating system"
    new = add_command(actions, "new", about, _new, "dmlrand state new state.json --counter 5 --key 42")
    new.add_argument("file", help=".json, .npy, or .bin for six raw words; must not exist yet")
    new.add_start()

    show = add_command(actions, "show", "print the states of a file", _show, "dmlrand state show state.json")
    show.add_argument("file", help=".json, .npy, or .bin for six raw words")
    show.add_json()

    about = "advance states by a number of blocks of 4 words; a negative number rewinds"
    advance = add_command(actions, "advance", about, _advance, "dmlrand state advance state.json 250")
    advance.add_argument("file", help=".json, .npy or .bin; every state of the file is advanced")
    advance.add_argument("blocks", type=integer, help="the number of blocks; n words take ceil(n / 4) blocks")

    about, example = "print the number of blocks from START to END", "dmlrand state distance before.json after.json"
    distance = add_command(actions, "distance", about, _distance, example)
    distance.add_argument("start", metavar="START", help="a file of one state")
    distance.add_argument("end", metavar="END", help="a file of one state, with the same key")
    return family


def _new(options: argparse.Namespace) -> None:
    state = start(options)
    with exclusive_use(options.file):
        if os.path.exists(options.file):
            raise ValueError(f"{quoted(options.file)} exists already. Remove it first, or name another file.")
        save_states(options.file, {DEFAULT_NAME: seed_state() if state is None else state})
    _show(options)


def _show(options: argparse.Namespace) -> None:
    """Print the states of a file, also for `new` and `advance`, which have no --json."""
    states, metadata = load_states(options.file)
    members = [
        {"name": name, **state_members(state), "sizes": state.shape, "lane": lane}
        for name, state, lane in _each_state(states)
    ]
    if getattr(options, "json", False):
        print_json("states", {"states": members, "metadata": metadata})
        return
    for each in members:
        print(each["name"])
        print(f"  counter  {each['counter']:#034x}")
        print(f"  key      {each['key']:#018x}")
        print(f"  words    {' '.join(map(str, each['words']))}")
        sizes = ",".join(map(str, each["sizes"]))
        print(f"  sizes    {sizes}" if each["lane"] is None else f"  lane     {each['lane']}")
    if metadata is not None:
        print(f"metadata  {metadata}")


def _each_state(states: Mapping[str, Any]) -> Iterator[tuple[str, State, int | None]]:
    """(name, state, lane) of each state, also of those in arrays and in nested mappings. A plain state has no lane."""
    for name, value in states.items():
        if isinstance(value, dict):
            yield from ((f"{name}/{inner}", state, lane) for inner, state, lane in _each_state(value))
        elif is_state(value):
            yield name, value, None
        elif isinstance(value, np.ndarray):
            yield from ((f"{name}[{i}]", row, None) for i, row in enumerate(value))
        else:
            position = value.state_dict()  # of a Stream or a bit generator
            yield name, check_state(position["state"]), position["lane"]


def _advance(options: argparse.Namespace) -> None:
    with exclusive_use(options.file):
        states, metadata = load_states(options.file)
        advanced = {name: advance_blocks(state, options.blocks) for name, state in states.items()}
        save_states(options.file, advanced, metadata)
    _show(options)


def _distance(options: argparse.Namespace) -> None:
    print(distance_blocks(load_state(options.start)[1], load_state(options.end)[1]))
