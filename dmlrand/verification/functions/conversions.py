"""Functions that a faulty generator applies to each word it stores: conversions to other types and back, and signs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32

Words = NDArray[np.uint32]

SIGN_BIT = 1 << 31
LARGEST_INT32 = SIGN_BIT - 1
NO_CONVERSION = "store w without a conversion"
STORE_WORDS = "store the word, not a number made of it"
COPY_REMEDY = "copy words as uint32"


class WordFunction(NamedTuple):
    """A function of a word: the name of the fault, the function, an expression in w for it, and the remedy."""

    name: str
    function: Callable[[Words], Words]
    expression: str
    remedy: str = "store w"
    width: int = 1  # words; more than 1: the last axis of the function's argument


def bits_of(numbers: Any, dtype: Any = np.float32) -> NDArray[Any]:
    """The bits of numbers as float32 or float64, in words of their size."""
    made = np.ascontiguousarray(numbers, dtype)
    return made.view(np.uint32 if made.itemsize == 4 else np.uint64)


# fmt: off
def conversions() -> Iterator[WordFunction]:
    """All conversions, the more common ones first."""
    yield WordFunction("absolute-values", lambda w: np.abs(w.view(np.int32)).view(np.uint32),
                       "abs(int32(w))", NO_CONVERSION)
    yield WordFunction("words-negated", np.negative, "-w")
    yield WordFunction("negative-words-zero", lambda w: np.where(w < SIGN_BIT, w, np.uint32(0)),
                       "max(int32(w), 0)", NO_CONVERSION)
    yield WordFunction("words-saturated", lambda w: np.minimum(w, np.uint32(LARGEST_INT32)),
                       f"min(w, {LARGEST_INT32:#x})", NO_CONVERSION)
    for most, text, limit, read in (
        *((most, "uint32(float32(w))", 1 << 32, np.uint32) for most in (MASK32, 0, SIGN_BIT)),
        *((most, text, SIGN_BIT, read) for most in (LARGEST_INT32, SIGN_BIT)
          for text, read in (("int32(float32(int32(w)))", np.int32), ("int32(float32(w))", np.uint32))),
    ):
        yield WordFunction("words-through-float32", _through_float32(read, limit, most), text, NO_CONVERSION)
    for text, function in NUMBERS.items():
        name = "float32-instead-of-word" if text.startswith("float32(") else "uniform-instead-of-word"
        yield WordFunction(name, function, f"the bits of {text}", STORE_WORDS)
    for keeps_sign, flushes, quietens in ((1, 1, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1), (0, 1, 1)):
        effects = [f"turns subnormal numbers into {'zero' if keeps_sign else '+0'}"] * flushes
        effects += ["makes NaNs quiet"] * quietens
        yield WordFunction("words-copied-as-float32", _copied_as_float32(keeps_sign, flushes, quietens),
                           f"w after a copy as float32, which {' and '.join(effects)}", COPY_REMEDY)
    for bits in range(1, 32):
        yield WordFunction("words-sign-extended", _sign_extended(bits), f"the low {bits} bits of w as a signed integer")
    for shift in range(1, 32):
        yield WordFunction("words-shifted-as-int32", _shifted_as_int32(shift), f"int32(w) >> {shift}")


NUMBERS: dict[str, Callable[[Words], Words]] = {
    "the uniform float32 number of the low 23 bits of w":
        lambda w: bits_of(_with_exponent_0(w & np.uint32(0x007FFFFF)) - np.float32(1)),
    "the float32 number (w >> 9) * 2**-23": lambda w: bits_of(_with_exponent_0(w >> np.uint32(9)) - np.float32(1)),
    "the float32 number (w >> 8) * 2**-24": lambda w: bits_of((w >> np.uint32(8)) * np.float64(2.0**-24)),
    "the float32 number w * 2**-32": lambda w: bits_of(w.astype(np.float32) / np.float32(2**32)),
    "float32(w)": lambda w: bits_of(w),
    "float32(int32(w))": lambda w: bits_of(w.view(np.int32)),
}
# fmt: on


def _with_exponent_0(fraction: Words) -> NDArray[np.float32]:
    """The float32 numbers of [1, 2) with these 23 fraction bits."""
    return (fraction | np.uint32(0x3F800000)).view(np.float32)


def _through_float32(read: Any, limit: int, overflow: int) -> Callable[[Words], Words]:
    """Words as float32 and back to integers. `overflow` stands for numbers that are not below the limit."""

    def convert(w: Words) -> Words:
        wide = w.view(read).astype(np.float32).astype(np.int64)
        return np.where(wide < limit, wide & MASK32, overflow).astype(np.uint32)

    return convert


def _sign_extended(bits: int) -> Callable[[Words], Words]:
    unused = np.int32(32 - bits)
    return lambda w: (w.view(np.int32) << unused >> unused).view(np.uint32)


def _shifted_as_int32(shift: int) -> Callable[[Words], Words]:
    return lambda w: (w.view(np.int32) >> np.int32(shift)).view(np.uint32)


def _copied_as_float32(keeps_sign: int, flushes: int, quietens: int) -> Callable[[Words], Words]:
    """Words after a copy as float32: subnormal numbers become zero, and signalling NaNs become quiet."""

    def copy(w: Words) -> Words:
        exponent, fraction = w & np.uint32(0x7F800000), w & np.uint32(0x007FFFFF)
        if flushes:
            w = np.where(exponent == 0, w & np.uint32(SIGN_BIT * keeps_sign), w)
        if quietens:
            w = np.where((exponent == 0x7F800000) & (fraction != 0), w | np.uint32(0x00400000), w)
        return w

    return copy
