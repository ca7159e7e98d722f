"""OpenVINO's RandomUniform with alignment="pytorch": MT19937 from its start at every call, read as numbers.

The rules are those of specs/openvino.md, section 5. NumPy's RandomState supplies the words: its stream is frozen,
and RandomState(s) starts as MT19937's init_genrand(s) does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.tensor import Shape
from .bounds import Range
from .numbers import openvino_bfloat16, openvino_float16, per_operation, stored_bfloat16

Array = NDArray[Any]
Draw = Callable[[int], NDArray[np.uint32]]

CHUNK = 1 << 15  # values at a time, so that the temporaries stay in a core's cache


def draw(seed: int, sizes: Shape, kind: np.dtype[Any], bounds: Range, plugin: bool) -> Array:
    """A tensor of numbers within `bounds`. The low 32 bits of `seed` choose it."""
    generator = np.random.RandomState(seed & 0xFFFFFFFF)

    def words(count: int) -> NDArray[np.uint32]:
        return generator.randint(0, 1 << 32, count, dtype=np.uint32)

    values = np.empty(sizes, kind)
    flat = values.reshape(-1)
    for start in range(0, flat.size, CHUNK):
        piece = flat[start : start + CHUNK]
        piece[...] = _read(words, piece.size, kind, bounds, plugin)
    return values


def _read(words: Draw, count: int, kind: np.dtype[Any], bounds: Range, plugin: bool) -> Array:
    """`count` values, of a type that the cast to `kind` rounds once."""
    low, high, width = bounds
    if kind.kind == "i":
        if kind.itemsize == 4 or plugin:
            return _int32s(words(count), low, width, plugin)
        numbers = words(count).astype(np.uint64) if high <= 0xFFFFFFFF else _pairs(words(2 * count))
        return (numbers % np.uint64(width) + np.uint64(low % (1 << 64))).view(np.int64)
    if kind.name == "bfloat16":
        return stored_bfloat16(openvino_bfloat16(per_operation(_fractions(words(count), 8), width, low)), kind)
    if kind == np.float64 and not plugin:
        low_53_bits = _pairs(words(2 * count)) & np.uint64((1 << 53) - 1)
        return np.asarray(low_53_bits * np.float64(2**-53) * width + low)
    if kind == np.float16 and not plugin:
        return openvino_float16(per_operation(_fractions(words(count), 11), width, low))
    return per_operation(_fractions(words(count), 24), width, low)


def _int32s(words: NDArray[np.uint32], low: int, width: int, plugin: bool) -> NDArray[np.int32]:
    """words mod width + low. int64 holds every number on the way; the cast keeps the low 32 bits."""
    if plugin and width >= 1 << 31:
        width -= 1 << 32  # the plugin holds it as int32; like NumPy's % it then rounds the quotient down
    return (words.astype(np.int64) % width + low).astype(np.int32)


def _fractions(words: NDArray[np.uint32], bits: int) -> NDArray[np.float32]:
    """k / 2**bits for the low `bits` bits k of each word, float32. Exact up to 24 bits."""
    return (words & np.uint32((1 << bits) - 1)).astype(np.float32) * np.float32(0.5**bits)


def _pairs(words: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """2**32 * words[2*i] + words[2*i + 1]."""
    return words[0::2].astype(np.uint64) << np.uint64(32) | words[1::2]
