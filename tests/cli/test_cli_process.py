"""`dmlrand` as a process: its main job, exit codes, readers that have gone, encodings and faults. specs/cli.md"""

import os
import subprocess

import numpy as np
import pytest
from commands import ENVIRONMENT, contents, process, run_into
from oracle import words
from thinning import with_costly

from dmlrand import make_state, random_generator, save_checkpoint

LINE = "run --shape 4 --seed 42 --output v.npy --state s.json"


def test_a_real_process_runs_the_main_job_and_shows_no_traceback(run, tmp_path):
    ran = process("run", "--shape", "4", "--output", "v.npy", "--state", "s.json", capture_output=True)
    assert (ran.returncode, ran.stdout, ran.stderr.count(b"\n")) == (2, b"", 1)
    assert ran.stderr.startswith(b"dmlrand: error: there is no state to start from.") and contents(tmp_path) == {}
    ran = process(*LINE.split(), capture_output=True)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert np.load("v.npy").tolist() == words(0, 42, 0, 4) and contents(tmp_path).keys() == {"v.npy", "s.json"}


# A reader that has gone


def closed_pipe():
    reader, writer = os.pipe()
    os.close(reader)
    return open(writer, "wb")


@pytest.mark.parametrize(
    ("line", "code"),
    with_costly(
        [
            ("verify --key 7 --values v.npy", 0),
            ("recover v.npy --keys 1 --counter 0", 1),
            ("state show s.json", 141),
        ],
        [("verify --key 7 --values v.npy --plot p.png", 0)],
    ),
)
def test_a_reader_that_has_gone(run, tmp_path, capsys, line, code):
    """cli 1, verify 6.1: completed work keeps its exit code, as in `dmlrand ... | head -0`. There is no message."""
    np.save("v.npy", random_generator(make_state(key=7), 8).values)
    save_checkpoint("s.json", {f"{i}": make_state() for i in range(100)})  # more output than the buffer holds
    if "--plot" in line:
        pytest.importorskip("matplotlib")
    for write_through in (False, True):
        assert run_into(line, closed_pipe(), write_through=write_through) == code
    assert capsys.readouterr().err == ""
    assert "--plot" not in line or (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_the_end_of_a_process_whose_reader_has_gone(run, monkeypatch):
    """cli 1: Python flushes stdout again, and prints nothing."""
    monkeypatch.setitem(ENVIRONMENT, "PYTHONUNBUFFERED", "1")
    with closed_pipe() as pipe:
        ran = process("state", "new", "s.json", stdout=pipe, stderr=subprocess.PIPE)
    assert (ran.returncode, ran.stderr) == (0, b"")


# Encodings


def test_a_name_that_cannot_be_printed_is_escaped(run, tmp_path, capsys):
    """cli 2: the work was done. A caller that saw an error and tried again would draw the next tensor."""
    line = "run --shape 4 --seed 42 --output \u00e9.npy --state \u03c0.json"
    assert run_into(line, open("out", "wb"), encoding="ascii") == 0
    printed = (tmp_path / "out").read_bytes().splitlines()
    assert {b"output   \\xe9.npy", b"state    \\u03c0.json, new"} <= set(printed) and capsys.readouterr().err == ""
    assert np.load("\u00e9.npy").tolist() == words(0, 42, 0, 4)


# Faults


@pytest.mark.parametrize("value", [None, "0", "1"])
def test_the_traceback_shows_whether_an_error_is_a_fault(run, monkeypatch, value):
    """cli 3: a TypeError of the package, which looks like one of the arguments."""
    monkeypatch.delenv("DMLRAND_TRACEBACK", raising=False)
    if value is not None:
        monkeypatch.setenv("DMLRAND_TRACEBACK", value)
    monkeypatch.setattr("dmlrand.cli.draw.parameters_of", None)
    code, out, err = run(LINE)
    *traceback, line = err.splitlines()
    assert (code, out, line) == (2, "", "dmlrand: error: 'NoneType' object is not callable")
    assert traceback[:1] == ["Traceback (most recent call last):"] * (value == "1")


def test_an_exception_that_no_check_raises_has_its_own_exit_code(run, monkeypatch):
    """cli 1, 3: Python's exit code, 1, would mean a failed verification."""
    monkeypatch.delattr("dmlrand.cli.draw.parameters_of")
    code, out, err = run(LINE)
    assert (code, out) == (3, "") and err.startswith("Traceback (most recent call last):\n")
    assert err.endswith("\nNameError: name 'parameters_of' is not defined\n")
