"""The README, the guides and the examples of specs/: what a reader pastes runs, and prints what the page shows."""

import codeop
import doctest
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO

import pytest
from optional_backends import skip_without
from paths import PACKAGE_PARENT, SPECS
from readme import INSTALLED, PASTED_PAGES, README, SET_UP, python_blocks, shell_lines
from systems import posix
from waiting import LIMIT

import dmlrand

CONTRACTS = [path for path in sorted(SPECS.glob("*.md")) if ">>> " in path.read_text(encoding="utf-8")]
BLOCKS = {page: python_blocks(page) for page in PASTED_PAGES}
NEED_AN_EXTRA = {f"dmlrand.{name}" for name in ("cuda", "dask", "onnx", "webgpu")}
BACKENDS = {"wgpu": "webgpu", "numba-cuda": "cuda"}  # these need a device too


@pytest.mark.parametrize("page", CONTRACTS, ids=lambda page: page.stem)
def test_the_examples_of_a_contract_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the examples write files
    failures, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert tried > 3 and failures == 0


def marks(block):
    """Blocks that need other packages than the tests are for `pytest -m peers`. By default those of the README run."""
    if block.is_foreign:
        return [pytest.mark.peers]
    return [] if block.id.startswith("README") and not block.compiles else [pytest.mark.costly]


def paste(code, names):
    """Run code as Python's interpreter runs pasted lines: each statement when a line shows that it is complete."""
    compiler, lines = codeop.CommandCompiler(), []
    for line in [*code.splitlines(), ""]:
        lines.append(line)
        if (statement := compiler("\n".join(lines), "<pasted>", "single")) is not None:
            exec(statement, names)
            lines = []
    assert lines == [], "the last statement is not complete"


def printed_by_paste(block):
    with redirect_stdout(StringIO()) as printed:
        paste(block.code, {"__name__": "__main__"})
    return printed.getvalue()


def printed_by_process(block, folder):
    """A block that needs large packages, or starts processes of its own, runs as the file that a reader makes of it."""
    path = folder / "program.py"
    path.write_text(block.code, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": PACKAGE_PARENT}
    done = subprocess.run(
        [sys.executable, path], cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "block",
    [pytest.param(block, id=block.id, marks=marks(block)) for blocks in BLOCKS.values() for block in blocks],
)
def test_a_block_runs_alone(block, tmp_path, monkeypatch):
    """In an interpreter that was just started."""
    if block.missing:
        pytest.skip(f"needs {', '.join(block.missing)}")
    for package in block.needs:
        if package in BACKENDS:
            skip_without(BACKENDS[package])
    monkeypatch.chdir(tmp_path)
    # The interpreter prints the value of an expression. An example begins with one, its docstring.
    monkeypatch.setattr(sys, "displayhook", lambda value: value is None or isinstance(value, str) or print(repr(value)))
    assert (printed_by_process(block, tmp_path) if block.is_foreign else printed_by_paste(block)) == block.output


@pytest.mark.parametrize("page", PASTED_PAGES, ids=lambda page: page.stem)
def test_a_block_says_what_it_needs(page):
    """Without a line `Needs:`, a block imports only what the README's first command installs."""
    for block in BLOCKS[page]:
        if not block.needs:
            modules = set(block.imports)
            assert {module.partition(".")[0] for module in modules} <= INSTALLED, block.id
            assert not modules & NEED_AN_EXTRA, block.id
        assert ">>>" not in block.code, f"{block.id}: a prompt cannot be pasted"


GUIDES = [page for page in PASTED_PAGES if page.parent.name == "guides"]


@pytest.mark.costly
def test_the_tables_of_what_one_writes_here_run():
    """The code in the right-hand column runs, line after line, with the imports above its table."""
    page = (SPECS / "guides" / "coming_from.md").read_text(encoding="utf-8")
    ran = 0
    for section in page.split("\n## ")[1:]:
        names = {}
        exec(re.search(r"```python\n(.*?)```", section, re.DOTALL)[1], names)
        for row in re.findall(r"^\|.* \| (.+) \|$", section, re.MULTILINE):
            for line in re.findall(r"`([^`]*[()][^`]*)`", row):
                if "torch." not in line:
                    exec(line, names)
                    ran += 1
    assert ran > 30


def test_the_imports_of_the_table_of_systems_run():
    """The table has every system."""
    names = {}
    exec("\n".join(re.findall(r"\| `(from dmlrand[^`]+)` \|", README)), names)
    systems = set(dmlrand.compat.__all__)
    assert names.keys() - {"__builtins__"} == systems | {"PhiloxBitGenerator"}


def run_shell_lines(lines, folder):
    """Run the lines in one folder, without those that install. `dmlrand` there runs the code under test."""
    for name, command in {"dmlrand": f"{sys.executable} -m dmlrand", "python": sys.executable}.items():
        path = folder / ".venv" / "bin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        path.chmod(0o755)
    environment = os.environ | {"PYTHONPATH": PACKAGE_PARENT}
    for line in lines:
        if not line.startswith(SET_UP) and "pip install" not in line:
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", line],
                cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT,
            )  # fmt: skip
            assert done.returncode == 0, (line, done.stderr)


@pytest.mark.costly
@posix("the lines are for its shell")
def test_the_shell_lines_of_the_readme_run(tmp_path):
    lines = shell_lines()
    assert sum(line.startswith(SET_UP) for line in lines) == 2
    run_shell_lines([lines[0].rpartition(" && ")[2], *lines[1:]], tmp_path)  # without the set-up of the first line
    assert sorted(path.name for path in tmp_path.glob("*.*")) == [".venv", "state.json", "values.npy"]


@pytest.mark.costly
@posix("the lines are for its shell")
@pytest.mark.parametrize("page", [page for page in GUIDES if shell_lines(page)], ids=lambda page: page.stem)
def test_the_shell_lines_of_a_guide_run_in_order(page, tmp_path):
    run_shell_lines(shell_lines(page), tmp_path)


def test_every_public_name_has_a_row():
    pages = "".join((SPECS / page).read_text(encoding="utf-8") for page in ("names.md", "distributions.md"))
    named = set(re.findall(r"\b[A-Za-z_]+\b", " ".join(re.findall(r"^\| (.+?) \|", pages, re.MULTILINE))))
    assert set(dmlrand.__all__) - named == set(), "give them a row in names.md or distributions.md"


KNOWN_ANSWER = re.compile(
    r"^\| `((?:[0-9a-f]{8} ?){6})` \| `((?:[0-9a-f]{8} ?){4})`(?:, then `((?:[0-9a-f]{8} ?){4})`)? \|$"
)


def test_the_known_answers_are_right():
    page = (SPECS / "guides" / "check.md").read_text(encoding="utf-8")
    answers = [match.groups(default="") for match in map(KNOWN_ANSWER.match, page.splitlines()) if match]
    assert len(answers) == 5
    for state, *words in answers:
        expected = [int(word, 16) for word in " ".join(words).split()]
        given = [int(word, 16) for word in state.split()]
        assert dmlrand.random_generator(given, len(expected)).values.tolist() == expected
