"""The command line with closed or full streams, with encodings of few characters, and with faults. specs/cli.md"""

import os
import subprocess
import sys

import numpy as np
import pytest
from commands import ENVIRONMENT, contents, process, with_newlines
from oracle import words
from systems import posix
from waiting import LIMIT

from dmlrand import make_state, random_generator, save_checkpoint
from dmlrand.cli import main


def narrow(folder, *arguments, encoding="ascii"):
    """A process whose stdout and stderr have an encoding of few characters."""
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "dmlrand", *arguments], cwd=folder, env=environment, capture_output=True, timeout=LIMIT
    )
    return with_newlines(ran)


@pytest.mark.parametrize("command", ["run", "fill"])
def test_a_name_that_stdout_cannot_encode_is_escaped(tmp_path, command):
    """cli 2: the work was done. A caller that saw an error and tried again would draw the next tensor."""
    ran = narrow(tmp_path, command, *"--shape 4 --seed 42 --output \u00e9.npy --state \u03c0.json".split())
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"output   \\xe9.npy" in ran.stdout.splitlines()
    assert b"state    \\u03c0.json, new" in ran.stdout.splitlines()
    assert np.load(tmp_path / "\u00e9.npy").tolist() == words(0, 42, 0, 4)


def test_every_command_that_prints_a_name_escapes_it(tmp_path):
    """cli 2"""
    save_checkpoint(tmp_path / "s.json", {"\u00e9": make_state(key=1)}, {"\u03c0": 1})
    np.save(tmp_path / "\u00e9.npy", random_generator(make_state(key=1), 4).values)
    for line, text in [
        ("state show s.json", b"\\xe9\n"),
        ("state advance s.json 0", b"metadata  {'\\u03c0': 1}\n"),
        ("verify --state-in s.json --values \u00e9.npy", b"ok: \\xe9.npy\n"),
    ]:
        ran = narrow(tmp_path, *line.split())
        assert (ran.returncode, ran.stderr) == (0, b"")
        assert text in ran.stdout


@pytest.mark.parametrize("line", ["state show \u00e9.json", "state show s.json \u00e9", "\u00e9"])
def test_an_error_of_a_name_that_stderr_cannot_encode_is_one_line(tmp_path, line):
    """cli 2"""
    ran = narrow(tmp_path, *line.split(), encoding="ascii:strict")
    assert (ran.returncode, ran.stdout, ran.stderr.count(b"\n")) == (2, b"", 1)
    assert b"\\xe9" in ran.stderr


@posix("names with control characters")
def test_control_characters_of_names_are_escaped(tmp_path):
    """cli 2: in the output, in errors and in their remedies."""
    for line in (
        "run --shape 4 --seed 42 --output a\x1b.npy --state b\x1b.json",
        "state show b\x1b.json",
        "state show missing\x1b.json",
        "verify --seed 42 --values a\x1b.npy",
        "verify --seed 43 --values a\x1b.npy",
        "fill --shape 4 --seed 42 --output c\x1b.bin",
        "state show\x1b",
    ):
        ran = narrow(tmp_path, *line.split(" "), encoding="utf-8")
        assert b"\x1b" not in ran.stdout + ran.stderr
        assert b"\\x1b" in ran.stdout + ran.stderr or line == "state show b\x1b.json"


@posix("names of files that are no text")
def test_a_name_that_is_not_text_is_escaped(tmp_path):
    """cli 2: on Linux any bytes are a file name."""
    name = os.fsdecode(b"\xff.npy")
    ran = narrow(tmp_path, *f"run --shape 4 --seed 42 --output {name} --state s.json".split(), encoding="utf-8")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"output   \\udcff.npy" in ran.stdout.splitlines()


def test_the_encoding_of_the_caller_is_restored(tmp_path, monkeypatch):
    """cli 2: main is also called from Python."""
    with open(tmp_path / "out", "w", encoding="ascii", errors="replace") as out:
        monkeypatch.setattr(sys, "stdout", out)
        save_checkpoint(tmp_path / "s.json", {"\u00e9": make_state(key=1)})
        assert main(["state", "show", str(tmp_path / "s.json")]) == 0
        print("\u00e9")
    lines = (tmp_path / "out").read_text("ascii").splitlines()
    assert (lines[0], lines[-1]) == ("\\xe9", "?")


@posix("a process that starts with closed descriptors")
@pytest.mark.parametrize(
    ("line", "code"), [("stream", 2), ("stream --fly", 2), ("state show no.json", 2), ("stream --words 8 --seed 1", 0)]
)
def test_with_stderr_closed_no_error_goes_into_the_data(tmp_path, line, code):
    """cli 3"""
    with open(tmp_path / "o.bin", "wb") as file:
        ran = process(*line.split(), cwd=tmp_path, stdout=file, preexec_fn=lambda: os.close(2))
    assert ran.returncode == code
    expected = random_generator(make_state(key=1), 8).values.astype("<u4").tobytes() if code == 0 else b""
    assert contents(tmp_path) == {"o.bin": expected}


