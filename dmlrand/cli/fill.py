"""`dmlrand fill`: a file of any size. If it is interrupted, the same command resumes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from math import prod
from time import monotonic
from typing import Any

from ..arrays.arguments import format_choices
from ..files import quoted
from ..imports import extra_needed
from ..number_rules import DISTRIBUTIONS
from ..state import State
from .arguments import integer, number, shape
from .output import add_tensor_options, check_output, print_output
from .parser import Commands, add_command
from .persisted_state import PersistedState, add_state_options, open_state
from .signals import INTERRUPTED
from .streams import print_error, stderr_is_a_terminal

LINE_INTERVAL_S = 5.0  # between the lines that report progress where no bar can
DTYPES = dict.fromkeys(["uint32", *(each for row in DISTRIBUTIONS.values() for each in row.dtypes)])
BOUNDS = dict.fromkeys(name for row in DISTRIBUTIONS.values() for name in row.parameters)


def add(commands: Commands) -> None:
    fill = add_command(
        commands,
        "fill",
        help="fill a file of any size; after an interruption the same command resumes",
        example="dmlrand fill --shape 1000,1000 --dtype float32 --seed 42 --output values.npy --state state.json\n"
        "dmlrand fill --shape 1000,1000 --distribution normal --mean 5 --stddev 2 --seed 42 --output normals.zarr",
    )
    add_tensor_options(fill)
    fill.add_argument(
        "--output",
        required=True,
        metavar="FILE",
        help=".npy; .bin, .dat or .raw for the values and nothing else; .zarr for a folder with a Zarr array",
    )
    fill.add_argument(
        "--distribution",
        choices=("words", *DISTRIBUTIONS),
        help="what the values are (default: words of dtype uint32, else uniform). The options of their parameters are "
        "below: write --low=-1e-3 for a negative number with an exponent",
    )
    fill.add_argument(
        "--dtype",
        choices=[each for each in DTYPES if each != "bfloat16"],
        help="default: uint32 for words, else that of the distribution",
    )
    for name in BOUNDS:
        fill.add_argument(f"--{name}", type=number, metavar="X", help=_help_of(name))
    fill.add_argument("--overwrite", action="store_true", help="replace a file that exists with other content")
    fill.add_argument(
        "--chunks", type=shape, metavar="C0,C1,..", help="sizes of a chunk of a Zarr array (default: up to 32 MiB)"
    )
    fill.add_argument(
        "--threads", type=integer, default=1, metavar="N", help="threads that compute the values (default 1)"
    )
    add_state_options(fill, required=False)
    fill.set_defaults(run=_fill)


def _help_of(bound: str) -> str:
    """Which distributions take a bound, with their defaults."""
    defaults = {name: row.parameters[bound] for name, row in DISTRIBUTIONS.items() if bound in row.parameters}
    takes = [name if value is None else f"{name} (default {value:g})" for name, value in defaults.items()]
    return "of " + format_choices(takes, "and")


def _fill(options: argparse.Namespace) -> int:
    check_output(options.output, options.state)
    with open_state(options) as start:
        complete = _is_complete(options, start)
        try:
            new_state = _fill_file(options, start)
        except KeyboardInterrupt:
            print_error(f"dmlrand: the fill of {quoted(options.output)} was interrupted. Repeat the command to resume.")
            return INTERRUPTED
        except FileExistsError as error:
            raise FileExistsError(str(error).replace("Pass overwrite=True", "Add --overwrite")) from None
        # The values are saved before the state. After a kill in between, the next fill repeats these values.
        start.save(new_state)
    _print_fill(options, start, new_state, complete)
    return 0


def _is_complete(options: argparse.Namespace, start: PersistedState) -> bool:
    from ..bulk import is_filled

    return not options.overwrite and is_filled(options.output, start.state, options.shape, **_request(options))


def _fill_file(options: argparse.Namespace, start: PersistedState) -> State:
    from ..bulk import fill_file

    with _progress(options.output) as progress:
        return fill_file(
            options.output,
            start.state,
            options.shape,
            progress=progress,
            threads=options.threads,
            overwrite=options.overwrite,
            **_request(options),
        )


def _request(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of fill_file that decide what the values are."""
    return {name: getattr(options, name) for name in ("distribution", "dtype", *BOUNDS, "chunks")}


def _print_fill(options: argparse.Namespace, start: PersistedState, new_state: State, complete: bool) -> None:
    from ..bulk.request import check_distribution

    checked = check_distribution(options.distribution, options.dtype, {name: getattr(options, name) for name in BOUNDS})
    kind = {"dtype": checked.dtype.name, "distribution": checked.name, "bounds": checked.parameters}
    description = checked.dtype.name if checked.name == "words" else f"{checked.dtype.name}, {checked}"
    line = f"values   {prod(options.shape)} of {description}{', complete already' if complete else ''}"
    print_output(options, start, new_state, kind, line)


@contextmanager
def _progress(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """On a terminal a progress bar with rate and remaining time, or plain lines without tqdm. Elsewhere None."""
    if not stderr_is_a_terminal():
        yield None
        return
    try:
        with extra_needed("a progress bar needs", "tqdm", "cli"):
            from tqdm import tqdm
    except ImportError as error:
        print_error(f"{error} Until then a line reports the progress every {LINE_INTERVAL_S:g} s.")
        yield _progress_lines(title)
        return
    with ExitStack() as bars:
        bar: Any = None

        def show(done: int, total: int) -> None:
            nonlocal bar
            if bar is None:  # the first call: where a resumed fill stands, which does not count for the rate
                options = {"unit": "B", "unit_scale": True, "unit_divisor": 1024, "smoothing": 0.05}
                bar = bars.enter_context(tqdm(desc=title, total=total, initial=done, **options))
                return
            is_first = bar.n == bar.initial
            bar.update(done - bar.n)
            if is_first:
                bar.refresh()  # tqdm shows nothing of the first 0.1 s, and the next piece may take seconds

        yield show


def _progress_lines(title: str) -> Callable[[int, int], None]:
    """A function that prints a line at most every LINE_INTERVAL_S."""
    printed = monotonic()

    def show(done: int, total: int) -> None:
        nonlocal printed
        if monotonic() - printed >= LINE_INTERVAL_S:
            printed = monotonic()
            print_error(f"{title}: {done:,} of {total:,} bytes")

    return show
