"""check_int: how errors write a range, and which values are not integers."""

import numpy as np
import pytest

from dmlrand.arrays.integers import check_int


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


@pytest.mark.parametrize("value", [True, np.True_, np.array(True)])
def test_booleans_are_no_integers(value):
    """Old releases of numpy treat their bool as an integer."""
    with pytest.raises(TypeError, match=r"^n must be an integer; got .*\. Pass an int\.$"):
        check_int(value, "n")
