"""Products of 32 by 32 bits as shaders compute them wrongly: from pieces, signed, in floats, or of fewer bits.

Functions take a word, or uint64 arrays of words, and a constant. They return the high and the low half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...philox import MASK32
from .variants import Multiply

LOW16, MASK24 = 0xFFFF, 0xFFFFFF
MULTIPLY_RIGHT = "multiply unsigned 32 by 32 bits to 64"
SIDES = ("", "the word", "the constant", "the word and the constant")
Upper = Callable[[Any, int], Any]  # the upper half of middle piece 1 or 2
# How the two middle pieces and the low piece are summed, by what is wrong. The first one is right.
JOINS: dict[str, Callable[[Any, Any, Any, Upper], Any]] = {
    "": lambda one, two, low, up: up(one, 1) + up(two, 2) + (low + (one & LOW16) + (two & LOW16) >> 16),
    "loses the carry of the middle sum": lambda one, two, low, up: up(one + two + low & MASK32, 3),
    "loses the carry of the sum of the two middle pieces": lambda one, two, low, up: up((one + two & MASK32) + low, 3),
    "loses the carry of the third piece of the middle sum": lambda one, two, low, up: (
        (one + two >> 32 << 16) + up((one + two & MASK32) + low & MASK32, 3)
    ),
    "adds the low piece to the second middle piece only, and loses the carry of the third piece": (
        lambda one, two, low, up: up(one, 1) + up(two + low, 2)
    ),
    "adds the low piece to the first middle piece only, and loses the carry of the third piece": (
        lambda one, two, low, up: up(one + low, 1) + up(two, 2)
    ),
    "loses the carry of the lower pieces": lambda one, two, low, up: up(one, 1) + up(two, 2),
}


def by_pieces(join: str, keeps_low: bool = True, signed: int = 0, cut: int = 0) -> Multiply:
    """The high half from 16-bit pieces. Bits of `signed` are the middle pieces that are shifted as signed integers.

    Bits of `cut` are the word and the constant, if they are cut by a signed shift.
    """

    def upper(piece: Any, is_signed: int) -> Any:
        return (piece >> 16) + (piece >> 31) * 0xFFFF0000 if is_signed else piece >> 16

    def multiply(a: Any, b: int) -> tuple[Any, Any]:
        a1, b1 = upper(a, cut & 1), upper(b, cut & 2)
        one, two, top = (p * q & MASK32 for p, q in ((a & LOW16, b1), (a1, b & LOW16), (a1, b1)))
        low = (a & LOW16) * (b & LOW16) >> 16 if keeps_low else 0
        return top + JOINS[join](
            one, two, low, lambda piece, which: upper(piece, signed & which)
        ) & MASK32, a * b & MASK32

    return multiply


def signed_product(sides: int) -> Multiply:
    """Multiply signed integers: the word (1), the constant (2), or both (3). The high half differs."""

    def multiply(a: Any, b: int) -> tuple[Any, Any]:
        product = a * b
        wrong = ((a >> 31) * b if sides & 1 else 0) + (a * (b >> 31) if sides & 2 else 0)
        return (product >> 32) - wrong & MASK32, product & MASK32

    return multiply


def narrow_product(bits: int, sides: int, halves: int) -> Multiply:
    """Multiply the low bits of the word (1) or the constant (2), for the high half (1) or the low one (2)."""
    mask = (1 << bits) - 1

    def multiply(a: Any, b: int) -> tuple[Any, Any]:
        narrow, whole = (a & mask if sides & 1 else a) * (b & mask if sides & 2 else b), a * b
        return (narrow if halves & 1 else whole) >> 32, (narrow if halves & 2 else whole) & MASK32

    return multiply


def float_product(dtype: Any, halves: int) -> Multiply:
    """Multiply floats, for the high half (1) or the low one (2)."""

    def multiply(a: Any, b: int) -> tuple[Any, Any]:
        product = (np.asarray(a, np.uint64).astype(dtype) * dtype(b)).astype(np.float64)
        high = np.minimum(np.floor(product / 2.0**32), MASK32).astype(np.uint64)
        low = np.fmod(product, 2.0**32).astype(np.uint64)
        return high if halves & 1 else a * b >> 32, low if halves & 2 else a * b & MASK32

    return multiply


def faulty_products() -> Iterator[tuple[str, Multiply, str]]:
    """The names, the functions, and what they do."""
    for join in JOINS:
        for keeps_low in (True, False):
            for signed in range(4):
                lost = [join] * bool(join) + ["drops the carry of the low piece"] * (not keeps_low)
                clauses = " and ".join(lost + ["shifts middle pieces as signed integers"] * bool(signed))
                name = "product-carry-lost" if lost else "product-shift-signed"
                if clauses and (keeps_low or "lower" not in join):
                    yield (
                        name,
                        by_pieces(join, keeps_low, signed),
                        f"adds up high halves from 16-bit pieces and {clauses}",
                    )
    for cut, signed in ((1, 0), (1, 3), (2, 0), (2, 3), (3, 0)):  # all signed: a signed product
        yield "product-shift-signed", by_pieces("", True, signed, cut), (
            f"cuts {SIDES[cut]} into 16-bit pieces with a signed shift"
        )  # fmt: skip
    yield "signed-products", signed_product(3), "multiplies signed integers"
    yield "operand-signed", signed_product(1), "multiplies a signed word by an unsigned constant"
    yield "operand-signed", signed_product(2), "multiplies an unsigned word by a signed constant"
    for halves, where in ((3, ""), (1, " for the high half"), (2, " for the low half")):
        for name, dtype in (("float32", np.float32), ("double", np.float64)):
            text = f"computes products as {name} numbers{where}, which rounds them"
            yield "product-through-float", float_product(dtype, halves), text
        for bits in (16, 24):
            for sides in (1, 2, 3):
                text = f"multiplies only the low {bits} bits of {SIDES[sides]}{where}"
                yield "product-operand-narrow", narrow_product(bits, sides, halves), text
    yield "product-half-zero", lambda a, b: (a & 0, a * b & MASK32), "takes 0 for the high half of a product"
    yield "product-half-zero", lambda a, b: (a * b >> 32, a & 0), "takes 0 for the low half of a product"
