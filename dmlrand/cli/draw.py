"""`dmlrand run`, `fill` and `stream`: draw and advance a state. `dmlrand plot` and `example`: pictures and programs."""

from __future__ import annotations

import argparse
import signal
import sys
from math import prod

from ..bulk import fill_file, write_steps
from ..bulk.request import Distribution, Request, check_distribution
from ..drawing.messages import format_value
from ..files import quoted
from ..state import State, counter_of, distance_blocks
from .output import INTERRUPTED, print_json, progress_on_terminal, state_members
from .parser import DTYPES, Commands, Parser, add_command, integer, parameters_of, shape
from .states import PersistedState, given_state, open_state

# Signals that end a stream after the current buffer. SIGBREAK is Ctrl-Break of Windows.
STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)]


def _print_output(
    options: argparse.Namespace, start: PersistedState, new_state: State, drawn: Distribution, complete: bool
) -> None:
    """Print what was written. `complete`: the output held the values before."""
    if options.json:
        members = {"output": options.output, "shape": options.shape, "dtype": drawn.dtype.name}
        members |= {"distribution": drawn.name, "bounds": drawn.parameters}
        members |= {"sha256": Request(start.state, options.shape, drawn).sha256()}
        members |= {"state_file": start.path, "resumed": start.resumed}
        members |= {"state": state_members(start.state), "new_state": state_members(new_state)}
        print_json("output", members)
        return
    if start.path is not None:
        print(f"state    {start.path}, {'resumed' if start.resumed else 'new'}")
    print(f"output   {options.output}")
    print(f"shape    {','.join(map(str, options.shape))}")
    description = drawn.dtype.name if drawn.name == "words" else f"{drawn.dtype.name}, {drawn}"
    print(f"values   {prod(options.shape)} of {description}{', complete already' * complete}")
    blocks = distance_blocks(start.state, new_state)
    print(f"counter  {counter_of(start.state):#034x} before")
    print(f"         {counter_of(new_state):#034x} after, {blocks} block{'s' * (blocks != 1)} on")


# run and fill


def add_run(commands: Commands) -> Parser:
    about = "draw one tensor and save the state for the next"
    lines = "dmlrand run --shape 3,4 --seed 42 --output first.npy --state state.json\n"
    lines += "dmlrand run --shape 3,4 --output second.npy --state state.json"
    return _add_filling(add_command(commands, "run", about, _fill, lines), ["--overwrite", "--force"], True)


def add_fill(commands: Commands) -> Parser:
    about = "fill a file of any size; after an interruption the same command resumes"
    lines = "dmlrand fill --shape 1000,1000 --dtype float32 --seed 42 --output values.npy --state state.json\n"
    lines += "dmlrand fill --shape 9,9 --distribution normal --mean 5 --stddev 2 --seed 42 --output normals.zarr"
    return _add_filling(add_command(commands, "fill", about, _fill, lines), ["--overwrite"], False)


def _add_filling(command: Parser, overwrite: list[str], needs_state: bool) -> Parser:
    """The options of run and fill."""
    command.add_argument("--shape", required=True, type=shape, metavar="D0,D1,..", help="1 to 8 sizes, such as 3,4")
    about = ".npy; .bin, .dat or .raw for the values and nothing else; .zarr for a Zarr array (needs zarr)"
    command.add_argument("--output", required=True, metavar="FILE", help=about)
    command.add_persisted_state(required=needs_state)
    about = "replace a file with other content, as a run of an existing state always does"
    command.add_argument(*overwrite, action="store_true", help=about)
    command.add_distribution()
    command.add_argument("--dtype", choices=DTYPES, help="default: uint32 for words, else that of the distribution")
    command.add_argument("--chunks", type=shape, metavar="C0,C1,..", help="sizes of a chunk of a Zarr array")
    command.add_argument("--threads", type=integer, default=1, metavar="N", help="how many compute values (default 1)")
    command.add_json()
    return command


