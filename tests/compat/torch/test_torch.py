"""compat.torch against recorded answers, against numbers that torch printed, against a slow oracle, and its
refusals."""

import copy
import math
import pickle

import numpy as np
import oracle
import pytest
from curand_oracle import normals
from hypothesis import given, strategies as st
from normal_bounds import TORCH_MAX_ULP, largest_ulp
from recorded import each, each_of, load, numbers_of, to_int
from refusing import refused
from strategies import edge_ints, keys
from torch_func_random import assert_func_draw

from dmlrand.compat import torch
from dmlrand.compat.torch import (
    CUDAGenerator,
    compiled_dropout_mask,
    compiled_rand,
    compiled_randint,
    compiled_randn,
    compiled_seeds,
    func_fold_in,
    func_key,
    func_normal,
    func_split,
    func_uniform,
)

pytestmark = pytest.mark.both_kinds

F = np.float32

# torch.compile on a CPU


@each("torch_compiled")
def test_recorded_calls_of_compiled_functions(case):
    """torch 3.1 to 3.6: exact numbers, and normals within 2 ulp"""
    seeds = compiled_seeds(to_int(case["seed"]), len(case["draws"]))
    for draw, seed in zip(case["draws"], seeds):
        ours = getattr(torch, f"compiled_{draw['function']}")(seed, *draw["arguments"], tuple(case["shape"]))
        theirs = numbers_of(draw["values"], ours.dtype).reshape(case["shape"])
        if draw["function"] == "randn":
            assert largest_ulp(ours, theirs) <= TORCH_MAX_ULP
        else:
            assert np.array_equal(ours, theirs), draw["function"]


def test_seeds_of_compiled_functions():
    """torch 3.1: drawing more gives the same first seeds; MT19937 uses 32 bits of the seed."""
    assert compiled_seeds(7, 1000)[:10].tolist() == compiled_seeds(7, 10).tolist()
    assert compiled_seeds(7 + 2**32, 10).tolist() == compiled_seeds(7, 10).tolist() != compiled_seeds(8, 10).tolist()
    assert compiled_seeds(-1, 2).tolist() == compiled_seeds(2**64 - 1, 2).tolist()
    assert compiled_seeds(7, 0).shape == (0,)


# torch.func._random


@each_of(load("torch_func_random") + load("torch_func_keys"))
def test_recorded_answers_of_func_random(case):
    """torch 4.1 to 4.5"""
    bits = case["bits"]
    if "bfloat16" in case["arguments"]:
        pytest.importorskip("ml_dtypes")
    keys = numbers_of(np.ravel(case["key"]), np.uint64).reshape(np.shape(case["key"]))
    theirs = numbers_of(bits, np.uint64)
    if not isinstance(bits[0], str):
        theirs = theirs.astype(np.uint16 if "float16" in str(case["arguments"]) else np.uint32)
    assert_func_draw(case["function"], keys, case["arguments"], theirs)


# CUDA: the source


