"""`dmlrand` as a process: its main job, exit codes, readers that have gone, encodings and faults. specs/cli.md"""

import contextlib
import os
import subprocess
import sys

import numpy as np
import pytest
from commands import ENVIRONMENT, contents, process, with_newlines
from oracle import words
from waiting import LIMIT

from dmlrand import make_state, random_generator, save_checkpoint
from dmlrand.cli import main

LINE = "run --shape 4 --seed 42 --output v.npy --state s.json"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_real_process_runs_the_main_job(folder):
    line = "run --shape 3,4 --seed 42 --output values.npy --state state.json"
    ran = process(*line.split(), capture_output=True)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert np.load("values.npy").ravel().tolist() == words(0, 42, 0, 12)
    assert contents(folder).keys() == {"values.npy", "state.json"}


def test_a_real_process_shows_no_traceback(folder):
    ran = process("run", "--shape", "4", "--output", "v.npy", "--state", "s.json", capture_output=True)
    assert (ran.returncode, ran.stdout, ran.stderr.count(b"\n")) == (2, b"", 1)
    assert ran.stderr.startswith(b"dmlrand: error: no --state file exists.")
    assert contents(folder) == {}


# A reader that has gone


def process_without_reader(line):
    reader, writer = os.pipe()
    os.close(reader)
    with contextlib.closing(os.fdopen(writer, "wb")) as pipe:
        return process(*line.split(), stdout=pipe, stderr=subprocess.PIPE)


def test_completed_work_keeps_its_exit_code_when_the_reader_has_gone(folder, monkeypatch):
    """cli 1, verify 6.1: as in `dmlrand ... | head -0`. There is no message."""
    save_checkpoint("s.npy", make_state(counter=0, key=7))
    np.save("v.npy", random_generator(make_state(counter=0, key=7), 8).values)
    np.save("w.npy", random_generator(make_state(counter=0, key=7), 8).values + np.uint32(1))
    for line, unbuffered, code in [
        ("verify --state-in s.npy --values v.npy", "1", 0),
        ("verify --state-in s.npy --values w.npy", "", 1),
    ]:
        monkeypatch.setitem(ENVIRONMENT, "PYTHONUNBUFFERED", unbuffered)
        ran = process_without_reader(line)
        assert (ran.returncode, ran.stderr) == (code, b""), line


def test_the_picture_is_written_before_the_reader_leaves(folder):
    """verify 6.1"""
    pytest.importorskip("matplotlib")
    np.save("v.npy", random_generator(make_state(key=7), 8).values)
    assert process_without_reader("verify --key 7 --values v.npy --plot p.png").returncode == 0
    assert (folder / "p.png").read_bytes().startswith(b"\x89PNG")


def test_output_that_ended_early_because_the_reader_has_gone_is_not_a_success(folder):
    """cli 1: the output is longer than the buffer."""
    save_checkpoint("s.json", {f"{i}": make_state() for i in range(100)})
    ran = process_without_reader("state show s.json")
    assert (ran.returncode, ran.stderr) == (141, b"")


# Encodings


def narrow(*arguments):
    """A process whose stdout and stderr have an encoding of few characters."""
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "dmlrand", *arguments]
    return with_newlines(subprocess.run(command, env=environment, capture_output=True, timeout=LIMIT))


def test_a_name_that_cannot_be_printed_is_escaped(folder):
    """cli 2: the work was done. A caller that saw an error and tried again would draw the next tensor."""
    ran = narrow(*"run --shape 4 --seed 42 --output \u00e9.npy --state \u03c0.json".split())
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert {b"output   \\xe9.npy", b"state    \\u03c0.json, new"} <= set(ran.stdout.splitlines())
    assert np.load("\u00e9.npy").tolist() == words(0, 42, 0, 4)
    ran = narrow("state", "show", "\u00e9.json")
    assert (ran.returncode, ran.stdout, ran.stderr.count(b"\n")) == (2, b"", 1)
    assert b"\\xe9.json" in ran.stderr


# Faults


@pytest.mark.parametrize("value", [None, "0", "1"])
def test_the_traceback_shows_whether_an_error_is_a_fault(folder, monkeypatch, capsys, value):
    """cli 3: a TypeError of the package, which looks like one of the arguments."""
    monkeypatch.delenv("DMLRAND_TRACEBACK", raising=False)
    if value is not None:
        monkeypatch.setenv("DMLRAND_TRACEBACK", value)
    monkeypatch.setattr("dmlrand.cli.draw.parameters_of", None)
    assert main(LINE.split()) == 2
    out, err = capsys.readouterr()
    *traceback, line = err.splitlines()
    assert (out, line) == ("", "dmlrand: error: 'NoneType' object is not callable")
    if value == "1":
        assert traceback[0] == "Traceback (most recent call last):"
        assert any('draw.py", line' in line for line in traceback)
    else:
        assert traceback == []


def test_an_exception_that_no_check_raises_has_its_own_exit_code(folder, monkeypatch, capsys):
    """cli 1, 3: Python's exit code, 1, would mean a failed verification."""
    monkeypatch.delattr("dmlrand.cli.draw.parameters_of")
    assert main(LINE.split()) == 3
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("Traceback (most recent call last):\n")
    assert err.endswith("\nNameError: name 'parameters_of' is not defined\n")
