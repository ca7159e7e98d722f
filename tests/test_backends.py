"""One contract for all backends: the same states and shapes give the same words and the same new states.
specs/backends.md. tests/operator has numpy and numba."""

import re
from contextlib import contextmanager
from importlib import import_module
from inspect import signature

import numpy as np
import oracle
import pytest
from optional_backends import skip_without

import dmlrand
from dmlrand import make_state
from dmlrand.drawing.number_rules import DISTRIBUTIONS

# (counter, key): small ones, a carry out of each word of the counter, and the wrap at 2**128.
POSITIONS = [(0, 0), (0, 2**64 - 1), (2**127 + 5, 2**32)]
POSITIONS += [(2**bits - before, 0xA4093822299F31D0) for bits in (32, 64, 96, 128) for before in (1, 3)]

SHAPES = [1, 2, 3, 4, 5, 8, 41, (0,), (3, 0, 2), (7, 6), (1, 1, 1, 9), (2, 1, 3, 1, 2, 1, 2, 2)]


# One function for each backend. It returns a function of state and shape: the words as a NumPy array, and the new
# state.


@contextmanager
def threads_backend():
    """Small outputs are shared among threads too, in pieces of 4 words or fewer."""
    from dmlrand.drawing import filling, plan

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "THREADING_MIN_BYTES", 0)
        patch.setattr(filling, "THREADING_MIN_BYTES", 0)
        patch.setattr(filling, "PIECE_ELEMENTS", 4)
        yield lambda state, shape: dmlrand.random_generator(state, shape, threads=3)


@contextmanager
def batch_backend():
    """Row 20 of a batch whose other rows are at blocks before and after it."""

    def draw(state, shape):
        states = dmlrand.batch.advance_blocks(state, range(-20, 17))
        values, after = dmlrand.batch.random_generator(states, shape)
        return values[20], after[20]

    yield draw


@contextmanager
def dask_backend():
    skip_without("dask")

    def draw(state, shape):
        values, after = dmlrand.dask.random_generator(state, shape, chunks=2)
        return values.compute(scheduler="synchronous"), after

    yield draw


@contextmanager
def webgpu_backend():
    skip_without("webgpu")

    def draw(state, shape):
        values, after = dmlrand.webgpu.random_generator(state, shape)
        return values.to_numpy(), after

    yield draw


@contextmanager
def cuda_backend():
    skip_without("cuda")

    def draw(state, shape):
        values, after = dmlrand.cuda.random_generator(state, shape)
        return values.copy_to_host(), after

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dmlrand.kernels.cuda.WARP", 4)  # the simulator starts a thread of Python for each thread
        yield draw


@contextmanager
def onnx_backend():
    skip_without("onnxruntime")
    from onnx_models import run, session

    sessions = {}

    def draw(state, shape):
        sizes = shape if isinstance(shape, tuple) else (shape,)
        if len(sizes) not in sessions:
            sessions[len(sizes)] = session(dmlrand.onnx.random_generator_model(rank=len(sizes)))
        return run(sessions[len(sizes)], state, sizes)

    yield draw


BACKENDS = {
    "threads": threads_backend,
    "batch": batch_backend,
    "dask": dask_backend,
    "webgpu": webgpu_backend,
    "cuda": cuda_backend,
    "onnx": onnx_backend,
}


@pytest.fixture(scope="module", params=BACKENDS)
def backend(request):
    with BACKENDS[request.param]() as draw:
        yield draw


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_words_and_the_new_state(backend, shape):
    """backends 1; cuda 1.1, 1.6 and 1.7; onnx 1.1, 1.2 and 1.4"""
    count = int(np.prod(shape))
    for counter, key in POSITIONS:
        state = make_state(counter=counter, key=key)
        values, after = backend(state, shape)
        assert (values.dtype, values.shape) == (np.uint32, np.empty(shape, np.uint8).shape)
        assert values.ravel().tolist() == oracle.words(counter, key, 0, count)
        assert (after.dtype, after.shape) == (np.uint32, (6,))
        assert after.tolist() == oracle.new_state_words(counter, key, count)
        assert state.tolist() == oracle.state_words(counter, key)


WINDOWS = [
    ((5, 7, 3), (2, slice(3, 6))),
    ((5, 7, 3), (slice(1, 4),)),
    ((5, 7, 3), (2, 3, 1)),
    ((5, 7, 3), (slice(2, 3), 3, slice(0, 2))),
    ((5, 7, 3), (..., slice(2, 2))),
    ((5, 7, 3), ...),
    ((2**40, 2**20), (2**40 - 1, slice(2**20 - 9, None))),
    ((1, 2**62), (0, slice(2**61 + 1, 2**61 + 70))),
]


@pytest.mark.parametrize("shape, window", WINDOWS)
@pytest.mark.parametrize("device, read", [("cuda", "copy_to_host"), ("webgpu", "to_numpy")])
def test_windows_on_devices(device, read, shape, window):
    """cuda 1.2, webgpu 1.2"""
    skip_without(device)
    state = make_state(counter=2**64 - 9, key=2**64 - 7)
    words = getattr(getattr(dmlrand, device).random_window(state, shape, window), read)()
    expected = dmlrand.random_window(state, shape, window)
    assert (words.dtype, words.shape, words.tobytes()) == (expected.dtype, expected.shape, expected.tobytes())


@pytest.mark.parametrize("device", ["cuda", "webgpu"])
def test_windows_of_rows_in_part_are_refused(device):
    """cuda 1.2, webgpu 1.2"""
    skip_without(device)
    message = (
        "window must select consecutive words of the tensor; got (slice(0, 2, None), slice(0, 3, None)) of shape "
        "(5, 7). Draw each run of words as a window of its own, or index the result of a larger window."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        getattr(dmlrand, device).random_window(make_state(), (5, 7), (slice(0, 2), slice(0, 3)))


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("module", ["batch", "dask", "webgpu", "webgpu.batch", "cuda"])
def test_parameters_have_the_defaults_of_the_table(module, name):
    """backends 1"""
    row = DISTRIBUTIONS[name]
    taken = signature(getattr(import_module(f"dmlrand.{module}"), name)).parameters
    assert {parameter: taken[parameter].default for parameter in row.parameters} == row.parameters
    assert all(np.dtype(taken[parameter].default) == row.default_dtype for parameter in row.dtype_names)