def block_of(generator_seed, offset, element, threads, per_block):
    """The block of an element, and the number of the element among those of the block."""
    subsequence, row = element % threads, element // threads
    return oracle.block((subsequence << 64) + offset // 4 + row // per_block, generator_seed), row % per_block


geometries = st.sampled_from([(1, 256), (1, 300), (2, 512), (3, 1024), (132, 2048)])


@given(keys, edge_ints(62), geometries, st.sampled_from([1, 255, 256, 257, 1000, 2049, 3100]), st.randoms())
def test_elements_of_cuda_draws(seed, quarter_offset, geometry, n, chance):
    """torch 2.1 to 2.5"""
    offset, (sms, threads_per_sm) = 4 * quarter_offset, geometry
    threads = 256 * min(sms * (threads_per_sm // 256), -(-n // 256))
    generator = CUDAGenerator(seed, sms, threads_per_sm)
    checked = {0, n - 1, *(chance.randrange(n) for _ in range(3))}

    def numbers(draw, per_block):
        generator.set_offset(offset)
        values = draw(generator)
        assert generator.get_offset() == (offset + 4 * ((n - 1) // (threads * per_block) + 1)) % 2**64
        return [(values[k], *block_of(seed, offset, k, threads, per_block)) for k in checked]

    for value, block, lane in numbers(lambda g: g.rand(n), 4):
        assert value == F(block[lane]) * F(2.0**-32) + F(2.0**-33) or (value == 0 and block[lane] >= 0xFFFFFF80)
    for value, block, lane in numbers(lambda g: g.randn(n), 4):
        exact = normals(block[lane // 2 * 2 : lane // 2 * 2 + 2])[lane % 2]
        assert abs(value - exact) <= 0.51 * np.spacing(abs(value)) + 1e-15
    for value, block, lane in numbers(lambda g: g.randint(-5, 2**28 - 6, n), 4):
        assert value == block[lane] % (2**28 - 1) - 5
    for low, high, draw in (
        (-(2**63), 2**63 - 1, lambda g: g.randint(-(2**63), 2**63 - 1, n)),
        (0, 2**28, lambda g: g.randint(0, 2**28, n)),
        (0, 2**63, lambda g: g.random(n)),
    ):
        for value, block, pair in numbers(draw, 2):
            assert value == ((block[2 * pair] << 32) + block[2 * pair + 1]) % (high - low) + low


@given(keys, geometries, st.sampled_from([1, 2, 4, 255, 256, 258, 1023, 1026, 1028, 3100]), st.floats(0.01, 0.99))
def test_dropout_masks_of_cuda(seed, geometry, n, p):
    """torch 2.9"""
    sms, threads_per_sm = geometry
    threads = 256 * min(sms * (threads_per_sm // 256), -(-n // 256))
    generator = CUDAGenerator(seed, sms, threads_per_sm)
    generator.set_offset(8)
    kept = generator.dropout_mask(n, p)
    assert generator.get_offset() == 8 + 4 * ((n - 1) // (4 * threads) + 1)
    size = 4 if n % 4 == 0 else 2 if n % 2 == 0 else 1
    for k in {0, 1, n // 3, n // 2, n - 2, n - 1} & set(range(n)):
        if size == 1:
            block, lane = block_of(seed, 8, k, threads, 4)
        else:
            block, lane = block_of(seed, 8, k // size, threads, 1)[0], k % size
        assert kept[k] == (F(block[lane]) * F(2.0**-32) + F(2.0**-33) < F(1 - p))


@given(keys, geometries, st.sampled_from([1, 2, 4, 255, 256, 258, 1023, 3100]), st.floats(0.01, 0.99))
def test_dropout_before_vectors_and_noise_in_place(seed, geometry, n, p):
    """torch 2.9 and 2.10"""
    generator = CUDAGenerator(seed, *geometry)
    numbers = generator.rand(n)
    numbers = np.where(numbers == 0, F(1), numbers)  # rand makes 0 of 1; no number is 0
    after = generator.get_offset()
    generator.set_offset(0)
    assert generator.dropout_mask(n, p, vectorized=False).tolist() == (numbers < F(1 - p)).tolist()
    assert generator.get_offset() == after
    generator.set_offset(0)
    assert generator.bernoulli(n, p).tolist() == (numbers < F(p)).tolist()
    assert generator.get_offset() == after


def test_types_of_cuda_draws():
    """torch 2.3, 2.4 and 2.11"""
    for dtype in ("float16", "bfloat16"):
        if dtype == "bfloat16":
            pytest.importorskip("ml_dtypes")
        numbers = CUDAGenerator(3).rand(5000).astype(dtype)
        got = CUDAGenerator(3).rand(5000, dtype)
        assert got.dtype == dtype and got.tolist() == np.where(numbers == 1, numbers.dtype.type(0), numbers).tolist()
        assert (got == 0).any() == (numbers == 1).any()
        assert CUDAGenerator(3).randn(5000, dtype).tolist() == CUDAGenerator(3).randn(5000).astype(dtype).tolist()
    units = CUDAGenerator(3).rand(5000).astype(float)
    low, high = np.float16(-3.3), np.float16(7.1)
    scaled = (units * float(high - low) + float(low)).astype(F).astype(np.float16)
    got = CUDAGenerator(3).uniform(5000, -3.3, 7.1, np.float16)
    assert got.tolist() == np.where(scaled == high, low, scaled).tolist()
    scaled = CUDAGenerator(3).randn(5000).astype(float) * float(F(1.7)) + float(F(0.3))
    assert CUDAGenerator(3).normal(5000, 0.3, 1.7).tolist() == scaled.astype(F).tolist()
    assert np.isinf(CUDAGenerator(3).normal(50, 0, 3e38)).any()


def test_words_that_a_kernel_takes():
    """torch 2.13 and 5.6"""
    generator = CUDAGenerator(7)
    for words, offset in ((0, 0), (1, 4), (4, 8), (7, 16), (32, 48)):
        generator.skip_words(words)
        assert generator.get_offset() == offset
    generator.set_offset(2**64 - 4)
    generator.skip_words(9)
    assert generator.get_offset() == 8 and generator.initial_seed() == 7


def test_one_becomes_zero(monkeypatch):
    """torch 2.3"""
    monkeypatch.setattr("dmlrand.compat.torch.generator.uniforms", lambda words: np.ones(words.size, F))
    assert not CUDAGenerator(0).rand(5).any()


def test_states():
    """torch 2.7 and 2.8"""
    generator = CUDAGenerator(0x0123456789ABCDEF)
    generator.set_offset(0xFEDCBA9876543210)
    state = generator.get_state()
    assert state.tobytes() == bytes.fromhex("efcdab8967452301 1032547698badcfe")
    expected = generator.rand(9).tolist()
    others = [CUDAGenerator(), copy.copy(generator), copy.deepcopy(generator), pickle.loads(pickle.dumps(generator))]
    for other, form in zip(others, (state, state.tobytes(), state[::-1][::-1], state.reshape(2, 8))):
        other.set_state(form)
        assert other.rand(9).tolist() == expected
    assert generator.initial_seed() == 0x0123456789ABCDEF
    generator.manual_seed(-2)
    assert (generator.initial_seed(), generator.get_offset()) == (2**64 - 2, 0)
    assert CUDAGenerator().initial_seed() == 67280421310721


@pytest.mark.parametrize("shape", [0, (), (0,), 3, [2, 3], (2, 0, 3), (1,) * 9])
def test_shapes(shape):
    """torch 1.1"""
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    generator = CUDAGenerator(1)
    reals = [generator.rand(shape), generator.randn(shape), compiled_rand(1, shape), compiled_randn(1, shape)]
    reals += [func_uniform((1, 2), shape), func_normal((1, 2), shape)]
    integers = [generator.randint(0, 9, shape), generator.random(shape), compiled_randint(1, 0, 9, shape)]
    assert generator.get_offset() == (16 if reals[0].size else 0)
    masks = [generator.dropout_mask(shape), compiled_dropout_mask(1, 0.5, shape)]
    for draws, kind in ((reals, np.float32), (integers, np.int64), (masks, np.bool_)):
        assert {(draw.shape, draw.dtype) for draw in draws} == {(sizes, np.dtype(kind))}


# Refusals


def test_refusals():
    """torch 1.1 and 1.2: a refused call draws nothing."""
    generator = CUDAGenerator(7)
    draws = [generator.rand, generator.randn, generator.random, generator.dropout_mask]
    draws += [lambda shape: generator.randint(0, 2, shape)]
    draws += [lambda shape: compiled_rand(1, shape), lambda shape: compiled_randn(1, shape)]
    draws += [lambda shape: compiled_randint(1, 0, 2, shape), lambda shape: compiled_dropout_mask(1, 0.5, shape)]
    for draw in draws:
        refused(ValueError, "shape[1] must be at least 0; got -1.", draw, (2, -1))
        refused(TypeError, "shape must be an integer; got 1.5 of type float. Pass an int.", draw, 1.5)
        refused(ValueError, "shape must describe fewer than 2**31 bytes; got (65536, 65536) with", draw, (2**16, 2**16))
    for seed in (2**64, -(2**63) - 1):
        for call in (CUDAGenerator, generator.manual_seed, lambda seed: compiled_rand(seed, 1)):
            refused(ValueError, f"seed must be in [-2**63, 2**64); got {seed}.", call, seed)
    refused(ValueError, "sms must be in [1, 2**16); got 0.", CUDAGenerator, 1, 0)
    refused(ValueError, "threads_per_sm must be in [256, 2**16); got 255.", CUDAGenerator, 1, 1, 255)
    refused(ValueError, "sms must be 'Tesla K80', 'GTX 1080 Ti', ", CUDAGenerator, 1, "B9000")
    refused(ValueError, "offset must be a multiple of 4, as in torch; got 3.", generator.set_offset, 3)
    refused(ValueError, "offset must be a multiple of 4", generator.set_state, bytes(8) + bytes([1]) + bytes(7))
    for call in (generator.randint, lambda low, high, shape: compiled_randint(1, low, high, shape)):
        refused(ValueError, "low must be below high; got low 5 and high 5.", call, 5, 5, 1)
        refused(ValueError, "high must be in [-2**63, 2**63); got 9223372036854775808.", call, 5, 2**63, 1)
    refused(ValueError, "p must be in [0, 1]; got 1.5.", compiled_dropout_mask, 1, 1.5, 2)
    for draw in (generator.dropout_mask, generator.bernoulli):
        refused(ValueError, "p must be in [0, 1]; got -1.", draw, 2, -1)
    for draw in (generator.rand, generator.randn, generator.uniform, generator.normal):
        message = "dtype must be float16, bfloat16 or float32, in native byte order; got 'float64'."
        refused(TypeError, message, draw, 2, dtype="float64")
    refused(ValueError, "low must be finite as a float16; got 1000000.0.", generator.uniform, 2, 1e6, 2e6, np.float16)
    refused(ValueError, "std must be finite as a float32; got inf.", generator.normal, 2, 0, math.inf)
    refused(ValueError, "n must be in [0, 2**64); got -1.", generator.skip_words, -1)
    refused(TypeError, "p must be a real number; got '1'", compiled_dropout_mask, 1, "1", 2)
    refused(ValueError, "n must be in [0, 2**59); got -1.", compiled_seeds, 1, -1)
    for key, got in ((np.array([1, 2]), "int64 of shape (2,)"), (5, "5"), ([1], "[1]")):
        message = f"key must be a uint64 array of shape (..., 2) or two ints; got {got}. func_key makes one."
        refused(TypeError, message, func_split, key)
    message = "key must have an axis of size 1 or of the same size for each axis of shape; got "
    for batch, shape in (((3,), (3, 4)), ((3, 2), (3, 4)), ((3, 1), 3), ((1, 1, 1), (2, 2))):
        for draw in (func_uniform, func_normal):
            refused(ValueError, message + f"{(*batch, 2)} for shape", draw, np.ones((*batch, 2), np.uint64), shape)
    refused(ValueError, "key[1] must be in [0, 2**64); got -1.", func_normal, (1, -1), 3)
    refused(ValueError, "seed must be in [0, 2**64); got -1.", func_key, -1)
    refused(ValueError, "data must be in [-2**63, 2**64)", func_fold_in, (1, 2), 2**64)
    refused(ValueError, "num must be in [1, 2**59); got 0.", func_split, (1, 2), 0)
    refused(ValueError, "low must be finite", func_uniform, (1, 2), 3, low=np.inf)
    for state, got in ((np.zeros(2, int), "an array of int64"), ([0], "list"), (memoryview(bytes(16)), "memoryview")):
        message = f"new_state must be a uint8 array or bytes; got {got}. Pass get_state()."
        refused(TypeError, message, generator.set_state, state)
    refused(ValueError, "new_state must have 16 bytes: the seed and the offset; got 8.", generator.set_state, bytes(8))
    assert generator.get_state().tolist() == CUDAGenerator(7).get_state().tolist()
    message = "module 'dmlrand.compat.torch' has no attribute 'manual_seed'. There is no global generator: make one"
    refused(AttributeError, message, getattr, torch, "manual_seed")
