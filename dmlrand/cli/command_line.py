"""One command line: the parser with all commands, the streams, the errors and the exit code. specs/cli.md has the
rules."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import ExitStack

from .. import __version__
from ..files import error_text, failed_write
from ..imports import extra_needed
from . import backends, bench, conformance, example, fill, plot, run, shader, state, stream, verify
from .parser import Parser
from .signals import INTERRUPTED, break_as_interrupt
from .streams import STDOUT, any_text, discard, named_errors, occupy_closed_descriptors, print_error

COMMANDS = {  # by reader, as the help lists them
    "draw and resume": (run, state, plot, example),
    "check a generator": (verify, conformance, shader),
    "large files and pipes": (fill, stream),
    "this machine": (backends, bench),
}
PROGRAM = "dmlrand"
FAULT = 3
READER_GONE = 128 + 13  # the exit code that a shell gives a command ended by SIGPIPE
TRACEBACK = "DMLRAND_TRACEBACK"  # an environment variable
HELP = f"""`dmlrand COMMAND --help` has the options and an example of each command.

exit codes: 0 success, 1 a failed verification, 2 bad input, 3 a fault of dmlrand.
{TRACEBACK}=1 in the environment adds the Python traceback to an error."""


def run_command_line(arguments: Sequence[str] | None) -> int:
    """Run one command line and return its exit code."""
    occupy_closed_descriptors()
    with ExitStack() as streams:
        for stream in (sys.stdout, sys.stderr):
            streams.enter_context(any_text(stream))
        streams.enter_context(named_errors(sys.stdout))
        streams.enter_context(break_as_interrupt())
        streams.enter_context(warnings.catch_warnings())
        # numpy warns of headers that Python 2 wrote. The line on stderr of a refused file is its error (cli 1).
        warnings.filterwarnings("ignore", "Reading `.npy`", UserWarning)
        return _run_and_flush(arguments)


def _run_and_flush(arguments: Sequence[str] | None) -> int:
    code = 0  # also for --help, which leaves by SystemExit
    try:
        try:
            code = _run(arguments)
        finally:  # now and not when Python exits, so that errors of stdout are caught here
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as error:  # the reader of stdout has gone, or its disk is full
        discard(sys.stdout)
        if not _reader_has_gone(error) and code not in (2, FAULT):
            code = _report_bad_input(_stdout_error(error))
    except KeyboardInterrupt:
        code = INTERRUPTED
    return code


def _run(arguments: Sequence[str] | None) -> int:
    try:
        parser = _parser()
        if "_ARGCOMPLETE" in os.environ:  # a shell asks for completions
            with extra_needed("completion needs", "argcomplete", "completion"):
                from argcomplete import autocomplete
            autocomplete(parser)
        options = parser.parse_args(arguments)
        return options.run(options) or 0
    except OSError as error:
        if _reader_has_gone(error):  # before the work was done. `stream` ends without an error in this case
            return READER_GONE
        return _report_bad_input(_stdout_error(error) if error.filename == STDOUT else error)
    except (ValueError, TypeError, MemoryError, OverflowError, ImportError) as error:
        return _report_bad_input(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # a fault of dmlrand. Python would exit with 1, which means a failed verification
        print_error(_traceback(error))
        return FAULT


def _reader_has_gone(error: OSError) -> bool:
    from ..bulk.pipe import reader_has_gone

    return reader_has_gone(error)


def _stdout_error(error: OSError) -> OSError:
    next_step = "check what was written to files before you repeat the command"
    return failed_write(error, "stdout did not take all of the output", next_step)


def _report_bad_input(error: Exception) -> int:
    if os.environ.get(TRACEBACK, "0") not in ("", "0"):
        print_error(_traceback(error))
    print_error(f"{PROGRAM}: error: {_one_line(error)}")
    return 2


def _traceback(error: Exception) -> str:
    import traceback

    return "".join(traceback.format_exception(error)).rstrip()


def _one_line(error: BaseException) -> str:
    text = " ".join(error_text(error).split()) or type(error).__name__
    if isinstance(error, FileNotFoundError) and error.filename is not None:  # the system's text, without a remedy
        text += ". Check the name and the folder."
    elif isinstance(error, IsADirectoryError) and error.filename is not None:
        text += ". Name a file in this folder."
    elif isinstance(error, PermissionError) and error.filename is not None:
        text += ". Check the permissions of the file and of its folder."
    elif isinstance(error, OSError) and error.filename is not None:
        text += ". Check the file and its disk."
    return text


def _parser() -> Parser:
    parser = Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [-h] [--version] COMMAND ...",
        description="DirectML's RandomGenerator (Philox4x32-10), bit for bit.",
        epilog=HELP,
    )
    parser.add_argument(
        "--version", action="version", version=f"{PROGRAM} {__version__}", help="show the version and exit"
    )
    parser.set_defaults(run=parser.help_on_stderr)
    commands = parser.add_subparsers(prog=PROGRAM, metavar="COMMAND", help=argparse.SUPPRESS)
    for title, modules in COMMANDS.items():
        first = len(commands._choices_actions)  # the lines of the help, which argparse keeps in one list
        for module in modules:
            module.add(commands)
        parser.add_argument_group(title)._group_actions += commands._choices_actions[first:]
    return parser
