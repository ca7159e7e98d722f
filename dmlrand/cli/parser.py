"""The argument parser: one-line errors, suggestions for mistyped names, and help with examples."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
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

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        if self._subparsers is not None or args is None:  # the whole command line, or a family of commands
            return super().parse_known_args(args, namespace)
        if not {"-h", "--help"} & set(args):
            self._check_options(args)
        options, extra = super().parse_known_args(args, namespace)
        if extra:  # reported here and not by the parser of the whole line, so that the error names the command's help
            sizes = "--shape" in args and all(text.strip(",").isdigit() for text in extra)
            remedy = ". Write the sizes of --shape with commas and without spaces, such as 3,3" if sizes else ""
            self.error(f"unrecognized arguments: {' '.join(extra)}{remedy}")
        return options, extra

    def _check_options(self, arguments: Sequence[str]) -> None:
        """Report an unknown option. Otherwise argparse would first report the required option that is missing."""
        for argument in arguments:
            name = argument.partition("=")[0]
            if name == "--":
                return
            known = list(self._option_string_actions)
            if name.startswith("--") and " " not in name and not any(option.startswith(name) for option in known):
                names = {action.dest: action.metavar for action in self._positionals._group_actions}
                if name[2:] in names:
                    suggestion = f"Write {names[name[2:]] or name[2:]} without {name}"
                else:
                    suggestion = did_you_mean(name[2:], [option[2:] for option in known if option[:2] == "--"], "--")
                self.error(f"unrecognized arguments: {name}{suggestion and '. ' + suggestion}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        remedy = f"Choose from {', '.join(choices)}."
        if not action.option_strings:  # a command: there are too many to list all of them
            remedy = did_you_mean(str(value), choices) or remedy
        raise argparse.ArgumentError(action, f"invalid choice: {value!r}. {remedy}")

    def help_on_stderr(self, options: argparse.Namespace) -> int:
        """Print the help, for a call without a command, and return the exit code for bad input."""
        print_error(self.format_help().rstrip())
        return 2


def did_you_mean(text: str, choices: Iterable[str], prefix: str = "") -> str:
    """A question with the most similar choice, after `prefix`, or an empty text."""
    from difflib import get_close_matches

    similar = get_close_matches(text, list(choices), 1)
    return f"Did you mean {prefix + similar[0]!r}?" if similar else ""
