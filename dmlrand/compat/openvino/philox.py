"""OpenVINO's RandomUniform with alignment="tensorflow": Philox words read as numbers, by either implementation.

The rules are those of specs/openvino.md, sections 3 and 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import subnormals
from ...arrays.number_types import words_per_number
from ...arrays.tensor import Shape
from ...distributions import integers, uniform
from ...operator import random_generator
from ...state import State, advance_blocks, blocks_for
from .bounds import Range
from .numbers import (
    fused,
    low_7_bits,
    low_10_bits,
    low_23_bits,
    modulo,
    nearest_bfloat16,
    openvino_bfloat16,
    openvino_float16,
    stored_bfloat16,
)

Array = NDArray[Any]

APART = 256  # the counter moves by this many blocks where one block, or in the plugin one element, was used
CHUNK = 1 << 15  # values at a time, so that the temporaries stay in a core's cache; a multiple of 4

# The least nonzero fraction is 2**-10, so from this width on no product is below 2**-15, where OpenVINO's rounding to
# float16 goes wrong; sums so small are exact. Then the rule is that of dmlrand.uniform.
SMALL = 2**-5


def draw(state: State, sizes: Shape, kind: np.dtype[Any], bounds: Range, plugin: bool) -> tuple[Array, State]:
    """A tensor of numbers within `bounds`, and the state of the next call."""
    if plugin:
        values = _in_chunks(state, sizes, kind, bounds, _of_plugin)
        return values, advance_blocks(state, APART * values.size)
    if kind.name == "bfloat16":
        values = _in_chunks(state, sizes, kind, bounds, _bfloat16_of_reference)
    elif kind == np.float16 and bounds.width < SMALL:
        values = _in_chunks(state, sizes, kind, bounds, _float16_of_reference)
    elif kind.kind == "i":
        values = integers(state, sizes, bounds.low, bounds.high, kind).values
    else:
        values = uniform(state, sizes, bounds.low, bounds.high, kind).values
    return values, advance_blocks(state, APART * blocks_for(values.size * words_per_number(kind)))


def _in_chunks(state: State, sizes: Shape, kind: np.dtype[Any], bounds: Range, read: Any) -> Array:
    """One word a value: read(words, kind, bounds) for all of them."""
    values = np.empty(sizes, kind)
    flat = values.reshape(-1)
    for start in range(0, flat.size, CHUNK):
        piece = flat[start : start + CHUNK]
        words = random_generator(advance_blocks(state, start // 4), piece.size).values
        piece[...] = read(words, kind, bounds)
    return values


def _bfloat16_of_reference(words: NDArray[np.uint32], kind: np.dtype[Any], bounds: Range) -> Array:
    products = openvino_bfloat16(low_7_bits(words) * bounds.width)
    return stored_bfloat16(openvino_bfloat16(products + bounds.low), kind)


def _float16_of_reference(words: NDArray[np.uint32], kind: np.dtype[Any], bounds: Range) -> Array:
    products = openvino_float16(low_10_bits(words) * bounds.width)
    return openvino_float16(products.astype(np.float32) + bounds.low)


def _of_plugin(words: NDArray[np.uint32], kind: np.dtype[Any], bounds: Range) -> Array:
    if kind.kind == "i":
        # The plugin holds the width as int32. Where that is negative it divides by it, the quotient cut towards 0,
        # which is to divide by its magnitude.
        width = bounds.width if bounds.width < 1 << 31 else (1 << 32) - bounds.width
        return modulo(words, width, bounds.low).view(np.int32)
    if kind.name == "bfloat16":
        values = fused(low_7_bits(words), bounds.width, bounds.low)
        if subnormals.possible(bounds.width, bounds.low):
            values = subnormals.flush(values)  # by the instruction that rounds to bfloat16, VCVTNEPS2BF16
        return stored_bfloat16(nearest_bfloat16(values), kind)
    return fused(low_23_bits(words), bounds.width, bounds.low)  # the cast to f16 or f64 is the plugin's last step
