"""The Threefry kernels that Python calls.

`keys` holds the two words of each key, one key after the other. `out` holds one row for each key, all of one length.

This module is the only one that chooses between the vector code and the plain loops, as words.py does for Philox.
"""

import numpy as np
from numba import uint32

from ... import threefry as definition
from ..compiling import fallbacks, kernel, vector_code, works
from . import threefry
from .threefry import fill_bits as fill_bits, fill_pairs as fill_pairs

CHECKED_KEY = (0x01234567, 0x89ABCDEF)
CHECKED_BLOCKS = 100  # more than one step of the vector code makes

with vector_code("plain Threefry"):
    from .threefry_simd import fill_bits as fill_bits, fill_pairs as fill_pairs


@kernel
def threefry_bits(keys, first, out):
    """32-bit words of elements first, first + 1, ... for each key. `first` is a uint64, a multiple of 16."""
    rows = keys.size // 2
    for row in range(rows):
        size = out.size // rows
        fill_bits(keys[2 * row], keys[2 * row + 1], first, out[row * size : (row + 1) * size])


@kernel
def threefry_pairs(keys, first, out):
    """Both words of the blocks of elements first, first + 1, ... for each key. `first` is as in threefry_bits."""
    rows = keys.size // 2
    for row in range(rows):
        size = out.size // rows
        fill_pairs(keys[2 * row], keys[2 * row + 1], first, out[row * size : (row + 1) * size])


def _gives_right_words():
    """Whether both kernels above give the words of the definition."""
    pairs = [definition.block((0, i), CHECKED_KEY) for i in range(CHECKED_BLOCKS)]
    key = np.array(CHECKED_KEY, np.uint32)
    bits, both = np.zeros(CHECKED_BLOCKS, np.uint32), np.zeros(2 * CHECKED_BLOCKS, np.uint32)
    return works(threefry_bits, key, np.uint64(0), bits, expected=[x0 ^ x1 for x0, x1 in pairs]) and works(
        threefry_pairs, key, np.uint64(0), both, expected=[word for pair in pairs for word in pair]
    )


if fill_bits is not threefry.fill_bits and not _gives_right_words():
    fill_bits, fill_pairs = threefry.fill_bits, threefry.fill_pairs
    fallbacks.append("plain Threefry")
    threefry_bits, threefry_pairs = kernel(threefry_bits.py_func), kernel(threefry_pairs.py_func)


@kernel
def threefry_halves(keys, out):
    """A row in JAX's older layout for each key."""
    rows = keys.size // 2
    for row in range(rows):
        size = out.size // rows
        threefry.fill_halves(keys[2 * row], keys[2 * row + 1], out[row * size : (row + 1) * size])


@kernel
def threefry_fold(keys, data, out):
    """The block of counter (0, data[i]) for key i."""
    for i in range(data.size):
        out[2 * i], out[2 * i + 1] = threefry.block(uint32(0), data[i], keys[2 * i], keys[2 * i + 1])
