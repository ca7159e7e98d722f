"""Products of 32 by 32 bits as shaders compute them wrongly: from pieces, signed, in floats, or of fewer bits.

Functions take a word, or uint64 arrays of words, and a constant. They return the high and the low half. Bits select
sides or halves: 1 is the word or the high half, 2 the constant or the low half, 3 both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from ...philox import MASK32
from .variants import Multiply

LOW16 = 0xFFFF
SIGN_BIT = 1 << 31
SIDES = ("", "the word", "the constant", "the word and the constant")
HALVES = {3: "", 1: " for the high half", 2: " for the low half"}
DROPPED_LOW = "drops the carry of the low piece"
# How the two middle pieces and the low piece are summed, by what is wrong. The first one is right. `up` takes the upper
# half of middle piece 1 or 2, or of a sum of both (3).
Upper = Callable[[Any, int], Any]
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
    """The high half from 16-bit pieces. `signed` are the middle pieces, and `cut` the sides, with signed shifts."""

    def upper(piece: Any, is_signed: int) -> Any:
        return (piece >> 16) + (piece >> 31) * 0xFFFF0000 if is_signed else piece >> 16

    def multiply(a: Any, b: int) -> tuple[Any, Any]:
        a1, b1 = upper(a, cut & 1), upper(b, cut & 2)
        one, two, top = (p * q & MASK32 for p, q in ((a & LOW16, b1), (a1, b & LOW16), (a1, b1)))
        low = (a & LOW16) * (b & LOW16) >> 16 if keeps_low else 0
        middle = JOINS[join](one, two, low, lambda piece, which: upper(piece, signed & which))
        return top + middle & MASK32, a * b & MASK32

    return multiply


# Forgotten products of 16-bit halves, by bits: 1 and 2 are the middle products, 4 the upper one, 8 the lower one.
FORGOTTEN = {
    1: "the product of the word's lower and the constant's upper half",
    2: "the product of the word's upper and the constant's lower half",
    3: "both middle products",
    4: "the product of the upper halves",
    9: "the products of the word's lower half",
    10: "the products of the constant's lower half",
}


def forgetting(pieces: int) -> Multiply:
    """The high half without some of the four products of 16-bit halves."""

    def multiply(a: Any, b: int) -> tuple[Any, Any]:
        a0, a1, b0, b1 = a & LOW16, a >> 16, b & LOW16, b >> 16
        parts = (a0 * b1, a1 * b0, a1 * b1 << 16, a0 * b0 >> 16)
        total = sum(part for i, part in enumerate(parts) if not pieces >> i & 1)
        return total >> 16 & MASK32, a * b & MASK32

    return multiply


def shifted_product(shift: int, added: int = 0) -> Multiply:
    """The high half of the product plus a number, shifted by `shift` bits."""
    return lambda a, b: (a * b + added >> shift & MASK32, a * b & MASK32)


def _carry_by_signed_comparison(a: Any, b: int) -> tuple[Any, Any]:
    middle, low = (a & LOW16) * (b >> 16) + (a >> 16) * (b & LOW16), (a & LOW16) * (b & LOW16)
    carry = (a * b & MASK32 ^ SIGN_BIT) < (low ^ SIGN_BIT)
    return (a >> 16) * (b >> 16) + (middle >> 16) + carry & MASK32, a * b & MASK32


def signed_product(sides: int) -> Multiply:
    """Multiply signed integers, on one side or both. The high half differs."""

    def multiply(a: Any, b: int) -> tuple[Any, Any]:
        wrong = ((a >> 31) * b if sides & 1 else 0) + (a * (b >> 31) if sides & 2 else 0)
        return (a * b >> 32) - wrong & MASK32, a * b & MASK32

    return multiply


def narrow_product(bits: int, sides: int, halves: int) -> Multiply:
    """Multiply the low bits of some sides, for some halves."""
    mask = (1 << bits) - 1

    def multiply(a: Any, b: int) -> tuple[Any, Any]:
        narrow, whole = (a & mask if sides & 1 else a) * (b & mask if sides & 2 else b), a * b
        return (narrow if halves & 1 else whole) >> 32, (narrow if halves & 2 else whole) & MASK32

    return multiply


def float_product(dtype: Any, halves: int) -> Multiply:
    """Multiply floats, for some halves."""

    def multiply(a: Any, b: int) -> tuple[Any, Any]:
        product = (np.asarray(a, np.uint64).astype(dtype) * dtype(b)).astype(np.float64)
        high = np.minimum(np.floor(product / 2.0**32), MASK32).astype(np.uint64)
        low = np.fmod(product, 2.0**32).astype(np.uint64)
        return high if halves & 1 else a * b >> 32, low if halves & 2 else a * b & MASK32

    return multiply


def faulty_products() -> Iterator[tuple[str, Multiply, str]]:
    """The names, the functions, and what they do."""
    for join, keeps_low, signed in product(JOINS, (True, False), range(4)):
        lost = [join] * bool(join) + [DROPPED_LOW] * (not keeps_low)
        clauses = " and ".join(lost + ["shifts middle pieces as signed integers"] * bool(signed))
        if clauses and (keeps_low or "low" not in join):
            name = "product-carry-lost" if lost else "product-shift-signed"
            yield name, by_pieces(join, keeps_low, signed), f"adds up high halves from 16-bit pieces and {clauses}"
    for cut, signed in ((1, 0), (1, 3), (2, 0), (2, 3), (3, 0)):  # all signed: a signed product
        text = f"cuts {SIDES[cut]} into 16-bit pieces with a signed shift"
        yield "product-shift-signed", by_pieces("", True, signed, cut), text
    yield "signed-products", signed_product(3), "multiplies signed integers"
    yield "operand-signed", signed_product(1), "multiplies a signed word by an unsigned constant"
    yield "operand-signed", signed_product(2), "multiplies an unsigned word by a signed constant"
    for halves, where in HALVES.items():
        for name, dtype in (("float32", np.float32), ("double", np.float64)):
            text = f"computes products as {name} numbers{where}, which rounds them"
            yield "product-through-float", float_product(dtype, halves), text
        for bits, sides in product((16, 24), (1, 2, 3)):
            text = f"multiplies only the low {bits} bits of {SIDES[sides]}{where}"
            yield "product-operand-narrow", narrow_product(bits, sides, halves), text
    for pieces, what in FORGOTTEN.items():
        text = f"adds up high halves from 16-bit pieces and forgets {what}"
        yield "product-piece-missing", forgetting(pieces), text
    text = "finds the carry out of the low half by a signed comparison"
    yield "product-carry-signed", _carry_by_signed_comparison, text
    for shift in (31, 33):
        text = f"shifts the product by {shift} bits for the high half"
        yield "product-shifted-wrongly", shifted_product(shift), text
    yield "product-rounded", shifted_product(32, SIGN_BIT), "rounds the high half to the nearest integer"
    yield "product-rounded", shifted_product(32, MASK32), "rounds the high half up"
    yield "product-half-zero", lambda a, b: (a & 0, a * b & MASK32), "takes 0 for the high half of a product"
    yield "product-half-zero", lambda a, b: (a * b >> 32, a & 0), "takes 0 for the low half of a product"
