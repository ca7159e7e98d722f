"""The tensor that `run` and `fill` write, and which existing outputs they replace."""

from __future__ import annotations

import argparse
import os
from typing import Any

from ..files import check_target, quoted
from ..state import State
from .arguments import shape
from .json_object import add_json, print_json, state_members
from .persisted_state import PersistedState
from .streams import visible


def add_tensor_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shape", required=True, type=shape, metavar="D0,D1,..", help="1 to 8 sizes, such as 3,4")
    add_json(parser)


def check_output(output: str, state: str | None) -> None:
    """Raise an error for an output that cannot be written, or a state that is the output or a file of its fill."""
    target = check_target(output)
    if state is None:
        return
    state_target = os.path.realpath(state)
    if state_target == target:
        raise ValueError(
            f"--output and --state must be two files; got {quoted(output)} and {quoted(state)}, "
            "which are the same file. Name another --state."
        )
    if state_target == f"{target}.filling":
        raise ValueError(
            f"--state must not be a file that a fill of {quoted(output)} writes; got {quoted(state)}. "
            "Name another --state."
        )


def check_replaceable(options: argparse.Namespace, start: PersistedState) -> None:
    """Raise ValueError for an output that exists, unless replacing it loses nothing or --force is given.

    Nothing is lost if a state file exists, or if the output already holds these words.
    """
    if options.force or start.resumed or not os.path.exists(options.output):
        return
    from ..bulk import is_filled

    if not is_filled(options.output, start.state, options.shape):
        why = "no --state is given" if start.path is None else f"{quoted(start.path)} does not exist"
        raise ValueError(
            f"{quoted(options.output)} exists with other content, and {why}. Add --force to replace the file, or name "
            "another --output."
        )


def print_output(
    options: argparse.Namespace, start: PersistedState, new_state: State, kind: dict[str, Any], line: str
) -> None:
    """Print what was written. `kind` says for --json what the values are, and `line` for readers."""
    if options.json:
        states = {"state": state_members(start.state), "new_state": state_members(new_state)}
        members = {"output": options.output, "shape": options.shape, **kind, "state_file": start.path}
        print_json("output", members | {"resumed": start.resumed, **states})
        return
    start.print_origin()
    print(visible(f"output   {options.output}"))
    print(f"shape    {','.join(map(str, options.shape))}")
    print(line)
    start.print_counters(new_state)
