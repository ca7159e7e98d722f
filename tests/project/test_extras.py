"""Errors for packages of extras: a package that is missing, and a package that is installed but broken."""

import os
import subprocess
import sys

import pytest
from waiting import LIMIT

from dmlrand.imports import extra_needed

CALL = """
import sys
from dmlrand import make_state, uniform
import dmlrand.cuda, dmlrand.dask, dmlrand.cli.plots, dmlrand.onnx, dmlrand.webgpu
"""
REPORT = """
try:
    {use}
except ImportError as error:
    print(error)
    print(type(error.__cause__).__name__)
"""
# The beginning of the error, the package, its module, the extra, and a call that uses the package.
USES = [
    ("dtype bfloat16 needs", "ml_dtypes", "ml_dtypes", "bfloat16", "uniform(make_state(), 3, dtype='bfloat16')"),
    ("Dask arrays need", "dask", "dask", "dask", "dmlrand.dask.random_generator(make_state(), 3)"),
    ("ONNX models need", "onnx", "onnx", "onnx", "dmlrand.onnx.uniform_model(3)"),
    ("WebGPU needs", "wgpu", "wgpu", "webgpu", "dmlrand.webgpu.random_generator(make_state(), 3)"),
    ("CUDA needs", "numba-cuda", "numba_cuda", "cuda", "dmlrand.cuda.random_generator(make_state(), 3)"),
    ("plots need", "matplotlib", "matplotlib", "plot", "dmlrand.cli.plots.check_plot('p.png')"),
]


def run(folder, *uses):
    """One process, which makes all calls."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
    command = [sys.executable, "-c", CALL + "".join(REPORT.format(use=use) for use in uses)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder, timeout=LIMIT)


def test_the_error_of_a_broken_package_does_not_say_that_it_is_missing(tmp_path):
    for _, _, module, _, _ in USES:
        (tmp_path / f"{module}.py").write_text("raise ImportError('libbroken.so: cannot open shared object file')")
    expected = [
        line
        for need, package, *_ in USES
        for line in (
            f"{need} {package}, which is installed but cannot be imported (libbroken.so: cannot open shared object "
            "file). "
            f"Repair it: pip install --force-reinstall {package}.",
            "ImportError",
        )
    ]
    done = run(tmp_path, *(use for *_, use in USES))
    assert done.stdout.splitlines() == expected, done.stderr


def test_the_error_of_a_missing_package_names_the_package_and_the_extra(tmp_path):
    """backends 2"""
    expected = [
        line
        for need, package, _, extra, _ in USES
        for line in (
            f"{need} {package}, which is not installed. Install it: pip install {package}. "
            f"The extra {extra!r} of dmlrand includes it.",
            "ModuleNotFoundError",
        )
    ]
    # An import of a module that is None fails as that of a missing package does.
    done = run(tmp_path, *(f"sys.modules[{module!r}] = None; {use}" for _, _, module, _, use in USES))
    assert done.stdout.splitlines() == expected, done.stderr


def test_a_package_whose_own_requirement_is_missing_is_not_called_missing(tmp_path):
    with pytest.raises(ImportError, match="which is installed but cannot be imported .No module named 'no_such_one'."):
        with extra_needed("plots need", "matplotlib", "plot"):
            import no_such_one  # noqa: F401
