"""Products of 32 by 32 bits as ports compute them wrongly: cut, signed, in floats, from pieces of 16 bits.

Products are expressions of a word a, a constant b, and their upper and lower 16 bits a1, a0, b1 and b0. An expression
gives the high half, the low half, or 64 bits that are used for both halves or for one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product

import numpy as np

from ...philox import M0, M1
from .variants import MULTIPLY, multiplication

Row = tuple[str, str, str, str]  # the name of a fault, what the generator does, HIGH, LOW or BOTH, and the expression
Model = tuple[str, str, str]  # the name, what the generator does, and the expression of both halves
HIGH, LOW, BOTH = "high", "low", "both"
# The high and the low half of an expression, by what a sentence adds.
PARTS = {HIGH: {"": ("{}", "a * b")}, LOW: {"": ("a * b >> 32", "{}")}, BOTH: {"": ("{} >> 32", "{}")}}
PARTS[BOTH] |= {" for the high half": ("{} >> 32", "a * b"), " for the low half": ("a * b >> 32", "{}")}
BY_PIECES = "adds up products of 16-bit pieces and"
# High halves without a1 * b1. one and two are the middle products, low is the upper half of a0 * b0, carry is that out
# of the low half, and u shifts the low 32 bits of a sum by 16.
LOWER_CARRY = "u(one) + u(two)"
SUMS = {
    "loses the carry of the lower pieces": LOWER_CARRY,
    "loses the carry of the middle sum": "u(one + two + low)",
    "loses the carry of the sum of the two middle pieces": "u(one + two) + carry",
    "adds the low piece to the second middle piece only, and loses the other's carry": "u(one) + u(two + low)",
    "adds the low piece to the first middle piece only, and loses the other's carry": "u(one + low) + u(two)",
    "drops the carry of the low piece": "(one + two >> 16)",
    "drops the carries of the low piece and of the middle sum": "u(one + two)",
    "adds the carry of the middle sum as 1 instead of 2^16": "u(one + two) + (one + two >> 32) + carry",
}  # fmt: skip
# Right high halves, if all shifts {} are unsigned, by the parts that are shifted.
SHIFTS = {
    ("the word", "the constant", "the low product", "one middle product", "the other middle product", "the sum"):
        "{0}(a) * {1}(b) + {3}(a0 * {1}(b)) + {4}({0}(a) * b0)"
        " + {5}({2}(a0 * b0) + (a0 * {1}(b) & 0xffff) + ({0}(a) * b0 & 0xffff))",
    ("the word", "the constant", "the low product", "the first middle sum", "the second middle sum"):
        "{0}(a) * {1}(b) + {3}({0}(a) * b0 + {2}(a0 * b0)) + {4}(a0 * {1}(b) + ({0}(a) * b0 + {2}(a0 * b0) & 0xffff))",
}  # fmt: skip


def expressed(high: str = "a * b >> 32", low: str = "a * b", cut: str = " & M") -> str:
    """The expression of both halves."""
    return f"(({high}){cut}, ({low}){cut})"


def high_from_pieces(middle: str) -> str:
    """The high half with a sum of SUMS."""
    middle = middle.replace("carry", "((one + two & 0xffff) + low >> 16)")
    for name, piece in (("one", "(a0 * b1)"), ("two", "(a1 * b0)"), ("low", "(a0 * b0 >> 16)")):
        middle = middle.replace(name, piece)
    return f"a1 * b1 + {middle}"


@cache
def faulty_products() -> tuple[Model, ...]:
    """The products, of which different expressions that are one function stand once."""
    # This one is the right product for the words of _results.
    text = "computes the high half as a double number, which rounds few products up"
    rounded = "product-through-float", text, expressed("integer(double(a) * double(b)) >> 32")
    return (*_models(_rows()), rounded)


def _models(rows: Iterable[Row]) -> Iterator[Model]:
    """The products of rows. Of different expressions that are one function, only the first one, the likelier, stays."""
    known = {_results(MULTIPLY)}
    for name, text, kind, expression in rows:
        for where, halves in PARTS[kind].items():
            multiply = expressed(*(half.format(expression) for half in halves))
            results = _results(multiply)
            if results not in known:
                known.add(results)
                yield name, text + where, multiply


def _results(multiply: str) -> bytes:
    """What an expression makes of some words."""
    words = np.random.default_rng(0).integers(0, 1 << 32, 200, np.uint64)
    with np.errstate(all="ignore"):
        return np.array([multiplication(multiply)(words, multiplier) for multiplier in (M0, M1)], np.uint64).tobytes()


def _rows() -> Iterator[Row]:
    yield "product-half-zero", "takes 0 for the high half of products, as integers of 32 bits do", HIGH, "a & 0"
    yield "product-half-repeated", "takes the low half for the high half too, as a shift by 0 does", HIGH, "a * b"
    yield "product-half-zero", "takes 0 for the low half of products", LOW, "a & 0"
    yield "signed-products", "multiplies signed integers", HIGH, "signed(a) * signed(b) >> 32"
    yield "operand-signed", "multiplies a signed word by an unsigned constant", HIGH, "signed(a) * b >> 32"
    yield "operand-signed", "multiplies an unsigned word by a signed constant", HIGH, "a * signed(b) >> 32"
    for text, middle in SUMS.items():
        yield "product-carry-lost", f"{BY_PIECES} {text}", HIGH, high_from_pieces(middle)
    yield from _shifted_as_signed([(2,), (0, 1, 2, 3, 4), (0, 1, 2, 3, 4, 5)])
    for kind in ("double", "float32"):
        text = f"computes products as {kind} numbers, which rounds them"
        yield "product-through-float", text, BOTH, f"integer({kind}(a) * {kind}(b))"
    for word, constant in ((16, 16), (16, 32), (32, 16), (24, 24), (24, 32), (32, 24)):
        text = f"multiplies the low {word} bits of the word by the low {constant} bits of the constant"
        yield "product-operand-narrow", text, BOTH, narrow(word, constant)
    yield "product-of-other-multiplier", "uses the other word's multiplier", BOTH, "(a * (b ^ M0_M1))"


def narrow(word: int, constant: int) -> str:
    """The product of so many low bits of the word and of the constant."""
    return f"((a & {(1 << word) - 1:#x}) * (b & {(1 << constant) - 1:#x}))"


def _shifted_as_signed(choices: Iterable[tuple[int, ...]]) -> Iterator[Row]:
    """High halves with some of the shifts of SHIFTS signed."""
    for (parts, high), chosen in product(SHIFTS.items(), choices):
        if max(chosen) < len(parts):
            kinds = ("us"[i in chosen] for i in range(len(parts)))
            text = f"{BY_PIECES} shifts {' and '.join(parts[i] for i in chosen)} with the sign"
            yield "product-shift-signed", text, HIGH, high.format(*kinds)
