"""`dmlrand backends`: tables that never fail, and `dmlrand shader`. specs/backends.md"""

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version

import pytest
from commands import ok
from optional_backends import skip_without
from paths import ROOT

from dmlrand.cli import machine
from dmlrand.cli.machine import Row, find_backends
from dmlrand.cuda.devices import is_simulated
from dmlrand.shaders import LANGUAGES, source
from dmlrand.webgpu import shader_source


@pytest.fixture
def installed(monkeypatch):
    """Only these packages are installed: a dict of their versions."""
    versions = {}

    def version(package):
        try:
            return versions[package]
        except KeyError:
            raise PackageNotFoundError from None

    monkeypatch.setattr("importlib.metadata.version", version)
    return versions


def test_the_table_says_what_is_here(run, monkeypatch, installed):
    """backends 3, 4"""
    monkeypatch.setattr("dmlrand.kernels.replaced", lambda: ["fills", "rows"])  # a look for it compiles all vector code
    installed |= {"numpy": "2.0", "numba": "0.61", "onnx": "1.17"}
    title, *lines = ok(run("backends")).partition("\n\n")[0].splitlines()
    assert title == "BACKEND     STATUS   DETAILS"
    slow = "without vector code, and so slower: fills; without vector code, and so slower: rows"
    assert lines.pop(2).startswith("threads     ready    ")
    assert lines == [
        "numpy       ready    numpy 2.0",
        f"numba       ready    numba 0.61; {slow}",
        "batch       ready    needs no other package",
        "dask        missing  pip install dask (extra 'dask')",
        "webgpu      missing  pip install wgpu (extra 'webgpu')",
        "cuda        missing  pip install numba-cuda (extra 'cuda')",
        "onnx        ready    onnx 1.17; no onnxruntime to run models (pip install onnxruntime)",
    ]


def test_the_second_table_lists_every_extra(run, monkeypatch, installed):
    """backends 3: the package may be installed without its metadata, so the module repeats pyproject.toml."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    of_users = {
        extra: {re.split(r"[\[>=;]", requirement)[0] for requirement in requirements}
        for extra, requirements in declared.items()
        if extra not in ("test", "docs", "prove")
    }
    assert {extra: set(packages) for extra, (_, *packages) in machine.EXTRAS.items()} == of_users
    monkeypatch.setattr(machine, "find_backends", lambda: [])
    installed["matplotlib"] = "3.10"
    title, *lines = ok(run("backends")).partition("\n\n")[2].splitlines()
    assert title == "EXTRA       STATUS   DETAILS" and [line.split()[0] for line in lines] == list(of_users)
    assert "zarr        missing  Zarr arrays of fill_file (pip install zarr)" in lines
    assert "plot        ready    dmlrand plot and verify --plot" in lines


ADAPTER = """
class Adapter: info = {"device": "A GPU", "backend_type": "Vulkan"}
class gpu: request_adapter_sync = staticmethod(lambda power_preference: Adapter)
"""
NO_ADAPTER = """
class gpu:
    def request_adapter_sync(power_preference): raise RuntimeError("Request adapter failed")
"""


@pytest.mark.parametrize(
    ("source", "ready", "details"),
    [
        (ADAPTER, True, "A GPU by Vulkan"),
        (NO_ADAPTER, False, "WebGPU needs an adapter, which is a GPU with a driver for Vulkan, Metal or Direct3D 12; "),
        ("raise ImportError('no libwgpu')", False, "WebGPU needs wgpu, which is installed but cannot be imported (no "),
    ],
)
def test_the_row_of_a_device(tmp_path, monkeypatch, installed, source, ready, details):
    """backends 3 and 4: a package wgpu that finds an adapter, finds none, or is broken."""
    (tmp_path / "wgpu.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "wgpu", raising=False)
    installed["wgpu"] = "0.32.0"
    row = next(row for row in find_backends() if row.name == "webgpu")
    monkeypatch.delitem(sys.modules, "wgpu", raising=False)
    assert row.ready == ready and row.details.startswith(f"wgpu 0.32.0; {details}")


def test_the_simulator_of_cuda():
    """backends 3 and cuda 3.2"""
    skip_without("cuda")
    if not is_simulated():
        pytest.skip("the tests run on a device")
    row = next(row for row in find_backends() if row.name == "cuda")
    assert row == Row("cuda", True, f"numba-cuda {version('numba-cuda')}; the simulator of numba-cuda")


def test_the_shader_is_printed(run):
    """webgpu 3.1 and shaders 1"""
    assert ok(run("shader")) == shader_source()
    for language in LANGUAGES:
        assert ok(run(f"shader --language {language}")) == source(language)
    refused = run("shader --language fortran")
    assert refused.code == 2 and "'wgsl', 'hlsl', 'glsl', 'c', 'cuda', 'js'" in refused.err
