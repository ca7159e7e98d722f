"""Compare uniform float32 numbers with those of a state's words. Such a number holds 23 bits of its word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..state import StateLike, check_state
from . import compare, first_difference
from .origins import FOREIGN, Origins
from .report import Verification
from .segments import Runs

ONE_BITS = np.uint32(0x3F800000)
FRACTION_BITS = np.uint32(0x007FFFFF)


def verify_uniform(state: StateLike, bits: NDArray[np.uint32]) -> Verification:
    """As verify, for the bits of float32 numbers in [0, 1): distributions 3, word mod 2**23 steps of 2**-23.

    The 9 other bits of a word are lost, so no counter can be computed: a wrong number has the origin `None`, and no
    fault is named.
    """
    given = check_state(state)
    mismatches, first = 0, None
    runs = Runs(Origins(given))
    for position, words, got in compare(given, bits):
        expected = _uniform_bits(words)
        wrong = expected != got
        if first is None:
            first = first_difference(position, bits.shape, expected, got)
        mismatches += int(np.count_nonzero(wrong))
        runs.add(position, np.where(wrong, FOREIGN, 0))
    return Verification(first is None, bits.size, mismatches, first, (), runs.segments(bits.size))


def _uniform_bits(words: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return (((words & FRACTION_BITS) | ONE_BITS).view(np.float32) - np.float32(1)).view(np.uint32)
