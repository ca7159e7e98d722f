"""For tests of the command line: a real process, and the contents of a folder."""

import os
import subprocess
import sys

from paths import PACKAGE_PARENT
from systems import text
from waiting import LIMIT

ENVIRONMENT = {**os.environ, "PYTHONPATH": PACKAGE_PARENT}
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
