"""The kernel of cuRAND: blocks in its order. specs/curand.md has the rule. Its numbers are rules of rules.py.

This module alone chooses between the vector code and the plain loop of blocks, as words.py does for Philox.
"""

import sys

import numpy as np

from .. import philox as definition
from . import subsequences
from .compiling import fallbacks, kernel, vector_code, works
from .philox import load

CHECKED_BLOCKS = 100  # more blocks than the vector code has in flight

fill_blocks = subsequences.fill_blocks
if sys.byteorder == "little":  # the vector code stores words in this byte order
    with vector_code("plain subsequences"):
        from .subsequences_simd import fill_blocks


@kernel
def curand_blocks(state, out):
    """Complete blocks: at the state's counter, then each one 2**64 further. Word 2 of the counter must not wrap."""
    low, high, k0, k1 = load(state)
    fill_blocks(low, high, k0, k1, out)


def _fills_right_words():
    """Whether `curand_blocks` gives the words of the definition."""
    start = (0x89ABCDEF, 0x01234567, 0xFFFFFF00, 0x76543210)
    key = (0x01234567, 0x89ABCDEF)
    counters = [(*start[:2], start[2] + i, start[3]) for i in range(CHECKED_BLOCKS)]
    words = [word for counter in counters for word in definition.block(counter, key)]
    state = np.array([*start, *key], np.uint32)
    return works(curand_blocks, state, np.zeros(4 * CHECKED_BLOCKS, np.uint32), expected=words)


if fill_blocks is not subsequences.fill_blocks and not _fills_right_words():
    fill_blocks = subsequences.fill_blocks
    fallbacks.append("plain subsequences")
    curand_blocks = kernel(curand_blocks.py_func)
