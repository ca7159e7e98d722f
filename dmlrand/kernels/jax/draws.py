"""What JAX draws from one key of the default kind, in one call: small calls can afford no more.

Words are made and read by turns, through a scratch that stays in a core's L1 cache, as in convert.py.
"""

import math

import numpy as np
from numba import float32, int32, njit, uint32

from ..compiling import kernel
from ..convert import SCRATCH_WORDS, named_after
from .keys import fill_bits as inline_bits
from .threefry import block
from .xla import SMALL32, TINY32, between, erfinv32, log32, within

LOST = np.uint32(9)  # bits of a word that a fraction leaves out
UNIT = np.float32(2.0**-23)
NEXT_TO_MINUS_1 = np.float32(2.0**-24 - 1)
ROOT2 = np.float32(math.sqrt(2))
ROOT = np.uint32(1 << 16)  # of 2**32
ZERO, ONE = np.uint32(0), np.uint32(1)


@njit
def fill_bits(key, first, out):
    """Compiled once for all that follows."""
    inline_bits(key[0], key[1], first, out)


def drawer(rule):
    """The function that fills `out` by rule(u, p), u uniform between two float32; p is for rules that need one.

    Made for each rule, as convert.converter.
    """

    @named_after(rule)
    def draw(key, low, high, p, out):
        width = high - low
        words = np.empty(min(SCRATCH_WORDS, out.size), np.uint32)
        for start in range(0, out.size, SCRATCH_WORDS):
            part = out[start : start + SCRATCH_WORDS]
            fill_bits((key[0], key[1]), start, words[: part.size])
            for i in range(part.size):
                part[i] = rule(between(words[i] >> LOST, UNIT, width, low), p)

    return draw


@njit(inline="always")
def itself(u, p):
    return u


@njit(inline="always")
def as_normal(u, p):
    return ROOT2 * erfinv32(u)


@njit(inline="always")
def as_gumbel(u, p):
    return -log32(-log32(u))  # log32 takes 0 for the least normal number, as is the rule here


@njit(inline="always")
def is_below(u, p):
    return u < p


draw_uniform, draw_normal, draw_gumbel, draw_bernoulli = map(drawer, (itself, as_normal, as_gumbel, is_below))


@kernel
def threefry_uniform(key, low, high, out):
    """jax.random.uniform; the bounds are rounded to float32 first.

    False, and nothing drawn, if a bound is so near zero that numbers can be subnormal.
    """
    bottom, top = float32(low), float32(high)
    if 0 < abs(bottom) < SMALL32 or 0 < abs(top) < SMALL32:
        return False
    draw_uniform(key, bottom, top, None, out)
    return True


@kernel
def threefry_normal(key, out):
    """jax.random.normal."""
    draw_normal(key, NEXT_TO_MINUS_1, float32(1), None, out)


@kernel
def threefry_gumbel(key, out):
    """jax.random.gumbel."""
    draw_gumbel(key, float32(0), float32(1), None, out)


@kernel
def threefry_bernoulli(key, p, out):
    """jax.random.bernoulli; p is rounded to float32 first, and counts as 0 if it is subnormal."""
    chance = float32(p)
    draw_bernoulli(key, float32(0), float32(1), chance if chance >= TINY32 else float32(0), out)


@kernel
def threefry_randint(key, low, span, out):
    """jax.random.randint of int32: low, plus less than span; span is in [1, 2**32]."""
    first, second = block(ZERO, ZERO, key[0], key[1]), block(ZERO, ONE, key[0], key[1])
    words = np.empty((2, min(SCRATCH_WORDS, out.size)), np.uint32)
    for start in range(0, out.size, SCRATCH_WORDS):
        part = out[start : start + SCRATCH_WORDS]
        high_words, low_words = words[0, : part.size], words[1, : part.size]
        fill_bits(first, start, high_words)
        fill_bits(second, start, low_words)
        for i in range(part.size):
            part[i] = int32(uint32(low) + within(high_words[i], low_words[i], uint32(span), ROOT, uint32))
