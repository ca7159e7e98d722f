"""For tests of backends that need an extra: a test is skipped, with the reason, where the backend cannot run."""

import pytest


def skip_without(backend):
    """Skip the test that runs, or the module that is imported, where `backend` cannot run."""
    NEEDS[backend]()


def needs_cuda():
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed (extra `cuda`): CUDA is not tested")
    from dmlrand.cuda.devices import check_device

    try:
        check_device()
    except RuntimeError as error:
        pytest.skip(str(error), allow_module_level=True)


def needs_dask():
    pytest.importorskip("dask.array", reason="dask is not installed (extra `dask`): Dask arrays are not tested")


def needs_onnx():
    pytest.importorskip("onnx", reason="onnx is not installed (extra `onnx`): ONNX models are not tested")


def needs_onnxruntime():
    needs_onnx()
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed (extra `test`): no model is run in it")


def needs_webgpu():
    pytest.importorskip("wgpu", reason="wgpu is not installed (extra `webgpu`): WebGPU is not tested")
    from dmlrand.webgpu.devices import default_device

    try:
        default_device()
    except RuntimeError as error:
        pytest.skip(str(error), allow_module_level=True)


NEEDS = {
    "cuda": needs_cuda,
    "dask": needs_dask,
    "onnx": needs_onnx,
    "onnxruntime": needs_onnxruntime,
    "webgpu": needs_webgpu,
}
