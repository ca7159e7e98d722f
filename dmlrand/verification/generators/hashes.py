"""Well-known hashes of a word, which generators use in place of Philox, for keys, or after it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32, W0

Hash = Callable[[Any], Any]  # of an int below 2**32, or of an array of them


def mixed(x: Any, *steps: tuple[int, int], mask: int = MASK32) -> Any:
    """Shift, combine by xor and multiply, step by step."""
    for shift, factor in steps:
        x = (x ^ x >> shift) * factor & mask
    return x


def _mixed(inverted: int, steps: tuple[tuple[int, int], ...], x: Any) -> Any:
    return mixed(x ^ inverted, *steps)


def _pcg_hash(x: Any) -> Any:
    """PCG's RXS-M-XS of 32 bits, as in Jarzynski and Olano, "Hash Functions for GPU Rendering"."""
    x = x * 747796405 + 2891336453 & MASK32
    x = (x >> (x >> 28) + 4 ^ x) * 277803737 & MASK32
    return x >> 22 ^ x


def _jenkins(x: Any) -> Any:
    x = x + 0x7ED55D16 + (x << 12) & MASK32
    x = x ^ 0xC761C23C ^ x >> 19
    x = x + 0x165667B1 + (x << 5) & MASK32
    x = (x + 0xD3A2646C ^ x << 9) & MASK32
    x = x + 0xFD7046C5 + (x << 3) & MASK32
    return x ^ 0xB55A4F09 ^ x >> 16


def _one_at_a_time(x: Any) -> Any:
    """Jenkins' hash as shaders use it, for a whole word."""
    x = x + (x << 10) & MASK32
    x = x ^ x >> 6
    x = x + (x << 3) & MASK32
    x = x ^ x >> 11
    return x + (x << 15) & MASK32


def _wang_of_1997(x: Any) -> Any:
    x = x + ~(x << 15) & MASK32
    x = x ^ x >> 10
    x = x + (x << 3) & MASK32
    x = x ^ x >> 6
    x = x + ~(x << 11) & MASK32
    return x ^ x >> 16


def _of_bytes(start: int, step: Callable[[Any, Any], Any], x: Any) -> Any:
    """A hash that takes the word's bytes one after another, the lowest first."""
    made = start
    for shift in (0, 8, 16, 24):
        made = step(made, x >> shift & 0xFF) & MASK32
    return made


def _xxhash(x: Any) -> Any:
    x = x * 0xC2B2AE3D + 0x165667B5 & MASK32
    x = (x << 17 | x >> 15) * 0x27D4EB2F & MASK32
    return mixed(x, (15, 0x85EBCA77), (13, 0xC2B2AE3D), (16, 1))


HASHES: dict[str, Hash] = {
    name: partial(_mixed, inverted, steps)
    for name, inverted, steps in (
        ("Wang's hash", 61, ((16, 9), (4, 0x27D4EB2D), (15, 1))),
        ("MurmurHash3's fmix32", 0, ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1))),
        ("the hash lowbias32", 0, ((16, 0x7FEB352D), (15, 0x846CA68B), (16, 1))),
        ("the hash lowbias32 of 2022", 0, ((16, 0x21F0AAAD), (15, 0xD35A2D97), (15, 1))),
        ("SplitMix32's hash", 0, ((16, 0x21F0AAAD), (15, 0x735A2D97), (15, 1))),
        ("the hash triple32", 0, ((17, 0xED5AD4BB), (11, 0xAC4C1B51), (15, 0x31848BAB), (14, 1))),
        ("xxHash32's avalanche", 0, ((15, 0x85EBCA77), (13, 0xC2B2AE3D), (16, 1))),
    )
}
HASHES |= {
    "xxHash32": _xxhash,
    "the PCG hash": _pcg_hash,
    "Jenkins' hash of 32 bits": _jenkins,
    "Jenkins' one-at-a-time hash": _one_at_a_time,
    "Wang's hash of 1997": _wang_of_1997,
    "FNV-1a": partial(_of_bytes, 0x811C9DC5, lambda made, byte: (made ^ byte) * 0x01000193),
    "FNV-1": partial(_of_bytes, 0x811C9DC5, lambda made, byte: made * 0x01000193 ^ byte),
    "Knuth's multiplicative hash": lambda x: x * 0x9E3779B1 & MASK32,
    "the Fibonacci hash": lambda x: x * W0 & MASK32,
}


def hash_words(made: Hash, words: NDArray[Any]) -> NDArray[np.uint32]:
    return made(words.astype(np.uint64)).astype(np.uint32)  # type: ignore[no-any-return]
