"""Errors for packages of extras: a package that is missing, and a package that is installed but broken."""

import os
import sys

import pytest
from commands import python

from dmlrand.drawing.imports import extra_needed

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


# What follows the beginning of the error and the package's name; the error's cause.
BROKEN = """, which is installed but cannot be imported (libbroken.so: cannot open shared object file). \
Repair it: pip install --force-reinstall {package}.""", "ImportError"
MISSING = """, which is not installed. Install it: pip install {package}. \
The extra '{extra}' of dmlrand includes it.""", "ModuleNotFoundError"


@pytest.mark.parametrize("problem", [BROKEN, MISSING], ids=["broken", "missing"])
def test_the_error_of_a_package_that_is_missing_or_broken(tmp_path, problem):
    """backends 2: one process, which makes all calls."""
    text, cause = problem
    code, expected = CALL, []
    for need, package, module, extra, use in USES:
        if problem is BROKEN:
            message = "libbroken.so: cannot open shared object file"
            (tmp_path / f"{module}.py").write_text(f"raise ImportError({message!r})")
        else:  # an import of a module that is None fails as that of a missing package does
            use = f"sys.modules[{module!r}] = None; {use}"
        code += REPORT.format(use=use)
        expected += [f"{need} {package}{text.format(package=package, extra=extra)}", cause]
    printed = python(code, PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]))
    assert printed.splitlines() == expected


def test_a_package_whose_own_requirement_is_missing_is_not_called_missing(tmp_path):
    with pytest.raises(ImportError, match="which is installed but cannot be imported .No module named 'no_such_one'."):
        with extra_needed("plots need", "matplotlib", "plot"):
            import no_such_one  # noqa: F401
