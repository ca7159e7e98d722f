"""`dmlrand plot`: a picture of some words of a stream."""

from __future__ import annotations

import argparse

from .arguments import integer, single_state
from .parser import Commands, add_command


def add(commands: Commands) -> None:
    plot = add_command(
        commands,
        "plot",
        help="draw a picture of a state's words (needs matplotlib)",
        example="dmlrand plot state.json --output words.png",
    )
    plot.add_argument("state", metavar="STATE", help="the state at which the words begin: .npy or .json; not advanced")
    plot.add_argument("-o", "--output", required=True, metavar="FILE.png", help="a .png, .svg or .pdf file")
    plot.add_argument("--words", type=integer, metavar="N", help="how many words (default 1048576)")
    plot.set_defaults(run=_plot)


def _plot(options: argparse.Namespace) -> None:
    from ..plot import DEFAULT_WORDS, plot_words

    _, state, _ = single_state(options.state)
    plot_words(options.output, state, DEFAULT_WORDS if options.words is None else options.words)
    print(f"plot     {options.output}")
