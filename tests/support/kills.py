"""Kill processes at random moments and check what they leave: python kills.py SCENARIO ROUNDS SEED FOLDER. POSIX only.

Each round forks this process, which has imported and compiled everything, so that a kill comes during the work itself.
"""

import io
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

import numpy as np

import dmlrand
from dmlrand.bulk import fill as bulk_fill, zarr_array
from dmlrand.cli import main

STATE = dmlrand.make_state(counter=2**32 - 1000, key=42)  # with a carry inside


def killed(work, seconds):
    """Whether a child that does `work` was killed before it ended."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def duration(work):
    start = time.monotonic()
    work()
    return time.monotonic() - start


def kill_fills(kills, moment):
    """bulk 2.1: the file of a fill that was killed again and again is that of one call."""
    bulk_fill.FLUSH_BYTES, bulk_fill.PIECE_BYTES = 1 << 18, 1 << 15
    shape = (200, 1001)
    values = io.BytesIO()
    np.save(values, dmlrand.normal(STATE, shape, mean=5, stddev=2).values)

    def fill():
        dmlrand.fill_file("f.npy", STATE, shape, distribution="normal", mean=5, stddev=2)

    seconds, seen = duration(fill), 0
    os.unlink("f.npy")
    while seen < kills:
        seen += killed(fill, moment.uniform(0, seconds))
        if os.path.exists("f.npy"):
            assert Path("f.npy").read_bytes() == values.getvalue()
            os.unlink("f.npy")
    fill()
    assert Path("f.npy").read_bytes() == values.getvalue() and os.listdir() == ["f.npy"]


def kill_zarr_fills(kills, moment):
    """bulk 8.3"""
    import zarr

    zarr_array.FLUSH_BYTES = 3 * 80_160  # of three chunks
    values = dmlrand.random_generator(STATE, (150, 1001)).values

    def fill():
        dmlrand.fill_file("f.zarr", STATE, (150, 1001), chunks=(40, 501))

    def check():
        assert np.array_equal(zarr.open_array("f.zarr", mode="r")[...], values)
        assert not [*Path("f.zarr").rglob("*.partial")]
        shutil.rmtree("f.zarr")

    seconds, seen = duration(fill), 0
    check()
    while seen < kills:
        seen += killed(fill, moment.uniform(0, seconds))
        if os.path.exists("f.zarr"):
            check()
    fill()
    check()


def kill_checkpoints(kills, moment):
    """checkpoint 4.1: a file is the complete old one or the complete new one."""

    def save():
        for step in range(1, 40):
            dmlrand.save_checkpoint("s.json", {"rng": dmlrand.Stream(seed=step)}, {"step": step})

    seconds, seen = duration(save), 0
    while seen < kills:
        seen += killed(save, moment.uniform(0, seconds))
        states, metadata = dmlrand.load_checkpoint("s.json")
        assert states == {"rng": dmlrand.Stream(seed=metadata["step"])}


def kill_runs(kills, moment):
    """checkpoint 5.1: the values first, then the state. No value is skipped, and none is in two files."""
    count, accepted, seen = 1 << 20, 0, 0
    first = dmlrand.make_state(counter=2**32 - 1000, key=42)

    def run():
        start = f"--counter {2**32 - 1000} --key 42"
        assert main(f"run --shape {count} {start} --output {accepted}.npy --state s.json".split()) == 0

    sys.stdout = open(os.devnull, "w")
    seconds = duration(run)
    accepted = 1
    while seen < kills:
        seen += killed(run, moment.uniform(0, 1.2 * seconds))
        now = dmlrand.distance_blocks(first, dmlrand.load_checkpoint("s.json").states["state"]) * 4 // count
        assert now in (accepted, accepted + 1)
        for number in range(max(0, now - 1), now):
            expected = dmlrand.random_generator(dmlrand.advance_blocks(first, number * count // 4), count).values
            assert np.array_equal(np.load(f"{number}.npy"), expected)
        for path in Path().glob("[0-9]*.npy"):
            if int(path.stem) < now - 1:
                path.unlink()
        accepted = now


if __name__ == "__main__":
    scenario, kills, seed, folder = sys.argv[1:]
    os.chdir(folder)
    globals()[scenario](int(kills), random.Random(int(seed)))
