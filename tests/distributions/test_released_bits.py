"""The bits of numbers that stay through a release line, on every instruction set. specs/distributions.md, 5.8"""

from hashlib import sha256

import numpy as np
import pytest

from dmlrand import exponential, normal, uniform
from dmlrand.compat.tensorflow.numbers import standard_normals

pytestmark = pytest.mark.both_kinds

RELEASED = "b552187df85ec535 ce75803eed22041d 65fdee094e36deeb 026a3526259ce322 442711e86328bb68 6069e6a9aa190f97"
EXPONENTIAL = "474b1b7d03e42cac 343a7619ad9f8131 ee327ec4db56dfaa"


def some_numbers():
    """Normals of float32 and float64, uniforms of float32, float64 and float16, then normals of float16."""
    words = np.arange(2_000_004, dtype=np.uint32) * np.uint32(2654435761)
    state, count = [5, 0, 0, 0, 42, 0], 10**6 + 1
    made = [
        uniform(state, count, low=-0.3, high=1.7, dtype=name).values for name in (np.float32, np.float64, np.float16)
    ]
    wide = normal(state, count, mean=1e3, stddev=2e4, dtype=np.float16).values  # some are infinite
    return [standard_normals(words), standard_normals(words, np.float64), *made, wide]


def digests(arrays):
    little = [values.astype(values.dtype.newbyteorder("<")) for values in arrays]
    return [sha256(values.tobytes()).hexdigest()[:16] for values in little]


def digest():
    """Print a digest of each on this instruction set: tests/kernels/test_instruction_sets.py compares them."""
    print(*digests(some_numbers()))


def test_the_bits_are_those_of_this_release_line():
    """distributions 5.8 and 8.4; promises 1 and 2"""
    assert digests(some_numbers()) == RELEASED.split()
    state = [2**32 - 5, 2**32 - 1, 0, 0, 42, 0]
    draws = [exponential(state, 100_001, scale=0.3, dtype=dtype).values for dtype in ("f2", "f4", "f8")]
    assert digests(draws) == EXPONENTIAL.split()
