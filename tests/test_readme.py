"""The README's own lines run, and CI runs the README's own test command."""

import doctest
import subprocess
from pathlib import Path

from waiting import LIMIT

ROOT = Path(__file__).parents[1]


def test_the_python_lines_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # they write files
    failures, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried > 5 and failures == 0


def test_ci_finds_the_test_command_in_the_readme():
    (find,) = [line for line in (ROOT / ".ci" / "run").read_text().splitlines() if line.startswith("command=")]
    script = f'set -euo pipefail; {find}; echo "$command"'
    found = subprocess.run(
        ["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=LIMIT
    ).stdout.strip()
    assert found.endswith("pytest") and f"```sh\n{found}\n```" in (ROOT / "README.md").read_text("utf-8")
