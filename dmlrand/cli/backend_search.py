"""Which backends can run on this machine, what is missing, and how to get it. Clauses: specs/backends.md."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from textwrap import indent
from typing import NamedTuple

DEVICE_LIMIT_S = 30  # for a driver to answer; usually it takes a second

# Run in a process of their own, because a driver can crash, hang, or print.
FIND_ADAPTER = """
from dmlrand.webgpu.devices import default_adapter
info = default_adapter().info
print(info["device"], "by", info["backend_type"])
"""
FIND_CUDA_DEVICE = """
from dmlrand.cuda.devices import check_device
print(check_device())
"""


# What each extra of pyproject.toml is for, and the packages that it installs, as pip names them.
EXTRAS = {
    "bfloat16": ("numbers of dtype bfloat16", "ml_dtypes"),
    "dask": ("Dask arrays, also on a cluster", "dask", "distributed"),
    "cli": ("the progress bar of dmlrand fill", "tqdm"),
    "plot": ("dmlrand plot and verify --plot", "matplotlib"),
    "completion": ("completion of dmlrand's commands in bash and zsh", "argcomplete"),
    "zarr": ("Zarr arrays of fill_file", "zarr"),
    "webgpu": ("arrays on a GPU through WebGPU", "wgpu"),
    "cuda": ("arrays on a CUDA device", "numba-cuda"),
    "onnx": ("ONNX models", "onnx"),
}
MODULES = {"numba-cuda": "numba_cuda"}  # names that Python imports, if others


class Backend(NamedTuple):
    """A row of a table. `details` says what was found or, for a row that is not ready, how to get it."""

    name: str
    ready: bool
    details: str


def find_backends() -> Iterator[Backend]:
    """One row for each backend. wgpu and numba-cuda are imported in processes of their own."""
    yield _of_package("numpy", "numpy")
    yield _numba()
    yield Backend("threads", True, f"{_processors()} processors")
    yield Backend("batch", True, "needs no other package")
    yield _of_package("dask", "dask", "dask")
    yield _of_device("webgpu", "wgpu", FIND_ADAPTER)
    yield _of_device("cuda", "numba-cuda", FIND_CUDA_DEVICE)
    yield _onnx()


def find_extras() -> Iterator[Backend]:
    """One row for each extra: ready if all of its packages are installed."""
    for name, (purpose, *packages) in EXTRAS.items():
        missing = [package for package in packages if _installed(package) is None]
        remedy = f" (pip install {' '.join(missing)})" if missing else ""
        yield Backend(name, not missing, purpose + remedy)


def _of_package(name: str, package: str, extra: str | None = None) -> Backend:
    """The row of a backend that needs one package."""
    found = _installed(package)
    if found is not None:
        return Backend(name, True, found)
    included = f" (extra {extra!r})" if extra else ""
    return Backend(name, False, f"pip install {package}{included}")


def _numba() -> Backend:
    """The row of numba, with the vector code that does not work here, if there is any."""
    from ..kernels import replaced

    backend = _of_package("numba", "numba")
    if not backend.ready:
        return backend
    try:
        slow = replaced()
    except ImportError as error:
        return Backend("numba", False, str(error))
    return backend._replace(details="; without vector code, and so slower: ".join([backend.details, *slow]))


def _installed(package: str) -> str | None:
    """The name and the version of a package, or None if it is not installed."""
    if find_spec(MODULES.get(package, package)) is None:
        return None
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:  # a folder of this name on the path, say
        return f"{package} of unknown version"


def _processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _onnx() -> Backend:
    backend = _of_package("onnx", "onnx", "onnx")
    if not backend.ready:
        return backend
    runtime = _installed("onnxruntime") or "no onnxruntime to run models (pip install onnxruntime)"
    return backend._replace(details=f"{backend.details}; {runtime}")


def _of_device(name: str, package: str, script: str) -> Backend:
    """The row of a backend that needs a package and a device. `script` prints the name of the device, or raises."""
    backend = _of_package(name, package, name)
    if not backend.ready:
        return backend
    ready, device = _run(script)
    return Backend(name, ready, f"{backend.details}; {device}")


def _run(script: str) -> tuple[bool, str]:
    """Run a script in a process of its own. Whether it succeeded, and the last line that it printed, or its error."""
    source = (
        f"import sys\ntry:\n{indent(script, '    ')}\nexcept Exception as error:\n    print(error)\n    sys.exit(1)"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        done = subprocess.run(
            [sys.executable, "-c", source],
            check=False, capture_output=True, text=True, errors="replace", env=environment, timeout=DEVICE_LIMIT_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return False, f"the driver of the GPU did not answer in {DEVICE_LIMIT_S} s. Update it."
    lines = done.stdout.splitlines()
    if not lines:
        return False, f"the driver of the GPU ended its process with exit code {done.returncode}. Update it."
    return done.returncode == 0, lines[-1]
