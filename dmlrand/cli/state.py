"""`dmlrand state`: make, show and move states."""

from __future__ import annotations

import argparse
import os

from ..checkpoint import load_checkpoint, save_checkpoint
from ..files.atomic_write import check_target, used_alone
from ..files.names import quoted
from ..state import advance_blocks, counter_of, distance_blocks, key_of, seed_state
from .arguments import Commands, add_start, integer, single_state, start


def add(commands: Commands) -> None:
    state = commands.add_parser("state", help="make, show and move states")
    actions = state.add_subparsers(title="actions", metavar="ACTION", required=True)

    new = actions.add_parser("new", help="write a new state; without options, with a key from the operating system")
    new.add_argument("file", help="must not exist yet")
    add_start(new)
    new.set_defaults(run=_state_new)

    show = actions.add_parser("show", help="print the states of a file")
    show.add_argument("file", help=".json or .npy")
    show.set_defaults(run=_state_show)

    advance = actions.add_parser("advance", help="move a state on by blocks of 4 words; negative rewinds")
    advance.add_argument("file", help=".json, all of whose states move, or .npy")
    advance.add_argument("blocks", type=integer, help="how many; those of n words are ceil(n / 4)")
    advance.set_defaults(run=_state_advance)

    distance = actions.add_parser("distance", help="print how many blocks lie from START to END")
    distance.add_argument("start", help="the file of one state")
    distance.add_argument("end", help="the file of another, of the same key")
    distance.set_defaults(run=_state_distance)


def _state_new(options: argparse.Namespace) -> None:
    state = start(options)
    check_target(options.file)
    with used_alone(options.file):
        if os.path.exists(options.file):
            raise ValueError(f"{quoted(options.file)} exists already. Remove it first, or name another file.")
        save_checkpoint(options.file, seed_state() if state is None else state)
    _state_show(options)


def _state_show(options: argparse.Namespace) -> None:
    states, metadata = load_checkpoint(options.file)
    for name, state in states.items():
        print(f"{name}")
        print(f"  counter  {counter_of(state):#034x}")
        print(f"  key      {key_of(state):#018x}")
        print(f"  words    {' '.join(map(str, state.ravel()))}")
        print(f"  sizes    {','.join(map(str, state.shape))}")
    if metadata is not None:
        print(f"metadata  {metadata}")


def _state_advance(options: argparse.Namespace) -> None:
    check_target(options.file)
    with used_alone(options.file):
        states, metadata = load_checkpoint(options.file)
        moved = {name: advance_blocks(state, options.blocks) for name, state in states.items()}
        save_checkpoint(options.file, moved, metadata)
    _state_show(options)


def _state_distance(options: argparse.Namespace) -> None:
    _, start, _ = single_state(options.start)
    _, end, _ = single_state(options.end)
    print(distance_blocks(start, end))
