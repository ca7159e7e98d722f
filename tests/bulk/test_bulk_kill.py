"""kill -9 during fill_file, at random moments: the result is the file of one uninterrupted call.

specs/bulk.md, section 2
"""

import json
import os
import random
import shutil
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


FILL_ZARR = f"""
import sys
from dmlrand import fill_file
print("begin", flush=True)
fill_file("f.zarr", {STATE.tolist()}, (250, 3001), distribution="normal", chunks=(80, 501), flush_bytes=1 << 19)
"""


def start_fill(folder, code=FILL):
    """A process that has imported the package and starts to fill."""
    process = Process(
        [sys.executable, "-c", code],
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


@pytest.mark.costly
def test_kills_at_random_moments(tmp_path):
    seen = survive(tmp_path, rounds=3, seed=7)
    assert seen.total() == 3


@pytest.mark.slow
def test_a_hundred_kills_at_random_moments(tmp_path):
    seen = survive(tmp_path, rounds=100, seed=random.SystemRandom().randrange(2**32))
    assert seen.total() == 100
    assert seen["killed: while writing"] > 20  # else the test missed its purpose


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def survive_zarr(folder, rounds, seed):
    """Kill fills of a Zarr array. One that is completed is checked and removed, and the next fill starts again."""
    random_moment, work = random.Random(seed), folder / "work"
    work.mkdir()
    for _ in range(2):  # the first may have to compile
        shutil.rmtree(work / "f.zarr", ignore_errors=True)
        begin = time.monotonic()
        assert end(start_fill(work, FILL_ZARR)) == 0
        seconds = time.monotonic() - begin
    right = files_of(work / "f.zarr")
    shutil.rmtree(work / "f.zarr")
    assert len(right) == 1 + 4 * 6
    seen = Counter()
    for _ in range(rounds):
        process = start_fill(work, FILL_ZARR)
        time.sleep(random_moment.uniform(0, 0.7 * seconds))
        process.kill()
        code = end(process)
        seen[("killed: " if code else "ended: ") + check_zarr(work, right)] += 1
        if not (work / "f.zarr.progress").exists():
            shutil.rmtree(work / "f.zarr", ignore_errors=True)
    assert end(start_fill(work, FILL_ZARR)) == 0
    assert files_of(work / "f.zarr") == right
    assert sorted(os.listdir(work)) == ["f.zarr"]
    print(f"seed {seed}: {rounds} rounds; {dict(seen)}")
    return seen


def check_zarr(folder, right):
    """The step in which the kill came. A state that must not exist fails the test."""
    target, temporary, progress_file = (folder / ("f.zarr" + end) for end in ("", ".filling", ".progress"))
    if target.exists():
        assert files_of(target) == right and not temporary.exists()
        return "between rename and end" if progress_file.exists() else "the end"
    if not progress_file.exists():
        assert not temporary.exists() or not any(temporary.iterdir())
        return "before the progress file"
    flushed = json.loads(progress_file.read_text())["flushed"]
    done = 0
    for rows in range(4):
        for columns in range(6):
            if done < flushed:
                name = f"c/{rows}/{columns}"
                assert (temporary / name).read_bytes() == right[name]  # the recorded chunks are there
            done += 4 * min(80, 250 - 80 * rows) * min(501, 3001 - 501 * columns)
    return "while writing"


@pytest.mark.costly
def test_kills_of_a_zarr_fill_at_random_moments(tmp_path):
    """bulk 9.3"""
    assert survive_zarr(tmp_path, rounds=3, seed=3).total() == 3


@pytest.mark.slow
def test_sixty_kills_of_a_zarr_fill(tmp_path):
    """bulk 9.3"""
    seen = survive_zarr(tmp_path, rounds=60, seed=random.SystemRandom().randrange(2**32))
    assert seen.total() == 60
    assert seen["killed: while writing"] > 10  # else the test missed its purpose
