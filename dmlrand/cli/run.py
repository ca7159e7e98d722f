"""`dmlrand run`: draw one tensor and keep the state for the next."""

from __future__ import annotations

import argparse

from ..files.atomic_write import check_target, replacing, save_array
from ..operator import random_generator
from .arguments import Commands, npy_path, shape
from .persisted_state import add_kept_state, check_two_files, open_state


def add(commands: Commands) -> None:
    run = commands.add_parser("run", help="draw one tensor and keep the state for the next")
    run.add_argument("--shape", required=True, type=shape, metavar="D0,D1,..", help="sizes of the tensor, 1 to 8")
    run.add_argument("--output", required=True, type=npy_path, metavar="FILE.npy", help="where the words go")
    add_kept_state(run, required=True)
    run.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    check_target(options.output)
    check_two_files(options.output, options.state)
    with open_state(options) as kept:
        values, new_state = random_generator(kept.state, options.shape)
        assert new_state is not None
        # Values first, then the state: a kill in between repeats these values in the next run and never skips any.
        with replacing(options.output) as file:
            save_array(file, values)
        kept.save(new_state)
    kept.print_origin()
    print(f"output   {options.output}")
    print(f"shape    {','.join(map(str, values.shape))}")
    print(f"words    {values.size}")
    kept.print_counters(new_state)
