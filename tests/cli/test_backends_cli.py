"""`dmlrand backends`: tables that never fail, and `dmlrand shader`. specs/backends.md"""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from importlib.util import find_spec

import pytest
from commands import ENVIRONMENT, process
from optional_backends import skip_without
from paths import ROOT
from waiting import LIMIT

from dmlrand.cli import backend_search as backends, main
from dmlrand.cli.backend_search import Backend, find_backends
from dmlrand.cuda.devices import is_simulated
from dmlrand.webgpu import shader_source

PACKAGES = {"numba": "numba", "dask": "dask", "webgpu": "wgpu", "cuda": "numba_cuda", "onnx": "onnx"}
ON_DEVICES = ("webgpu", "cuda")


def rows():
    return {backend.name: backend for backend in find_backends()}


def test_the_table_says_what_is_here(capsys):
    """backends 3"""
    assert main(["backends"]) == 0
    title, *lines = capsys.readouterr().out.partition("\n\n")[0].splitlines()
    assert title == "BACKEND     STATUS   DETAILS"
    names = ["numpy", "numba", "threads", "batch", "dask", "webgpu", "cuda", "onnx"]
    assert [line.split()[0] for line in lines] == names
    assert lines[0] == f"numpy       ready    numpy {version('numpy')}"
    assert lines[3] == "batch       ready    needs no other package"
    for line in lines:
        name, status, details = line.split(maxsplit=2)
        package = PACKAGES.get(name, "numpy")
        assert name in ON_DEVICES or status == ("ready" if find_spec(package) else "missing")
        begin = package.replace("_", "-") if find_spec(package) else "pip install"
        assert details.startswith(begin) or name in ("threads", "batch")


def test_the_second_table_lists_every_extra(capsys, monkeypatch):
    """backends 3: the package may be installed without its metadata, so the module repeats pyproject.toml."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    of_users = {
        extra: {re.split(r"[\[>=;]", requirement)[0] for requirement in requirements}
        for extra, requirements in declared.items()
        if extra not in ("test", "docs", "prove")
    }
    assert {extra: set(packages) for extra, (_, *packages) in backends.EXTRAS.items()} == of_users
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(backends, "find_backends", lambda: [])
    assert main(["backends"]) == 0
    title, *lines = capsys.readouterr().out.partition("\n\n")[2].splitlines()
    assert title == "EXTRA       STATUS   DETAILS" and [line.split()[0] for line in lines] == list(of_users)
    purpose = "the progress bar of dmlrand fill"
    assert f"cli         missing  {purpose} (pip install tqdm)" in lines
    monkeypatch.setitem(sys.modules, "tqdm", type(sys)("tqdm"))
    sys.modules["tqdm"].__spec__ = sys.__spec__
    cli = next(row for row in backends.find_extras() if row.name == "cli")
    assert cli == Backend("cli", True, purpose)


def test_a_machine_without_the_packages(monkeypatch):
    """backends 3 and 4"""
    for package in PACKAGES.values():
        monkeypatch.setitem(sys.modules, package, None)
    assert [(row.name, row.details) for row in find_backends() if not row.ready] == [
        ("numba", "pip install numba"),
        ("dask", "pip install dask (extra 'dask')"),
        ("webgpu", "pip install wgpu (extra 'webgpu')"),
        ("cuda", "pip install numba-cuda (extra 'cuda')"),
        ("onnx", "pip install onnx (extra 'onnx')"),
    ]


def test_onnx_without_a_runtime(tmp_path, monkeypatch):
    """backends 3"""
    (tmp_path / "onnx.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(backends, "version", {"onnx": "1.17.0"}.__getitem__)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    expected = Backend("onnx", True, "onnx 1.17.0; no onnxruntime to run models (pip install onnxruntime)")
    assert backends._onnx() == expected


# A module wgpu, whether the backend is ready, and how the details end.
WGPUS = {
    "an adapter": (
        """
print("noise of a driver")
class Adapter: info = {"device": "A GPU", "backend_type": "Vulkan"}
class gpu: request_adapter_sync = staticmethod(lambda power_preference: Adapter)
""",
        True,
        "A GPU by Vulkan",
    ),
    "no adapter": (
        "class gpu: request_adapter_sync = staticmethod(lambda power_preference: None)",
        False,
        (
            "WebGPU needs an adapter, which is a GPU with a driver for Vulkan, Metal or Direct3D 12; found none. "
            "Install the "
            "driver of your GPU. On Debian and Ubuntu, `apt install mesa-vulkan-drivers libvulkan1` also installs "
            "lavapipe, "
            "which runs WebGPU on the processor."
        ),
    ),
    "a broken package": (
        "raise ImportError('no libwgpu')",
        False,
        (
            "WebGPU needs wgpu, which is installed but cannot be imported (no libwgpu). "
            "Repair it: pip install --force-reinstall wgpu."
        ),
    ),
    "a crash": (
        "import os; os._exit(7)",
        False,
        "the driver of the GPU ended its process with exit code 7. Update it.",
    ),
    "a driver that hangs": (
        "import time; time.sleep(60)",
        False,
        "the driver of the GPU did not answer in 1 s. Update it.",
    ),
}


@pytest.mark.parametrize("name", WGPUS)
def test_adapters(tmp_path, monkeypatch, name):
    """backends 3 and 4"""
    source, ready, details = WGPUS[name]
    (tmp_path / "wgpu.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "wgpu", raising=False)
    monkeypatch.setattr(backends, "version", {"wgpu": "0.32.0"}.__getitem__)
    if name == "a driver that hangs":
        monkeypatch.setattr(backends, "DEVICE_LIMIT_S", 1)
    assert backends._of_device("webgpu", "wgpu", backends.FIND_ADAPTER) == Backend(
        "webgpu", ready, f"wgpu 0.32.0; {details}"
    )


def test_the_simulator_of_cuda():
    """backends 3 and cuda 4.2"""
    skip_without("cuda")
    if not is_simulated():
        pytest.skip("the tests run on a device")
    assert rows()["cuda"] == Backend("cuda", True, f"numba-cuda {version('numba-cuda')}; the simulator of numba-cuda")


def test_no_package_of_a_backend_is_imported(tmp_path):
    """backends 2 and 4"""
    script = "import sys; from dmlrand.cli import main; main(['backends']); print(*sys.modules)"
    command = [sys.executable, "-c", script]
    printed = subprocess.check_output(command, text=True, env=ENVIRONMENT, cwd=tmp_path, timeout=LIMIT)
    assert not set(PACKAGES.values()) - {"numba"} & set(printed.splitlines()[-1].split())


def test_the_shader_is_printed(tmp_path):
    """webgpu 3.1"""
    ran = process("shader", cwd=tmp_path, capture_output=True)
    assert (ran.returncode, ran.stdout.decode(), ran.stderr) == (0, shader_source(), b"")
