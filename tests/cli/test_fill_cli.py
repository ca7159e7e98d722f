"""`dmlrand fill`: its files, its output and its errors. specs/bulk.md, section 4; specs/cli.md, 9"""

import io
import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from commands import ok

from dmlrand import (
    counter_of,
    integers,
    load_checkpoint,
    make_state,
    normal,
    random_generator,
    uniform,
)


@pytest.fixture
def fill(run):
    return lambda line: run(f"fill {line}")


def test_it_fills_and_advances_the_state(fill):
    """bulk 4.1, 4.2"""
    ok(fill("--shape 3,5 --seed 42 --output a.npy --state s.json"))
    out = ok(fill("--shape 6 --output b.bin --state s.json --dtype float64 --threads 2"))
    assert "state    s.json, resumed" in out and "values   6 of float64" in out
    assert np.array_equal(np.load("a.npy"), random_generator(make_state(key=42), (3, 5)).values)
    assert np.array_equal(np.fromfile("b.bin", "<f8"), uniform(make_state(counter=4, key=42), 6, dtype="f8").values)
    assert counter_of(load_checkpoint("s.json").states["state"]) == 7
    assert ok(fill("--shape 4 --counter 9 --key 1 --output c.dat")).startswith("output   c.dat\n")
    assert sorted(os.listdir()) == ["a.npy", "b.bin", "c.dat", "s.json"]


@pytest.mark.parametrize(
    ("options", "text", "values"),
    [
        ("--low=-1 --dtype float64", "float64, uniform(low=-1.0, high=1.0)",
         lambda s: uniform(s, 9, low=-1, high=1, dtype="float64")),
        ("--distribution integers --low -3 --high 0x10", "int32, integers(low=-3, high=16)",
         lambda s: integers(s, 9, -3, 16)),
        ("--distribution normal --mean 1e2 --stddev .5 --dtype float16", "float16, normal(mean=100.0, stddev=0.5)",
         lambda s: normal(s, 9, mean=100, stddev=0.5, dtype="float16")),
        ("--distribution words", "uint32", lambda s: random_generator(s, 9)),
    ],
)  # fmt: skip
def test_distributions_and_their_bounds(fill, options, text, values):
    """bulk 4.4"""
    out = ok(fill(f"--shape 9 --seed 7 --output a.npy {options}"))
    assert out.splitlines()[2] == f"values   9 of {text}"
    got, right = np.load("a.npy"), values(make_state(key=7)).values
    assert got.dtype == right.dtype and got.tolist() == right.tolist()


def test_a_zarr_array(fill):
    """bulk 4.4, 8.4"""
    zarr = pytest.importorskip("zarr", reason="zarr is not installed (extra `test`)")
    line = "--shape 5,7 --distribution normal --output a.zarr --chunks 2,3"
    ok(fill(f"{line} --seed 7"))
    right = normal(make_state(key=7), (5, 7)).values
    array = zarr.open_array("a.zarr", mode="r")
    assert array.chunks == (2, 3) and np.array_equal(array[...], right)
    ok(fill(f"{line} --seed 7"))  # as after a kill before the state was saved
    message = "[Errno 17] File exists: 'a.zarr' has other content. Remove it, or name another path.\n"
    assert fill(f"{line} --seed 8 --overwrite") == (2, "", f"dmlrand: error: {message}")
    assert np.array_equal(zarr.open_array("a.zarr", mode="r")[...], right) and os.listdir() == ["a.zarr"]


LINE = "--shape 1000,5000 --seed 3 --output a.npy --state s.json"


def check_complete():
    assert np.array_equal(np.load("a.npy"), random_generator(make_state(counter=0, key=3), (1000, 5000)).values)
    assert counter_of(load_checkpoint("s.json").states["state"]) == 1250_000
    assert sorted(os.listdir()) == ["a.npy", "s.json"]


def test_after_ctrl_c_the_same_command_resumes(fill, monkeypatch):
    """cli 9"""
    monkeypatch.setattr("dmlrand.bulk.fill.FLUSH_BYTES", 1 << 20)
    monkeypatch.setattr("dmlrand.bulk.fill.PIECE_BYTES", 1 << 20)
    flushes, fsync = [], os.fsync

    def interrupt(handle):
        fsync(handle)
        flushes.append(handle)
        if len(flushes) == 7:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", interrupt)
        message = "dmlrand: 'a.npy' is not complete. Repeat the command to resume.\n"
        assert fill(LINE) == (130, "", message) and os.listdir() == ["a.npy.filling"]
    begun = os.stat("a.npy.filling").st_ino
    ok(fill(LINE))
    assert os.stat("a.npy").st_ino == begun
    check_complete()


def test_a_file_that_is_complete_is_an_error_or_complete_already(fill):
    """bulk 4.2: the same command again would draw the next values, so it does not replace the file."""
    line = "--shape 8 --seed 3 --output a.npy"
    values = random_generator(make_state(key=3), 8).values
    ok(fill(line))
    assert "values   8 of uint32, complete already" in ok(fill(line)).splitlines()
    ok(fill(f"{line} --state s.json"))  # as after a kill before the state was saved
    for _ in range(2):
        code, out, err = fill(f"{line} --state s.json")
        message = "File exists: 'a.npy' has other content. Pass overwrite=True or --overwrite, or name another path.\n"
        assert (code, out, err) == (2, "", f"dmlrand: error: [Errno 17] {message}")
        assert np.load("a.npy").tolist() == values.tolist()
        assert counter_of(load_checkpoint("s.json").states["state"]) == 2
    ok(fill(f"{line} --state s.json --overwrite"))
    assert np.load("a.npy").tolist() == random_generator(make_state(counter=2, key=3), 8).values.tolist()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_on_a_terminal(fill, monkeypatch):
    """bulk 4.3"""
    monkeypatch.setattr("dmlrand.bulk.fill.PIECE_BYTES", 1 << 21)
    monkeypatch.setattr(sys, "stderr", Terminal())
    times = iter([100.0, 124.0, 150.0])  # half of the file took 24 s
    monkeypatch.setattr("dmlrand.cli.output.time", SimpleNamespace(monotonic=lambda: next(times)))
    assert fill(f"--shape {1 << 20} --seed 1 --output a.bin").code == 0
    shown = [line.rstrip(" ") for line in sys.stderr.getvalue().split("\r")]
    assert shown == ["", "a.bin:   0 %", "a.bin:  50 %, 0:00:24 left", f"a.bin: 100 %{' ' * 24}\n"]
    times = iter([100.0])
    assert fill("--shape 0 --seed 1 --output b.bin").code == 0
