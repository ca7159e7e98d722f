"""Philox4x32-10 as plain numba loops: the block function, and a fill that the compiler vectorises.

This fill runs where the vector code of philox_simd.py does not work. The constants are those of dmlrand.philox.

Helpers that many kernels call are compiled once, and LLVM inlines them (forceinline). The others are inlined by numba
(inline="always"), which copies the caller at each call: faster to compile for a function that few kernels call, and
needed for `add_blocks`, without which loops that call it are no longer vectorised.

In `block`, words have 64 bits, of which only the low half counts: the high half is cleared before a multiplication and
at the end. With words of 32 bits, the vectorised loop moves words between elements of 32 and of 64 bits in each round,
and takes twice as long.
"""

import numpy as np
from numba import njit, uint32, uint64

from .. import philox

M0, M1 = np.uint64(philox.M0), np.uint64(philox.M1)
W0, W1 = np.uint64(philox.W0), np.uint64(philox.W1)
ROUNDS = philox.ROUNDS
WORD_BITS = np.uint64(32)
LOW_HALF = np.uint64(philox.MASK32)


@njit(forceinline=True)
def block(c0, c1, c2, c3, k0, k1, rounds=ROUNDS):
    """Map a counter (c0 lowest) and a key (k0 lowest) to lanes 0..3, all uint32. For use in your own njit code."""
    c0, c1, c2, c3, k0, k1 = uint64(c0), uint64(c1), uint64(c2), uint64(c3), uint64(k0), uint64(k1)
    for _ in range(rounds):
        product0, product1 = uint64(M0 * uint64(c0 & LOW_HALF)), uint64(M1 * uint64(c2 & LOW_HALF))
        c0, c1 = uint64(uint64(product1 >> WORD_BITS) ^ c1 ^ k0), product1
        c2, c3 = uint64(uint64(product0 >> WORD_BITS) ^ c3 ^ k1), product0
        k0, k1 = uint64(k0 + W0), uint64(k1 + W1)
    return uint32(c0), uint32(c1), uint32(c2), uint32(c3)


@njit(forceinline=True)
def block_at(low, high, k0, k1):
    """The words of the block at counter (low, high)."""
    return block(low, low >> WORD_BITS, high, high >> WORD_BITS, k0, k1)


@njit(forceinline=True)
def load(state):
    """The counter's low and high 64 bits and the two key words."""
    low = uint64(uint64(state[0]) | uint64(state[1]) << WORD_BITS)
    high = uint64(uint64(state[2]) | uint64(state[3]) << WORD_BITS)
    return low, high, state[4], state[5]


@njit(inline="always")
def add_blocks(low, high, blocks):
    """The 128-bit counter (low, high) plus up to 2**64 - 1 blocks, modulo 2**128."""
    total = uint64(low + blocks)
    return total, uint64(high + uint64(total < low))


@njit(forceinline=True)
def word_at(low, high, k0, k1, offset):
    """Word `offset` of the stream that starts at counter (low, high)."""
    low, high = add_blocks(low, high, uint64(offset >> 2))
    return block_at(low, high, k0, k1)[offset & 3]


@njit(forceinline=True)
def advance(state, blocks):
    """Advance the counter of a state in place."""
    low, high, _, _ = load(state)
    low, high = add_blocks(low, high, uint64(blocks))
    state[0], state[1] = uint32(low), uint32(low >> WORD_BITS)
    state[2], state[3] = uint32(high), uint32(high >> WORD_BITS)


@njit(inline="always")
def fill_subsequences(low, high, k0, k1, out):
    """A block of each subsequence in turn, from counter (low, high) on. Word 2 of the counter must not wrap.

    A subsequence is the 2**64 blocks that share words 2 and 3 of the counter. cuRAND gives one to each thread.
    """
    for i in range(out.size // 4):
        out[4 * i], out[4 * i + 1], out[4 * i + 2], out[4 * i + 3] = block_at(low, uint64(high + uint64(i)), k0, k1)


@njit(inline="always")
def fill_words(low, high, k0, k1, offset, out, non_temporal=False, bounds=()):
    """Words offset, offset + 1, ... of the stream that starts at counter (low, high).

    The last two arguments have no effect: they are those of philox_simd.fill_words.
    """
    head = min(-offset & 3, out.size)  # words before the first complete block
    tail = head + (out.size - head) // 4 * 4
    for i in range(head):
        out[i] = word_at(low, high, k0, k1, offset + i)
    blocks, first = out[head:tail], uint64((offset + head) >> 2)
    for i in range(blocks.size // 4):
        block_low, block_high = add_blocks(low, high, uint64(first + uint64(i)))
        blocks[4 * i], blocks[4 * i + 1], blocks[4 * i + 2], blocks[4 * i + 3] = block_at(block_low, block_high, k0, k1)
    for i in range(tail, out.size):
        out[i] = word_at(low, high, k0, k1, offset + i)
