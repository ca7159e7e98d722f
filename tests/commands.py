"""For tests of the command line: a real process, and the contents of a folder."""

import os
import subprocess
import sys
from pathlib import Path

from systems import text
from waiting import LIMIT

import dmlrand

ROOT = str(Path(dmlrand.__file__).parents[1])  # so that a subprocess runs the code under test, installed or not
ENVIRONMENT = {**os.environ, "PYTHONPATH": ROOT}
ENVIRONMENT.pop("PYTHONUNBUFFERED", None)  # output is buffered, as in a user's shell


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
