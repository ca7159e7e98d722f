"""Functions that a faulty generator applies to each word it stores: conversions to other types and back, and signs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32

Words = NDArray[np.uint32]

SIGN_BIT = 1 << 31
LARGEST_INT32 = SIGN_BIT - 1
NO_CONVERSION = "store w without a conversion"
STORE_WORDS = "store the word, not a number made of it"


class WordFunction(NamedTuple):
    """A function of a word: the name of the fault, the function, an expression in w for it, and the remedy."""

    name: str
    function: Callable[[Words], Words]
    expression: str
    remedy: str = "store w"
    width: int = 1  # words; more than 1: the last axis of the function's argument


def conversions() -> Iterator[WordFunction]:
    """All conversions, the more common ones first."""
    yield WordFunction("absolute-values", lambda w: _signed(np.abs(w.view(np.int32))), "abs(int32(w))", NO_CONVERSION)
    yield WordFunction("words-negated", np.negative, "-w")
    yield WordFunction(
        "negative-words-zero", lambda w: np.where(w < SIGN_BIT, w, np.uint32(0)), "max(int32(w), 0)", NO_CONVERSION
    )
    yield WordFunction(
        "words-saturated",
        lambda w: np.minimum(w, np.uint32(LARGEST_INT32)),
        f"min(w, {LARGEST_INT32:#x})",
        NO_CONVERSION,
    )
    for overflow in (MASK32, 0, SIGN_BIT):
        yield WordFunction("words-through-float32", _through_float32(overflow), "uint32(float32(w))", NO_CONVERSION)
    for overflow in (LARGEST_INT32, SIGN_BIT):
        expressions = "int32(float32(int32(w)))", "int32(float32(w))"
        yield WordFunction("words-through-float32", _through_signed_float32(overflow), expressions[0], NO_CONVERSION)
        yield WordFunction("words-through-float32", _to_int32(overflow), expressions[1], NO_CONVERSION)
    yield from NUMBERS
    yield from COPIES_AS_FLOAT32
    for bits in range(1, 32):
        yield WordFunction("words-sign-extended", _sign_extended(bits), f"the low {bits} bits of w as a signed integer")
    for shift in range(1, 32):
        yield WordFunction("words-shifted-as-int32", _shifted_as_int32(shift), f"int32(w) >> {shift}")


def _signed(numbers: NDArray[np.int32]) -> Words:
    return numbers.view(np.uint32)


def _bits(numbers: NDArray[np.float32]) -> Words:
    return numbers.astype(np.float32, copy=False).view(np.uint32)


def _clipped(numbers: NDArray[np.float32], limit: int, overflow: int) -> Words:
    """Float32 integers as words. `overflow` stands for numbers that are not below the limit."""
    wide = numbers.astype(np.int64)
    return np.where(wide < limit, wide & MASK32, overflow).astype(np.uint32)


def _through_float32(overflow: int) -> Callable[[Words], Words]:
    return lambda w: _clipped(w.astype(np.float32), 1 << 32, overflow)


def _through_signed_float32(overflow: int) -> Callable[[Words], Words]:
    return lambda w: _clipped(w.view(np.int32).astype(np.float32), SIGN_BIT, overflow)


def _to_int32(overflow: int) -> Callable[[Words], Words]:
    return lambda w: _clipped(w.astype(np.float32), SIGN_BIT, overflow)


def _sign_extended(bits: int) -> Callable[[Words], Words]:
    unused = np.int32(32 - bits)
    return lambda w: _signed(w.view(np.int32) << unused >> unused)


def _shifted_as_int32(shift: int) -> Callable[[Words], Words]:
    return lambda w: _signed(w.view(np.int32) >> np.int32(shift))


def _with_exponent_0(fraction: Words) -> NDArray[np.float32]:
    """The float32 numbers of [1, 2) with these 23 fraction bits."""
    return (fraction | np.uint32(0x3F800000)).view(np.float32)


def _copied_as_float32(keeps_sign: bool, flushes: bool, quietens: bool) -> Callable[[Words], Words]:
    """Words after a copy as float32: subnormal numbers become zero, and signalling NaNs become quiet."""

    def copy(w: Words) -> Words:
        exponent, fraction = w & np.uint32(0x7F800000), w & np.uint32(0x007FFFFF)
        if flushes:
            zero = w & np.uint32(SIGN_BIT) if keeps_sign else np.uint32(0)
            w = np.where(exponent == 0, zero, w)
        if quietens:
            nan = (exponent == 0x7F800000) & (fraction != 0)
            w = np.where(nan, w | np.uint32(0x00400000), w)
        return w

    return copy


NUMBERS = (
    WordFunction(
        "uniform-instead-of-word",
        lambda w: _bits(_with_exponent_0(w & np.uint32(0x007FFFFF)) - np.float32(1)),
        "the bits of the uniform float32 number of the low 23 bits of w",
        STORE_WORDS,
    ),
    WordFunction(
        "uniform-instead-of-word",
        lambda w: _bits(_with_exponent_0(w >> np.uint32(9)) - np.float32(1)),
        "the bits of the float32 number (w >> 9) * 2**-23",
        STORE_WORDS,
    ),
    WordFunction(
        "uniform-instead-of-word",
        lambda w: _bits((w >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24)),
        "the bits of the float32 number (w >> 8) * 2**-24",
        STORE_WORDS,
    ),
    WordFunction(
        "uniform-instead-of-word",
        lambda w: _bits(w.astype(np.float32) * np.float32(2.0**-32)),
        "the bits of the float32 number w * 2**-32",
        STORE_WORDS,
    ),
    WordFunction(
        "float32-instead-of-word", lambda w: _bits(w.astype(np.float32)), "the bits of float32(w)", STORE_WORDS
    ),
    WordFunction(
        "float32-instead-of-word",
        lambda w: _bits(w.view(np.int32).astype(np.float32)),
        "the bits of float32(int32(w))",
        STORE_WORDS,
    ),
)

COPY_REMEDY = "copy words as uint32"
COPIES_AS_FLOAT32 = tuple(
    WordFunction(
        "words-copied-as-float32",
        _copied_as_float32(*options),
        f"w after a copy as float32, which {effect}",
        COPY_REMEDY,
    )
    for options, effect in (
        ((True, True, False), "turns subnormal numbers into zero"),
        ((False, True, False), "turns subnormal numbers into +0"),
        ((True, False, True), "makes NaNs quiet"),
        ((True, True, True), "turns subnormal numbers into zero and makes NaNs quiet"),
        ((False, True, True), "turns subnormal numbers into +0 and makes NaNs quiet"),
    )
)
