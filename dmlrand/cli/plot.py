"""`dmlrand plot`: what a stretch of a stream looks like."""

from __future__ import annotations

import argparse

from .arguments import Commands, integer, single_state


def add(commands: Commands) -> None:
    plot = commands.add_parser("plot", help="draw a stretch of a state's stream (extra plot)")
    plot.add_argument("state", metavar="STATE", help="where the stretch begins: .npy or .json; it is not advanced")
    plot.add_argument("-o", "--output", required=True, metavar="FILE.png", help="or .svg, or .pdf")
    plot.add_argument("--words", type=integer, metavar="N", help="its length (default 1048576)")
    plot.set_defaults(run=_plot)


def _plot(options: argparse.Namespace) -> None:
    from ..plot import WORDS, plot_words

    _, state, _ = single_state(options.state)
    plot_words(options.output, state, WORDS if options.words is None else options.words)
    print(f"plot     {options.output}")
