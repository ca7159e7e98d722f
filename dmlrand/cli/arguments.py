"""The types of arguments, the options that name a state, and states that are read from files."""

from __future__ import annotations

import argparse
import re
import shlex
from typing import Any

from ..checkpoint import Checkpoint, is_state
from ..files import missing_file, quoted
from ..state import State, make_state, seed_state
from .raw_states import load_state_file

MAX_NUMBER_CHARACTERS = 1000  # Python may refuse to read or to print longer numbers
# Hexadecimal digits without 0x, but not a float such as 1e6.
_HEXADECIMAL = re.compile(r"(?!\d+[eE]\d+$)(?=.*[a-fA-F])[0-9a-fA-F]+")
# Sizes with other separators than one comma, and perhaps brackets: 3x3, "3 3", 3*3, [3, 3], 3,,3.
_OTHER_SHAPE = re.compile(r"[(\[]?\s*\d+([\s,;:xX*×]+\d+)*[\s,]*[)\]]?")


def integer(text: str) -> int:
    """An int in Python's notation, such as 42 or 0x2a."""
    try:
        return int(_checked_length(text), 0)
    except ValueError:
        example = f"0x{text}" if _HEXADECIMAL.fullmatch(text) else "a number such as 42 or 0x2a"
        raise argparse.ArgumentTypeError(f"must be an integer; got {quoted(text)}. Write {example}") from None


def number(text: str) -> int | float:
    """An int in Python's notation, or a float."""
    try:
        return int(_checked_length(text), 0)
    except ValueError:
        return float(text)


def shape(text: str) -> tuple[int, ...]:
    """Sizes separated by commas."""
    try:
        return tuple(_size(size) for size in _checked_length(text).split(","))
    except ValueError:
        remedy = f"Write {','.join(re.findall('[0-9]+', text))}" if _OTHER_SHAPE.fullmatch(text) else "Example: 3,3"
        if text.endswith(","):  # the shell has split 3, 4 at the space
            remedy = "Write all sizes without spaces, such as 3,3"
        raise argparse.ArgumentTypeError(f"must be sizes separated by commas; got {quoted(text)}. {remedy}") from None


def _size(text: str) -> int:
    """An int, decimal or hexadecimal. Unlike `integer`, it accepts leading zeros, as in 010."""
    return int(text, 16 if text.strip().lower().startswith("0x") else 10)


def _checked_length(text: str) -> str:
    if len(text) > MAX_NUMBER_CHARACTERS:
        raise argparse.ArgumentTypeError(f"must have at most {MAX_NUMBER_CHARACTERS} characters; got {len(text)}")
    return text


def npy_path(text: str) -> str:
    if not text.endswith(".npy"):
        raise argparse.ArgumentTypeError(f"must end in .npy; got {quoted(text)}")
    return text


def add_start(parser: argparse.ArgumentParser) -> None:
    """The options for the start of a stream: a seed, or a counter and a key."""
    parser.add_argument("--seed", type=integer, help="the key of a stream that starts at counter 0")
    parser.add_argument("--counter", type=integer, help="128-bit block counter to start at (0 if only --key is given)")
    parser.add_argument("--key", type=integer, help="64-bit key (0 if only --counter is given)")


def start(options: argparse.Namespace) -> State | None:
    """The state that the options ask for, or None if they ask for none."""
    if options.seed is not None and (options.counter is not None or options.key is not None):
        raise ValueError("--seed must not be given with --counter or --key. A seed is a key with counter 0.")
    if options.seed is not None:
        return seed_state(options.seed)
    if options.counter is None and options.key is None:
        return None
    return make_state(counter=options.counter or 0, key=options.key or 0)


def given_state(options: argparse.Namespace, path: str | None, name: str) -> State:
    """The state of a file, or the one that the options of add_start ask for. Errors call the file's argument `name`."""
    state = start(options)
    if (path is None) == (state is None):
        raise ValueError(
            f"give {name}, --seed, or --counter and --key, to name the state."
            if path is None
            else f"{name} must not be given with --seed, --counter or --key. A file has a state of its own."
        )
    return state if path is None else single_state(path)[1]  # type: ignore[return-value]


def load_states(path: str) -> Checkpoint:
    """The states and metadata of a file. The error for a missing file says how to make one."""
    try:
        return load_state_file(path)
    except FileNotFoundError:
        raise missing_file(path, f"make a state with: dmlrand state new {shlex.quote(path)}") from None


def load_plain_states(path: str) -> Checkpoint:
    """load_states of a file that holds nothing but states: no Stream, no array of states and no mapping."""
    states, metadata = load_states(path)
    for name, value in states.items():
        if not is_state(value):
            raise ValueError(
                f"{quoted(path)} must hold only states; {name!r} is a {type(value).__name__}. "
                "Save the state alone, with save_checkpoint."
            )
    return Checkpoint(states, metadata)


def single_state(path: str) -> tuple[str, State, dict[str, Any] | None]:
    """The name, state and metadata of a file of one state."""
    states, metadata = load_plain_states(path)
    if len(states) != 1:
        raise ValueError(
            f"{quoted(path)} must hold one state; got {len(states)}: {', '.join(states)}. "
            "Save the state alone, with save_checkpoint."
        )
    ((name, state),) = states.items()
    return name, state, metadata
