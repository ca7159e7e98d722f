"""The kernel of cuRAND: blocks in its order. specs/curand.md has the rule. Its numbers are rules of rules.py.

Here the blocks are chosen: by vector code or by a plain loop, as words.py does for a contiguous run of words.
"""

import numpy as np

from ...kernels import philox
from ...kernels.compiling import choose, kernel
from ...kernels.philox import load
from . import numpy_only

CHECKED_BLOCKS = 100  # more blocks than the vector code has in flight


def curand_blocks_by(module):
    """The kernel of complete blocks: at the state's counter, then each one 2**64 further. Word 2 must not wrap."""
    fill_subsequences = module.fill_subsequences

    @kernel
    def curand_blocks(state, out):
        low, high, k0, k1 = load(state)
        fill_subsequences(low, high, k0, k1, out)

    return curand_blocks


def checks(curand_blocks):
    state = np.array([0x89ABCDEF, 0x01234567, 0xFFFFFF00, 0x76543210, 0x01234567, 0x89ABCDEF], np.uint32)
    yield curand_blocks, numpy_only.curand_blocks, (state, np.zeros(4 * CHECKED_BLOCKS, np.uint32))


_, curand_blocks = choose("plain subsequences", curand_blocks_by, f"{philox.__name__}_simd", philox, checks)
