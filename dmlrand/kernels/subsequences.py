"""Blocks of consecutive subsequences as a plain numba loop. A subsequence is the 2**64 blocks that share words 2 and 3.

cuRAND gives each thread a subsequence, so its output takes one block of each subsequence in turn.
"""

from numba import njit, uint32, uint64

from .philox import WORD_BITS, block


@njit(inline="always")
def fill_blocks(low, high, k0, k1, out):
    """Complete blocks from counter (low, high) on, each 2**64 after the last. Word 2 of the counter must not wrap."""
    for i in range(out.size // 4):
        subsequence = uint64(high + uint64(i))
        w0, w1, w2, w3 = block(
            uint32(low), uint32(low >> WORD_BITS), uint32(subsequence), uint32(subsequence >> WORD_BITS), k0, k1
        )
        out[4 * i] = w0
        out[4 * i + 1] = w1
        out[4 * i + 2] = w2
        out[4 * i + 3] = w3
