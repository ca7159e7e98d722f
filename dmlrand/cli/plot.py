"""`dmlrand plot`: a picture of some words of a stream."""

from __future__ import annotations

import argparse

from .arguments import add_start, given_state, integer
from .parser import Commands, add_command


def add(commands: Commands) -> None:
    plot = add_command(
        commands,
        "plot",
        help="draw a picture of a state's words (needs matplotlib)",
        example="dmlrand plot state.json --output words.png\ndmlrand plot --seed 42 --output words.png",
    )
    plot.add_argument(
        "state", metavar="STATE", nargs="?", help="a file with the state at which the words begin; it is not advanced"
    )
    add_start(plot)
    plot.add_argument("-o", "--output", required=True, metavar="FILE.png", help="a .png, .svg or .pdf file")
    plot.add_argument("--words", type=integer, metavar="N", help="how many words (default 1048576)")
    plot.set_defaults(run=_plot)


def _plot(options: argparse.Namespace) -> None:
    from .plots.words import DEFAULT_WORDS, plot_words

    state = given_state(options, options.state, "STATE")
    plot_words(options.output, state, DEFAULT_WORDS if options.words is None else options.words)
    print(f"plot     {options.output}")
