"""What JAX draws from one key of the default kind, as far as numpy's operations suffice: all but logarithms."""

import numpy as np

from .... import threefry
from ..words import CHUNK_WORDS
from .keys import fill_bits
from .xla import between, xla_randint

LOST = np.uint32(9)  # bits of a word that a fraction leaves out
UNIT = np.float32(2.0**-23)
TINY = np.finfo(np.float32).tiny  # a smaller number counts as zero
SMALL = np.float32(2.0**-60)  # bounds that are 0 or at least this large give no subnormal number


def draw(key, low, high, out, rule):
    """Fill `out` by rule(u), u uniform between two float32."""
    low, width = np.float32(low), np.float32(np.float32(high) - np.float32(low))
    words = np.empty(min(CHUNK_WORDS, out.size), np.uint32)
    for start in range(0, out.size, CHUNK_WORDS):
        part = out[start : start + CHUNK_WORDS]
        drawn = words[: part.size]
        fill_bits(key.tolist(), start, drawn)
        part[:] = rule(between(drawn >> LOST, UNIT, width, low))


def threefry_uniform(key, low, high, out):
    if any(0 < abs(np.float32(bound)) < SMALL for bound in (low, high)):
        return False
    draw(key, low, high, out, lambda u: u)
    return True


def threefry_bernoulli(key, p, out):
    chance = np.float32(p) if np.float32(p) >= TINY else np.float32(0)
    draw(key, 0, 1, out, lambda u: u < chance)


def threefry_randint(key, low, span, out):
    keys = [threefry.block((0, i), key.tolist()) for i in range(2)]
    span, start = np.array([span % (1 << 32)], np.uint32), np.array([low % (1 << 32)], np.uint32)
    words = np.empty((2, min(CHUNK_WORDS, out.size)), np.uint32)
    for first in range(0, out.size, CHUNK_WORDS):
        part = out[first : first + CHUNK_WORDS]
        drawn = words[:, : part.size]
        fill_bits(keys[0], first, drawn[0])
        fill_bits(keys[1], first, drawn[1])
        xla_randint(drawn[0], drawn[1], span, start, part.view(np.uint32))
