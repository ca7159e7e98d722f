"""`dmlrand` as a process: its main job, and a reader of its output that goes away."""

import contextlib
import os
import subprocess
import sys

import numpy as np
import pytest
from commands import ENVIRONMENT, contents, process
from oracle import words
from thinning import with_costly
from waiting import LIMIT

from dmlrand import make_state, random_generator, save_checkpoint


@pytest.mark.parametrize("line", ["--help", "state new s.json --seed 1"])
def test_a_reader_that_went_away_is_not_an_error(tmp_path, line):
    """As in `dmlrand ... | head -0`: the work is done, and there is no message."""
    reader, writer = os.pipe()
    os.close(reader)
    with contextlib.closing(os.fdopen(writer, "wb")) as pipe:
        ran = process(*line.split(), cwd=tmp_path, stdout=pipe, stderr=subprocess.PIPE)
    assert ran.stderr == b""
    assert ran.returncode == 0
    assert (tmp_path / "s.json").exists() == line.startswith("state")


def test_a_real_process_runs_the_main_job(tmp_path):
    line = "run --shape 3,4 --seed 42 --output values.npy --state state.json"
    ran = process(*line.split(), cwd=tmp_path, capture_output=True)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert np.load(tmp_path / "values.npy").ravel().tolist() == words(0, 42, 0, 12)
    assert contents(tmp_path).keys() == {"values.npy", "state.json"}


def process_without_reader(folder, *arguments, **environment):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [sys.executable, "-m", "dmlrand", *arguments],
            cwd=folder, env={**ENVIRONMENT, **environment}, stdout=writing, stderr=subprocess.PIPE, check=False,
            timeout=LIMIT,
        )  # fmt: skip
    finally:
        os.close(writing)


@pytest.mark.parametrize("unbuffered, wrong, code", with_costly([("", 0, 0), ("1", 1, 1)], [("1", 0, 0), ("", 1, 1)]))
def test_a_verification_keeps_its_exit_code_when_the_reader_has_gone(tmp_path, wrong, code, unbuffered):
    """verify 6.1: it has ended before the first print."""
    save_checkpoint(tmp_path / "s.npy", make_state(counter=0, key=7))
    np.save(tmp_path / "v.npy", random_generator(make_state(counter=0, key=7), 8).values + np.uint32(wrong))
    arguments = "verify", "--state-in", "s.npy", "--values", "v.npy"
    done = process_without_reader(tmp_path, *arguments, PYTHONUNBUFFERED=unbuffered)
    assert (done.returncode, done.stderr) == (code, b"")


def test_output_that_ended_early_because_the_reader_has_gone_is_not_a_success(tmp_path):
    """cli 1: without a buffer the first print fails."""
    done = process_without_reader(tmp_path, "trace", "--counter", "0", "--key", "7", PYTHONUNBUFFERED="1")
    assert (done.returncode, done.stderr) == (141, b"")


INTERRUPTED_IMPORT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
def interrupt(event, arguments):
    if event == "import" and arguments[0] == sys.argv[1]:
        signal.raise_signal(signal.SIGINT)
sys.addaudithook(interrupt)
from dmlrand.cli import main
sys.exit(main(["--version"]))
"""


@pytest.mark.parametrize("module", ["argparse", "numpy", "dmlrand.cli.verify"])
def test_ctrl_c_during_the_imports_is_quiet(module):
    """cli 18"""
    command = [sys.executable, "-c", INTERRUPTED_IMPORT, module]
    ran = subprocess.run(command, env=ENVIRONMENT, capture_output=True, timeout=LIMIT)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, b"", b"")
