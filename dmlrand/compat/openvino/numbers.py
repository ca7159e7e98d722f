"""OpenVINO's arithmetic: words as numbers of a range, with OpenVINO's own roundings.

Every function takes flat arrays and scalars of the types it names. The rules are those of specs/openvino.md, sections
3 to 5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import subnormals
from ..shared import fma32, join_words

Array = NDArray[Any]
Words = NDArray[np.uint32]
Floats = NDArray[np.float32]


class Range(NamedTuple):
    """Bounds and width: ints for integer types, else scalars of the float type that an implementation computes in."""

    low: Any
    high: Any
    width: Any


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
        return (words % np.uint32(width) + np.uint32(bounds.low % (1 << 32))).view(np.int32)
    if kind.name == "bfloat16":
        values = fma32(fractions(words, 7), bounds.width, bounds.low)
        if subnormals.possible(bounds.width, bounds.low):
            values = subnormals.flush(values)  # by the instruction that rounds to bfloat16, VCVTNEPS2BF16
        return stored_bfloat16(nearest_bfloat16(values), kind)
    return fma32(fractions(words, 23), bounds.width, bounds.low)  # the plugin casts to f16 or f64 as its last step


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
        numbers = words(count).astype(np.uint64) if high <= 0xFFFFFFFF else _pairs(words, count)
        return (numbers % np.uint64(width) + np.uint64(low % (1 << 64))).view(np.int64)
    if kind.name == "bfloat16":
        return stored_bfloat16(openvino_bfloat16(fractions(words(count), 8) * width + low), kind)
    if kind == np.float64 and not plugin:
        low_53_bits = _pairs(words, count) & np.uint64((1 << 53) - 1)
        return np.asarray(low_53_bits * np.float64(2**-53) * width + low)
    if kind == np.float16 and not plugin:
        return openvino_float16(fractions(words(count), 11) * width + low)
    return np.asarray(fractions(words(count), 24) * width + low)


def _pairs(words: Callable[[int], Words], count: int) -> NDArray[np.uint64]:
    """`count` numbers of 64 bits, each of two words, the first one high."""
    drawn = words(2 * count)
    return join_words(drawn[1::2], drawn[0::2])


def fractions(words: Words, bits: int) -> Floats:
    """k / 2**bits for the low `bits` bits k of each word, as float32. Exact up to 24 bits."""
    return (words & np.uint32((1 << bits) - 1)).astype(np.float32) * np.float32(0.5**bits)


def openvino_float16(values: Floats) -> NDArray[np.float16]:
    """float32 rounded to float16 as OpenVINO's own class does: to nearest even, with one fault.

    A number below 2**-15 that is within a relative 2**-12 below a power of two becomes twice that power. The class
    raises the exponent for the carry of an 11-bit rounding, and then shifts the unrounded fraction by that exponent.
    """
    bits = values.view(np.uint32)
    small = (bits & np.uint32(0x7F800000)) <= np.uint32(127 - 16 << 23)  # below 2**-15
    doubled = small & ((bits & np.uint32(0x7FFFFF)) >= np.uint32(0x7FF000))
    return np.where(doubled, values * np.float32(2), values).astype(np.float16)


def openvino_bfloat16(values: Floats) -> Floats:
    """float32 rounded to bfloat16 as OpenVINO's own class does, as float32.

    Half a unit is added only if the lowest bit that remains is 1, and the rest is cut. This is not the nearest even:
    1 + 0.75 * 2**-7 becomes 1.
    """
    bits = np.ascontiguousarray(values).view(np.uint32)
    return ((bits + ((bits & np.uint32(0x10000)) >> np.uint32(1))) & np.uint32(0xFFFF0000)).view(np.float32)


def nearest_bfloat16(values: Floats) -> Floats:
    """Finite float32 rounded to the nearest bfloat16, ties to even, as float32."""
    bits = values.view(np.uint32)
    half = np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))
    return ((bits + half) & np.uint32(0xFFFF0000)).view(np.float32)


def stored_bfloat16(values: Floats, kind: np.dtype[Any]) -> NDArray[Any]:
    """float32 that bfloat16 holds exactly, as bfloat16."""
    return (values.view(np.uint32) >> np.uint32(16)).astype(np.uint16).view(kind)
