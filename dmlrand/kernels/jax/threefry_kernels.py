"""The Threefry kernels that Python calls.

`keys` holds the two words of each key, one key after the other. `out` holds one row for each key, all of one length.

Here the vector code or the plain loops are chosen, as words.py does for Philox.
"""

import numpy as np
from numba import uint32

from ... import threefry as definition
from ..compiling import choose, kernel
from . import threefry

CHECKED_KEY = (0x01234567, 0x89ABCDEF)
CHECKED_BLOCKS = 100  # more than one step of the vector code makes


def bits_and_pairs_by(module):
    """The kernels of elements first, first + 1, ... for each key. `first` is a uint64, a multiple of 16."""
    fill_bits, fill_pairs = module.fill_bits, module.fill_pairs

    @kernel
    def threefry_bits(keys, first, out):
        """32-bit words."""
        rows = keys.size // 2
        for row in range(rows):
            size = out.size // rows
            fill_bits(keys[2 * row], keys[2 * row + 1], first, out[row * size : (row + 1) * size])

    @kernel
    def threefry_pairs(keys, first, out):
        """Both words of the blocks."""
        rows = keys.size // 2
        for row in range(rows):
            size = out.size // rows
            fill_pairs(keys[2 * row], keys[2 * row + 1], first, out[row * size : (row + 1) * size])

    return threefry_bits, threefry_pairs


def checks(kernels):
    """Blocks of both kernels."""
    pairs = [definition.block((0, i), CHECKED_KEY) for i in range(CHECKED_BLOCKS)]
    key = np.array(CHECKED_KEY, np.uint32)
    bits, both = np.zeros(CHECKED_BLOCKS, np.uint32), np.zeros(2 * CHECKED_BLOCKS, np.uint32)
    yield kernels[0], (key, np.uint64(0), bits), [x0 ^ x1 for x0, x1 in pairs]
    yield kernels[1], (key, np.uint64(0), both), [word for pair in pairs for word in pair]


_, (threefry_bits, threefry_pairs) = choose("plain Threefry", bits_and_pairs_by, "jax.threefry_simd", threefry, checks)


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
