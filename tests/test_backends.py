"""One contract for all backends: the same states and shapes give the same words and the same new states.
specs/backends.md"""

from contextlib import contextmanager
from importlib import import_module
from inspect import signature

import numpy as np
import oracle
import pytest
from kernel_kinds import COMPILED
from optional_backends import skip_without

import dmlrand
from dmlrand import kernels, make_state
from dmlrand.drawing.number_rules import DISTRIBUTIONS

# (counter, key): small ones, a carry out of each word of the counter, and the wrap at 2**128.
POSITIONS = [(0, 0), (0, 2**64 - 1), (2**127 + 5, 2**32)]
POSITIONS += [(2**bits - before, 0xA4093822299F31D0) for bits in (32, 64, 96, 128) for before in (1, 3)]

SHAPES = [1, 2, 3, 4, 5, 8, 41, (0,), (3, 0, 2), (7, 6), (1, 1, 1, 9), (2, 1, 3, 1, 2, 1, 2, 2)]


# One function for each backend. It returns a function of state and shape: the words as a NumPy array, and the new
# state.


@contextmanager
def numpy_backend():
    with kind_of_kernels("numpy"):
        yield dmlrand.random_generator


@contextmanager
def numba_backend():
    if not COMPILED:
        pytest.skip("numba is not installed")
    with kind_of_kernels("numba"):
        yield dmlrand.random_generator


@contextmanager
def threads_backend():
    """Small outputs are shared among threads too, in pieces of 4 words or fewer."""
    from dmlrand.arrays import filling
    from dmlrand.drawing import plan

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
    "numpy": numpy_backend,
    "numba": numba_backend,
    "threads": threads_backend,
    "batch": batch_backend,
    "dask": dask_backend,
    "webgpu": webgpu_backend,
    "cuda": cuda_backend,
    "onnx": onnx_backend,
}


@contextmanager
def kind_of_kernels(choice):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "forced", choice)
        kernels.forget()
        yield
    kernels.forget()


@pytest.fixture(scope="module", params=BACKENDS)
def backend(request):
    with BACKENDS[request.param]() as draw:
        yield draw


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_words_and_the_new_state(backend, shape):
    """backends 1"""
    count = int(np.prod(shape))
    for counter, key in POSITIONS:
        state = make_state(counter=counter, key=key)
        values, after = backend(state, shape)
        assert (values.dtype, values.shape) == (np.uint32, np.empty(shape, np.uint8).shape)
        assert values.ravel().tolist() == oracle.words(counter, key, 0, count)
        assert (after.dtype, after.shape) == (np.uint32, (6,))
        assert after.tolist() == oracle.new_state_words(counter, key, count)
        assert state.tolist() == oracle.state_words(counter, key)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("module", ["batch", "dask", "webgpu", "webgpu.batch", "cuda"])
def test_parameters_have_the_defaults_of_the_table(module, name):
    """backends 1"""
    row = DISTRIBUTIONS[name]
    taken = signature(getattr(import_module(f"dmlrand.{module}"), name)).parameters
    assert {parameter: taken[parameter].default for parameter in row.parameters} == row.parameters
    assert all(np.dtype(taken[parameter].default) == row.default_dtype for parameter in row.dtype_names)
