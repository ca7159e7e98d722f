"""`dmlrand backends`, `bench` and `shader`: what can run on this machine, how fast, and a shader for other machines."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from .. import shaders
from .output import print_json
from .parser import Commands, Parser, add_command, integer

# What each extra of pyproject.toml is for, and the packages that it installs, as pip names them.
EXTRAS = {
    "bfloat16": ("numbers of dtype bfloat16", "ml_dtypes"),
    "dask": ("Dask arrays, also on a cluster", "dask", "distributed"),
    "plot": ("dmlrand plot and verify --plot", "matplotlib"),
    "completion": ("completion of dmlrand's commands in bash and zsh", "argcomplete"),
    "zarr": ("Zarr arrays of fill_file", "zarr"),
    "webgpu": ("arrays on a GPU through WebGPU", "wgpu"),
    "cuda": ("arrays on a CUDA device", "numba-cuda"),
    "onnx": ("ONNX models", "onnx"),
}


class Row(NamedTuple):
    """A row of a table. `details` says what was found or, for a row that is not ready, how to get it."""

    name: str
    ready: bool
    details: str


# backends


def add_backends(commands: Commands) -> Parser:
    about = "show which backends can run here, which extras are installed, and how to get the others"
    backends = add_command(commands, "backends", about, _backends, "dmlrand backends")
    backends.add_json()
    return backends


def _backends(options: argparse.Namespace) -> None:
    if options.json:
        found = {"backends": find_backends(), "extras": find_extras()}
        print_json("backends", {kind: [row._asdict() for row in rows] for kind, rows in found.items()})
        return
    _print_table("BACKEND", find_backends())
    print()
    _print_table("EXTRA", find_extras())


def _print_table(title: str, rows: Iterable[Row]) -> None:
    print(f"{title:<12}{'STATUS':<9}DETAILS")
    for name, ready, details in rows:
        print(f"{name:<12}{'ready' if ready else 'missing':<9}{details}", flush=True)


def find_backends() -> Iterator[Row]:
    """One row for each backend. Devices are looked for only where their packages are installed."""
    yield _row("numpy", "numpy")
    yield _row("numba", "numba", None, _slow_code)
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    yield Row("threads", True, f"{processors} processors")
    yield Row("batch", True, "needs no other package")
    yield _row("dask", "dask", "dask")
    yield _row("webgpu", "wgpu", "webgpu", _adapter)
    yield _row("cuda", "numba-cuda", "cuda", _cuda_device)
    yield _row("onnx", "onnx", "onnx", _onnx_runtime)


def find_extras() -> Iterator[Row]:
    """One row for each extra: ready if all of its packages are installed."""
    for name, (purpose, *packages) in EXTRAS.items():
        missing = [package for package in packages if _installed(package) is None]
        remedy = f" (pip install {' '.join(missing)})" if missing else ""
        yield Row(name, not missing, purpose + remedy)


def _row(name: str, package: str, extra: str | None = None, find: Callable[[], str] | None = None) -> Row:
    """The row of a backend that needs a package. `find` says more about it, or raises if the backend cannot run."""
    installed = _installed(package)
    if installed is None:
        included = f" (extra {extra!r})" if extra else ""
        return Row(name, False, f"pip install {package}{included}")
    try:
        more = find() if find else ""
        return Row(name, True, f"{installed}; {more}" if more else installed)
    except Exception as error:  # drivers raise errors of any class
        return Row(name, False, f"{installed}; {error}")


def _installed(package: str) -> str | None:
    """The name and the version of a package, or None if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return None


def _slow_code() -> str:
    """The vector code that does not work here, if there is any."""
    from ..kernels import replaced

    return "; ".join(f"without vector code, and so slower: {slow}" for slow in replaced())


def _adapter() -> str:
    from ..webgpu.devices import default_adapter

    info = default_adapter().info
    return f"{info['device']} by {info['backend_type']}"


def _cuda_device() -> str:
    from ..cuda.devices import check_device

    return check_device()


def _onnx_runtime() -> str:
    return _installed("onnxruntime") or "no onnxruntime to run models (pip install onnxruntime)"


# bench and shader


def add_bench(commands: Commands) -> Parser:
    about, example = "measure speed beside NumPy's on this machine", "dmlrand bench --rounds 3"
    bench = add_command(commands, "bench", about, _bench, example)
    bench.add_argument("--rounds", type=integer, default=50, help="turns of each call, 1 ms each (default 50)")
    return bench


def _bench(options: argparse.Namespace) -> None:
    from .bench import print_table

    print_table(options.rounds)


def add_shader(commands: Commands) -> Parser:
    about = "print the operator as a shader or a program in another language, with comments"
    shader = add_command(commands, "shader", about, _shader, "dmlrand shader --language hlsl > philox.hlsl")
    about = "language of the text: WGSL (default), HLSL, GLSL, C, CUDA C++ or JavaScript"
    shader.add_argument("--language", choices=shaders.LANGUAGES, default="wgsl", help=about)
    return shader


def _shader(options: argparse.Namespace) -> None:
    print(shaders.source(options.language), end="")
