"""The fixture `run`. The tests verify dumps: words of faulty generators are kept from one test for the next ones."""

import pytest
from commands import command_line
from kept_words import words_of_candidates_are_kept  # noqa: F401


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command line in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return command_line(capsys)
