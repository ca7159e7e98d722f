"""The command `dmlrand`: it reads arguments, calls the library and prints results. specs/cli.md has the rules."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence

from .. import __version__
from ..drawing.imports import extra_needed
from ..files import reader_has_gone
from . import check, draw, machine, states
from .output import INTERRUPTED
from .parser import Parser

GROUPS = {  # by reader, as the help lists them
    "draw and resume": (draw.add_run, states.add_state, draw.add_plot, draw.add_example),
    "check a generator": (
        check.add_verify,
        check.add_locate,
        check.add_recover,
        check.add_trace,
        check.add_conformance,
        machine.add_shader,
    ),
    "large files and pipes": (draw.add_fill, draw.add_stream),
    "this machine": (machine.add_backends, machine.add_bench),
}
BAD_INPUT, FAULT = 2, 3
READER_GONE = 128 + 13  # as a shell has it for a command that SIGPIPE ended
TRACEBACK = "DMLRAND_TRACEBACK"  # an environment variable
EPILOG = f"""`dmlrand COMMAND --help` has the options and an example of each command.

exit codes: 0 success, 1 a failed verification, 2 bad input, 3 a fault of dmlrand.
{TRACEBACK}=1 in the environment adds the Python traceback to an error."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code. argparse leaves by SystemExit after a help or a wrong option."""
    if hasattr(sys.stdout, "reconfigure"):  # a name that cannot be printed does not make completed work fail
        sys.stdout.reconfigure(errors="backslashreplace", write_through=False)
    code = None
    try:
        try:
            code = _run(arguments)
            return code
        finally:  # now and not when Python exits, so that errors of stdout are caught here
            _flush()
    except (OSError, ValueError, TypeError, MemoryError, OverflowError, ImportError) as error:
        if isinstance(error, OSError) and reader_has_gone(error):
            return READER_GONE if code is None else code
        return _report(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:  # a fault of dmlrand. Python would exit with 1, which means a failed verification
        traceback.print_exc()
        return FAULT


def make_parser() -> Parser:
    """The parser of all commands."""
    parser = Parser(
        prog="dmlrand",
        usage="dmlrand [-h] [--version] COMMAND ...",
        description="DirectML's RandomGenerator (Philox4x32-10), bit for bit.",
    )
    version = f"dmlrand {__version__}"
    parser.add_argument("--version", action="version", version=version, help="show the version and exit")
    commands = parser.add_subparsers(prog="dmlrand", metavar="COMMAND", required=True, help=argparse.SUPPRESS)
    groups = []
    for title, add_commands in GROUPS.items():
        added = [add(commands) for add in add_commands]
        lines = [f"  {command.prog.split()[1]:<14}{command.description}" for command in added]
        groups.append("\n".join([f"{title}:", *lines]))
    parser.epilog = "\n\n".join([*groups, EPILOG])
    return parser


def _run(arguments: Sequence[str] | None) -> int:
    parser = make_parser()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks for completions
        with extra_needed("completion needs", "argcomplete", "completion"):
            from argcomplete import autocomplete
        autocomplete(parser)
    options = parser.parse_args(arguments)
    return options.run(options) or 0


def _flush() -> None:
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes again when it exits
        raise


def _report(error: Exception) -> int:
    """Print the error of bad input, or of a file, in one line."""
    if os.environ.get(TRACEBACK, "0") not in ("", "0"):
        traceback.print_exception(error)
    text = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.args[1:] == (os.strerror(error.errno or 0),) and error.filename is None:
        text += ". Check stdout and its disk."
    print(f"dmlrand: error: {' '.join(text.split())}", file=sys.stderr)
    return BAD_INPUT
