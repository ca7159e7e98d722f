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


@pytest.mark.parametrize(
    ("options", "text", "values"),
    [
        ("--low=-1 --dtype float64", "float64, uniform(low=-1.0, high=1.0)",
         lambda s: uniform(s, 9, low=-1, high=1, dtype="float64")),
        ("--distribution integers --low -3 --high 0x10", "int32, integers(low=-3, high=16)",
         lambda s: integers(s, 9, -3, 16)),
        ("--distribution normal --mean 1e2 --stddev .5 --dtype float16", "float16, normal(mean=100.0, stddev=0.5)",
         lambda s: normal(s, 9, mean=100, stddev=0.5, dtype="float16")),
        ("--distribution words --threads 2", "uint32", lambda s: random_generator(s, 9)),
    ],
)  # fmt: skip
def test_distributions_and_their_bounds(fill, options, text, values):
    """bulk 4.1 and 4.4"""
    out = ok(fill(f"--shape 9 --seed 7 --output a.npy {options}"))
    assert out.splitlines()[2] == f"values   9 of {text}"
    got, right = np.load("a.npy"), values(make_state(key=7)).values
    assert got.dtype == right.dtype and got.tolist() == right.tolist()


def test_a_zarr_array(fill):
    """bulk 4.4: the second command is that after a kill before the state was saved."""
    zarr = pytest.importorskip("zarr", reason="zarr is not installed (extra `test`)")
    for complete in ("", ", complete already"):
        out = ok(fill("--shape 5,7 --distribution normal --output a.zarr --chunks 2,3 --seed 7"))
        assert f"values   35 of float32, normal(mean=0.0, stddev=1.0){complete}\n" in out
    array = zarr.open_array("a.zarr", mode="r")
    assert array.chunks == (2, 3) and np.array_equal(array[...], normal(make_state(key=7), (5, 7)).values)


def test_after_ctrl_c_the_same_command_resumes(fill, monkeypatch):
    """bulk 4.2 and cli 9: the state is advanced when the file is complete, and not before."""
    monkeypatch.setattr("dmlrand.bulk.fill.FLUSH_BYTES", 1 << 16)
    monkeypatch.setattr("dmlrand.bulk.fill.PIECE_BYTES", 1 << 16)
    line = "--shape 100,1000 --seed 3 --output a.npy --state s.json"
    flushes, fsync = [], os.fsync

    def interrupt(handle):
        fsync(handle)
        flushes.append(handle)
        if len(flushes) == 4:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", interrupt)
        message = "dmlrand: 'a.npy' is not complete. Repeat the command to resume.\n"
        assert fill(line) == (130, "", message) and os.listdir() == ["a.npy.filling"]
    begun = os.stat("a.npy.filling").st_ino
    ok(fill(line))
    assert os.stat("a.npy").st_ino == begun and sorted(os.listdir()) == ["a.npy", "s.json"]
    assert np.array_equal(np.load("a.npy"), random_generator(make_state(key=3), (100, 1000)).values)
    assert counter_of(load_checkpoint("s.json").states["state"]) == 25_000


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