# Text that a library, or Python itself, writes to stdin, stdout and stderr by number when the output is renamed.
NOISY = """
import os, sys
def write(event, arguments):
    if event == "os.rename":
        for number in (0, 1, 2):
            try:
                os.write(number, b"noise")
            except OSError:
                pass
sys.addaudithook(write)
from dmlrand.cli import main
sys.exit(main(sys.argv[1:]))
"""


@posix("a process that starts with closed descriptors")
@pytest.mark.parametrize("command", ["run --state s.json", "fill"])
def test_no_file_gets_the_number_of_a_closed_stream(tmp_path, command):
    """cli 3"""

    def close():
        for number in (0, 1, 2):
            os.close(number)

    arguments = f"{command} --shape 8 --seed 42 --output v.npy".split()
    code = [sys.executable, "-c", NOISY, *arguments]
    ran = subprocess.run(code, cwd=tmp_path, env=ENVIRONMENT, preexec_fn=close, timeout=LIMIT)
    assert ran.returncode == 0
    np.save(tmp_path / "expected.npy", random_generator(make_state(key=42), 8).values.astype("<u4"))
    assert (tmp_path / "v.npy").read_bytes() == (tmp_path / "expected.npy").read_bytes()


def gone():
    """A pipe whose reader has gone."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@posix("the number of a descriptor that a child inherits")
@pytest.mark.parametrize("line", ["state show no.json", "fly"])
@pytest.mark.parametrize("where", ["full", "gone"])
def test_an_error_that_stderr_does_not_take_keeps_its_exit_code(tmp_path, line, where):
    """cli 4"""
    if where == "full" and sys.platform != "linux":
        pytest.skip("a device of Linux")
    stderr = gone() if where == "gone" else os.open("/dev/full", os.O_WRONLY)
    ran = process(*line.split(), cwd=tmp_path, stdout=subprocess.PIPE, stderr=stderr)
    os.close(stderr)
    assert (ran.returncode, ran.stdout) == (2, b"")


# Faults


LINE = "run --shape 4 --seed 42 --output v.npy --state s.json"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("value", [None, "", "0", "1"])
def test_the_traceback_shows_whether_an_error_is_a_fault(folder, monkeypatch, capsys, value):
    """cli 6: a TypeError of the package, which looks like one of the arguments."""
    monkeypatch.delenv("DMLRAND_TRACEBACK", raising=False)
    if value is not None:
        monkeypatch.setenv("DMLRAND_TRACEBACK", value)
    monkeypatch.setattr("dmlrand.cli.run.random_generator", None)
    assert main(LINE.split()) == 2
    out, err = capsys.readouterr()
    *traceback, line = err.splitlines()
    assert (out, line) == ("", "dmlrand: error: 'NoneType' object is not callable")
    if value == "1":
        assert traceback[0] == "Traceback (most recent call last):"
        assert any('run.py", line' in line for line in traceback)
        assert traceback[-1] == "TypeError: 'NoneType' object is not callable"
    else:
        assert traceback == []


def test_every_exit_code(folder, monkeypatch):
    """cli 1. test_stream_cli.py has 130, test_cli_process.py 141."""
    assert main(LINE.split()) == 0
    check = "verify --state-in s.json --values".split()
    assert main([*check, "v.npy"]) == 1  # the state after these values, not before them
    assert main([*check, "missing.npy"]) == 2
    monkeypatch.delattr("dmlrand.cli.run.random_generator")
    assert main(LINE.split()) == 3


def test_an_exception_that_no_check_raises_has_its_own_exit_code(folder, monkeypatch, capsys):
    """cli 6: Python's exit code, 1, would mean a failed verification."""
    monkeypatch.delattr("dmlrand.cli.run.random_generator")
    assert main(LINE.split()) == 3
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("Traceback (most recent call last):\n")
    assert err.endswith("\nNameError: name 'random_generator' is not defined\n")


@posix("/dev/full")
def test_a_fault_stays_a_fault_where_stdout_is_full(folder, monkeypatch, capsys):
    """cli 6"""
    monkeypatch.delattr("dmlrand.cli.persisted_state.PersistedState.print_counters")
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(LINE.split()) == 3
    err = capsys.readouterr().err
    assert err.count("Traceback") == 1 and "AttributeError" in err and "stdout" not in err


def test_help_names_the_exit_codes_and_the_variable(folder, capsys):
    """cli 6"""
    with pytest.raises(SystemExit):
        main(["--help"])
    out, _ = capsys.readouterr()
    assert "exit codes: 0 success, 1 a failed verification, 2 bad input, 3 a fault of dmlrand." in out
    assert "DMLRAND_TRACEBACK=1" in out
