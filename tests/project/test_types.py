"""Types (promises 9): mypy accepts dmlrand, README, guides and typed_uses.py, and Python resolves every hint."""

import importlib
import inspect
import pkgutil
import subprocess
import sys
import typing
from pathlib import Path

import pytest
from paths import ROOT
from readme import PASTED_PAGES, python_blocks

import dmlrand

MYPY_SECONDS = 400  # ten times what it takes without its cache


@pytest.mark.costly
def test_mypy_finds_nothing(tmp_path):
    """One run, with pyproject.toml's strict settings: most of its time goes to numpy's own types."""
    pytest.importorskip("mypy", reason="mypy is not installed: the types are not checked")
    pasted = []
    for block in (block for page in PASTED_PAGES for block in python_blocks(page)):
        if not block.needs and not block.compiles:  # numba's decorators have no types
            pasted.append(tmp_path / f"{block.id.replace('-', '_')}.py")
            pasted[-1].write_text(block.code, encoding="utf-8")
    assert {"README_1.py", "numbers_1.py", "reproduce_1.py"} <= {path.name for path in pasted} and len(pasted) > 20
    command = [sys.executable, "-m", "mypy", "dmlrand", "tests/support/typed_uses.py", *map(str, pasted)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=MYPY_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow  # each system takes mypy half a minute
@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_mypy_finds_nothing_for_other_systems(platform, tmp_path):
    """Each system lacks modules and functions that others have: mypy knows which. The cache is for one system only."""
    pytest.importorskip("mypy", reason="mypy is not installed: the types are not checked")
    command = [sys.executable, "-m", "mypy", f"--platform={platform}", f"--cache-dir={tmp_path}", "dmlrand"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=MYPY_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_type_checkers_of_users_find_the_types():
    assert (Path(dmlrand.__file__).parent / "py.typed").exists()


def functions_of(item):
    """The functions that carry annotations: `item` itself, or a class with its methods and properties."""
    if not inspect.isclass(item):
        return [item] if inspect.isfunction(item) else []
    members = [getattr(member, "__func__", getattr(member, "fget", member)) for member in vars(item).values()]
    # Not what Python generates, such as the `__new__` of a NamedTuple: Python 3.14 cannot resolve the hints of that.
    return [item, *(each for each in members if inspect.isfunction(each) and each.__module__ == item.__module__)]


def test_every_hint_resolves():
    names = [found.name for found in pkgutil.walk_packages(dmlrand.__path__, "dmlrand.")]
    tried = set()
    for module in (importlib.import_module(name) for name in ["dmlrand", *names] if "kernels" not in name):
        own = [item for item in vars(module).values() if getattr(item, "__module__", None) == module.__name__]
        for function in (each for item in own for each in functions_of(item)):
            typing.get_type_hints(function)  # raises a NameError that names the hint
            tried.add(function)
    assert {dmlrand.uniform, dmlrand.Stream, dmlrand.Stream.uniform, dmlrand.compat.jax.key} <= tried
