"""The vector code for blocks of consecutive subsequences gives the blocks of the plain loop, which are the oracle's."""

import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st
from numba import njit
from strategies import counters, keys

from dmlrand.kernels import philox, philox_simd

pytestmark = pytest.mark.costly  # by default test_numpy_kernels.py compares the blocks of curand_blocks

GUARD = np.uint32(0xA5A5A5A5)
LAST = (1 << 32) - 1


@njit(nogil=True)
def vector_fill(state, out):
    low, high, k0, k1 = philox.load(state)
    philox_simd.fill_subsequences(low, high, k0, k1, out)


@njit(nogil=True)
def plain_fill(state, out):
    low, high, k0, k1 = philox.load(state)
    philox.fill_subsequences(low, high, k0, k1, out)


def assert_same(counter, key, blocks, shift=0):
    """Both fills write the same blocks to out[shift:], and nothing else."""
    state = np.array(oracle.state_words(counter, key), np.uint32)
    vector, plain = np.full(4 * blocks + 24, GUARD), np.full(4 * blocks + 24, GUARD)
    for fill, out in ((vector_fill, vector), (plain_fill, plain)):
        fill(state, out[shift : shift + 4 * blocks])
    assert np.array_equal(vector, plain), (counter, key, blocks, shift)


def without_wrap(counter, blocks):
    """The counter with word 2 so low that `blocks` subsequences do not wrap it."""
    word = counter >> 64 & LAST
    return counter - ((word - min(word, LAST + 1 - blocks)) << 64)


def check_lengths():
    for blocks in range(150):
        assert_same(0x0123456789ABCDEF0123456789ABCDEF, 0x123456789ABCDEF, blocks, shift=blocks % 5)
        assert_same(without_wrap((1 << 128) - 1, blocks or 1), blocks, blocks)


def test_all_lengths():
    """kernels 1"""
    check_lengths()
    assert 3 * philox_simd.GROUP * philox_simd.GROUPS[512] < 150  # or the widest step was taken fewer than three times


@given(counter=counters, key=keys, blocks=st.integers(1, 9))
def test_the_plain_fill_gives_the_blocks_of_the_oracle(counter, key, blocks):
    """kernels 1"""
    counter = without_wrap(counter, blocks)
    out = np.empty(4 * blocks, np.uint32)
    plain_fill(np.array(oracle.state_words(counter, key), np.uint32), out)
    assert out.reshape(-1, 4).tolist() == [oracle.block(counter + (i << 64), key) for i in range(blocks)]
