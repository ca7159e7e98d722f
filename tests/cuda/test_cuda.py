"""Numbers on a CUDA device: those of the CPU, bit for bit. specs/cuda.md, sections 1 to 3. test_cuda_errors.py has
section 4

The simulator of numba-cuda runs these tests. To run them on a device, set NUMBA_ENABLE_CUDASIM=0 in the environment.
"""

import numpy as np
import pytest
from numbers_at import bounds_of
from optional_backends import skip_without

import dmlrand
from dmlrand import make_state
from dmlrand.cuda import random_generator, random_window
from dmlrand.drawing.number_rules import DISTRIBUTIONS

skip_without("cuda")
from numba import cuda

from dmlrand.kernels import cuda as kernels

WARP = kernels.WARP
GUARD = 0xA5A5A5A5  # what memory holds where nothing was written
CARRY = make_state(counter=2**64 - 9, key=2**64 - 7)


@pytest.fixture(autouse=True)
def fewer_threads(monkeypatch):
    """The simulator starts a thread of Python for each thread of a kernel."""
    monkeypatch.setattr(kernels, "WARP", 4)


def assert_equal(outputs, expected):
    """The values and the new state: dtype, shape and bits."""
    for got, wanted in zip((outputs[0].copy_to_host(), outputs[1]), expected, strict=True):
        assert (got.dtype, got.shape, got.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes())


# Section 1 of the page

# For each kernel: the function and its arguments.
NUMBERS = {
    "uniform_32": ("uniform", [{}, {"low": -1.5, "high": 3.7}, {"low": 1e38, "high": 3e38}, {"high": 1e-44}]),
    "uniform_64": ("uniform", [{"low": 0.1, "high": 2.3, "dtype": "float64"}, {"high": 1e-323, "dtype": np.float64}]),
    "integers_32": (
        "integers",
        [
            {"low": 0, "high": 1000},
            {"low": -5, "high": -4},
            {"low": -(2**31), "high": 2**31},
            {"low": 1, "high": 2**32 - 1, "dtype": "uint32"},
        ],
    ),
    "integers_64": (
        "integers",
        [
            {"low": -5, "high": 10**12, "dtype": "int64"},
            {"low": 0, "high": 2**64, "dtype": "uint64"},
            {"low": 1, "high": 2**64 - 1, "dtype": "uint64"},
        ],
    ),
    "normal_32": ("normal", [{}, {"mean": 1.25, "stddev": 3.3}, {"stddev": 3e38}, {"stddev": 1e-44}]),
    "normal_64": ("normal", [{"dtype": "float64"}, {"mean": 1.25, "stddev": 1e-3, "dtype": "float64"}]),
}


# The simulator takes seconds for each kernel of 64-bit numbers.
KERNELS = [pytest.param(name, marks=pytest.mark.costly if name.endswith("64") else ()) for name in NUMBERS]


@pytest.mark.parametrize("name", KERNELS)
def test_numbers(name):
    """cuda 1.3 to 1.5: the numbers in every type; every place of a window in the first block"""
    function, arguments = NUMBERS[name]
    draw, on_the_cpu = getattr(dmlrand.cuda, function), getattr(dmlrand, function)
    for number, chosen in enumerate(arguments):
        state = make_state(counter=(1 << 32 * (number % 4 + 1)) - 3, key=2**63 + number)
        assert_equal(draw(state, (3, 7), **chosen), on_the_cpu(state, (3, 7), **chosen))
    for start in range(1, 5):
        window = slice(start, start + 6)
        assert_equal(draw(CARRY, 11, **chosen, window=window), on_the_cpu(CARRY, 11, **chosen, window=window))


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_every_distribution(name):
    """cuda 1.3"""
    window = slice(1, 7)
    got = getattr(dmlrand.cuda, name)(CARRY, 11, **bounds_of(name), window=window)
    assert_equal(got, getattr(dmlrand, name)(CARRY, 11, **bounds_of(name), window=window))


# Section 2


@pytest.mark.parametrize("shape", [(), (5,), (3, 0), (2, 1, 9)], ids=str)
@pytest.mark.parametrize("before", [0, 1, 6])
def test_an_array_of_the_caller(shape, before):
    """cuda 2.1 and 2.2: no other word of the memory is written"""
    count = int(np.prod(shape))
    memory = cuda.to_device(np.full(before + count + 7, GUARD, np.uint32))
    out = memory[before : before + count].reshape(shape)
    tensor, window = (2, *shape), (1,)
    values = random_window(CARRY, tensor, window, out=out, stream=cuda.stream())
    assert values is out
    words = memory.copy_to_host().tolist()
    expected = dmlrand.random_window(CARRY, tensor, window).ravel().tolist()
    assert words == [GUARD] * before + expected + [GUARD] * 7


# Section 3


@pytest.mark.parametrize("name", ["words", *KERNELS])
def test_many_tiles(name, monkeypatch):
    """cuda 1.1: more tiles than CUDA blocks, so that each CUDA block makes several tiles"""
    monkeypatch.setattr(kernels, "MAX_THREADS", 8)
    monkeypatch.setattr(kernels, "MIN_GRID", 2)
    function, arguments = NUMBERS.get(name, ("random_generator", [{}]))
    draw, on_the_cpu = getattr(dmlrand.cuda, function), getattr(dmlrand, function)
    assert_equal(draw(CARRY, 251, **arguments[0]), on_the_cpu(CARRY, 251, **arguments[0]))


@pytest.mark.parametrize("count", [1, 127, 1024, 1025, 2051])
def test_the_sizes_of_cuda_blocks(count, monkeypatch):
    """cuda 1.1: with as many threads as on a device"""
    monkeypatch.setattr(kernels, "WARP", WARP)
    assert_equal(random_generator(CARRY, count), dmlrand.random_generator(CARRY, count))
