"""Products of 32 by 32 bits as shaders compute them wrongly: from pieces, signed, in floats, or of fewer bits.

Products are expressions of a word a, a constant b and their halves a1, a0, b1, b0 of 16 bits. Bits select sides or
halves: 1 is the word or the high half, 2 the constant or the low half, 3 both.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from functools import reduce
from itertools import product

import numpy as np

from ...philox import MASK32
from .variants import Multiply

SIDES = ("", "the word", "the constant", "the word and the constant")
HALVES = {3: "", 1: " for the high half", 2: " for the low half"}
DROPPED_LOW = "drops the carry of the low piece"
# How the two middle pieces and the low piece are summed, by what is wrong. The first one is right. up1 and up2 take the
# upper half of a middle piece, and up3 that of a sum of both.
JOINS = {
    "": "{up1}(one) + {up2}(two) + (low + (one & 0xffff) + (two & 0xffff) >> 16)",
    "loses the carry of the middle sum": "{up3}(one + two + low & M)",
    "loses the carry of the sum of the two middle pieces": "{up3}((one + two & M) + low)",
    "loses the carry of the third piece of the middle sum":
        "(one + two >> 32 << 16) + {up3}((one + two & M) + low & M)",
    "adds the low piece to the second middle piece only, and loses the carry of the third piece":
        "{up1}(one) + {up2}(two + low)",
    "adds the low piece to the first middle piece only, and loses the carry of the third piece":
        "{up1}(one + low) + {up2}(two)",
    "loses the carry of the lower pieces": "{up1}(one) + {up2}(two)",
}  # fmt: skip
FORGOTTEN = {
    "the product of the word's lower and the constant's upper half": "two + top + low",
    "the product of the word's upper and the constant's lower half": "one + top + low",
    "both middle products": "top + low",
    "the product of the upper halves": "one + two + low",
    "the products of the word's lower half": "two + top",
    "the products of the constant's lower half": "one + top",
}
NAMES = {
    "M": MASK32,
    "unsigned": lambda word: word >> 16,
    "signed": lambda word: (word >> 16) + (word >> 31) * 0xFFFF0000,
    "float": lambda word: np.asarray(word, np.uint64).astype(np.float32),
    "double": lambda word: np.asarray(word, np.uint64).astype(np.float64),
    "minimum": np.minimum,
    "carryless": lambda a, b: reduce(operator.xor, ((a << bit) * (b >> bit & 1) for bit in range(32))),
    "high": lambda number: np.minimum(np.floor(number.astype(float) / 2.0**32), MASK32).astype(np.uint64),
    "low": lambda number: (number.astype(float) - np.floor(number / 2.0**32) * 2.0**32).astype(np.uint64),
}


def _product(high: str = "a * b >> 32", low: str = "a * b", halves: int = 3) -> Multiply:
    """The function of expressions for the high and the low half, or one of them."""
    text = f"({high if halves & 1 else 'a * b >> 32'}) & M, ({low if halves & 2 else 'a * b'}) & M"
    calculate = eval(f"lambda a, b, a0, a1, b0, b1: ({text})", NAMES)
    return lambda a, b: calculate(a, b, a & 0xFFFF, a >> 16, b & 0xFFFF, b >> 16)


def by_pieces(join: str, keeps_low: bool = True, signed: int = 0, cut: int = 0) -> Multiply:
    """The high half from 16-bit pieces. `signed` are the middle pieces, and `cut` the sides, with signed shifts."""
    kinds = ("unsigned", "signed")
    a1, b1 = (f"{kinds[bool(cut & side)]}({word})" for side, word in ((1, "a"), (2, "b")))
    summed = JOINS[join].format(**{f"up{which}": kinds[bool(signed & which)] for which in (1, 2, 3)})
    low = "(a0 * b0 >> 16)" if keeps_low else "0"
    summed = summed.replace("one", f"(a0 * {b1} & M)").replace("two", f"({a1} * b0 & M)").replace("low", low)
    return _product(f"({a1} * {b1} & M) + {summed}")


def signed_product(sides: int) -> Multiply:
    """Multiply signed integers, on one side or both. The high half differs."""
    return _product(f"(a * b >> 32) - (a >> 31) * {sides & 1} * b - (b >> 31) * {sides >> 1} * a")


def narrow_product(bits: int, sides: int, halves: int) -> Multiply:
    """Multiply the low bits of some sides, for some halves."""
    masks = [(1 << bits if sides & side else 1 << 32) - 1 for side in (1, 2)]
    narrow = "(a & {:#x}) * (b & {:#x})".format(*masks)
    return _product(f"{narrow} >> 32", narrow, halves)


def faulty_products() -> Iterator[tuple[str, Multiply, str]]:
    """The names, the functions, and what they do."""
    pieces = "adds up high halves from 16-bit pieces and"
    for join, keeps_low, signed in product(JOINS, (True, False), range(4)):
        lost = [join] * bool(join) + [DROPPED_LOW] * (not keeps_low)
        clauses = " and ".join(lost + ["shifts middle pieces as signed integers"] * bool(signed))
        if clauses and (keeps_low or "low" not in join):
            name = "product-carry-lost" if lost else "product-shift-signed"
            yield name, by_pieces(join, keeps_low, signed), f"{pieces} {clauses}"
    for cut, signed in ((1, 0), (1, 3), (2, 0), (2, 3), (3, 0)):  # all signed: a signed product
        text = f"cuts {SIDES[cut]} into 16-bit pieces with a signed shift"
        yield "product-shift-signed", by_pieces("", True, signed, cut), text
    yield "signed-products", signed_product(3), "multiplies signed integers"
    yield "operand-signed", signed_product(1), "multiplies a signed word by an unsigned constant"
    yield "operand-signed", signed_product(2), "multiplies an unsigned word by a signed constant"
    for halves, where in HALVES.items():
        for name, dtype in (("float32", "float"), ("double", "double")):
            made = f"{dtype}(a) * {dtype}(b)"
            text = f"computes products as {name} numbers{where}, which rounds them"
            yield "product-through-float", _product(f"high({made})", f"low({made})", halves), text
        for bits, sides in product((16, 24, 31), (1, 2, 3)):
            text = f"multiplies only the low {bits} bits of {SIDES[sides]}{where}"
            yield "product-operand-narrow", narrow_product(bits, sides, halves), text
    parts = {"one": "a0 * b1", "two": "a1 * b0", "top": "(a1 * b1 << 16)", "low": "(a0 * b0 >> 16)"}
    for what, kept in FORGOTTEN.items():
        total = " + ".join(parts[part] for part in kept.split(" + "))
        yield "product-piece-missing", _product(f"{total} >> 16"), f"{pieces} forgets {what}"
    for bits in (16, 17, 18):
        text = f"cuts the word into pieces and multiplies its low {bits} bits as a signed integer"
        low_signed = f"a * b - (a >> {bits - 1} & 1) * {1 << bits} * b"
        yield "product-piece-signed", _product(f"({low_signed}) >> 32", low_signed), text
    yield "product-without-carries", _product("carryless(a, b) >> 32", "carryless(a, b)"), (
        "multiplies without carries, as polynomials"
    )  # fmt: skip
    yield "product-low-saturates", _product(low="minimum(a * b, M)"), "clamps the low half at 0xffffffff"
    carry = "((a * b & M ^ 1 << 31) < (a0 * b0 ^ 1 << 31))"
    yield "product-carry-signed", _product(f"a1 * b1 + (a0 * b1 + a1 * b0 >> 16) + {carry}"), (
        "finds the carry out of the low half by a signed comparison"
    )  # fmt: skip
    for shift in (31, 33):
        text = f"shifts the product by {shift} bits for the high half"
        yield "product-shifted-wrongly", _product(f"a * b >> {shift}"), text
    yield "product-rounded", _product("a * b + (1 << 31) >> 32"), "rounds the high half to the nearest integer"
    yield "product-rounded", _product("a * b + M >> 32"), "rounds the high half up"
    for half, halves in (("high", 1), ("low", 2)):
        yield "product-half-zero", _product("a & 0", "a & 0", halves), f"takes 0 for the {half} half of a product"
