"""What several commands share: how their arguments are read, and the states they name."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..checkpoint import load_checkpoint
from ..files.names import quoted
from ..state import State, make_state, seed_state

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[Any]
else:  # a generic class for type checkers alone
    Commands = argparse._SubParsersAction

LONGEST_NUMBER = 1000  # characters


def integer(text: str) -> int:
    """An int in Python's notation, such as 42 or 0x2a."""
    return int(_short(text), 0)


def shape(text: str) -> tuple[int, ...]:
    return tuple(int(size) for size in _short(text).split(","))


def _short(text: str) -> str:
    """The text, unless it is so long that Python may refuse to read or to print its numbers."""
    if len(text) > LONGEST_NUMBER:
        raise argparse.ArgumentTypeError(f"must have at most {LONGEST_NUMBER} characters; got {len(text)}")
    return text


def npy_path(text: str) -> str:
    if not text.endswith(".npy"):
        raise argparse.ArgumentTypeError(f"must end in .npy; got {quoted(text)}")
    return text


def add_start(parser: argparse.ArgumentParser) -> None:
    """The ways to say where a stream starts: by a seed, or by its counter and key."""
    parser.add_argument("--seed", type=integer, help="the key of a stream that starts at counter 0")
    parser.add_argument("--counter", type=integer, help="128-bit block counter to start at (0 if only --key is given)")
    parser.add_argument("--key", type=integer, help="64-bit key (0 if only --counter is given)")


def start(options: argparse.Namespace) -> State | None:
    """The state that the options ask for, or None when they ask for none."""
    if options.seed is not None and (options.counter is not None or options.key is not None):
        raise ValueError("--seed excludes --counter and --key. A seed is a key with counter 0.")
    if options.seed is not None:
        return seed_state(options.seed)
    if options.counter is None and options.key is None:
        return None
    return make_state(counter=options.counter or 0, key=options.key or 0)


def single_state(path: str) -> tuple[str, State, dict[str, Any] | None]:
    """The name, state and metadata of a checkpoint of one state."""
    states, metadata = load_checkpoint(path)
    if len(states) != 1:
        raise ValueError(f"{quoted(path)} must hold one state; got {len(states)}: {', '.join(states)}.")
    ((name, state),) = states.items()
    return name, state, metadata
