"""Functions that a faulty generator applies to each word it stores: masks, shifts, conversions to other types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32

Words = NDArray[np.uint32]

SIGN_BIT = 1 << 31
NO_CONVERSION = "store w without a conversion"
STORE_WORDS = "store the word, not a number made of it"


class WordFunction(NamedTuple):
    """A function of a word: the name of the fault, the function, an expression in w for it, and the remedy."""

    name: str
    function: Callable[[Words], Words]
    expression: str
    remedy: str = "store w"
    width: int = 1  # words; more than 1: the last axis of the function's argument
    unit: str = "word"  # what the function makes
    parts: int = 1  # elements that each call makes; more than 1: the last axis of the result
    tolerance: float = 0.0  # the greatest difference of a number that is not computed exactly

    def sentence(self) -> str:
        """The fault, if every element is a result of the function."""
        return f"Every {self.unit} is stored as {self.expression}, where w is the right word: {self.remedy}."

    def of_words(self) -> WordFunction:
        """The function that stores a number in a word."""
        if self.unit == "word":
            return self
        return self._replace(unit="word", expression=f"the bits of {self.expression}", remedy=STORE_WORDS)


def bits_of(numbers: Any, dtype: Any = np.float32) -> NDArray[Any]:
    """The bits of numbers as float32 or float64, in words of their size."""
    made = np.ascontiguousarray(numbers, dtype)
    return made.view(np.uint32 if made.itemsize == 4 else np.uint64)


def _bfloat16(numbers: Any) -> Any:
    bits = bits_of(numbers)
    return (bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000).view(np.float32)


def _below(numbers: Any, limit: int, overflow: int) -> Any:
    """Numbers as integers. `overflow` stands for numbers that are not below the limit."""
    wide = numbers.astype(np.int64)
    return np.where(wide < limit, wide, overflow)


def _digits(digits: int, numbers: Any) -> Any:
    """Numbers that were written as text with so many significant digits."""
    wide = np.asarray(numbers, np.float64)
    power = digits - 1 - np.floor(np.log10(np.maximum(wide, 1e-300)))
    up, down = 10.0 ** np.maximum(power, 0), 10.0 ** np.maximum(-power, 0)  # exact, unlike their quotient
    return np.rint(wide * up / down) / up * down


NAMES: dict[str, Any] = {
    "abs": np.abs,
    "int32": lambda w: w.view(np.int32),
    "float16": lambda u: u.astype(np.float16),
    "bfloat16": _bfloat16,
    "float32": lambda w: w.astype(np.float32),
    "float": lambda w: w.astype(np.float64),
    "below": _below,
    "digits": _digits,
    "round": np.round,
    **{name: getattr(np, name) for name in ("cos", "log", "pi", "sin", "sqrt", "where")},
}


def calculated(expression: str, arguments: str = "w") -> Callable[..., Any]:
    """The function of an expression. So a sentence shows what was compared with the dump.

    The expressions are written in this package. Only their numbers may come from a dump.
    """
    return eval(f"lambda {arguments}: {expression}", NAMES)  # type: ignore[no-any-return]


def word_function(name: str, calculation: str, expression: str = "", remedy: str = "store w") -> WordFunction:
    """The function that stores the result of a calculation, an integer or a float32 number, as a word."""
    function = calculated(calculation)

    def stored(w: Words) -> Words:
        made = function(w)
        return bits_of(made) if made.dtype.kind == "f" else made.astype(np.uint32)

    return WordFunction(name, stored, expression or calculation, remedy)


# fmt: off
def integer_functions() -> Iterator[tuple[str, ...]]:
    """The arguments of word_function for integers, or a word converted to float32: the more common ones first."""
    yield "bits-inverted", "~w"
    yield ("bytes-swapped", "w.byteswap()", "the bytes of w in reverse order",
           "store uint32 in the device's byte order")
    for bits in range(1, 32):
        yield "bits-cleared", f"w & {MASK32 >> bits:#x}"
        for shift in ("<<", ">>"):
            yield "bits-shifted", f"w {shift} {bits}"
    yield "absolute-values", "abs(int32(w))", "", NO_CONVERSION
    yield "words-negated", "-w"
    for most in (MASK32, 0, SIGN_BIT):
        text = f"below(float32(w), {1 << 32}, {most})"
        yield "words-through-float32", text, "uint32(float32(w))", NO_CONVERSION
    for most, read in product((SIGN_BIT - 1, SIGN_BIT), ("float32(int32(w))", "float32(w)")):
        yield "words-through-float32", f"below({read}, {SIGN_BIT}, {most})", f"int32({read})", NO_CONVERSION
    for number in ("float32(w)", "float32(int32(w))"):
        yield "float32-instead-of-word", number, f"the bits of {number}", STORE_WORDS
    zero, quiet = "turns subnormal numbers into zero", "makes NaNs quiet"
    nan = "where(w << 1 > 0xff000000, w | 0x400000, w)"
    for others, kept, effect in (("w", "w & 0x80000000", zero), (nan, "w", quiet),
                                 (nan, "w & 0x80000000", f"{zero} and {quiet}")):
        yield ("words-copied-as-float32", f"where(w & 0x7f800000, {others}, {kept})",
               f"w after a copy as float32, which {effect}", "copy words as uint32")
# fmt: on