def _fill(options: argparse.Namespace) -> int:
    """run and fill. A run whose state file exists replaces its output, because the old values can be drawn again."""
    parameters = parameters_of(options)
    drawn = check_distribution(options.distribution, options.dtype, parameters)
    request = {name: getattr(options, name) for name in ("distribution", "dtype", "chunks")} | parameters
    show, complete = progress_on_terminal(f"{options.output}: "), True

    def progress(done: int, total: int) -> None:  # fill_file does not call it if the file already holds the values
        nonlocal complete
        complete = False
        show(done, total)

    with open_state(options) as start:
        overwrite = options.overwrite or (options.command == "run" and start.resumed)
        try:
            new_state = fill_file(
                options.output, start.state, options.shape, overwrite=overwrite, threads=options.threads,
                progress=progress, **request,
            )  # fmt: skip
        except KeyboardInterrupt:
            print(f"dmlrand: {quoted(options.output)} is not complete. Repeat the command to resume.", file=sys.stderr)
            return INTERRUPTED
        # The values are saved before the state. After a kill in between, the next command repeats these values.
        start.save(new_state)
    _print_output(options, start, new_state, drawn, complete)
    return 0


# stream


def add_stream(commands: Commands) -> Parser:
    about = "write raw little-endian words to stdout, endless unless --words is given"
    example = "dmlrand stream --seed 42 --words 1000000 > words.bin"
    stream = add_command(commands, "stream", about, _stream, example)
    stream.add_argument("--words", type=integer, metavar="N", help="stop after N words")
    stream.add_persisted_state(required=False)
    return stream


def _stream(options: argparse.Namespace) -> int:
    if sys.stdout is None or sys.stdout.isatty():
        raise ValueError(
            "stdout must be a pipe or a file, because the words are raw bytes; got a terminal. Send them to a pipe (|) "
            "or to a file (>)."
        )
    with open_state(options) as start:
        received: list[int] = []  # signals end neither a buffer nor a save: the state is that after the words written
        before = {number: signal.signal(number, lambda number, frame: received.append(number)) for number in STOPPING}
        try:
            state = start.state
            for state in write_steps(sys.stdout.buffer, state, options.words):
                if received:
                    break
            start.save(state)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    return 128 + received[0] if received else 0


# plot and example


def add_plot(commands: Commands) -> Parser:
    example = "dmlrand plot state.json --output words.png\ndmlrand plot --seed 42 --output words.png"
    plot = add_command(commands, "plot", "draw a picture of a state's words (needs matplotlib)", _plot, example)
    plot.add_argument("state", metavar="STATE", nargs="?", help="a file with the state; it is not advanced")
    plot.add_start()
    plot.add_argument("-o", "--output", required=True, metavar="FILE.png", help="a .png, .svg or .pdf file")
    plot.add_argument("--words", type=integer, default=1 << 20, metavar="N", help="4096 to 2^26 words (default 2^20)")
    return plot


def _plot(options: argparse.Namespace) -> None:
    from .plots.words import plot_words

    plot_words(options.output, given_state(options, options.state, "STATE"), options.words)
    print(f"plot     {options.output}")


def add_example(commands: Commands) -> Parser:
    lines = "dmlrand example\ndmlrand example train-ddp > train.py"
    example = add_command(commands, "example", "list complete example programs, or print one", _example, lines)
    example.add_argument("name", nargs="?", metavar="NAME", help="the program to print; without it, list all programs")
    return example


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
            f"NAME must be the name of an example; got {format_value(options.name)}. `dmlrand example` lists them."
        )
    print(programs[name], end="")


def read_examples() -> dict[str, str]:
    """The text of each program by its name, sorted: train_ddp.py has the name train-ddp."""
    from importlib.resources import files  # slow to import

    folder = files("dmlrand") / "examples"  # also inside a zip file, so no path
    programs = [file for file in folder.iterdir() if file.name.endswith(".py")]
    return {
        file.name.removesuffix(".py").replace("_", "-"): file.read_text(encoding="utf-8")
        for file in sorted(programs, key=lambda file: file.name)
    }
