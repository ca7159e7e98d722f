"""`dmlrand example`: the programs of dmlrand/examples/, to list and to print."""

from __future__ import annotations

import argparse
import sys
from importlib.resources import files

from ..messages import format_value
from .parser import Commands, add_command, did_you_mean


def add(commands: Commands) -> None:
    example = add_command(
        commands,
        "example",
        help="list complete example programs, or print one",
        example="dmlrand example\ndmlrand example train-ddp > train.py",
    )
    example.add_argument("name", nargs="?", metavar="NAME", help="the program to print; without it, list all programs")
    example.set_defaults(run=_example)


def _example(options: argparse.Namespace) -> None:
    programs = read_examples()
    if options.name is None:
        for name, text in programs.items():
            summary = text.splitlines()[0].strip('"')
            print(f"{name:<18}{summary}")
        return
    name = options.name.removesuffix(".py").replace("_", "-")
    if name not in programs:
        raise ValueError(
            f"NAME must be the name of an example; got {format_value(options.name)}. "
            f"{did_you_mean(name, programs)} `dmlrand example` lists all of them."
        )
    sys.stdout.write(programs[name])


def read_examples() -> dict[str, str]:
    """The text of each program by its name, sorted: train_ddp.py has the name train-ddp."""
    folder = files("dmlrand") / "examples"  # also inside a zip file, so no path
    programs = [file for file in folder.iterdir() if file.name.endswith(".py")]
    return {
        file.name.removesuffix(".py").replace("_", "-"): file.read_text(encoding="utf-8")
        for file in sorted(programs, key=lambda file: file.name)
    }
