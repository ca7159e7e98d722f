"""The examples of the README and of specs/ run, and CI runs the test command that the README gives."""

import doctest
import os
import re
import subprocess
import sys

import pytest
from paths import PACKAGE_PARENT, ROOT
from readme import README, SET_UP, shell_lines
from systems import posix
from waiting import LIMIT

import dmlrand

PAGES = [path for path in sorted(ROOT.glob("specs/*.md")) if ">>> " in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_the_python_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the examples write files
    failures, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert tried > 3 and failures == 0


@pytest.mark.costly
@posix("the lines are for its shell")
def test_the_shell_lines_run_in_order(tmp_path):
    """The set-up lines do not run. Instead the test makes a command `dmlrand` that runs the code under test."""
    command = tmp_path / ".venv" / "bin" / "dmlrand"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m dmlrand "$@"\n')
    command.chmod(0o755)
    environment = os.environ | {"PYTHONPATH": PACKAGE_PARENT}
    lines = shell_lines()
    assert sum(line.startswith(SET_UP) for line in lines) == 2
    lines[0] = lines[0].rpartition(" && ")[2]  # only the last command: the others are set-up
    # The lines that check a device's files give the same answer when they are pasted twice.
    first = next(number for number, line in enumerate(lines) if line.startswith("rm -f device.npy"))
    lines[first:first] = lines[first : first + 4]
    assert lines[first + 3] == lines[first + 7] and " verify " in lines[first + 3]
    for line in lines:
        if not line.startswith(SET_UP):
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", line],
                cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=LIMIT,
            )  # fmt: skip
            assert done.returncode == 0, (line, done.stderr)
    assert sorted(path.name for path in tmp_path.glob("*.npy")) == ["device.npy", "large.npy", "values.npy"]


def test_every_public_name_has_a_row():
    rows = README.partition("## Every public name\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"\b[A-Za-z_]+\b", " ".join(re.findall(r"^\| (.+?) \|", rows, re.MULTILINE))))
    assert set(dmlrand.__all__) <= named


KNOWN_ANSWER = re.compile(
    r"^\| `((?:[0-9a-f]{8} ?){6})` \| `((?:[0-9a-f]{8} ?){4})`(?:, then `((?:[0-9a-f]{8} ?){4})`)? \|$"
)


def test_the_known_answers_are_right():
    answers = [match.groups(default="") for match in map(KNOWN_ANSWER.match, README.splitlines()) if match]
    assert len(answers) == 5
    for state, *words in answers:
        expected = [int(word, 16) for word in " ".join(words).split()]
        given = [int(word, 16) for word in state.split()]
        assert dmlrand.random_generator(given, len(expected)).values.tolist() == expected


@posix("bash")
def test_ci_finds_the_test_command_in_the_readme():
    (find,) = [line for line in (ROOT / ".ci" / "run").read_text().splitlines() if line.startswith("command=")]
    script = f'set -euo pipefail; {find}; echo "$command"'
    found = subprocess.run(
        ["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=LIMIT
    ).stdout.strip()
    assert found.endswith("pytest") and f"```sh\n{found}\n```" in (ROOT / "README.md").read_text("utf-8")
