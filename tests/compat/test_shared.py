"""compat/shared.py. tests/compat/openvino compares fma32 with exact fractions."""

import numpy as np
import pytest

from dmlrand.compat.shared import check_sizes, join_words, sizes_of

pytestmark = pytest.mark.both_kinds

WORDS = np.array([0, 1, 2**31, 2**32 - 1], np.uint32)


def test_join_words():
    joined = join_words(WORDS, WORDS[::-1])
    assert joined.dtype == np.uint64
    assert joined.tolist() == [low + 2**32 * high for low, high in zip(WORDS.tolist(), WORDS[::-1].tolist())]
    assert join_words(WORDS[0::2], WORDS[1::2]).tolist() == [2**32, 2**31 + 2**32 * (2**32 - 1)]


def test_sizes():
    assert check_sizes([3, np.int64(0)]) == (3, 0) and check_sizes(()) == ()
    assert sizes_of(5) == (5,) and sizes_of([2, 3]) == (2, 3) and sizes_of(()) == ()
    with pytest.raises(ValueError, match=r"^shape\[1\] must be at least 0; got -1."):
        check_sizes([3, -1])
    with pytest.raises(ValueError, match=r"^size\[0\] must be in \[0, 7\); got 7."):
        check_sizes([7], "size", 7)
    with pytest.raises(TypeError, match="^size must be an integer; got 1.5"):
        sizes_of(1.5, "size")
