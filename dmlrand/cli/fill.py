"""`dmlrand fill`: a file of any size. If it is interrupted, the same command resumes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod

from ..files.names import quoted
from ..imports import extra_needed
from ..state import State
from .arguments import integer
from .output import add_tensor_options, check_output, check_replaceable
from .parser import Commands, add_command
from .persisted_state import PersistedState, add_state_options, open_state
from .signals import INTERRUPTED
from .streams import print_error


def add(commands: Commands) -> None:
    fill = add_command(
        commands,
        "fill",
        help="fill a file of any size; after an interruption the same command resumes",
        example="dmlrand fill --shape 1000,1000 --dtype float32 --seed 42 --output values.npy --state state.json",
    )
    add_tensor_options(fill)
    fill.add_argument(
        "--output", required=True, metavar="FILE", help=".npy; or .bin, .dat or .raw for the values and nothing else"
    )
    fill.add_argument(
        "--dtype",
        default="uint32",
        choices=("uint32", "float32", "float64"),
        help="uint32: the words (default); float32, float64: uniform numbers of [0, 1)",
    )
    fill.add_argument(
        "--threads", type=integer, default=1, metavar="N", help="threads that compute the values (default 1)"
    )
    add_state_options(fill, required=False)
    fill.set_defaults(run=_fill)


def _fill(options: argparse.Namespace) -> int:
    check_output(options.output, options.state)
    with open_state(options) as start:
        check_replaceable(options, start, options.dtype, resumable=True)
        try:
            new_state = _fill_file(options, start)
        except KeyboardInterrupt:
            _report_interrupt(options, start)
            return INTERRUPTED
        # The values are saved before the state. After a kill in between, the next fill repeats these values.
        start.save(new_state)
    start.print_origin()
    print(f"output   {options.output}")
    print(f"shape    {','.join(map(str, options.shape))}")
    print(f"values   {prod(options.shape)} of {options.dtype}")
    start.print_counters(new_state)
    return 0


def _fill_file(options: argparse.Namespace, start: PersistedState) -> State:
    from ..bulk import fill_file

    with _progress(options.output) as progress:
        return fill_file(
            options.output,
            start.state,
            options.shape,
            dtype=options.dtype,
            progress=progress,
            threads=options.threads,
        )


def _report_interrupt(options: argparse.Namespace, start: PersistedState) -> None:
    from ..bulk import fill_status

    status = fill_status(options.output, start.state, options.shape, options.dtype)
    print_error(
        f"dmlrand: interrupted: {status.flushed_bytes:,} of {status.total_bytes:,} bytes of {quoted(options.output)} "
        "are kept. Repeat the same command to resume."
    )


@contextmanager
def _progress(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar with rate and remaining time if stderr is a terminal, else None."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    try:
        with extra_needed("a progress bar needs", "tqdm", "cli"):
            from tqdm import tqdm
    except ImportError as error:
        print(error, file=sys.stderr)
        yield None
        return
    with tqdm(desc=title, unit="B", unit_scale=True, unit_divisor=1024, smoothing=0.05) as bar:

        def show(done: int, total: int) -> None:
            if bar.total is None:  # the first call: where a resumed fill stands, which does not count for the rate
                bar.total, bar.initial, bar.n = total, done, done
                bar.refresh()
            bar.update(done - bar.n)

        yield show
