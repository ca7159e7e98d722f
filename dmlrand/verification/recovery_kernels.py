"""The loops of recover over all keys of a range, compiled. Each marks 256 keys at a time, so that it is vectorised."""

import numpy as np
from numba import njit, uint32, uint64

from ..compat.kernels import threefry
from ..kernels.compiling import kernel
from ..kernels.philox import block
from ..philox import M0, M1, ROUNDS, W0, W1

CHUNK = 256
INVERSE_M0, INVERSE_M1 = np.uint32(pow(M0, -1, 1 << 32)), np.uint32(pow(M1, -1, 1 << 32))
FULL_M0, FULL_M1 = np.uint64(M0), np.uint64(M1)
STEP_0, STEP_1 = np.uint32(W0), np.uint32(W1)
LAST_0, LAST_1 = np.uint32((ROUNDS - 1) * W0 % (1 << 32)), np.uint32((ROUNDS - 1) * W1 % (1 << 32))
BITS = np.uint64(32)


@njit(inline="always")
def undo(w0, w1, w2, w3, k0, k1):
    """Counter words 0 and 2 of the block of these words."""
    k0, k1 = uint32(k0 + LAST_0), uint32(k1 + LAST_1)
    for _ in range(ROUNDS):
        c0, c2 = uint32(w3 * INVERSE_M0), uint32(w1 * INVERSE_M1)
        w1 = uint32(w0 ^ uint32(uint64(c2) * FULL_M1 >> BITS) ^ k0)
        w3 = uint32(w2 ^ uint32(uint64(c0) * FULL_M0 >> BITS) ^ k1)
        w0, w2 = c0, c2
        k0, k1 = uint32(k0 - STEP_0), uint32(k1 - STEP_1)
    return w0, w2


@njit
def collect(hits, base, stop, out, found):
    """Append the marked keys of the chunk that begins at key `base` to `out`; return how many it then holds."""
    for i in range(CHUNK):
        if hits[i] and base + i < stop and found < out.size:
            out[found] = base + i
            found += 1
    return found


@njit(inline="always")
def scan(fits, known, k1, start, stop, out):
    """Write the keys from `start` to before `stop` for which fits(known, k0, k1) to `out`; return how many."""
    found = 0
    hits = np.empty(CHUNK, np.uint8)
    for base in range(start, stop, CHUNK):
        any_hit = np.uint8(0)
        for i in range(CHUNK):
            hits[i] = fits(known, uint32(base + i), k1)
            any_hit |= hits[i]
        if any_hit:
            found = collect(hits, base, stop, out, found)
    return found


@njit(inline="always")
def has_counter_word(known, k0, k1):
    w0, w1, w2, w3, wanted = known
    _, c2 = undo(w0, w1, w2, w3, k0, k1)
    return c2 == wanted


@njit(inline="always")
def are_neighbours(known, k0, k1):
    w0, w1, w2, w3, w4, w5, w6, w7 = known
    first, _ = undo(w0, w1, w2, w3, k0, k1)
    second, _ = undo(w4, w5, w6, w7, k0, k1)
    return uint32(second - first) == uint32(1)


@njit(inline="always")
def gives_bits(known, k0, k1):
    counter, masks, targets = known
    a, b, c, d = block(counter[0], counter[1], counter[2], counter[3], k0, k1)
    differ = (a ^ targets[0]) & masks[0] | (b ^ targets[1]) & masks[1]
    differ |= (c ^ targets[2]) & masks[2] | (d ^ targets[3]) & masks[3]
    return uint32(differ) == uint32(0)


@njit(inline="always")
def gives_bits_of_pair(known, k0, k1):
    scrambling, masks, targets = known
    s0, s1, c2, c3 = block(k0, k1, scrambling[0], scrambling[1], scrambling[2], scrambling[3])
    return gives_bits(((uint32(0), uint32(0), c2, c3), masks, targets), s0, s1)


@njit(inline="always")
def gives_jax_bits(known, k0, k1):
    mask, target, child = known
    seed0, seed1 = uint32(k1), uint32(k0)  # the upper word of a seed comes first
    if child >= 0:
        seed0, seed1 = threefry.block(uint32(0), uint32(child), seed0, seed1)
    x0, x1 = threefry.block(uint32(0), uint32(0), seed0, seed1)
    return uint32(uint32(x0 ^ x1) ^ target) & mask == uint32(0)


@kernel
def scan_words(words, wanted, in_sequence, k1, start, stop, out):
    """Keys of which words 0 to 3 have counter word 2 == `wanted`, or words 4 to 7 the next counter."""
    w0, w1, w2, w3 = words[0], words[1], words[2], words[3]
    if in_sequence:
        return scan(are_neighbours, (w0, w1, w2, w3, words[4], words[5], words[6], words[7]), k1, start, stop, out)
    return scan(has_counter_word, (w0, w1, w2, w3, wanted), k1, start, stop, out)


@kernel
def scan_blocks(counter, masks, targets, k1, start, stop, out):
    """Keys whose block of this counter has the bits `targets` under `masks` in its four words."""
    return scan(gives_bits, (counter, masks, targets), k1, start, stop, out)


@kernel
def scan_pairs(scrambling, masks, targets, k1, start, stop, out):
    """First numbers of TensorFlow's seed pairs whose first block has these bits.

    `scrambling` is the second number and the key by which pairs are scrambled, two words each.
    """
    return scan(gives_bits_of_pair, (scrambling, masks, targets), k1, start, stop, out)


@kernel
def scan_jax(mask, target, child, k1, start, stop, out):
    """Seeds whose first word of jax.random.bits has these bits; `child` is -1, or a number that is folded in first."""
    return scan(gives_jax_bits, (mask, target, child), k1, start, stop, out)
