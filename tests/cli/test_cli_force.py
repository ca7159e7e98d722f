"""Outputs that exist: which of them `run` and `fill` replace without --force. specs/cli.md, 15"""

import os

import numpy as np
import pytest
from commands import contents
from fills import interrupt
from oracle import words
from systems import posix

from dmlrand import load_checkpoint, make_state, save_checkpoint
from dmlrand.cli import main

REMEDY = "Add --force to replace the file, or name another --output.\n"
COMMANDS = ["run", "fill"]
every_command = pytest.mark.parametrize("command", COMMANDS)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def line(command, *more, state="--state s.json", seed=1):
    return [*f"{command} --shape 8 --seed {seed} --output v.npy {state}".split(), *more]


def refused(folder, capsys, arguments, why):
    before = contents(folder)
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"dmlrand: error: 'v.npy' exists with other content, and {why}. {REMEDY}")
    assert contents(folder) == before


@every_command
def test_an_output_without_a_state_file_asks_for_force(folder, capsys, command):
    """cli 15"""
    (folder / "v.npy").write_bytes(b"the only copy")
    refused(folder, capsys, line(command), "'s.json' does not exist")
    assert main(line(command, "--force")) == 0
    assert np.load("v.npy").tolist() == words(0, 1, 0, 8)
    assert contents(folder).keys() == {"v.npy", "s.json"}


def test_an_output_of_a_fill_without_state_asks_for_force(folder, capsys):
    """cli 15"""
    assert main(line("fill", state="")) == 0
    capsys.readouterr()
    refused(folder, capsys, line("fill", state="", seed=2), "no --state is given")
    assert main(line("fill", "--force", state="", seed=2)) == 0
    assert np.load("v.npy").tolist() == words(0, 2, 0, 8)


@every_command
def test_the_same_command_again_replaces_its_output(folder, command):
    """cli 15: the state file says where the values come from, and the old ones can be drawn again."""
    for counter in (0, 2, 4):
        assert main(line(command)) == 0
        assert np.load("v.npy").tolist() == words(counter, 1, 0, 8)


@every_command
def test_a_state_file_that_exists_is_enough(folder, command):
    """cli 15: also for the first output of that name."""
    save_checkpoint("s.json", make_state(counter=5, key=1))
    (folder / "v.npy").write_bytes(b"old")
    assert main(line(command)) == 0
    assert np.load("v.npy").tolist() == words(5, 1, 0, 8)


@every_command
def test_an_output_with_the_same_values_is_replaced(folder, command):
    """cli 15: as after a kill between the values and the state."""
    assert main(line(command)) == 0
    os.remove("s.json")
    assert main(line(command)) == 0
    assert load_checkpoint("s.json").states["state"].tolist() == [2, 0, 0, 0, 1, 0]


@pytest.mark.parametrize("change", ["longer", "shorter", "another byte"])
@every_command
def test_nearly_the_same_values_are_not_the_same(folder, capsys, command, change):
    """cli 15"""
    assert main(line(command)) == 0
    os.remove("s.json")
    capsys.readouterr()
    data = (folder / "v.npy").read_bytes()
    changed = {"longer": data + b"\0", "shorter": data[:-4], "another byte": data[:-1] + bytes([data[-1] ^ 1])}
    (folder / "v.npy").write_bytes(changed[change])
    refused(folder, capsys, line(command), "'s.json' does not exist")


def test_a_fill_that_resumes_needs_no_force(folder):
    """cli 15: the first call had it, or there was no file then."""
    (folder / "v.npy").write_bytes(b"old")
    interrupt("v.npy", make_state(key=1), 8, at=0)
    assert main(line("fill")) == 0
    assert np.load("v.npy").tolist() == words(0, 1, 0, 8)


def test_a_run_does_not_take_a_fill_in_progress_for_its_own(folder, capsys):
    """cli 15"""
    (folder / "v.npy").write_bytes(b"old")
    interrupt("v.npy", make_state(key=1), 8, at=0)
    refused(folder, capsys, line("run"), "'s.json' does not exist")


def test_a_finished_fill_of_other_values_asks_for_force(folder, capsys):
    """cli 15: its progress file may remain after a kill in its last step."""
    interrupt("v.npy", make_state(key=1), 8, at=160)
    main(line("fill", state=""))
    progress = folder / "v.npy.progress"
    values = (folder / "v.npy").read_bytes()
    interrupt("v.npy", make_state(key=1), 8, at=160, flush_bytes=16)
    from dmlrand.bulk.content import Content
    from dmlrand.bulk.distribution import check_distribution
    from dmlrand.bulk.progress_file import FillPaths, write_progress

    write_progress(
        FillPaths.of("v.npy"), Content("v.npy", make_state(key=1), 8, check_distribution(None, "uint32", {})), 160
    )
    (folder / "v.npy.filling").unlink()
    capsys.readouterr()
    refused(folder, capsys, line("fill", state="", seed=2), "no --state is given")
    assert main(line("fill", state="")) == 0
    assert not progress.exists() and (folder / "v.npy").read_bytes() == values


@posix("permissions")
@every_command
def test_an_output_that_cannot_be_read_asks_for_force(folder, capsys, monkeypatch, command):
    """cli 15"""
    (folder / "v.npy").write_bytes(b"old")
    to_open = os.open

    def refuse(path, flags, *mode, **options):
        if os.path.basename(path) == "v.npy" and not flags & (os.O_WRONLY | os.O_RDWR):
            raise PermissionError(13, "Permission denied", path)
        return to_open(path, flags, *mode, **options)

    monkeypatch.setattr(os, "open", refuse)
    assert main(line(command)) == 2
    assert capsys.readouterr().err.endswith(REMEDY)
