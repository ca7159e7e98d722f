"""`dmlrand fill`: a file of any size, by as many runs of the same command as it takes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod

from ..imports import extra_needed
from .arguments import Commands, integer, shape
from .persisted_state import add_kept_state, check_two_files, open_state


def add(commands: Commands) -> None:
    fill = commands.add_parser("fill", help="fill a file of any size; interrupted, the same command finishes it")
    fill.add_argument("--shape", required=True, type=shape, metavar="D0,D1,..", help="sizes of the tensor, 1 to 8")
    fill.add_argument(
        "--output", required=True, metavar="FILE", help=".npy, or .bin, .dat or .raw for values and nothing else"
    )
    fill.add_argument(
        "--dtype",
        default="uint32",
        choices=("uint32", "float32", "float64"),
        help="uint32: the words (default); float32, float64: uniform numbers of [0, 1)",
    )
    fill.add_argument("--threads", type=integer, default=1, metavar="N", help="that make the values (default 1)")
    add_kept_state(fill, required=False)
    fill.set_defaults(run=_fill)


def _fill(options: argparse.Namespace) -> None:
    from ..bulk import fill_file

    check_two_files(options.output, options.state)
    with open_state(options) as kept:
        with _progress(options.output) as progress:
            new_state = fill_file(
                options.output,
                kept.state,
                options.shape,
                dtype=options.dtype,
                progress=progress,
                threads=options.threads,
            )
        # Values first, then the state: a kill in between repeats these values in the next run and never skips any.
        kept.save(new_state)
    kept.print_origin()
    print(f"output   {options.output}")
    print(f"shape    {','.join(map(str, options.shape))}")
    print(f"values   {prod(options.shape)} of {options.dtype}")
    kept.print_counters(new_state)


@contextmanager
def _progress(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar with rate and time left on a terminal; elsewhere nothing."""
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
            if bar.total is None:  # the first call tells where a resumed fill stands: no part of this run's rate
                bar.total, bar.initial, bar.n = total, done, done
                bar.refresh()
            bar.update(done - bar.n)

        yield show
