"""compat/shared.py. tests/compat/openvino compares fma32 with exact fractions."""

import math

import numpy as np
import pytest

from dmlrand.compat.shared import check_sizes, join_words, normal_pairs, sizes_of

pytestmark = pytest.mark.both_kinds

WORDS = np.array([0, 1, 2**31, 2**32 - 1], np.uint32)


def test_join_words():
    joined = join_words(WORDS, WORDS[::-1])
    assert joined.dtype == np.uint64
    assert joined.tolist() == [low + 2**32 * high for low, high in zip(WORDS.tolist(), WORDS[::-1].tolist())]
    assert join_words(WORDS[0::2], WORDS[1::2]).tolist() == [2**32, 2**31 + 2**32 * (2**32 - 1)]


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_normal_pairs(kind):
    u, angles = np.array([[1e-7, 0.3, 1]], kind), np.array([[0, 2.5, 6]], kind)
    sines, cosines = normal_pairs(u, angles)
    assert sines.dtype == cosines.dtype == np.float64 and sines.shape == cosines.shape == (1, 3)
    for i, (each, angle) in enumerate(zip(u[0].tolist(), angles[0].tolist())):
        radius = math.sqrt(-2 * math.log(each))
        assert sines[0, i] == pytest.approx(radius * math.sin(angle), rel=1e-14)
        assert cosines[0, i] == pytest.approx(radius * math.cos(angle), rel=1e-14)


def test_sizes():
    assert check_sizes([3, np.int64(0)]) == (3, 0) and check_sizes(()) == ()
    assert sizes_of(5) == (5,) and sizes_of([2, 3]) == (2, 3) and sizes_of(()) == ()
    with pytest.raises(ValueError, match=r"^shape\[1\] must be at least 0; got -1."):
        check_sizes([3, -1])
    with pytest.raises(ValueError, match=r"^size\[0\] must be in \[0, 7\); got 7."):
        check_sizes([7], "size", 7)
    with pytest.raises(TypeError, match="^size must be an integer; got 1.5"):
        sizes_of(1.5, "size")
