"""Threefry: the definition and the kernels in numpy against an oracle and recorded answers.

test_numpy_kernels.py compares the compiled kernels with those in numpy.
"""

import numpy as np
import pytest
import threefry_oracle as oracle
from hypothesis import given, strategies as st
from recorded import each
from strategies import keys

from dmlrand.compat import kernels, threefry


def halves(number):
    """The high and the low word of 64 bits, in the order of JAX's keys."""
    return number >> 32, number & 0xFFFFFFFF


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
    kernels.threefry_fold.numpy(np.array(halves(key), np.uint32), data, out)
    assert out.tolist() == oracle.block((0, counter & 0xFFFFFFFF), halves(key))


# The fills

@pytest.mark.parametrize("first", [2**63 - 16, 2**63, 2**64 - 192, 2**64 - 16])
def test_elements_of_64_bits(first):
    """The numbers of elements wrap at 2**64."""
    for n in (1, 8, 16, 17, 400, 33_000):
        bits, pairs = np.empty(n, np.uint32), np.empty(2 * n, np.uint32)
        with np.errstate(all="raise"):
            kernels.threefry_bits.numpy(np.array([1, 2], np.uint32), np.uint64(first), bits)
            kernels.threefry_pairs.numpy(np.array([1, 2], np.uint32), np.uint64(first), pairs)
        for i in {*range(min(n, 400)), n - 1}:
            x0, x1 = oracle.at((first + i) % 2**64, (1, 2))
            assert (bits[i], *pairs[2 * i : 2 * i + 2]) == (x0 ^ x1, x0, x1)


@given(key=keys, n=st.integers(0, 80))
def test_the_older_layout_is_cut_in_halves(key, n):
    out = np.empty(n, np.uint32)
    kernels.threefry_halves.numpy(np.array(halves(key), np.uint32), out)
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
        kernel.numpy(every, *place, out.reshape(-1))
        for key, row in zip(rows, out):
            single = np.empty(size, np.uint32)
            kernel.numpy(np.array(halves(key), np.uint32), *place, single)
            assert row.tolist() == single.tolist()
