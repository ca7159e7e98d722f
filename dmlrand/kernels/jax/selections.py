"""What JAX selects by one key of the default kind: as draws.py, in one call."""

import numpy as np
from numba import njit

from ..compiling import kernel
from .draws import ONE, ZERO, draw_gumbel, draw_uniform, fill_bits
from .threefry import block
from .xla import SMALL32

NONE, ALL = np.float32(0), np.float32(1)
SCAN = 16  # XLA's running sums go by blocks of so many


@njit
def order_few(values, out):
    """Where the values are, the least one first; equal ones stay in order. By insertion, the fastest for few."""
    for i in range(values.size):
        place = i
        while place > 0 and values[out[place - 1]] > values[i]:
            out[place] = out[place - 1]
            place -= 1
        out[place] = i


@kernel
def threefry_order(key, out):
    """jax.random.permutation of 0, 1, ..., for so few that JAX sorts them once."""
    words = np.empty(out.size, np.uint32)
    fill_bits(block(ZERO, ONE, key[0], key[1]), 0, words)
    order_few(words, out)


@kernel
def threefry_categorical(key, logits, out):
    """jax.random.categorical of float32 logits of one axis."""
    noise = np.empty((out.size, logits.size), np.float32)
    draw_gumbel(key, NONE, ALL, None, noise.reshape(-1))
    for i in range(out.size):
        out[i] = (noise[i] + logits).argmax()


@kernel
def threefry_weighted(key, weights, out):
    """jax.random.choice by float32 weights, SCAN**2 at most.

    False, and nothing drawn, if a weight is wrong, or if their sum is so small that products with it, or weights that
    matter beside it, can be subnormal.
    """
    sums = np.empty(weights.size, np.float32)
    total = NONE
    for start in range(0, weights.size, SCAN):
        within = NONE
        for i in range(start, min(start + SCAN, weights.size)):
            if not 0 <= weights[i] < np.inf:
                return False
            within += weights[i]
            sums[i] = total + within
        total += within
    if total < SMALL32:
        return False
    fractions = np.empty(out.size, np.float32)
    draw_uniform(key, NONE, ALL, None, fractions)
    for i in range(out.size):
        out[i] = np.searchsorted(sums, total * (ALL - fractions[i]))
    return True
