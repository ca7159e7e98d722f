"""Links in place of a state file. specs/cli.md, 22"""

import os

import pytest
from systems import posix

from dmlrand.cli import main


@posix("links that every user may make")
@pytest.mark.parametrize("name", ["s.json", "s.npy", "s.bin"])
def test_a_state_file_may_be_a_link(tmp_path, monkeypatch, capsys, name):
    """cli 22"""
    monkeypatch.chdir(tmp_path)
    assert main(["state", "new", name, "--seed", "5"]) == 0
    shown = capsys.readouterr().out
    os.symlink(name, f"link.{name}")
    assert main(["state", "show", f"link.{name}"]) == 0
    assert capsys.readouterr().out == shown
