"""bernoulli: bools with an exact threshold. specs/distributions.md, section 7."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numbers_at import state_before

from dmlrand import bernoulli

pytestmark = pytest.mark.both_kinds


def threshold(p):
    """round(p * 2**32), ties to even, as an exact fraction is rounded."""
    return round(Fraction(p) * 2**32)


@pytest.mark.parametrize(
    "p, below",
    [
        (2.0**-32, 1), (2.0**-33, 0), (math.nextafter(2.0**-33, 1), 1), (3 * 2.0**-33, 2), (0.5, 2**31),
        (1 - 2.0**-32, 2**32 - 1), (math.nextafter(1 - 2.0**-33, 0), 2**32 - 1), (1 - 2.0**-33, 2**32),
        (0, 0), (1, 2**32), (0.1, 429496730), (np.float32(0.1), 429496736), (Fraction(1, 3), 1431655765),
    ],
)  # fmt: skip
def test_which_words_are_true(p, below):
    """distributions 7.1 to 7.3: the words next to the threshold, and those at both ends."""
    assert threshold(Fraction(float(p))) == below
    words = [0, max(below - 1, 0), min(below, 2**32 - 1), 2**32 - 1]
    assert bernoulli(state_before(words), 4, p).values.tolist() == [word < below for word in words]
