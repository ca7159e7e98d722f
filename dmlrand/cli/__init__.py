"""The command `dmlrand`: arguments to calls, nothing else. One module a command, or a family of them.

Exit code 0 for success, 1 for a failed verification, 2 for bad input, with one line on stderr, 3 for a fault of
dmlrand, 141 for work that was cut short because the reader of stdout has gone; a reader that goes later changes no
code. specs/cli.md has the rules.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from errno import EDQUOT, EFBIG, ENOSPC
from typing import NoReturn

from .. import __version__
from ..files.atomic_write import unwritten
from ..files.names import error_text
from . import bench, dispatch, fill, plot, run, state, stream, verify
from .signals import break_as_interrupt
from .streams import any_text, discard, occupy_closed_descriptors, print_error

COMMANDS = (run, state, verify, dispatch, fill, stream, plot, bench)
PROGRAM = "dmlrand"
FAULT = 3
READER_GONE = 128 + 13  # what a shell says of a command that SIGPIPE ended
TRACEBACK = "DMLRAND_TRACEBACK"  # the environment variable
HELP = f"""exit codes: 0 success, 1 a failed verification, 2 bad input, 3 a fault of dmlrand.
{TRACEBACK}=1 in the environment adds the Python traceback to an error."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    occupy_closed_descriptors()
    with ExitStack() as streams:
        for stream in (sys.stdout, sys.stderr):
            streams.enter_context(any_text(stream))
        streams.enter_context(break_as_interrupt())
        return _run_and_flush(arguments)


def _run_and_flush(arguments: Sequence[str] | None) -> int:
    code = 0  # also of --help, which leaves by SystemExit
    try:
        try:
            code = _run(arguments)
        finally:  # here, not at exit, so that what goes wrong with it is caught
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as error:  # of stdout: its reader has gone, or its disk is full
        discard(sys.stdout)
        if not _reader_has_gone(error) and code not in (2, FAULT):
            code = _refuse(_of_stdout(error))
    except KeyboardInterrupt:
        code = 130
    return code


def _run(arguments: Sequence[str] | None) -> int:
    try:
        options = _parser().parse_args(arguments)
        return options.run(options) or 0
    except OSError as error:
        if _reader_has_gone(error):  # before the work was done; `stream`, to which it is an end, lets none through
            return READER_GONE
        return _refuse(_of_stdout(error) if _is_of_stdout(error) else error)
    except (ValueError, TypeError, MemoryError, OverflowError, ImportError) as error:
        return _refuse(error)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # no check raises it: Python's exit code for it would be that of a failed verification
        print_error(_traceback(error))
        return FAULT


def _reader_has_gone(error: OSError) -> bool:
    from ..bulk.pipe import reader_has_gone

    return reader_has_gone(error)


def _is_of_stdout(error: OSError) -> bool:
    """Whether a print has failed: an error of a file that is full names it, in `filename` or in the library's words."""
    full = error.errno in (ENOSPC, EDQUOT, EFBIG)
    return full and error.filename is None and error.strerror == os.strerror(error.errno or 0)


def _of_stdout(error: OSError) -> OSError:
    then = "see what was written to files before you give the same call again"
    return unwritten(error, "stdout did not take all of the output", then)


def _refuse(error: Exception) -> int:
    if os.environ.get(TRACEBACK, "0") not in ("", "0"):
        print_error(_traceback(error))
    print_error(f"{PROGRAM}: error: {_one_line(error)}")
    return 2


def _traceback(error: Exception) -> str:
    import traceback

    return "".join(traceback.format_exception(error)).rstrip()


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print_error(f"{self.prog}: error: {' '.join(message.split())} (see {self.prog} --help)")
        self.exit(2)


def _one_line(error: BaseException) -> str:
    return " ".join(error_text(error).split()) or type(error).__name__


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=PROGRAM,
        description="DirectML's RandomGenerator (Philox4x32-10), bit for bit.",
        epilog=HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action="version", version=f"{PROGRAM} {__version__}", help="show the version and exit"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser
