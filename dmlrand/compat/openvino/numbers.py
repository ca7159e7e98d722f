"""OpenVINO's arithmetic: words as fractions, fractions and words moved into a range, with OpenVINO's own roundings.

Every function takes flat arrays and scalars of the types it names. The rules are those of specs/openvino.md, sections
3 and 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]
Floats = NDArray[np.float32]


def fractions(words: Words, bits: int) -> Floats:
    """k / 2**bits for the low `bits` bits k of each word, as float32. Exact up to 24 bits."""
    return (words & np.uint32((1 << bits) - 1)).astype(np.float32) * np.float32(0.5**bits)


def per_operation(fractions: Floats, width: np.float32, low: np.float32) -> Floats:
    """fractions * width + low in float32, the product and the sum each rounded to nearest even."""
    values = fractions * width
    values += low
    return values


def fused(fractions: Floats, width: np.float32, low: np.float32) -> Floats:
    """fractions * width + low in float32, rounded once, on every machine: a processor's fused multiply-add.

    The product of two float32 is exact in float64. The sum is rounded to odd in float64, which records whether digits
    were cut off. float64 has more than the two extra bits that then make the rounding to float32 right (Boldo and
    Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).
    """
    products = fractions.astype(np.float64)
    products *= np.float64(width)
    start = np.float64(low)
    sums = products + start
    taken = sums - products  # Knuth's two-sum: the part of `start` in the sum, then the error of the sum
    error = (products - (sums - taken)) + (start - taken)
    bits = sums.view(np.int64)
    even = (error != 0) & (bits & 1 == 0)
    # One step towards the exact sum: to the next larger magnitude if the error has the sign of the sum.
    bits += np.where((error > 0) == (sums > 0), np.int64(1), np.int64(-1)) * even
    return sums.astype(np.float32)


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


def modulo(numbers: NDArray[Any], width: int, low: int) -> NDArray[Any]:
    """Replace `numbers`, unsigned integers, by (numbers mod width) + low, which wraps in their type. width >= 1."""
    unsigned = numbers.dtype.type
    numbers %= unsigned(width)
    numbers += unsigned(low % (1 << 8 * numbers.itemsize))
    return numbers
