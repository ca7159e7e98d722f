"""compat.triton against recorded answers of Triton's interpreter, against a slow oracle, and its refusals."""

import math
import re

import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st
from recorded import each, to_int
from strategies import edge_ints

from dmlrand.compat import triton
from dmlrand.compat.triton import rand, rand4x, randint, randint4x, randn, randn4x

F = np.float32
MAX_ULP = 5  # the bound of specs/triton.md, between our normals and the interpreter's
TYPES = [np.dtype(f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
seeds = edge_ints(64) | st.integers(-(2**63), -1)


def counter_of_offset(offset, dtype):
    """The counter of an offset: its bits, extended to 32 bits by its sign."""
    return offset % 2**64 if dtype.itemsize == 8 else offset % 2**32


def assert_near(ours, theirs):
    assert ours.dtype == theirs.dtype == np.float32
    assert np.max(np.abs(ours.astype(float) - theirs) / np.spacing(np.abs(theirs))) <= MAX_ULP


@each("triton")
def test_recorded_answers(case):
    """triton 1 to 7"""
    offsets = np.array([to_int(each) for each in case["offset"]], case["dtype"])
    seed = to_int(case["seed"])
    for name in ("randint", "randint4x", "rand", "rand4x"):
        values = np.stack(getattr(triton, name)(seed, offsets))
        assert values.view(np.uint32).ravel().tolist() == case[name], name
    for name in ("randn", "randn4x"):
        values = np.stack(getattr(triton, name)(seed, offsets)).ravel()
        assert_near(values, np.array(case[name], np.uint32).view(F))


@given(seeds, st.sampled_from(TYPES), st.data())
def test_words_are_blocks_of_the_offsets(seed, dtype, data):
    """triton 1 to 3"""
    limits = np.iinfo(dtype)
    some = st.integers(limits.min, limits.max) | st.sampled_from([limits.min, limits.max, 0, 1])
    offsets = data.draw(st.lists(some, max_size=9))
    expected = [oracle.block(counter_of_offset(offset, dtype), seed % 2**64) for offset in offsets]
    words = randint4x(seed, np.array(offsets, dtype))
    assert [list(row) for row in zip(*(lane.tolist() for lane in words))] == expected
    assert randint(seed, np.array(offsets, dtype)).tolist() == [block[0] for block in expected]


def uniform_of(word):
    number = word if word < 2**31 else 2**32 - 1 - word
    return F(number) * F(4.6566127342e-10)


def test_uniform_numbers():
    """triton 4 and 5"""
    offsets = np.arange(200, dtype=np.int32)
    words, numbers = randint4x(9, offsets), rand4x(9, offsets)
    for lane in range(4):
        assert numbers[lane].tolist() == [uniform_of(word) for word in words[lane].tolist()]
    assert rand(9, offsets).tolist() == numbers[0].tolist()
    edges = np.array([0, 2**31 - 1, 2**31, 2**32 - 1], np.uint32)
    highest = float(np.nextafter(F(1), F(0)))
    assert triton._uniform(edges).tolist() == [0.0, highest, highest, 0.0]


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


def refused(kind, message, *arguments):
    for function in (randint, randint4x, rand, rand4x, randn, randn4x):
        with pytest.raises(kind, match="^" + re.escape(message)):
            function(*arguments)


def test_refusals():
    """triton 8"""
    offsets = np.arange(3)
    refused(TypeError, "seed must be an integer; got 1.5 of type float. Pass an int.", 1.5, offsets)
    for seed in (2**64, -(2**63) - 1):
        refused(ValueError, f"seed must be in [-2**63, 2**64); got {seed}.", seed, offsets)
    remedy = "Pass numpy.arange(n, dtype=numpy.int32)."
    refused(TypeError, f"offset must be an array of integers; got an array of float64. {remedy}", 1, np.zeros(3))
    refused(TypeError, f"offset must be an array of integers; got an array of bool. {remedy}", 1, np.zeros(3, bool))
    refused(TypeError, f"offset must be an array of integers; got [1, 2]. {remedy}", 1, [1, 2])
    refused(TypeError, f"offset must be an array of integers; got 5. {remedy}", 1, 5)


# What to write instead of the statements of Triton's page


def test_offsets_of_all_programs():
    """triton 9: the blocks of the programs side by side, without those that the mask excludes"""
    programs = [rand(7, program * 4 + np.arange(4, dtype=np.int32)) for program in range(3)]
    assert rand(7, np.arange(10, dtype=np.int32)).tolist() == np.concatenate(programs)[:10].tolist()


def test_a_block_of_a_kernel_is_refused():
    """triton 10"""

    class Block:
        dtype, shape = "int32", (4,)

        def __repr__(self):
            return "a block"

    refused(TypeError, "offset must be an array of integers; got a block.", 1, Block())


def test_seeds_and_offsets():
    """triton 11 and 12"""
    offsets = np.arange(5)
    for seed in (np.int32(7), np.array(7)):
        assert rand(seed, offsets).tolist() == rand(7, offsets.astype(np.int32)).tolist()
    refused(TypeError, "seed must be an integer; got array([7]) of type ndarray.", np.array([7]), offsets)
    assert rand(7, np.int32(3)) == rand(7, offsets)[3]
    with pytest.raises(TypeError, match="unexpected keyword argument 'offsets'"):
        rand4x(7, offsets=offsets)


def test_names_that_are_not_here():
    """triton 13"""
    for function in (randint, randint4x, rand, rand4x, randn, randn4x):
        with pytest.raises(TypeError, match="unexpected keyword argument 'n_rounds'"):
            function(1, np.arange(3), n_rounds=10)
    assert not {"philox", "philox_impl", "pair_uniform_to_normal", "uint_to_uniform_float"} & set(dir(triton))


def test_results():
    """triton 14"""
    words = randint4x(1, np.arange(9))
    assert type(words) is tuple and len(words) == 4
    assert words[0].view(np.int32).tolist() == [(word + 2**31) % 2**32 - 2**31 for word in words[0].tolist()]
