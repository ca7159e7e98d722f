"""The options of a distribution, its dtype and its parameters, which `fill` and `verify` take."""

from __future__ import annotations

import argparse
from typing import Any

from ..arrays.arguments import format_choices
from ..number_rules import DISTRIBUTIONS
from .arguments import number

DTYPES = [
    each
    for each in dict.fromkeys(["uint32", *(kind for row in DISTRIBUTIONS.values() for kind in row.dtypes)])
    if each != "bfloat16"  # .npy files have no name for it
]
_PARAMETERS = dict.fromkeys(name for row in DISTRIBUTIONS.values() for name in row.parameters)


def add_distribution(command: argparse.ArgumentParser) -> None:
    """Add --distribution and the options of its parameters."""
    command.add_argument(
        "--distribution",
        choices=("words", *DISTRIBUTIONS),
        help="what the values are (default: words of dtype uint32, else uniform). The options of their parameters are "
        "below: write --low=-1e-3 for a negative number with an exponent",
    )
    for name in _PARAMETERS:
        command.add_argument(f"--{name}", type=number, metavar="X", help=_help_of(name))


def _help_of(parameter: str) -> str:
    """Which distributions take a parameter, with their defaults."""
    defaults = {name: row.parameters[parameter] for name, row in DISTRIBUTIONS.items() if parameter in row.parameters}
    takes = [name if value is None else f"{name} (default {value:g})" for name, value in defaults.items()]
    return "of " + format_choices(takes, "and")


def parameters_of(options: argparse.Namespace) -> dict[str, Any]:
    """The values of the options of parameters, None where one is not given."""
    return {name: getattr(options, name) for name in _PARAMETERS}
