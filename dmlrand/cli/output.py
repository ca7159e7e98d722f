"""The tensor that `run` and `fill` write, and which existing outputs they replace."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from typing import Any

from ..files.atomic_write import check_parent, check_regular
from ..files.names import ZARR_SUFFIX, check_name, quoted
from ..state import State
from .arguments import shape
from .json_object import add_json, print_json, state_members
from .persisted_state import PersistedState


def add_tensor_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shape", required=True, type=shape, metavar="D0,D1,..", help="1 to 8 sizes, such as 3,4")
    add_json(parser)
    parser.add_argument("--force", action="store_true", help="replace an existing output although no state file exists")


def check_output(output: str, state: str | None) -> None:
    """Raise an error for an output that cannot be written, or a state that is the output or a file of its fill."""
    target = check_parent(output)
    if not target.endswith(ZARR_SUFFIX):
        check_regular(output)
    if state is None:
        return
    check_name(state)
    state_target = os.path.realpath(state)
    if state_target == target:
        raise ValueError(
            f"--output and --state must be two files; got {quoted(output)} and {quoted(state)}, "
            "which are the same file. Name another --state."
        )
    if state_target in (f"{target}.filling", f"{target}.progress"):
        raise ValueError(
            f"--state must not be a file that a fill of {quoted(output)} writes; got {quoted(state)}. "
            "Name another --state."
        )


def check_replaceable(
    options: argparse.Namespace, start: PersistedState, request: Mapping[str, Any], resumable: bool
) -> None:
    """Raise ValueError for an output that exists, unless replacing it loses nothing or --force is given.

    Nothing is lost if a state file exists, if the output already holds these values or, with `resumable`, if a fill of
    the output is in progress. `request` holds further arguments of fill_status. A Zarr array is never replaced.
    """
    if options.force or start.resumed or not os.path.exists(options.output) or is_zarr(options.output):
        return
    from ..bulk import fill_status

    status = fill_status(options.output, start.state, options.shape, **request)
    if not (status.complete or (resumable and status.in_progress)):
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
    print(f"output   {options.output}")
    print(f"shape    {','.join(map(str, options.shape))}")
    print(line)
    start.print_counters(new_state)


def is_zarr(output: str) -> bool:
    """Whether fill_file makes a folder with a Zarr array of this name."""
    return os.path.realpath(output).endswith(ZARR_SUFFIX)
