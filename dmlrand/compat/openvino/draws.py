"""The tensors of OpenVINO's RandomUniform, for both alignments and both implementations.

The rules are those of specs/openvino.md, sections 3 to 5. With alignment="pytorch" NumPy's RandomState supplies the
words: its stream is frozen, and RandomState(s) starts as MT19937's init_genrand(s) does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays.number_types import words_per_number
from ...arrays.tensor import Shape
from ...distributions import integers, uniform
from ...operator import random_generator
from ...state import State, advance_blocks, blocks_for
from .numbers import Array, Range, Words, mt19937_numbers, plugin_numbers, reference_bfloat16, reference_float16

RESERVED_BLOCKS = 256  # the counter moves by this for each block (in the plugin: for each value) that was used
PIECE_VALUES = 1 << 15  # made at a time, so that the temporary arrays fit in a core's cache; a multiple of 4

# The smallest nonzero fraction is 2**-10, so from this width on every product is at least 2**-15, and OpenVINO's
# rounding to float16 is right. Sums below 2**-15 are exact. The rule is then that of dmlrand.uniform.
CORRECT_FLOAT16_MIN_WIDTH = 2**-5


def draw_philox(state: State, sizes: Shape, kind: np.dtype[Any], bounds: Range, plugin: bool) -> tuple[Array, State]:
    """A tensor for alignment="tensorflow", and the state of the next call."""

    def read_with(read: Callable[[Words, np.dtype[Any], Range], Array]) -> Array:
        def make(start: int, count: int) -> Array:
            return read(random_generator(advance_blocks(state, start // 4), count).values, kind, bounds)

        return _filled(sizes, kind, make)

    if plugin:
        values = read_with(plugin_numbers)
        return values, advance_blocks(state, RESERVED_BLOCKS * values.size)
    if kind.name == "bfloat16":
        values = read_with(reference_bfloat16)
    elif kind == np.float16 and bounds.width < CORRECT_FLOAT16_MIN_WIDTH:
        values = read_with(reference_float16)
    else:
        draw = integers if kind.kind == "i" else uniform
        # Drawn flat, because OpenVINO's tensors may have more axes than DirectML's.
        values = draw(state, math.prod(sizes), bounds.low, bounds.high, kind).values.reshape(sizes)
    return values, advance_blocks(state, RESERVED_BLOCKS * blocks_for(values.size * words_per_number(kind)))


def draw_mt19937(seed: int, sizes: Shape, kind: np.dtype[Any], bounds: Range, plugin: bool) -> Array:
    """A tensor for alignment="pytorch". Only the low 32 bits of `seed` matter."""
    generator = np.random.RandomState(seed & 0xFFFFFFFF)

    def words(count: int) -> Words:
        return generator.randint(0, 1 << 32, count, dtype=np.uint32)

    return _filled(sizes, kind, lambda _, count: mt19937_numbers(words, count, kind, bounds, plugin))


def _filled(sizes: Shape, kind: np.dtype[Any], make: Callable[[int, int], Array]) -> Array:
    """A tensor of make(start, count) for consecutive pieces."""
    values = np.empty(sizes, kind)
    flat = values.reshape(-1)
    for start in range(0, flat.size, PIECE_VALUES):
        piece = flat[start : start + PIECE_VALUES]
        piece[...] = make(start, piece.size)
    return values
