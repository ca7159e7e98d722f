"""`dmlrand fill`: a file of any size. If it is interrupted, the same command resumes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from math import prod
from time import monotonic
from typing import Any

from ..files import quoted
from ..imports import extra_needed
from ..state import State
from .arguments import integer, shape
from .distribution import DTYPES, add_distribution, parameters_of
from .output import add_tensor_options, check_output, print_output
from .parser import Commands, add_command
from .persisted_state import PersistedState, add_state_options, open_state
from .signals import INTERRUPTED
from .streams import print_error, stderr_is_a_terminal

LINE_INTERVAL_S = 5.0  # between the lines that report progress where no bar can


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
    add_distribution(fill)
    fill.add_argument("--dtype", choices=DTYPES, help="default: uint32 for words, else that of the distribution")
    fill.add_argument("--overwrite", action="store_true", help="replace a file that exists with other content")
    fill.add_argument(
        "--chunks", type=shape, metavar="C0,C1,..", help="sizes of a chunk of a Zarr array (default: up to 32 MiB)"
    )
    fill.add_argument(
        "--threads", type=integer, default=1, metavar="N", help="threads that compute the values (default 1)"
    )
    add_state_options(fill, required=False)
    fill.set_defaults(run=_fill)


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
    chosen = {name: getattr(options, name) for name in ("distribution", "dtype", "chunks")}
    return chosen | parameters_of(options)


def _print_fill(options: argparse.Namespace, start: PersistedState, new_state: State, complete: bool) -> None:
    from ..bulk.request import check_distribution

    checked = check_distribution(options.distribution, options.dtype, parameters_of(options))
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
