"""The fill of words. `module` has the one that runs: philox_simd.py or, where its vector code does not work, philox.py.

The function fill_words of this module is compiled once, for the kernels of batch.py and bitgen.py. Those of fill.py and
groups.py inline that of `module`.
"""

import numpy as np
from numba import carray, int64, types, uint32, uint64

from . import philox
from .compiling import call_by_symbol, callback, choose
from .numpy_only import words as numpy_only

# Outputs of this size and larger are written with non-temporal stores, which bypass the caches. 32 MiB is the size of a
# large last-level cache.
NON_TEMPORAL_MIN_WORDS = 1 << 23
NON_TEMPORAL_MIN_ROW_WORDS = 1 << 16  # in shorter rows the fence after each row costs more than such stores gain


def fill_by(module):
    """The C function that runs `fill_words` of a module on the `size` words at address `out`."""
    fill_words = module.fill_words

    @callback(types.void(uint64, uint64, uint32, uint32, int64, types.voidptr, int64, uint32))
    def fill(low, high, k0, k1, offset, out, size, non_temporal):
        fill_words(low, high, k0, k1, offset, carray(out, size, np.uint32), non_temporal != 0)

    return fill


def checks(fill):
    """Words of a stream whose counter carries through three of its words: more than the vector code has in flight."""
    state = np.array([2**32 - 40, 2**32 - 1, 2**32 - 1, 0, 0x01234567, 0x89ABCDEF], np.uint32)
    c0, c1, c2, c3, k0, k1 = state.tolist()

    def compiled(out):
        fill.ctypes(c0 | c1 << 32, c2 | c3 << 32, k0, k1, 0, out.ctypes.data, out.size, 0)

    yield compiled, lambda out: numpy_only.fill_row(state, 0, out), (np.zeros(400, np.uint32),)


module, compiled_fill = choose("plain Philox", fill_by, f"{philox.__name__}_simd", philox, checks)
# fill_words(low, high, k0, k1, offset, address, size, non_temporal), for kernels.
fill_words = call_by_symbol("dmlrand_fill_words", compiled_fill)
