"""kill -9 during fill_file, at random moments: the result is the file of one uninterrupted call.

specs/bulk.md, section 2
"""

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest
from commands import ENVIRONMENT
from systems import KILLED, text
from waiting import Process

from dmlrand import make_state, random_generator

STATE = make_state(counter=2**32 - 1000, key=42)  # with a carry inside
WORDS = 3 << 20
FILL = f"""
import sys
from dmlrand import fill_file
print("begin", flush=True)
fill_file("f.npy", {STATE.tolist()}, {WORDS}, flush_bytes=1 << 18)
"""


def start_fill(folder):
    """A process that has imported the package and starts to fill."""
    process = Process(
        [sys.executable, "-c", FILL],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert text(process.stdout.readline()) == b"begin\n"
    return process


def end(process):
    _, errors = process.communicate()
    assert process.returncode in (0, KILLED), errors.decode()
    return process.returncode


def check_and_count(folder, right):
    """The step in which the kill came. A state that must not exist fails the test."""
    target, temporary, progress_file = (folder / ("f.npy" + end) for end in ("", ".filling", ".progress"))
    if target.exists():
        assert target.read_bytes() == right  # complete, or not there
    if not progress_file.exists():
        assert not temporary.exists() or temporary.stat().st_size == 0  # no byte is written before the progress file
        return "the end" if target.exists() else "before the progress file"
    flushed = json.loads(progress_file.read_text())["flushed"]  # complete, too
    if not temporary.exists():
        assert flushed == len(right) and target.exists()
        return "between rename and end"
    with open(temporary, "rb") as file:
        assert file.read(flushed) == right[:flushed]  # the recorded bytes are there
    return "while writing"


def survive(folder, rounds, seed):
    """Kill fills. A file that is completed is checked and removed, and the next fill starts again."""
    np.save(folder / "right.npy", random_generator(STATE, WORDS).values.astype("<u4"))
    right = (folder / "right.npy").read_bytes()
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
        seen[("killed: " if code else "ended: ") + check_and_count(work, right)] += 1
    assert end(start_fill(work)) == 0
    assert (work / "f.npy").read_bytes() == right
    assert sorted(os.listdir(work)) == ["f.npy"]
    print(f"seed {seed}: {rounds} rounds, {resumed} resumed, {files} files were completed; {dict(seen)}")
    return seen


def test_kills_at_random_moments(tmp_path):
    seen = survive(tmp_path, rounds=6, seed=7)
    assert seen.total() == 6


@pytest.mark.slow
def test_a_hundred_kills_at_random_moments(tmp_path):
    seen = survive(tmp_path, rounds=100, seed=random.SystemRandom().randrange(2**32))
    assert seen.total() == 100
    assert seen["killed: while writing"] > 20  # else the test missed its purpose
