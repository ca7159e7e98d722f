"""The parser, and the arguments that several commands take: numbers, a state's start, a distribution."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from ..bulk.request import ROWS
from ..drawing.arguments import format_choices
from ..drawing.messages import format_value
from ..state import State, make_state, seed_state

Commands = Any  # what ArgumentParser.add_subparsers returns; its class is private
DTYPES = dict.fromkeys(kind for row in ROWS.values() for kind in row.dtypes)
# In raw bytes of a dump: of words and of uniform numbers.
RAW_TYPES = {"uint32": "<u4", "uint32-be": ">u4", "int32": "<i4", "float32": "<f4", "float64": "<f8"}
STDIN = "-"  # the name of a dump
PARAMETERS = dict.fromkeys(name for row in ROWS.values() for name in row.parameters)


class Parser(argparse.ArgumentParser):
    """A parser with errors of one line. `example` is one or more command lines, which the help shows at its end."""

    def __init__(self, *, example: str = "", **options: Any) -> None:
        self.example = example
        epilog = "example:" + "".join(f"\n  {line}" for line in example.splitlines())
        super().__init__(epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter, **options)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {' '.join(message.split())} (see {self.prog} --help)\n")

    def add_json(self) -> None:
        self.add_argument("--json", action="store_true", help="print one JSON object instead of text")

    def add_start(self) -> None:
        """The options for the start of a stream: a seed, or a counter and a key."""
        self.add_argument("--seed", type=integer, help="the key of a stream that starts at counter 0")
        self.add_argument("--counter", type=integer, help="128-bit block counter to start at (default 0)")
        self.add_argument("--key", type=integer, help="64-bit key (default 0)")

    def add_persisted_state(self, required: bool) -> None:
        """The options of a state that the command advances."""
        about = "the state: created if the file does not exist, else read and advanced; .npy for a bare tensor"
        self.add_argument("--state", required=required, metavar="FILE", help=about)
        self.add_start()

    def add_distribution(self) -> None:
        """The options of a distribution and of its parameters."""
        about = "what the values are (default: words of dtype uint32, else uniform). The options of their parameters "
        about += "are below: write --low=-1e-3 for a negative number with an exponent"
        self.add_argument("--distribution", choices=ROWS, help=about)
        for name in PARAMETERS:
            defaults = {each: row.parameters[name] for each, row in ROWS.items() if name in row.parameters}
            takes = [each if value is None else f"{each} (default {value:g})" for each, value in defaults.items()]
            self.add_argument(f"--{name}", type=number, metavar="X", help="of " + format_choices(takes, "and"))


def add_command(
    commands: Commands, name: str, help: str, run: Callable[[argparse.Namespace], int | None] | None, example: str
) -> Parser:
    """Add a command. `run` does its work and returns its exit code; None is 0."""
    parser: Parser = commands.add_parser(name, help=help, description=f"{help[0].upper()}{help[1:]}.", example=example)
    parser.set_defaults(run=run, command=name)
    return parser


# Types of arguments


def integer(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        problem = f"must be an integer; got {format_value(text)}. Write a number such as 42 or 0x2a"
        raise argparse.ArgumentTypeError(problem) from None


def number(text: str) -> int | float:
    try:
        return int(text, 0)
    except ValueError:
        return float(text)


def shape(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(size, 0) for size in text.split(","))
    except ValueError:
        problem = f"must be sizes separated by commas, without spaces; got {format_value(text)}. Example: 3,4"
        raise argparse.ArgumentTypeError(problem) from None


# Values of options


def start(options: argparse.Namespace) -> State | None:
    """The state that the options of Parser.add_start ask for, or None if they ask for none."""
    if options.seed is not None and (options.counter is not None or options.key is not None):
        raise ValueError("--seed must not be given with --counter or --key. A seed is a key with counter 0.")
    if options.seed is not None:
        return seed_state(options.seed)
    if options.counter is None and options.key is None:
        return None
    return make_state(counter=options.counter or 0, key=options.key or 0)


def parameters_of(options: argparse.Namespace) -> dict[str, Any]:
    """The parameters of a distribution that are given."""
    given = {name: getattr(options, name) for name in PARAMETERS}
    return {name: value for name, value in given.items() if value is not None}
