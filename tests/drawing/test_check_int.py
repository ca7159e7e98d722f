"""check_int: how errors write a range, and which values are not integers."""

import numpy as np
import pytest

from dmlrand.drawing.arguments import check_int


@pytest.mark.parametrize(
    "low, high, text",
    [
        (0, 4, "in [0, 4)"),
        (-8, 8, "in [-8, 8)"),
        (0, 1 << 64, "in [0, 2**64)"),
        (-(1 << 31), 1 << 31, "in [-2**31, 2**31)"),
        (-(1 << 63), 1 << 63, "in [-2**63, 2**63)"),
        (1 - (1 << 31), 1 << 16, "in [-2147483647, 2**16)"),
        (0, (1 << 62) + 1, "in [0, 2**62]"),
        (1 << 20, None, "at least 2**20"),
    ],
)
def test_both_ends_of_a_range_are_written_alike(low, high, text):
    """A power of two is written as one, of either sign."""
    with pytest.raises(ValueError) as raised:
        check_int(low - 1, "n", low, high)
    assert str(raised.value) == f"n must be {text}; got {low - 1}."


NO_INTS = [True, np.True_, np.array(True), 1.0, np.float32(1), 1j, "1", None, [1], (1, 2), np.array([1]), np.zeros(0)]


@pytest.mark.parametrize("value", NO_INTS, ids=repr)
def test_what_is_no_integer(value):
    """Tests of functions try one of these for each argument. Old releases of numpy treat their bool as an integer."""
    kind = type(value).__name__
    with pytest.raises(TypeError, match=rf"^n must be an integer; got .* of type {kind}\. Pass an int\.$"):
        check_int(value, "n")


@pytest.mark.parametrize("value", [7, np.int8(7), np.uint64(7), np.array(7)], ids=repr)
def test_what_is_an_integer(value):
    assert type(check_int(value, "n", 7, 8)) is int
