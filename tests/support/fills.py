"""For tests of fill_file: a state, interrupted calls, processes, and the names in a folder."""

import shutil
import subprocess
import sys
from types import SimpleNamespace

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


def report_free_bytes(monkeypatch, free):
    """Let the disk report this many free bytes. A test that fills a real disk would do so when the check is broken."""
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(total=1 << 40, used=0, free=free))


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
