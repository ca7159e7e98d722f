"""OpenVINO's arithmetic: words as fractions, fractions and words moved into a range, each rounded as it rounds.

Every function takes flat arrays and scalars of the types it names and returns a new array. The rules are those
of specs/openvino.md, sections 3 and 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]
Floats = NDArray[np.float32]

FLOAT32 = np.dtype(np.float32)


def low_23_bits(words: Words) -> Floats:
    """k / 2**23 for the low 23 bits k, float32: the fraction bits of a number of [1, 2), less 1. Exact."""
    return (words & np.uint32(0x7FFFFF) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)


def low_10_bits(words: Words) -> Floats:
    """k / 2**10 for the low 10 bits k: float16's fraction bits, as float32, which holds them exactly."""
    return (words & np.uint32(0x3FF)).astype(np.float32) * np.float32(2**-10)


def low_7_bits(words: Words) -> Floats:
    """k / 2**7 for the low 7 bits k: bfloat16's fraction bits, as float32, which holds them exactly."""
    return (words & np.uint32(0x7F)).astype(np.float32) * np.float32(2**-7)


def per_operation(fractions: Floats, width: np.float32, low: np.float32) -> Floats:
    """fractions * width + low in float32, the product and the sum each rounded to nearest even."""
    values = fractions * width
    values += low
    return values


def fused(fractions: Floats, width: np.float32, low: np.float32) -> Floats:
    """fractions * width + low in float32, rounded once: the fused multiply-add of the processor, on every machine.

    The product of two float32 is exact in float64 and the sum is rounded there to odd, which leaves a trace of
    whatever was cut off. float64 has more than the two spare bits that then make the rounding to float32 right
    (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).
    """
    products = fractions.astype(np.float64)
    products *= np.float64(width)
    start = np.float64(low)
    sums = products + start
    taken = sums - products  # what the sum took of `start`, then what it left of either: Knuth's two-sum
    left = (products - (sums - taken)) + (start - taken)
    bits = sums.view(np.int64)
    even = (left != 0) & (bits & 1 == 0)
    # One step towards what was left: to the next larger magnitude when it has the sign of the sum.
    bits += np.where((left > 0) == (sums > 0), 1, -1) * even
    return sums.astype(np.float32)


def openvino_float16(values: Floats) -> NDArray[np.float16]:
    """float32 rounded to float16 as OpenVINO's own class does it: to nearest even, but for one mistake.

    Below 2**-15 a number within 2**-12, relatively, below a power of two becomes twice that power: the class raises
    the exponent for the carry of an 11-bit rounding, and then shifts the unrounded fraction by it.
    """
    bits = values.view(np.uint32)
    small = (bits & np.uint32(0x7F800000)) <= np.uint32(127 - 16 << 23)  # below 2**-15
    mistaken = small & ((bits & np.uint32(0x7FFFFF)) >= np.uint32(0x7FF000))
    return np.where(mistaken, values * np.float32(2), values).astype(np.float16)


def openvino_bfloat16(values: Floats) -> Floats:
    """float32 cut to bfloat16 as OpenVINO's own class does it, held in float32.

    Half a unit is added only where the last kept bit is 1, so this is not the nearest even: 1 + 0.75 * 2**-7
    becomes 1.
    """
    bits = np.ascontiguousarray(values).view(np.uint32)
    return ((bits + ((bits & np.uint32(0x10000)) >> np.uint32(1))) & np.uint32(0xFFFF0000)).view(np.float32)


def nearest_bfloat16(values: Floats) -> Floats:
    """Finite float32 rounded to the nearest bfloat16, ties to even, held in float32."""
    bits = values.view(np.uint32)
    half = np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))
    return ((bits + half) & np.uint32(0xFFFF0000)).view(np.float32)


def stored_bfloat16(values: Floats, kind: np.dtype[Any]) -> NDArray[Any]:
    """float32 that bfloat16 holds exactly, as bfloat16."""
    return (values.view(np.uint32) >> np.uint32(16)).astype(np.uint16).view(kind)


def modulo(numbers: NDArray[Any], width: int, low: int) -> NDArray[Any]:
    """numbers mod width + low, modulo the size of the unsigned type of `numbers`, in place. width >= 1."""
    unsigned = numbers.dtype.type
    numbers %= unsigned(width)
    numbers += unsigned(low % (1 << 8 * numbers.itemsize))
    return numbers
