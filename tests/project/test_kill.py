"""kill -9 during `dmlrand run`, at random moments: no word is lost and none is repeated. specs/checkpoint.md, 4 and 5

After a kill, the same command is run again. The output's name counts the runs that took effect,
so a run that did not is repeated under the same name.
"""

import os
import random
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest
from commands import ENVIRONMENT
from systems import KILLED
from waiting import LIMIT, Process

from dmlrand import counter_of, load_checkpoint, make_state, random_generator

SHAPE = (1024, 1024)  # 4 MiB: large enough that many kills come during the writing
STEP = 1024 * 1024 // 4  # blocks a run takes
KEY = 42
START = 2**32 - 3 * STEP // 2  # with a carry inside the second run


def start_run(folder, accepted):
    shape = ",".join(map(str, SHAPE))
    command = f"run --shape {shape} --counter {START} --key {KEY} --output values-{accepted}.npy --state state.json"
    return Process(
        [sys.executable, "-m", "dmlrand", *command.split()],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def expected(accepted):
    return random_generator(make_state(counter=START + accepted * STEP, key=KEY), SHAPE).values


def holds(path, values):
    """Whether the file exists and holds exactly these values. A broken file raises."""
    return path.exists() and np.array_equal(np.load(path), values)


def runs_in(state_file):
    """The number of completed runs according to the state file. Any other content fails the test."""
    if not state_file.exists():
        return 0
    states, metadata = load_checkpoint(state_file)
    runs, rest = divmod(counter_of(states["state"]) - START, STEP)
    assert rest == 0
    assert metadata is None
    return runs


def time_a_run(folder):
    """Seconds of one run, and seconds from its first file to its last one, the state."""
    folder.mkdir()
    begin = time.monotonic()
    process = start_run(folder, 0)
    wait_for_a_touch(folder, process, set())
    first = time.monotonic()
    while process.poll() is None and not (folder / "state.json").exists():
        time.sleep(0.0005)
    last = time.monotonic()
    _, errors = process.communicate()
    assert (process.returncode, errors) == (0, b"")
    return time.monotonic() - begin, last - first


def wait_for_a_touch(folder, process, before):
    """Return when there is a name in the folder that was not there before, or the process has ended.

    The lock does not count: it is there long before the values are.
    """
    while process.poll() is None and set(os.listdir(folder)) <= before | {".state.json.lock"}:
        time.sleep(0.0005)


def kill_at_random(process, folder, random_moment, total, writing):
    """Kill half of the runs at any moment, and half of them after they began to write."""
    if random_moment.random() < 0.5:
        time.sleep(random_moment.uniform(0, total))
    else:
        wait_for_a_touch(folder, process, set(os.listdir(folder)))
        time.sleep(random_moment.uniform(0, 1.2 * writing))
    process.kill()
    process.wait(LIMIT)
    errors = process.stderr.read().decode()
    process.stderr.close()
    assert process.returncode in (0, KILLED), errors
    return process.returncode


def survive(folder, rounds, seed):
    """Kill one run after another and check what each leaves. Return the counts of what was seen."""
    random_moment = random.Random(seed)
    time_a_run(folder / "cold")  # a first run may have to compile
    total, writing = time_a_run(folder / "warm")
    print(f"seed {seed}; one run takes {total:.3f} s, {writing:.3f} s of it from its first file to its last")
    work = folder / "work"
    work.mkdir()
    accepted, seen = 0, Counter()
    for _ in range(rounds):
        output, state = work / f"values-{accepted}.npy", work / "state.json"
        values, there_before = expected(accepted), output.exists()
        code = kill_at_random(start_run(work, accepted), work, random_moment, total, writing)

        runs = runs_in(state)
        assert runs in (accepted, accepted + 1)
        written = holds(output, values)
        assert written or not output.exists()  # absent or complete
        assert written or not there_before  # and never removed again
        assert written or runs == accepted  # the state is never advanced without the values
        assert code != 0 or runs == accepted + 1
        temporary = [name for name in os.listdir(work) if name.endswith(".part")]
        if code == 0:
            seen["ended before the kill"] += 1
        elif runs > accepted:
            seen["killed after the state"] += 1
        elif any("state" in name for name in temporary):
            seen["killed while writing the state"] += 1
        elif written and not there_before:
            seen["killed between values and state"] += 1
        elif temporary:
            seen["killed while writing the values"] += 1
        else:
            seen["killed before any file"] += 1
        accepted = runs

    finish(work, accepted)
    print(", ".join(f"{times} {what}" for what, times in sorted(seen.items())))
    return seen


def finish(work, accepted):
    """One run that is not killed, and then a comparison of the complete stream."""
    process = start_run(work, accepted)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (0, b"")
    accepted += 1
    assert runs_in(work / "state.json") == accepted
    # All that the kills left is removed.
    assert sorted(os.listdir(work)) == sorted(["state.json", *(f"values-{i}.npy" for i in range(accepted))])
    stream = random_generator(make_state(counter=START, key=KEY), accepted * STEP * 4).values.reshape(accepted, *SHAPE)
    for i in range(accepted):
        assert holds(work / f"values-{i}.npy", stream[i])


@pytest.mark.costly
def test_kills_at_random_moments(tmp_path):
    """checkpoint 5.1"""
    seen = survive(tmp_path, rounds=8, seed=20250)
    assert seen.total() == 8


@pytest.mark.slow
def test_a_hundred_kills_at_random_moments(tmp_path):
    seen = survive(tmp_path, rounds=100, seed=random.SystemRandom().randrange(2**32))
    assert seen.total() == 100
    assert seen["killed while writing the values"] > 0  # else the test missed its purpose
    for path in (tmp_path / "work").iterdir():  # hundreds of megabytes, which pytest would keep
        path.unlink()
