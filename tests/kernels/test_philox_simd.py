"""The vector fill gives the words of the form in numpy, on this machine's instruction set and on lower ones."""

import platform
import re

import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st
from numba import njit
from strategies import counters, keys

from dmlrand.kernels import philox, philox_simd
from dmlrand.kernels.numpy_only.words import fill_row

GUARD = np.uint32(0xA5A5A5A5)


@njit(nogil=True)
def vector_fill(state, offset, out, non_temporal):
    low, high, k0, k1 = philox.load(state)
    philox_simd.fill_words(low, high, k0, k1, offset, out, non_temporal)


@njit(nogil=True)
def plain_fill(state, offset, out):
    low, high, k0, k1 = philox.load(state)
    philox.fill_words(low, high, k0, k1, offset, out)


def assert_same(counter, key, offset, n, shift=0, non_temporal=False):
    """The vector fill writes the words to out[shift:shift + n], and nothing else."""
    state = np.array(oracle.state_words(counter, key), np.uint32)
    ours, right = np.full(n + 24, GUARD), np.full(n + 24, GUARD)
    vector_fill(state, offset, ours[shift : shift + n], non_temporal)
    fill_row(state, offset, right[shift : shift + n])
    assert np.array_equal(ours, right), (counter, key, offset, n, shift)


def check_lengths_and_offsets():
    for n in range(601):
        for offset in range(5):
            assert_same(0x0123456789ABCDEF << n % 64, n, offset, n, shift=n % 5)


def check_carries():
    for boundary in (32, 64, 96, 128):
        for before in (*range(20), 31, 47, 48, 49, 95, 100):
            for n in (1, 3, 5, 32, 33, 64, 127, 193, 599):
                for offset in (0, 1, 3, 7):
                    assert_same((1 << boundary) - before & (1 << 128) - 1, 0x123456789ABCDEF, offset, n)


def check_non_temporal_stores():
    for shift in range(17):
        for offset in range(4):
            for n in (0, 1, 31, 64, 191, 192, 193, 207, 1000, 12345):
                assert_same((1 << 64) - 40 - shift, 99, offset, n, shift, non_temporal=True)


def test_all_lengths_and_lanes():
    """kernels 1"""
    check_lengths_and_offsets()
    assert philox_simd.GROUP_WORDS * philox_simd.GROUPS[512] < 600  # or the widest stride was never taken twice


def test_every_carry_at_every_place_of_a_vector():
    """operator 1.1"""
    check_carries()
    assert oracle.block(2**128 - 1, 7) != oracle.block(0, 7)  # or a lost carry would not show


def test_non_temporal_stores():
    """kernels 1"""
    check_non_temporal_stores()


@given(counter=counters, key=keys, offset=st.integers(0, 1 << 60), n=st.integers(0, 900), shift=st.integers(0, 20))
def test_any_state_and_place(counter, key, offset, n, shift):
    """kernels 1"""
    assert_same(counter, key, offset, n, shift)


@pytest.mark.costly
@given(counter=counters, key=keys, offset=st.integers(0, 9), n=st.integers(0, 70))
def test_the_plain_fill_gives_the_words_of_the_oracle(counter, key, offset, n):
    """kernels 1"""
    out = np.empty(n, np.uint32)
    plain_fill(np.array(oracle.state_words(counter, key), np.uint32), offset, out)
    assert out.tolist() == oracle.words(counter, key, offset, n)


def report():
    """Print the kind of the widest registers in which the vector fill multiplies."""
    (assembly,) = vector_fill.inspect_asm().values()
    print(max(re.findall(r"pmuludq\s.*%([xyz]mm)\d+", assembly), default="none"))


@pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="not x86-64: the names of its multiplies are unknown"
)
def test_it_multiplies_halves_in_the_widest_vectors(capsys):
    """kernels 1"""
    assert_same(0, 0, 0, 1)
    (assembly,) = vector_fill.inspect_asm().values()
    report()
    assert capsys.readouterr().out.strip() in ("xmm", "ymm", "zmm")
    assert re.search(r"v?movnt(ps|pd|dq)", assembly)
    # Multiplications of 64-bit elements are several times slower and give the same words: no other test would fail.
    assert not re.search(r"pmullq|pmulld", assembly)
