"""The command `dmlrand`: arguments to calls, nothing else. One module a command, or a family of them.

Exit code 0 for success, 1 for a failed verification, 2 for bad input, with one line on stderr.
141 for work that was cut short because the reader of stdout has gone; a reader that goes later changes no code.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from errno import EDQUOT, EFBIG, ENOSPC
from typing import NoReturn

from .. import __version__
from ..durable import unwritten
from . import bench, dispatch, fill, plot, run, state, stream, verify

COMMANDS = (run, state, verify, dispatch, fill, stream, plot, bench)
PROGRAM = "dmlrand"
READER_GONE = 128 + 13  # what a shell says of a command that SIGPIPE ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    code = 0  # also of --help, which leaves by SystemExit
    try:
        try:
            code = _run(arguments)
        finally:  # here, not at exit, so that what goes wrong with it is caught
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as error:  # of stdout: its reader has gone, or its disk is full
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes it again at exit
        if not isinstance(error, BrokenPipeError) and code != 2:
            code = _refuse(_of_stdout(error))
    except KeyboardInterrupt:
        code = 130
    return code


def _run(arguments: Sequence[str] | None) -> int:
    try:
        options = _parser().parse_args(arguments)
        return options.run(options) or 0
    except BrokenPipeError:  # before the work was done; `stream`, to which it is an end, lets none through
        return READER_GONE
    except OSError as error:
        return _refuse(_of_stdout(error) if _is_of_stdout(error) else error)
    except (ValueError, TypeError, MemoryError, OverflowError, ImportError) as error:
        return _refuse(error)
    except KeyboardInterrupt:
        return 130


def _is_of_stdout(error: OSError) -> bool:
    """Whether a print has failed: an error of a file that is full names it, in `filename` or in the library's words."""
    full = error.errno in (ENOSPC, EDQUOT, EFBIG)
    return full and error.filename is None and error.strerror == os.strerror(error.errno or 0)


def _of_stdout(error: OSError) -> OSError:
    then = "see what was written to files before you give the same call again"
    return unwritten(error, "stdout did not take all of the output", then)


def _refuse(error: BaseException) -> int:
    print(f"{PROGRAM}: error: {_one_line(error)}", file=sys.stderr)
    return 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {' '.join(message.split())} (see {self.prog} --help)\n")


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog=PROGRAM, description="DirectML's RandomGenerator (Philox4x32-10), bit for bit.")
    parser.add_argument(
        "--version", action="version", version=f"{PROGRAM} {__version__}", help="show the version and exit"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser
