"""Threefry: the definition and the kernels in numpy against an oracle and recorded answers.

test_numpy_kernels.py compares the compiled kernels with these. The layouts of keys have JAX's recorded answers.
"""

import numpy as np
import pytest
import threefry_oracle as oracle
from hypothesis import given
from recorded import each
from strategies import keys

from dmlrand.compat import kernels, threefry


def halves(number):
    """The high and the low word of 64 bits, in the order of JAX's keys."""
    return number >> 32, number & 0xFFFFFFFF


@each("random123", op="threefry2x32")
def test_the_oracle_gives_the_answers_of_random123(case):
    assert oracle.block(case["counter"], case["key"], case["rounds"]) == case["result"]


@each("random123", op="threefry2x32", rounds=20)
def test_the_definition_gives_the_answers_of_random123(case):
    assert list(threefry.block(tuple(case["counter"]), tuple(case["key"]))) == case["result"]


@given(counter=keys, key=keys)
def test_the_definition_equals_the_oracle(counter, key):
    assert list(threefry.block(halves(counter), halves(key))) == oracle.block(halves(counter), halves(key))


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
