"""The help of every command, with examples that run. specs/cli.md, 6 and 17"""

import argparse
import os
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest
from commands import ENVIRONMENT, run_into
from conformance_devices import run_device
from systems import posix
from thinning import with_costly
from waiting import LIMIT

from dmlrand import make_state, random_generator, save_checkpoint
from dmlrand.cli import main, make_parser
from dmlrand.conformance import write_kit
from dmlrand.drawing.number_rules import DISTRIBUTIONS


def parsers_below(parser):
    """A parser and those of its commands, by their full names."""
    yield parser.prog, parser
    for action in parser._actions:
        for command in (action.choices or {}).values() if isinstance(action, argparse._SubParsersAction) else ():
            yield from parsers_below(command)


PARSERS = dict(parsers_below(make_parser()))
assert len(PARSERS) == 22  # so that an error in parsers_below does not leave a command untested
COMMANDS = [name for name in PARSERS if name != "dmlrand"]
LONG = ["dmlrand bench", "dmlrand plot", "dmlrand recover", "dmlrand backends"]  # up to a second each
LONG += [name for name in COMMANDS if name.startswith("dmlrand conformance")]  # tests/conformance runs these too
CREATING = ["dmlrand run", "dmlrand fill", "dmlrand state", "dmlrand state new"]  # their examples make a state file


def exit_code_of(*arguments):
    """The exit code of a command that runs in this process."""
    try:
        return main(arguments)
    except SystemExit as end:  # argparse ends after it has printed a help
        return end.code


@pytest.mark.parametrize("name", PARSERS)
def test_help_goes_to_stdout(capsys, name):
    """cli 6"""
    assert exit_code_of(*name.split()[1:], "--help") == 0
    printed, errors = capsys.readouterr()
    assert errors == ""
    assert printed.startswith(f"usage: {name} ")
    assert name == "dmlrand" or f"\nexample:\n  {name}" in printed
    assert max(map(len, printed.splitlines())) <= 120
    assert all(action.help for action in PARSERS[name]._actions if not isinstance(action, argparse._SubParsersAction))


def test_the_help_lists_each_command_once_in_groups(capsys):
    """cli 3, 6"""
    assert exit_code_of("--help") == 0
    out = capsys.readouterr().out
    listed = re.findall(r"^([a-z ,]+):$|^  ([a-z]+) ", out, re.MULTILINE)
    groups = [title for title, _ in listed if title]
    assert groups == ["options", "draw and resume", "check a generator", "large files and pipes", "this machine"]
    families = {"state", "conformance"}
    commands = [name.split()[1] for name in COMMANDS if name.split()[1] not in families or len(name.split()) == 2]
    assert sorted(command for _, command in listed if command) == sorted(commands)
    assert "exit codes: 0 success, 1 a failed verification, 2 bad input, 3 a fault of dmlrand." in out
    assert "DMLRAND_TRACEBACK=1" in out


@pytest.fixture
def folder(tmp_path):
    """The files that the examples read, except those that they make, and a command `dmlrand` on the path."""
    state, (values, after) = make_state(key=42), random_generator(make_state(key=42), 8)
    for name, saved in [("before.json", state), ("after.json", after), ("state.json", state)]:
        save_checkpoint(tmp_path / name, saved)
    np.save(tmp_path / "device.npy", values)
    command = tmp_path / "bin" / "dmlrand"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m dmlrand "$@"\n')
    command.chmod(0o755)
    return tmp_path


def run_example(line):
    """The exit code of a line, which may redirect the command's output to a file."""
    command, _, file = line.partition(" > ")
    arguments = shlex.split(command)[1:]
    return run_into(" ".join(arguments), open(file, "wb")) if file else exit_code_of(*arguments)


@pytest.mark.parametrize("name", with_costly([name for name in COMMANDS if name not in LONG], LONG))
def test_the_example_of_the_help_runs(folder, name, monkeypatch, capfd):
    """cli 6"""
    if name == "dmlrand plot":
        pytest.importorskip("matplotlib")
    if name == "dmlrand conformance check":
        write_kit(folder / "kit", 64)
        run_device(folder / "kit")
    if name in CREATING:
        (folder / "state.json").unlink()
    example = PARSERS[name].example
    assert all(line.startswith(name) for line in example.splitlines())
    monkeypatch.chdir(folder)
    monkeypatch.setattr("dmlrand.kernels.replaced", lambda: [])  # it compiles all vector code
    for line in example.splitlines():
        assert run_example(line) == 0
    assert capfd.readouterr().err == "" or name == "dmlrand backends"  # drivers of GPUs may print


COMPLETE = """
eval "$(python -m argcomplete.scripts.register_python_argcomplete dmlrand)"
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
_python_argcomplete dmlrand
printf '%s\\n' "${COMPREPLY[@]}"
"""


@posix("a shell")
def test_bash_completes_commands_options_choices_and_files(folder):
    """cli 17: argcomplete reads the parser, so one choice stands for all."""
    pytest.importorskip("argcomplete", reason="argcomplete is not installed (extra `completion`)")
    (folder / "bin" / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (folder / "bin" / "python").chmod(0o755)
    environment = {**ENVIRONMENT, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    line = "dmlrand fill --shape 3 --distribution "
    printed = subprocess.check_output(
        ["bash", "-c", COMPLETE, "bash", line], cwd=folder, env=environment, text=True, timeout=LIMIT
    )
    assert printed.splitlines() == ["words", *DISTRIBUTIONS]
