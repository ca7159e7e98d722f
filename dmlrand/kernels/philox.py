"""Philox4x32-10 as plain numba loops: the block function, and a fill that the compiler vectorises.

The vector code of philox_simd.py is tested against this fill, and this fill replaces it where it cannot run. The
constants are those of dmlrand.philox. numba inlines the helpers (inline="always"): otherwise it would compile each one
to machine code of its own as well, which takes time.

numba widens integer results to 64 bits, so each expression that must stay a 32-bit word is cast as a whole. A missing
cast does not change the words, but the compiler then cannot vectorise the loop.
"""

import sys

import numpy as np
from numba import njit, uint32, uint64

from .. import philox

LOADED = sys._getframe().f_code  # kernels/sources.py compares it with the text of this file
M0, M1 = np.uint64(philox.M0), np.uint64(philox.M1)
W0, W1 = np.uint32(philox.W0), np.uint32(philox.W1)
ROUNDS = philox.ROUNDS
WORD_BITS = np.uint64(32)
ONE = np.uint64(1)


@njit(inline="always")
def block(c0, c1, c2, c3, k0, k1):
    """Map a counter (c0 lowest) and a key (k0 lowest) to lanes 0..3, all uint32. For use in your own njit code."""
    c0, c1, c2, c3, k0, k1 = uint32(c0), uint32(c1), uint32(c2), uint32(c3), uint32(k0), uint32(k1)
    for _ in range(ROUNDS):
        product0, product1 = uint64(M0 * uint64(c0)), uint64(M1 * uint64(c2))
        c0 = uint32(uint32(product1 >> WORD_BITS) ^ c1 ^ k0)
        c1 = uint32(product1)
        c2 = uint32(uint32(product0 >> WORD_BITS) ^ c3 ^ k1)
        c3 = uint32(product0)
        k0, k1 = uint32(k0 + W0), uint32(k1 + W1)
    return c0, c1, c2, c3


@njit(inline="always")
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


@njit(inline="always")
def split_counter(low, high):
    """The four words of a counter."""
    return uint32(low), uint32(low >> WORD_BITS), uint32(high), uint32(high >> WORD_BITS)


@njit(inline="always")
def advance(state, blocks):
    """Advance the counter of a state in place."""
    low, high, _, _ = load(state)
    low, high = add_blocks(low, high, uint64(blocks))
    state[0], state[1], state[2], state[3] = split_counter(low, high)


@njit(inline="always")
def fill_blocks(low, high, k0, k1, out):
    """Complete blocks from counter (low, high) on. The low half of the counter must not wrap before the last block."""
    for i in range(out.size // 4):
        position = uint64(low + uint64(i))
        w0, w1, w2, w3 = block(
            uint32(position), uint32(position >> WORD_BITS), uint32(high), uint32(high >> WORD_BITS), k0, k1
        )
        out[4 * i] = w0
        out[4 * i + 1] = w1
        out[4 * i + 2] = w2
        out[4 * i + 3] = w3


@njit(inline="always")
def fill_within_block(low, high, k0, k1, lane, out):
    """Up to 4 - lane words of one block, from lane number `lane` on."""
    words = block(uint32(low), uint32(low >> WORD_BITS), uint32(high), uint32(high >> WORD_BITS), k0, k1)
    for i in range(out.size):
        out[i] = words[lane + i]


@njit(inline="always")
def fill_row(low, high, k0, k1, offset, out, non_temporal=False):
    """Words offset, offset + 1, ... of the stream that starts at counter (low, high).

    `non_temporal` has no effect: it is an argument of philox_simd.fill_row.
    """
    low, high = add_blocks(low, high, uint64(offset >> 2))
    lane = offset & 3
    head = min((4 - lane) & 3, out.size)
    if head:
        fill_within_block(low, high, k0, k1, lane, out[:head])
        low, high = add_blocks(low, high, ONE)
    blocks = (out.size - head) // 4
    # The low half can wrap once in a call. The fill is split there, to keep the carry out of the inner loop.
    to_carry = uint64(uint64(0) - low)  # blocks before the wrap; 0 means 2**64, which no output reaches
    first = blocks
    if to_carry != 0 and to_carry < uint64(blocks):
        first = np.int64(to_carry)
    end = head + 4 * first
    fill_blocks(low, high, k0, k1, out[head:end])
    low, high = add_blocks(low, high, uint64(first))
    if first < blocks:
        fill_blocks(low, high, k0, k1, out[end : head + 4 * blocks])
        low, high = add_blocks(low, high, uint64(blocks - first))
    tail = head + 4 * blocks
    if tail < out.size:
        fill_within_block(low, high, k0, k1, 0, out[tail:])
