"""`dmlrand state`: create, show and advance states."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..checkpoint import is_state
from ..files import check_target, exclusive_use, quoted
from ..state import State, advance_blocks, check_state, counter_of, distance_blocks, key_of, seed_state
from .arguments import add_start, integer, load_plain_states, load_states, single_state, start
from .json_object import add_json, print_json, state_members
from .parser import Commands, add_command
from .raw_states import save_state_file
from .streams import visible


def add(commands: Commands) -> None:
    state = add_command(
        commands,
        "state",
        help="create, show and advance states",
        example="dmlrand state new state.json --seed 42\ndmlrand state show state.json",
    )
    state.set_defaults(run=state.help_on_stderr)
    actions = state.add_subparsers(title="actions", metavar="ACTION")
    _add_files(actions)
    _add_arithmetic(actions)


def _add_files(actions: Commands) -> None:
    new = add_command(
        actions,
        "new",
        help="write a new state; without options its key comes from the operating system",
        example="dmlrand state new state.json --counter 5 --key 42",
    )
    new.add_argument("file", help=".json, .npy, or .bin for six raw words; must not exist yet")
    add_start(new)
    new.set_defaults(run=_state_new)

    show = add_command(actions, "show", help="print the states of a file", example="dmlrand state show state.json")
    show.add_argument("file", help=".json, .npy, or .bin for six raw words")
    add_json(show)
    show.set_defaults(run=_state_show)


def _add_arithmetic(actions: Commands) -> None:
    advance = add_command(
        actions,
        "advance",
        help="advance states by a number of blocks of 4 words; a negative number rewinds",
        example="dmlrand state advance state.json 250",
    )
    advance.add_argument("file", help=".json, .npy or .bin; every state of the file is advanced")
    advance.add_argument("blocks", type=integer, help="the number of blocks; n words take ceil(n / 4) blocks")
    advance.set_defaults(run=_state_advance)

    distance = add_command(
        actions,
        "distance",
        help="print the number of blocks from START to END",
        example="dmlrand state distance before.json after.json",
    )
    distance.add_argument("start", metavar="START", help="a file of one state")
    distance.add_argument("end", metavar="END", help="a file of one state, with the same key")
    distance.set_defaults(run=_state_distance)


def _state_new(options: argparse.Namespace) -> None:
    state = start(options)
    check_target(options.file)
    with exclusive_use(options.file):
        if os.path.exists(options.file):
            raise ValueError(f"{quoted(options.file)} exists already. Remove it first, or name another file.")
        save_state_file(options.file, seed_state() if state is None else state)
    _print_states(options.file)


def _state_show(options: argparse.Namespace) -> None:
    if not options.json:
        _print_states(options.file)
        return
    states, metadata = load_states(options.file)
    members = [
        {"name": name, **state_members(state), "sizes": state.shape, "lane": lane}
        for name, state, lane in _each_state(states)
    ]
    print_json("states", {"states": members, "metadata": metadata})


def _print_states(path: str) -> None:
    states, metadata = load_states(path)
    for name, state, lane in _each_state(states):
        print(visible(name))
        print(f"  counter  {counter_of(state):#034x}")
        print(f"  key      {key_of(state):#018x}")
        print(f"  words    {' '.join(map(str, state.ravel()))}")
        print(f"  sizes    {','.join(map(str, state.shape))}" if lane is None else f"  lane     {lane}")
    if metadata is not None:
        print(f"metadata  {metadata}")


def _each_state(states: dict[str, Any]) -> Iterator[tuple[str, State, int | None]]:
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


def _state_advance(options: argparse.Namespace) -> None:
    check_target(options.file)
    with exclusive_use(options.file):
        states, metadata = load_plain_states(options.file)
        advanced = {name: advance_blocks(state, options.blocks) for name, state in states.items()}
        save_state_file(options.file, advanced, metadata)
    _print_states(options.file)


def _state_distance(options: argparse.Namespace) -> None:
    _, start, _ = single_state(options.start)
    _, end, _ = single_state(options.end)
    print(distance_blocks(start, end))
