"""What tests of the command line share: a real process, and what a folder holds."""

import os
import subprocess
import sys
from pathlib import Path

from waiting import LIMIT

import dmlrand

ROOT = str(Path(dmlrand.__file__).parents[1])  # so that a subprocess runs the code under test, installed or not
ENVIRONMENT = {**os.environ, "PYTHONPATH": ROOT}
ENVIRONMENT.pop("PYTHONUNBUFFERED", None)  # output is buffered, as in a user's shell


def process(*arguments, timeout=LIMIT, **options):
    return subprocess.run(
        [sys.executable, "-m", "dmlrand", *arguments], env=ENVIRONMENT, check=False, timeout=timeout, **options
    )


def contents(folder):
    return {path.name: path.is_file() and path.read_bytes() for path in folder.iterdir()}
