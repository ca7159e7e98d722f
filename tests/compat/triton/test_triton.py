"""compat.triton against recorded answers of Triton's interpreter, against a slow oracle, and its refusals."""

import math

import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st
from normal_bounds import TRITON_MAX_ULP, largest_ulp
from recorded import assert_bits, each, numbers_of, to_int
from refusing import refused
from strategies import edge_ints

from dmlrand.compat import triton
from dmlrand.compat.triton import (
    pair_uniform_to_normal,
    philox,
    philox_impl,
    rand,
    rand4x,
    randint,
    randint4x,
    randn,
    randn4x,
    uint_to_uniform_float,
)

pytestmark = pytest.mark.both_kinds

F = np.float32
TYPES = [np.dtype(f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
seeds = edge_ints(64) | st.integers(-(2**63), -1)


def counter_of_offset(offset, dtype):
    """The counter of an offset: its bits, extended to 32 bits by its sign."""
    return offset % 2**64 if dtype.itemsize == 8 else offset % 2**32


@each("triton")
def test_recorded_answers(case):
    """triton 1 to 7"""
    offsets = np.array([to_int(each) for each in case["offset"]], case["dtype"])
    seed = to_int(case["seed"])
    for name in ("randint", "randint4x", "rand", "rand4x"):
        assert_bits(np.stack(getattr(triton, name)(seed, offsets)), case[name])
    for name in ("randn", "randn4x"):
        values = np.stack(getattr(triton, name)(seed, offsets)).ravel()
        assert values.dtype == F and largest_ulp(values, numbers_of(case[name], F)) <= TRITON_MAX_ULP


@each("triton_philox")
def test_recorded_blocks(case):
    """triton 8 to 10"""
    counters = np.array([to_int(each) for each in case["counters"]], case["dtype"]).reshape(4, -1)
    seed, rounds = to_int(case["seed"]), case["n_rounds"]
    words = philox(seed, *counters, n_rounds=rounds)
    assert_bits(np.stack(words), case["philox"])
    uniforms = np.stack([uint_to_uniform_float(each) for each in words[:2]])
    assert_bits(uniforms, case["uint_to_uniform_float"])
    normals = np.stack(pair_uniform_to_normal(*uniforms)).ravel()
    assert normals.dtype == F
    assert largest_ulp(normals, numbers_of(case["pair_uniform_to_normal"], F)) <= TRITON_MAX_ULP
    assert randint(seed, counters[0], rounds).tolist() == case["randint"]


@given(st.lists(edge_ints(32), min_size=6, max_size=6))
def test_blocks_of_32_bits(words):
    """triton 8: and the arrays broadcast."""
    arrays = [np.full((1,) * (i % 2) + (3,), word, np.uint32) for i, word in enumerate(words)]
    blocks = philox_impl(*arrays)
    expected = oracle.block(sum(word << 32 * i for i, word in enumerate(words[:4])), words[4] + (words[5] << 32))
    assert [each.tolist() for each in blocks] == [[[word] * 3] for word in expected]


@given(seeds, st.integers(0, 12), st.sampled_from(TYPES))
def test_rounds(seed, rounds, dtype):
    """triton 9: all six functions have the argument."""
    offsets = np.array([np.iinfo(dtype).min, 0, 3, np.iinfo(dtype).max], dtype)
    words = randint4x(seed, offsets, rounds)
    low = np.array([counter_of_offset(int(each), dtype) % 2**32 for each in offsets], np.uint32)
    high = np.array([counter_of_offset(int(each), dtype) >> 32 for each in offsets], np.uint32)
    assert np.array_equal(words, philox(seed, low, high, np.uint32(0), np.uint32(0), rounds))
    assert np.array_equal(randint(seed, offsets, rounds), words[0])
    uniforms = rand4x(seed, offsets, rounds)
    assert np.array_equal(uniforms, [uint_to_uniform_float(each) for each in words])
    assert np.array_equal(rand(seed, offsets, rounds), uniforms[0])
    assert np.array_equal(randn4x(seed, offsets, rounds)[2:], pair_uniform_to_normal(*uniforms[2:]))
    assert np.array_equal(randn(seed, offsets, rounds), pair_uniform_to_normal(*uniforms[:2])[0])


def test_normals_are_rounded_from_the_formula():
    """triton 6"""
    offsets = np.arange(2000, dtype=np.int64)
    u = rand4x(9, offsets)
    normals = randn4x(9, offsets)
    assert randn(9, offsets).tolist() == normals[0].tolist()
    for first in (0, 2):
        for function, got in ((math.cos, normals[first]), (math.sin, normals[first + 1])):
            for u1, u2, number in zip(u[first], u[first + 1], got):
                radius = math.sqrt(-2 * math.log(max(u1, F(1e-7))))
                exact = radius * function(float(u2 * F(6.283185307179586)))
                assert abs(number - exact) <= 0.51 * np.spacing(abs(number))


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 3), (1,) * 9])
def test_shapes(shape):
    """triton 2: any shape, in row-major order whatever the strides."""
    offsets = np.arange(math.prod(shape), dtype=np.int32).reshape(shape)
    for function in (randint, rand, randn):
        assert function(1, offsets).shape == shape
        assert np.array_equal(function(1, offsets.T), function(1, offsets).T)
    for function in (randint4x, rand4x, randn4x):
        assert [lane.shape for lane in function(1, offsets)] == [shape] * 4
    assert randint(1, offsets.astype(offsets.dtype.newbyteorder())).tolist() == randint(1, offsets).tolist()
    assert [lane.dtype for lane in randint4x(1, offsets)] == [np.uint32] * 4


OFFSETS, ARRAY = np.arange(3), "offset must be an array of integers; got "
WORD, WIDE = np.uint32([7]), np.uint64([7])


@pytest.mark.parametrize(
    "error, message, arguments",
    [
        (TypeError, "seed must be an integer; got 1.5 of type float. Pass an int.", (1.5, OFFSETS)),
        *[(ValueError, f"seed must be in [-2**63, 2**64); got {n}.", (n, OFFSETS)) for n in (2**64, -(2**63) - 1)],
        (TypeError, f"{ARRAY}an array of float64. Pass numpy.arange(n, dtype=numpy.int32).", (1, np.zeros(3))),
        (TypeError, f"{ARRAY}an array of bool.", (1, np.zeros(3, bool))),
        (TypeError, f"{ARRAY}[1, 2].", (1, [1, 2])),
        (TypeError, f"{ARRAY}5.", (1, 5)),
        (ValueError, "n_rounds must be at least 0; got -1.", (1, OFFSETS, -1)),
        (TypeError, "n_rounds must be an integer; got 1.5 of type", (1, OFFSETS, 1.5)),
    ],
)
def test_refusals(error, message, arguments):
    """triton 11"""
    for function in (randint, randint4x, rand, rand4x, randn, randn4x):
        refused(error, message, function, *arguments)


def test_refusals_of_words():
    """triton 11"""
    rule = "c0 must be an array of uint32; got an array of int32. Pass"
    refused(TypeError, rule, philox_impl, np.int32([7]), *[WORD] * 5)
    rule = "must be an array of int32 or uint32; got an array of"
    refused(TypeError, f"c3 {rule} int8.", philox, 7, *[WORD] * 3, np.int8([7]))
    remedy = "numpy.random.Philox has the words of Philox4x64."
    refused(TypeError, f"c1 {rule} uint64. {remedy}", philox, 7, WORD, WIDE, WORD, WORD)
    rule = "u1 must be an array of float32; got 0.5. Pass numpy.float32(u)."
    refused(TypeError, rule, pair_uniform_to_normal, 0.5, F(0.5))
