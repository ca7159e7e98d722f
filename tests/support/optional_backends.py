"""For tests of backends that need an extra: a test is skipped, with the reason, where the backend cannot run."""

from importlib import import_module

import pytest

# The packages of a backend, and the function that raises where there is no device.
NEEDS = {
    "cuda": (["numba_cuda"], "dmlrand.cuda.devices", "check_device"),
    "dask": (["dask.array"],),
    "onnx": (["onnx"],),
    "onnxruntime": (["onnx", "onnxruntime"],),
    "webgpu": (["wgpu"], "dmlrand.webgpu.devices", "default_device"),
}


def skip_without(backend):
    """Skip the test that runs, or the module that is imported, where `backend` cannot run."""
    packages, *device = NEEDS[backend]
    for package in packages:
        pytest.importorskip(package, reason=f"{package} is not installed: dmlrand with {backend} is not tested")
    if device:
        module, check = device
        try:
            getattr(import_module(module), check)()
        except RuntimeError as error:
            pytest.skip(str(error), allow_module_level=True)
