"""Threefry: the definition, the plain loops and the vector code against an oracle and recorded answers."""

import platform
import re

import numpy as np
import pytest
import threefry_oracle as oracle
from hypothesis import given, strategies as st
from numba import njit
from recorded import each
from strategies import keys

from dmlrand.compat import kernels, threefry
from dmlrand.compat.kernels import threefry as plain, threefry_simd as simd
from dmlrand.kernels import philox_simd

GUARD = np.uint32(0xA5A5A5A5)


def halves(number):
    """The high and the low word of 64 bits, in the order of JAX's keys."""
    return number >> 32, number & 0xFFFFFFFF


@njit(nogil=True)
def vector_bits(k0, k1, first, out):
    simd.fill_bits(k0, k1, first, out)


@njit(nogil=True)
def plain_bits(k0, k1, first, out):
    plain.fill_bits(k0, k1, first, out)


@njit(nogil=True)
def vector_pairs(k0, k1, first, out):
    simd.fill_pairs(k0, k1, first, out)


@njit(nogil=True)
def plain_pairs(k0, k1, first, out):
    plain.fill_pairs(k0, k1, first, out)


# The block


@each("random123", op="threefry2x32")
def test_the_oracle_gives_the_answers_of_random123(case):
    assert oracle.block(case["counter"], case["key"], case["rounds"]) == case["result"]


@each("random123", op="threefry2x32", rounds=20)
def test_the_definition_gives_the_answers_of_random123(case):
    assert list(threefry.block(tuple(case["counter"]), tuple(case["key"]))) == case["result"]


@given(counter=keys, key=keys)
def test_definition_and_kernel_equal_the_oracle(counter, key):
    expected = oracle.block(halves(counter), halves(key))
    assert list(threefry.block(halves(counter), halves(key))) == expected
    out = np.empty(2, np.uint32)
    data = np.array([counter & 0xFFFFFFFF], np.uint32)
    kernels.threefry_fold(np.array(halves(key), np.uint32), data, out)
    assert out.tolist() == oracle.block((0, counter & 0xFFFFFFFF), halves(key))


# The fills

# The compiled kernels have default tests below, and in test_numpy_kernels.py.
compiles_four_kernels = pytest.mark.costly  # 4 s


@pytest.mark.costly
@given(key=keys, n=st.integers(0, 70), first=st.integers(0, 2**58).map(lambda group: 16 * group))
def test_the_plain_loops_equal_the_oracle(key, n, first):
    words, pairs = np.empty(n, np.uint32), np.empty(2 * n, np.uint32)
    plain_bits(*np.array(halves(key), np.uint32), first, words)
    plain_pairs(*np.array(halves(key), np.uint32), first, pairs)
    expected = [oracle.at(first + i, halves(key)) for i in range(n)]
    assert words.tolist() == [x0 ^ x1 for x0, x1 in expected]
    assert pairs.tolist() == sum(expected, [])


def assert_same(key, first, n, shift=0):
    """Vector code and plain loops write the same words at out[shift:], and no other words."""
    key = np.array(halves(key), np.uint32)
    for ours, theirs, size in ((vector_bits, plain_bits, n), (vector_pairs, plain_pairs, 2 * n)):
        out, expected = np.full(size + 24, GUARD), np.full(size + 24, GUARD)
        ours(*key, first, out[shift : shift + size])
        theirs(*key, first, expected[shift : shift + size])
        assert np.array_equal(out, expected), (key, first, n, shift)


def check_lengths():
    for n in range(400):
        assert_same(0x0123456789ABCDEF << n % 8, 0, n, shift=n % 5)


def check_wraps_of_the_low_word():
    for boundary in (1 << 32, 1 << 33, 1 << 62):
        for groups in range(15):
            for n in (1, 16, 97, 400):
                assert_same(0x123456789ABCDEF, boundary - 16 * groups, n)


@compiles_four_kernels
def test_all_lengths():
    check_lengths()
    assert simd.GROUP * max(philox_simd.GROUPS.values()) < 200  # else no length above takes two of the longest steps


@compiles_four_kernels
def test_counters_carry_into_the_high_word():
    check_wraps_of_the_low_word()
    assert oracle.at(2**32 + 5, (1, 2)) != oracle.at(5, (1, 2))


@compiles_four_kernels
@given(key=keys, first=st.integers(0, 2**58).map(lambda group: 16 * group), n=st.integers(0, 600))
def test_fills_from_any_element(key, first, n):
    assert_same(key, first, n)


@pytest.mark.parametrize("first", [2**63 - 16, 2**63, 2**64 - 192, 2**64 - 16])
@pytest.mark.parametrize("form", ["numpy", "compiled"])
def test_elements_of_64_bits(form, first):
    """The numbers of elements wrap at 2**64."""

    def threefry(name):
        return getattr(getattr(kernels, name), form)

    for n in (1, 8, 16, 17, 400, 33_000):
        bits, pairs = np.empty(n, np.uint32), np.empty(2 * n, np.uint32)
        with np.errstate(all="raise"):
            threefry("threefry_bits")(np.array([1, 2], np.uint32), np.uint64(first), bits)
            threefry("threefry_pairs")(np.array([1, 2], np.uint32), np.uint64(first), pairs)
        for i in {*range(min(n, 400)), n - 1}:
            x0, x1 = oracle.at((first + i) % 2**64, (1, 2))
            assert (bits[i], *pairs[2 * i : 2 * i + 2]) == (x0 ^ x1, x0, x1)


@given(key=keys, n=st.integers(0, 80))
def test_the_older_layout_is_cut_in_halves(key, n):
    out = np.empty(n, np.uint32)
    kernels.threefry_halves(np.array(halves(key), np.uint32), out)
    half = (n + 1) // 2
    counters = [*range(n), 0][: 2 * half]
    blocks = [oracle.block((counters[i], counters[half + i]), halves(key)) for i in range(half)]
    assert out.tolist() == ([x0 for x0, _ in blocks] + [x1 for _, x1 in blocks])[:n]


@given(rows=st.lists(keys, max_size=4), n=st.integers(0, 150))
def test_each_key_has_its_row(rows, n):
    every = np.array([halves(key) for key in rows], np.uint32).reshape(-1)
    for kernel, place, size in (
        (kernels.threefry_bits, (np.uint64(48),), n),
        (kernels.threefry_pairs, (np.uint64(48),), 2 * n),
        (kernels.threefry_halves, (), n),
    ):
        out = np.empty((len(rows), size), np.uint32)
        kernel(every, *place, out.reshape(-1))
        for key, row in zip(rows, out):
            single = np.empty(size, np.uint32)
            kernel(np.array(halves(key), np.uint32), *place, single)
            assert row.tolist() == single.tolist()


# The instruction sets

X86 = platform.machine().lower() in ("x86_64", "amd64")


def report():
    """Print the widest registers in which the vector code adds."""
    (assembly,) = vector_bits.inspect_asm().values()
    print(max(re.findall(r"paddd\s.*%([xyz]mm)\d+", assembly), default="none"))


@compiles_four_kernels
@pytest.mark.skipif(not X86, reason="not x86-64: the names of its rotations are unknown")
def test_words_are_rotated_in_one_step_where_the_processor_can():
    assert_same(0, 0, 1)
    (assembly,) = vector_bits.inspect_asm().values()
    if "zmm" in assembly:  # AVX-512
        assert len(re.findall(r"vprold\s.*%zmm", assembly)) >= 20
    else:
        assert len(re.findall(r"pslld\s.*%[xy]mm", assembly)) >= 20
