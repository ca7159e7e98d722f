"""compat/shared.py. The tests of the systems show its other refusals."""

import re

import numpy as np
import pytest

from dmlrand.compat.shared import check_bounds, check_reals, join_words, read_sizes

pytestmark = pytest.mark.both_kinds

FLOAT16, FLOAT32 = np.dtype(np.float16), np.dtype(np.float32)
WORDS = np.array([0, 1, 2**31, 2**32 - 1], np.uint32)


def test_join_words():
    joined = join_words(WORDS, WORDS[::-1])
    assert joined.dtype == np.uint64
    assert joined.tolist() == [low + 2**32 * high for low, high in zip(WORDS.tolist(), WORDS[::-1].tolist())]
    assert join_words(WORDS[0::2], WORDS[1::2]).tolist() == [2**32, 2**31 + 2**32 * (2**32 - 1)]


def refused(kind, message):
    return pytest.raises(kind, match=f"^{re.escape(message)}$")


def test_sizes():
    for shape in ([3, np.int64(0)], (3, 0), np.array([3, 0], np.uint8)):
        assert read_sizes(shape) == (3, 0)
    assert read_sizes(5) == (5,) and read_sizes(()) == ()
    with refused(ValueError, "shape[1] must be at least 0; got -1."):
        read_sizes([3, -1])
    with refused(ValueError, "size[0] must be in [0, 7); got 7."):
        read_sizes([7], "size", end=7)
    for wrong in (1.5, np.ones((2, 2), int), "3"):
        with pytest.raises(TypeError, match="^size must be an integer; got "):
            read_sizes(wrong, "size")
    with refused(TypeError, "shape must be a sequence of ints; got 3. Write [3] for three values, [] for one."):
        read_sizes(3, takes_int=False)


def test_bounds():
    check_bounds(0, 2**64 - 1, low=0, high=2**64 - 1)
    check_bounds(np.float32([0, 1]), np.float32(2), low=[0, 1], high=2)
    with refused(ValueError, "low must be below high; got low 5 and high 5."):
        check_bounds(5, 5, low=5, high=5)
    with refused(ValueError, "minval must be below maxval in float32; got minval [0, 3] and maxval 2."):
        check_bounds(np.float32([0, 3]), np.float32(2), np.dtype("f4"), minval=[0, 3], maxval=2)
    with refused(ValueError, "b - a must be finite in float16; got a -60000 and b 60000."):
        check_bounds(np.float16(-60000), np.float16(60000), "float16", a=-60000, b=60000)


def test_real_parameters_keep_the_type_that_numpy_gives_them():
    for value, kind in ((1, np.dtype(int)), (1.5, "float64"), ([1, 2.5], "float64"), (np.float32(1), "float32")):
        assert check_reals(value, "mean").dtype == kind
    assert check_reals(True, "mean", kinds="biuf").dtype == bool
    assert check_reals(2**70, "mean") == 2.0**70 and check_reals(10**400, "mean") == np.inf
