"""For tests of the command line: calls in this process, a real process, and the contents of a folder."""

import contextlib
import io
import os
import subprocess
import sys
from typing import NamedTuple

from paths import PACKAGE_PARENT
from systems import text
from waiting import LIMIT

from dmlrand.cli import main

ENVIRONMENT = {**os.environ, "PYTHONPATH": PACKAGE_PARENT}
ENVIRONMENT.pop("PYTHONUNBUFFERED", None)  # output is buffered, as in a user's shell


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def command_line(capsys):
    """A function that runs a command line in this process. Its further arguments may have spaces."""

    def run(line, *arguments):
        try:
            code = main([*line.split(" "), *arguments] if line else [])
        except SystemExit as exit:  # argparse leaves by it
            code = exit.code
        return Ran(code, *capsys.readouterr())

    return run


def run_into(line, file, **options):
    """The exit code of a command line that runs in this process, with a binary file as its stdout."""
    with contextlib.redirect_stdout(io.TextIOWrapper(file, **options)) as out:
        code = main(line.split(" "))
        out.close()
        return code


def ok(ran):
    """What a command printed that succeeded."""
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def python(code, timeout=LIMIT, **settings):
    """What a program prints in a new process. `settings` are variables of its environment."""
    done = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT | settings, capture_output=True, text=True, timeout=timeout
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def process(*arguments, timeout=LIMIT, **options):
    ran = subprocess.run(
        [sys.executable, "-m", "dmlrand", *arguments], env=ENVIRONMENT, check=False, timeout=timeout, **options
    )
    return with_newlines(ran, "stream" in arguments)


def with_newlines(ran, binary=False):
    """The result of a process, with \\n for the line ends of Windows. `binary` says that its stdout is not text."""
    ran.stderr = text(ran.stderr)
    if not binary:
        ran.stdout = text(ran.stdout)
    return ran


def contents(folder):
    return {path.name: path.is_file() and path.read_bytes() for path in folder.iterdir()}
