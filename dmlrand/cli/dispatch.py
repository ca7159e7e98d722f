"""`dmlrand dispatch`: run a DxDispatch model file."""

from __future__ import annotations

import argparse

from .arguments import integer
from .parser import Commands, add_command


def add(commands: Commands) -> None:
    dispatch = add_command(
        commands,
        "dispatch",
        help="run a DxDispatch model file of RANDOM_GENERATOR operators",
        description="Run a DxDispatch model file. Its sourcePath and targetPath may name any file that you may read\n"
        "or replace. Use --confine for a model that you did not write.",
        example="dmlrand dispatch model.json --output_path results --confine",
    )
    dispatch.add_argument("model", help="JSON; comments and trailing commas are allowed")
    dispatch.add_argument(
        "-i", "--dispatch_iterations", type=integer, default=1, metavar="N", help="runs of each dispatch command"
    )
    dispatch.add_argument(
        "-r", "--dispatch_repeat", type=integer, default=1, metavar="N", help="dispatches in each run"
    )
    dispatch.add_argument("--input_path", metavar="DIR", help="folder of source files (default: that of the model)")
    dispatch.add_argument("--output_path", metavar="DIR", help="folder for target files (default: the current one)")
    dispatch.add_argument(
        "--confine",
        action="store_true",
        help="refuse source files outside the input folder and target files outside the output folder",
    )
    dispatch.set_defaults(run=_dispatch)


def _dispatch(options: argparse.Namespace) -> None:
    from ..compat.dxdispatch import run_model

    run_model(
        options.model,
        dispatch_iterations=options.dispatch_iterations,
        dispatch_repeat=options.dispatch_repeat,
        input_path=options.input_path,
        output_path=options.output_path,
        confine=options.confine,
    )
