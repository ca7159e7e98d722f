"""What the tests of fill_file share: a state, calls that are interrupted, processes, and a look into a folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import Process

import dmlrand
from dmlrand import fill_file, make_state

ROOT = str(Path(dmlrand.__file__).parents[1])
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
        env={**os.environ, "PYTHONPATH": ROOT},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
