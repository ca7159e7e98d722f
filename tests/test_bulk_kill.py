"""kill -9 during fill_file, at random moments, again and again: it ends with the file of one uninterrupted run.

specs/bulk.md, section 2
"""

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from systems import KILLED, text
from waiting import Process

import dmlrand
from dmlrand import make_state, random_generator

ROOT = str(Path(dmlrand.__file__).parents[1])
STATE = make_state(counter=2**32 - 1000, key=42)  # so that a carry falls inside
WORDS = 3 << 20
FILL = f"""
import sys
from dmlrand import fill_file
print("begin", flush=True)
fill_file("f.npy", {STATE.tolist()}, {WORDS}, flush_bytes=1 << 18)
"""


def start_fill(folder):
    """A process about to fill; its imports are behind it."""
    process = Process(
        [sys.executable, "-c", FILL],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": ROOT},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert text(process.stdout.readline()) == b"begin\n"
    return process


def end(process):
    _, errors = process.communicate()
    assert process.returncode in (0, KILLED), errors.decode()
    return process.returncode


def check_and_count(folder, whole):
    """What a kill left, in a word; anything that must not be fails the test."""
    target, part, side = (folder / ("f.npy" + end) for end in ("", ".filling", ".progress"))
    if target.exists():
        assert target.read_bytes() == whole  # whole or not there
    if not side.exists():
        assert not part.exists() or part.stat().st_size == 0  # nothing is written before the voucher is there
        return "the end" if target.exists() else "before the voucher"
    flushed = json.loads(side.read_text())["flushed"]  # whole itself
    if not part.exists():
        assert flushed == len(whole) and target.exists()
        return "between rename and end"
    with open(part, "rb") as file:
        assert file.read(flushed) == whole[:flushed]  # what is vouched for is there
    return "while writing"


def survive(folder, rounds, seed):
    """Kill fill after fill; a file that gets whole is checked, removed and begun again."""
    np.save(folder / "whole.npy", random_generator(STATE, WORDS).values)
    whole = (folder / "whole.npy").read_bytes()
    random_moment = random.Random(seed)
    work = folder / "work"
    work.mkdir()
    times = []
    for _ in range(2):  # the first may have to compile
        begin = time.monotonic()
        assert end(start_fill(work)) == 0
        times.append(time.monotonic() - begin)
        (work / "f.npy").unlink()
    seen, resumed, files = Counter(), 0, 0
    for _ in range(rounds):
        if (work / "f.npy").exists() and not (work / "f.npy.progress").exists():
            (work / "f.npy").unlink()
            files += 1
        resumed += (work / "f.npy.progress").exists()
        process = start_fill(work)
        time.sleep(random_moment.uniform(0, 0.7 * times[1]))
        process.kill()
        code = end(process)
        seen[("killed: " if code else "ended: ") + check_and_count(work, whole)] += 1
    assert end(start_fill(work)) == 0
    assert (work / "f.npy").read_bytes() == whole
    assert sorted(os.listdir(work)) == ["f.npy"]
    print(
        f"seed {seed}: {rounds} rounds, {resumed} began on what a kill had left, {files} files got whole; {dict(seen)}"
    )
    return seen


def test_kills_at_random_moments(tmp_path):
    seen = survive(tmp_path, rounds=6, seed=7)
    assert seen.total() == 6


@pytest.mark.slow
def test_a_hundred_kills_at_random_moments(tmp_path):
    seen = survive(tmp_path, rounds=100, seed=random.SystemRandom().randrange(2**32))
    assert seen.total() == 100
    assert seen["killed: while writing"] > 20  # or the test missed what it is for
