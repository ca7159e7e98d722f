"""For tests of fill_file: a state, interrupted calls, processes, and the names in a folder."""

import subprocess
import sys

import pytest
from commands import ENVIRONMENT
from waiting import Process

from dmlrand import fill_file, make_state

STATE = make_state(counter=2**32 - 2, key=7)


class Interrupted(Exception):
    pass


def interrupt_at(limit):
    def progress(done, total):
        if done >= limit:
            raise Interrupted

    return progress


def interrupt(path, state, shape, at, **options):
    with pytest.raises(Interrupted):
        fill_file(path, state, shape, progress=interrupt_at(at), **options)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def start(code, *arguments):
    return Process(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
