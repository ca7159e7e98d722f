"""What the built distributions hold, and the README's lines in the environments that its own commands make.

These tests install packages, so they need a package index.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest
from paths import ROOT
from systems import posix
from waiting import LIMIT

INSTALLATION_LIMIT = 1200  # seconds
WHOLE_RUN_LIMIT = 1500
PARTS = "dmlrand specs tests .ci README.md pyproject.toml".split()

pytestmark = posix("the lines are for a POSIX shell")


def run(*command, cwd, limit=LIMIT, **settings):
    environment = {name: text for name, text in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(command, cwd=cwd, env=environment | settings, capture_output=True, text=True, timeout=limit)
    assert done.returncode == 0, (command, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The files that belong to the project, without what tests and builds left among them."""
    copy = tmp_path_factory.mktemp("tree")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, copy / part)
    return copy


@pytest.fixture(scope="module")
def built(tree, tmp_path_factory):
    """The source distribution and the wheel made of it."""
    folder = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "venv", "tools", cwd=folder, limit=INSTALLATION_LIMIT)
    python = folder / "tools" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "build", "twine", cwd=folder, limit=INSTALLATION_LIMIT)
    run(python, "-m", "build", "-o", folder / "dist", ".", cwd=tree, limit=INSTALLATION_LIMIT)
    (source,), (wheel,) = (list((folder / "dist").glob(pattern)) for pattern in ("*.tar.gz", "*.whl"))
    run(python, "-m", "twine", "check", "--strict", source, wheel, cwd=folder)
    return source, wheel


def files_in(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.costly
def test_the_distributions_hold_the_project(built, tree):
    """promises 11"""
    with tarfile.open(built[0]) as source, zipfile.ZipFile(built[1]) as wheel:
        in_source = {name.partition("/")[2] for name in source.getnames()}
        in_wheel = {name for name in wheel.namelist() if ".dist-info/" not in name}
    pages = {f"dmlrand/specs/{name}" for name in files_in(tree / "specs")}
    assert in_wheel == {f"dmlrand/{name}" for name in files_in(tree / "dmlrand")} | pages
    assert in_source - {"PKG-INFO", ".gitignore"} == files_in(tree)


@pytest.mark.costly
def test_the_metadata_of_the_wheel(built):
    """promises 11: no link to a file, which an index does not show; and no requirement without a wheel for it.

    kernels 9: there is no numba for WebAssembly.
    """
    with zipfile.ZipFile(built[1]) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
        text = wheel.read(name).decode()
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    assert "`dmlrand/specs/promises.md`" in text
    of_numba = re.findall(r"^Requires-Dist: numba[^-\w].*$", text, re.MULTILINE)
    assert of_numba and all(re.search("sys_platform != .emscripten", line) for line in of_numba)
    for package in ("onnx", "onnxruntime", "wgpu"):
        of_tests = re.findall(rf"^Requires-Dist: {package}\b.*extra == 'test'.*$", text, re.MULTILINE)
        assert of_tests and all("platform_machine in" in line for line in of_tests)


@pytest.mark.costly
def test_an_installed_wheel_passes_tests_without_the_repository(built, tree, tmp_path):
    """promises 11: the tests' own folder is beside the pages, but not beside the package."""
    for part in PARTS:
        if part != "dmlrand":
            (tmp_path / part).symlink_to(tree / part)
    site = tmp_path / "site"
    run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", site, built[1], cwd=tmp_path)
    where = run(sys.executable, "-c", "import dmlrand; print(dmlrand.__file__)", cwd=tmp_path, PYTHONPATH=str(site))
    assert where.startswith(str(site))
    selection = ["tests/test_state.py", "tests/operator", "tests/compat/tensorflow", "tests/cli/test_cli.py"]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *selection]
    printed = run(*command, cwd=tmp_path, limit=WHOLE_RUN_LIMIT, PYTHONPATH=str(site))
    assert re.search(r"\d{3,} passed", printed)
