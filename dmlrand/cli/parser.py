"""The argument parser: one-line errors, suggestions for mistyped names, and help with examples."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NoReturn

from .streams import print_error

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[Any]
else:  # at run time the class takes no type arguments
    Commands = argparse._SubParsersAction


def add_command(commands: Commands, name: str, help: str, example: str, description: str | None = None) -> Parser:
    """Add a command. `help` is its line in the list of commands, and its description unless there is a longer one."""
    about = description or f"{help[0].upper()}{help[1:]}."
    parser: Parser = commands.add_parser(name, help=help, description=about, example=example)
    return parser


class Parser(argparse.ArgumentParser):
    """A parser for a command. `example` is one or more command lines, which the help shows at its end."""

    def __init__(self, *, example: str = "", epilog: str | None = None, **options: Any) -> None:
        if example:
            epilog = "example:" + "".join(f"\n  {line}" for line in example.splitlines())
        super().__init__(epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter, **options)
        self.example = example

    def error(self, message: str) -> NoReturn:
        print_error(f"{self.prog}: error: {' '.join(message.split())} (see {self.prog} --help)")
        self.exit(2)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        from difflib import get_close_matches

        choices = [str(choice) for choice in action.choices]
        similar = get_close_matches(str(value), choices, 1)
        remedy = f"Did you mean {similar[0]!r}?" if similar else f"Choose from {', '.join(choices)}."
        raise argparse.ArgumentError(action, f"invalid choice: {value!r}. {remedy}")

    def help_on_stderr(self, options: argparse.Namespace) -> int:
        """Print the help, for a call without a command, and return the exit code for bad input."""
        print_error(self.format_help().rstrip())
        return 2
