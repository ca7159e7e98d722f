"""The kernel that Python calls for words.

This module alone decides which `fill_words` runs: the vector code of philox_simd.py, or the plain loop of philox.py
where the vector code does not work (see compiling.choose).
"""

import numpy as np

from . import philox
from .compiling import choose, kernel
from .numpy_only import words as numpy_only
from .philox import advance, check_size, load

# Outputs of this size and larger are written with non-temporal stores, which bypass the caches. 32 MiB is the size of a
# large last-level cache.
NON_TEMPORAL_MIN_WORDS = 1 << 23
NON_TEMPORAL_MIN_ROW_WORDS = 1 << 16  # in shorter rows the fence after each row costs more than such stores gain
CHECKED_BLOCKS = 100  # more blocks than the vector code has in flight


def draw_by(module):
    """The kernel by which the self-check compares the vector code: it fills `out` with the first words of a state.

    It advances the state in place past the blocks used.
    """
    fill_words = module.fill_words

    def draw(state, out):
        check_size(state)
        low, high, k0, k1 = load(state)
        fill_words(low, high, k0, k1, 0, out)
        advance(state, (out.size + 3) // 4)

    return kernel(draw)


def checks(draw):
    """Words of a stream whose counter carries through three of its words."""
    state = np.array([2**32 - 40, 2**32 - 1, 2**32 - 1, 0, 0x01234567, 0x89ABCDEF], np.uint32)
    yield draw, numpy_only.draw, (state, np.zeros(4 * CHECKED_BLOCKS, np.uint32))


module, draw = choose("plain Philox", draw_by, f"{philox.__name__}_simd", philox, checks)
fill_words = module.fill_words
