"""`dmlrand run`: draw one tensor and save the state for the next."""

from __future__ import annotations

import argparse
import os
import sys
from math import prod

from ..arrays.tensor import check_shape
from ..files import replacing, save_array
from ..operator import random_generator
from .arguments import npy_path
from .output import add_tensor_options, check_output, check_replaceable, print_output
from .parser import Commands, add_command
from .persisted_state import add_state_options, open_state

USE_FILL = "Use `dmlrand fill` with the same options: it needs little memory."


def add(commands: Commands) -> None:
    run = add_command(
        commands,
        "run",
        help="draw one tensor and save the state for the next",
        example="dmlrand run --shape 3,4 --seed 42 --output first.npy --state state.json\n"
        "dmlrand run --shape 3,4 --output second.npy --state state.json",
    )
    add_tensor_options(run)
    run.add_argument("--force", action="store_true", help="replace an existing output although no state file exists")
    run.add_argument("--output", required=True, type=npy_path, metavar="FILE.npy", help="the file for the words")
    add_state_options(run, required=True)
    run.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    _check_memory(options.shape)
    check_output(options.output, options.state)
    with open_state(options) as start:
        check_replaceable(options, start)
        try:
            values, new_state = random_generator(start.state, options.shape)
        except MemoryError as error:
            raise MemoryError(f"{error}. {USE_FILL}") from None
        assert new_state is not None
        # The values are saved before the state. After a kill in between, the next run repeats these values.
        with replacing(options.output) as file:
            save_array(file, values)
        start.save(new_state)
    kind = {"dtype": "uint32", "distribution": "words", "bounds": {}}
    print_output(options, start, new_state, kind, f"words    {values.size}")


def _check_memory(shape: tuple[int, ...]) -> None:
    """Raise an error for a tensor larger than memory: Linux would allocate it, and kill the process later."""
    needed, memory = 4 * prod(check_shape(shape, 4)), _memory_bytes()
    if memory is not None and needed > memory:
        raise ValueError(
            f"the tensor has {needed:,} bytes, more than the {memory:,} bytes of memory of this machine. {USE_FILL}"
        )


def _memory_bytes() -> int | None:
    if sys.platform == "win32":  # which refuses to allocate more than it has
        return None
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):  # a system that does not report it
        return None
