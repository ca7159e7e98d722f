"""The tensors of OpenVINO's RandomUniform, for both alignments and both implementations.

The rules are those of specs/openvino.md, sections 3 to 5. With alignment="pytorch" NumPy's RandomState supplies the
words: its stream is frozen, and RandomState(s) starts as MT19937's init_genrand(s) does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.number_types import words_per_number
from ...arrays.tensor import Shape
from ...distributions import integers, uniform
from ...operator import random_generator
from ...state import State, advance_blocks, blocks_for
from .. import subnormals
from .arguments import Range
from .numbers import (
    fractions,
    fused,
    modulo,
    nearest_bfloat16,
    openvino_bfloat16,
    openvino_float16,
    per_operation,
    stored_bfloat16,
)

Array = NDArray[Any]
Words = NDArray[np.uint32]

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


def reference_bfloat16(words: Words, kind: np.dtype[Any], bounds: Range) -> Array:
    products = openvino_bfloat16(fractions(words, 7) * bounds.width)
    return stored_bfloat16(openvino_bfloat16(products + bounds.low), kind)


def reference_float16(words: Words, kind: np.dtype[Any], bounds: Range) -> Array:
    products = openvino_float16(fractions(words, 10) * bounds.width)
    return openvino_float16(products.astype(np.float32) + bounds.low)


def plugin_numbers(words: Words, kind: np.dtype[Any], bounds: Range) -> Array:
    if kind.kind == "i":
        # The plugin holds the width as int32. It divides by a negative width with the quotient cut towards 0, which
        # gives the remainder of a division by the width's magnitude.
        width = bounds.width if bounds.width < 1 << 31 else (1 << 32) - bounds.width
        return modulo(words, width, bounds.low).view(np.int32)
    if kind.name == "bfloat16":
        values = fused(fractions(words, 7), bounds.width, bounds.low)
        if subnormals.possible(bounds.width, bounds.low):
            values = subnormals.flush(values)  # by the instruction that rounds to bfloat16, VCVTNEPS2BF16
        return stored_bfloat16(nearest_bfloat16(values), kind)
    return fused(fractions(words, 23), bounds.width, bounds.low)  # the plugin casts to f16 or f64 as its last step


def mt19937_numbers(
    words: Callable[[int], Words], count: int, kind: np.dtype[Any], bounds: Range, plugin: bool
) -> Array:
    """`count` numbers, of a type that the cast to `kind` rounds at most once."""
    low, high, width = bounds
    if kind.kind == "i":
        if kind.itemsize == 4 or plugin:
            if plugin and width >= 1 << 31:
                width -= 1 << 32  # the plugin holds it as int32 and rounds the quotient down, as NumPy's % does
            # int64 holds every intermediate number. The cast keeps the low 32 bits.
            return np.asarray(words(count).astype(np.int64) % width + low).astype(np.int32)
        numbers = words(count).astype(np.uint64) if high <= 0xFFFFFFFF else _pairs(words(2 * count))
        return (numbers % np.uint64(width) + np.uint64(low % (1 << 64))).view(np.int64)
    if kind.name == "bfloat16":
        return stored_bfloat16(openvino_bfloat16(per_operation(fractions(words(count), 8), width, low)), kind)
    if kind == np.float64 and not plugin:
        low_53_bits = _pairs(words(2 * count)) & np.uint64((1 << 53) - 1)
        return np.asarray(low_53_bits * np.float64(2**-53) * width + low)
    if kind == np.float16 and not plugin:
        return openvino_float16(per_operation(fractions(words(count), 11), width, low))
    return per_operation(fractions(words(count), 24), width, low)


def _pairs(words: Words) -> NDArray[np.uint64]:
    """2**32 * words[2*i] + words[2*i + 1]."""
    return words[0::2].astype(np.uint64) << np.uint64(32) | words[1::2]
