"""Functions that a faulty generator applies to each word it stores: conversions to other types and back, and signs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

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


def bits_of(numbers: Any, dtype: Any = np.float32) -> NDArray[Any]:
    """The bits of numbers as float32 or float64, in words of their size."""
    made = np.ascontiguousarray(numbers, dtype)
    return made.view(np.uint32 if made.itemsize == 4 else np.uint64)


def bfloat16(numbers: Any) -> Any:
    bits = bits_of(numbers)
    return (bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000).view(np.float32)


NAMES: dict[str, Any] = {
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "int32": lambda w: w.view(np.int32),
    "float16": lambda u: u.astype(np.float16),
    "bfloat16": bfloat16,
    "float32": lambda w: w.astype(np.float32),
    "float": lambda w: w.astype(np.float64),
}


def calculated(expression: str, arguments: str = "w") -> Callable[..., Any]:
    """The function of an expression. So a sentence shows what was compared with the dump.

    The expressions are written in this package. Only their numbers may come from a dump.
    """
    return eval(f"lambda {arguments}: {expression}", NAMES)  # type: ignore[no-any-return]


def _of_integers(name: str, expression: str, remedy: str = NO_CONVERSION) -> WordFunction:
    function = calculated(expression)
    return WordFunction(name, lambda w: function(w).view(np.uint32), expression, remedy)


# fmt: off
LOW_23 = "(w & 0x7fffff) * 2**-23"
NUMBERS = {
    "the uniform float32 number of the low 23 bits of w": LOW_23,
    **{f"the float32 number {text}": text for text in ("(w >> 9) * 2**-23", "(w >> 8) * 2**-24", "w * 2**-32")},
    **{text: text for text in ("float32(w)", "float32(int32(w))")},
}


@cache
def conversions() -> tuple[WordFunction, ...]:
    """All conversions, the more common ones first."""
    return tuple(_conversions())


def _conversions() -> Iterator[WordFunction]:
    yield _of_integers("absolute-values", "abs(int32(w))")
    yield _of_integers("words-negated", "-w", "store w")
    yield _of_integers("negative-words-zero", "max(int32(w), 0)")
    yield _of_integers("words-saturated", f"min(w, {LARGEST_INT32:#x})")
    for overflow in (MASK32, 0, SIGN_BIT):
        convert = partial(_through_float32, np.uint32, 1 << 32, overflow)
        yield WordFunction("words-through-float32", convert, "uint32(float32(w))", NO_CONVERSION)
    for overflow, (text, read) in product((LARGEST_INT32, SIGN_BIT), (("int32(w)", np.int32), ("w", np.uint32))):
        convert = partial(_through_float32, read, SIGN_BIT, overflow)
        yield WordFunction("words-through-float32", convert, f"int32(float32({text}))", NO_CONVERSION)
    for text, expression in NUMBERS.items():
        name = "float32-instead-of-word" if text.startswith("float32(") else "uniform-instead-of-word"
        yield WordFunction(name, partial(_number, calculated(expression)), f"the bits of {text}", STORE_WORDS)
    for keeps_sign, flushes, quietens in ((1, 1, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1), (0, 1, 1)):
        effects = [f"turns subnormal numbers into {'zero' if keeps_sign else '+0'}"] * flushes
        effects += ["makes NaNs quiet"] * quietens
        yield WordFunction("words-copied-as-float32", partial(_copied_as_float32, keeps_sign, flushes, quietens),
                           f"w after a copy as float32, which {' and '.join(effects)}", "copy words as uint32")
    for bits in range(1, 32):
        extend = _of_integers("words-sign-extended", f"int32(w) << {32 - bits} >> {32 - bits}", "store w")
        yield extend._replace(expression=f"the low {bits} bits of w as a signed integer")
    for shift in range(1, 32):
        yield _of_integers("words-shifted-as-int32", f"int32(w) >> {shift}", "store w")
# fmt: on


def _number(rule: Callable[[Words], Any], w: Words) -> Words:
    return bits_of(rule(w))


def _through_float32(read: Any, limit: int, overflow: int, w: Words) -> Words:
    """Words as float32 and back to integers. `overflow` stands for numbers that are not below the limit."""
    wide = w.view(read).astype(np.float32).astype(np.int64)
    return np.where(wide < limit, wide & MASK32, overflow).astype(np.uint32)


def _copied_as_float32(keeps_sign: int, flushes: int, quietens: int, w: Words) -> Words:
    """Words after a copy as float32: subnormal numbers become zero, and signalling NaNs become quiet."""
    exponent, fraction = w & np.uint32(0x7F800000), w & np.uint32(0x007FFFFF)
    if flushes:
        w = np.where(exponent == 0, w & np.uint32(SIGN_BIT * keeps_sign), w)
    if quietens:
        w = np.where((exponent == 0x7F800000) & (fraction != 0), w | np.uint32(0x00400000), w)
    return w
