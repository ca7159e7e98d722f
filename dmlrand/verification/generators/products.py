"""Products of 32 by 32 bits as ports compute them wrongly: cut, signed, in floats, from pieces of 16 bits.

Products are expressions of a word a, a constant b, and their upper and lower 16 bits a1, a0, b1 and b0.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from ...philox import M0, M1
from .variants import MULTIPLY, multiplication

Row = tuple[str, str, str]  # the name of a fault, what the generator does, and the expression of both halves
RIGHT_HIGH, RIGHT_LOW = "a * b >> 32", "a * b"
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
# Right high halves, if the shifts {0} of the low product and {1} of all else are unsigned.
SHIFTED = (
    "{1}(a) * {1}(b) + {1}(a0 * {1}(b)) + {1}({1}(a) * b0)"
    " + {1}({0}(a0 * b0) + (a0 * {1}(b) & 0xffff) + ({1}(a) * b0 & 0xffff))",
    "{1}(a) * {1}(b) + {1}({1}(a) * b0 + {0}(a0 * b0)) + {1}(a0 * {1}(b) + ({1}(a) * b0 + {0}(a0 * b0) & 0xffff))",
)


def expressed(high: str = RIGHT_HIGH, low: str = RIGHT_LOW) -> str:
    """The expression of both halves."""
    return f"(({high}) & M, ({low}) & M)"


def high_from_pieces(middle: str) -> str:
    """The high half with a sum of SUMS."""
    middle = middle.replace("carry", "((one + two & 0xffff) + low >> 16)")
    for name, piece in (("one", "(a0 * b1)"), ("two", "(a1 * b0)"), ("low", "(a0 * b0 >> 16)")):
        middle = middle.replace(name, piece)
    return f"a1 * b1 + {middle}"


def narrow(word: int, constant: int) -> str:
    """The product of so many low bits of the word and of the constant."""
    return f"((a & {(1 << word) - 1:#x}) * (b & {(1 << constant) - 1:#x}))"


@cache
def faulty_products() -> tuple[Row, ...]:
    """The products. Of different expressions that are one function, only the first one, the likelier, stays."""
    distinct = {_results(MULTIPLY): ("", "", "")}
    for row in (*_high_halves(), *_whole_products()):
        distinct.setdefault(_results(row[2]), row)
    # This one is the right product for the words of _results.
    text = "computes the high half as a double number, which rounds few products up"
    rounded = "product-through-float", text, expressed("integer(double(a) * double(b)) >> 32")
    return (*[row for row in distinct.values() if row[0]], rounded)


def _results(multiply: str) -> bytes:
    """What an expression makes of some words."""
    words = np.random.default_rng(0).integers(0, 1 << 32, 200, np.uint64)
    with np.errstate(all="ignore"):
        return np.array([multiplication(multiply)(words, multiplier) for multiplier in (M0, M1)], np.uint64).tobytes()


def _high_halves() -> Iterator[Row]:
    for name, text, high in (
        ("product-half-zero", "takes 0 for the high half of products, as integers of 32 bits do", "a & 0"),
        ("product-half-repeated", "takes the low half for the high half too, as a shift by 0 does", RIGHT_LOW),
        ("signed-products", "multiplies signed integers", "signed(a) * signed(b) >> 32"),
        ("operand-signed", "multiplies a signed word by an unsigned constant", "signed(a) * b >> 32"),
        ("operand-signed", "multiplies an unsigned word by a signed constant", "a * signed(b) >> 32"),
        *(("product-carry-lost", f"{BY_PIECES} {text}", high_from_pieces(middle)) for text, middle in SUMS.items()),
        *(
            ("product-shift-signed", f"{BY_PIECES} shifts {what} with the sign", high.format("s", others))
            for high in SHIFTED
            for what, others in (("the low product", "u"), ("all of them", "s"))
        ),
    ):
        yield name, text, expressed(high)


def _whole_products() -> Iterator[Row]:
    yield "product-half-zero", "takes 0 for the low half of products", expressed(low="a & 0")
    wrong = [
        ("product-through-float", f"computes products as {kind} numbers, which rounds them",
         f"integer({kind}(a) * {kind}(b))")
        for kind in ("double", "float32")
    ]  # fmt: skip
    wrong += [
        ("product-operand-narrow", f"multiplies the low {word} bits of the word by the low {constant} bits of the "
         "constant", narrow(word, constant))
        for word, constant in ((16, 16), (16, 32), (32, 16), (24, 24), (24, 32), (32, 24))
    ]  # fmt: skip
    wrong.append(("product-of-other-multiplier", "uses the other word's multiplier", "(a * (b ^ M0_M1))"))
    for name, text, made in wrong:
        yield name, text, expressed(f"{made} >> 32", made)
        yield name, f"{text} for the high half", expressed(f"{made} >> 32")
        yield name, f"{text} for the low half", expressed(low=made)
