"""Outputs that exist: which of them `run` replaces without --force. specs/cli.md, 15"""

import os

import numpy as np
import pytest
from commands import contents
from oracle import words

from dmlrand import load_checkpoint, make_state, save_checkpoint
from dmlrand.cli import main

REMEDY = "Add --force to replace the file, or name another --output.\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def line(*more):
    return [*"run --shape 8 --seed 1 --output v.npy --state s.json".split(), *more]


def refused(folder, capsys, arguments, why):
    before = contents(folder)
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"dmlrand: error: 'v.npy' exists with other content, and {why}. {REMEDY}")
    assert contents(folder) == before


def test_an_output_without_a_state_file_asks_for_force(folder, capsys):
    """cli 15"""
    (folder / "v.npy").write_bytes(b"the only copy")
    refused(folder, capsys, line(), "'s.json' does not exist")
    assert main(line("--force")) == 0
    assert np.load("v.npy").tolist() == words(0, 1, 0, 8)
    assert contents(folder).keys() == {"v.npy", "s.json"}


def test_the_same_command_again_replaces_its_output(folder):
    """cli 15: the state file says where the values come from, and the old ones can be drawn again."""
    for counter in (0, 2, 4):
        assert main(line()) == 0
        assert np.load("v.npy").tolist() == words(counter, 1, 0, 8)


def test_a_state_file_that_exists_is_enough(folder):
    """cli 15: also for the first output of that name."""
    save_checkpoint("s.json", make_state(counter=5, key=1))
    (folder / "v.npy").write_bytes(b"old")
    assert main(line()) == 0
    assert np.load("v.npy").tolist() == words(5, 1, 0, 8)


def test_an_output_with_the_same_values_is_replaced(folder):
    """cli 15: as after a kill between the values and the state."""
    assert main(line()) == 0
    os.remove("s.json")
    assert main(line()) == 0
    assert load_checkpoint("s.json").states["state"].tolist() == [2, 0, 0, 0, 1, 0]


@pytest.mark.parametrize("change", ["longer", "shorter", "another byte"])
def test_nearly_the_same_values_are_not_the_same(folder, capsys, change):
    """cli 15"""
    assert main(line()) == 0
    os.remove("s.json")
    capsys.readouterr()
    data = (folder / "v.npy").read_bytes()
    changed = {"longer": data + b"\0", "shorter": data[:-4], "another byte": data[:-1] + bytes([data[-1] ^ 1])}
    (folder / "v.npy").write_bytes(changed[change])
    refused(folder, capsys, line(), "'s.json' does not exist")
