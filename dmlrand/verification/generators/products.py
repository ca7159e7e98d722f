"""Products of 32 by 32 bits as ports compute them wrongly: cut, signed, in floats, from pieces of 16 bits.

Products are expressions of a word a, a constant b, and their upper and lower 16 bits a1, a0, b1 and b0. An expression
gives the high half, the low half, or 64 bits that are used for both halves or for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, permutations, product

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
PIECES = {
    "a0 * b0": "the product of the lower halves",
    "a0 * b1": "the product of the word's lower and the constant's upper half",
    "a1 * b0": "the product of the word's upper and the constant's lower half",
    "a1 * b1": "the product of the upper halves",
}
# High halves without a1 * b1. one and two are the middle products, low is the upper half of a0 * b0, carry is that out
# of the low half, and u shifts the low 32 bits of a sum by 16.
LOWER_CARRY = "u(one) + u(two)"
SUMS = {
    "loses the carry of the lower pieces": LOWER_CARRY,
    "loses the carry of the middle sum": "u(one + two + low)",
    "loses the carry of the sum of the two middle pieces": "u(one + two) + carry",
    "loses the carry of the third piece of the middle sum": "(one + two >> 32 << 16) + u(one + two + low)",
    "adds the low piece to the second middle piece only, and loses the other's carry": "u(one) + u(two + low)",
    "adds the low piece to the first middle piece only, and loses the other's carry": "u(one + low) + u(two)",
    "drops the carry of the low piece": "(one + two >> 16)",
    "drops the carries of the low piece and of the middle sum": "u(one + two)",
    "adds the carry of the middle sum as 1 instead of 2^16": "u(one + two) + (one + two >> 32) + carry",
    "adds a carry out of the low half where there is none": "(one + two >> 16) + 1 - carry",
    "adds a carry out of the low half always": "(one + two >> 16) + 1",
    "subtracts the carry out of the low half": "(one + two >> 16) - carry",
    "adds the upper half of the first middle piece twice": "u(one) + u(two) + (low + one + (two & 0xffff) >> 16)",
    "adds the upper half of the second middle piece twice": "u(one) + u(two) + (low + (one & 0xffff) + two >> 16)",
    "adds the upper halves of both middle pieces twice": "u(one) + u(two) + (low + one + two >> 16)",
    "forgets the upper half of the first middle sum": "u(two + (one + low & 0xffff))",
    "forgets the upper half of the second middle sum": "u(one + (two + low & 0xffff))",
    "adds all of the first middle sum to the second": "(one + low >> 16) + (two + one + low >> 16)",
    "adds all of the second middle sum to the first": "(two + low >> 16) + (one + two + low >> 16)",
    "adds the low piece to the middle sum without a shift": "(one + two + a0 * b0 >> 16)",
    "adds the low half of the low piece to the middle sum": "(one + two + (a0 * b0 & 0xffff) >> 16)",
    "adds the carry out of the low half twice": "(one + two >> 16) + 2 * carry",
    "finds the carry out of the low half by a signed comparison":
        "(one + two >> 16) + ((a * b & M ^ 1 << 31) < (a0 * b0 ^ 1 << 31))",
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
def common_products() -> tuple[Model, ...]:
    """Products that are also searched in one of the two products only, and together with other faults."""
    return (*_models(_common_rows(), ()),)


def rare_products() -> Iterator[Model]:
    """Products that are searched in both products only, and without other faults."""
    yield from _models(_rare_rows(), common_products())
    # This one is the right product for the words of _results.
    text = "computes the high half as a double number, which rounds few products up"
    yield "product-through-float", text, expressed("integer(double(a) * double(b)) >> 32")
    signed, text = "signed(a * b >> 32)", "computes in integers of 64 bits and keeps more than 32 bits of"
    yield "product-halves-not-cut", f"{text} the low half", expressed(cut="")
    yield "product-halves-not-cut", f"{text} a signed high half", expressed(signed, "a * b & M", cut="")
    yield "product-halves-not-cut", f"{text} both halves of a signed product", expressed(signed, cut="")


def _models(rows: Iterable[Row], others: Iterable[Model]) -> Iterator[Model]:
    """The products of rows. Of different expressions that are one function, only the first one, the likelier, stays."""
    known = {_results(made) for made in (MULTIPLY, *(multiply for _, _, multiply in others))}
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


def _common_rows() -> Iterator[Row]:
    yield "product-half-zero", "takes 0 for the high half of products, as integers of 32 bits do", HIGH, "a & 0"
    yield "product-half-repeated", "takes the low half for the high half too, as a shift by 0 does", HIGH, "a * b"
    text = "fills the high half with the sign of the low half, as a signed product of 32 bits does"
    yield "product-half-signed", text, HIGH, "(a * b >> 31 & 1) * M"
    yield "product-half-zero", "takes 0 for the low half of products", LOW, "a & 0"
    yield "signed-products", "multiplies signed integers", HIGH, "signed(a) * signed(b) >> 32"
    text = "multiplies signed integers, and subtracts the correction of the high half instead of adding it"
    yield "signed-products", text, HIGH, "(signed(a) * signed(b) >> 32) - (a >> 31) * b - (b >> 31) * a"
    yield "operand-signed", "multiplies a signed word by an unsigned constant", HIGH, "signed(a) * b >> 32"
    yield "operand-signed", "multiplies an unsigned word by a signed constant", HIGH, "a * signed(b) >> 32"
    for text, middle in SUMS.items():
        name = "product-carry-signed" if "signed" in text else "product-carry-lost"
        yield name, f"{BY_PIECES} {text}", HIGH, high_from_pieces(middle)
    yield from _pieces_missing(1)
    yield from _shifted_as_signed([(2,), (0, 1, 2, 3, 4), (0, 1, 2, 3, 4, 5)])
    for kind in ("double", "float32"):
        text = f"computes products as {kind} numbers, which rounds them"
        yield "product-through-float", text, BOTH, f"integer({kind}(a) * {kind}(b))"
    for word, constant in ((16, 16), (16, 32), (32, 16), (24, 24), (24, 32), (32, 24)):
        yield _narrow(word, constant)
    yield "product-low-saturates", "clamps the low half at 0xffffffff", LOW, "minimum(a * b, M)"
    yield from map(_shifted, (31, 33))
    yield _cut(48)


def _rare_rows() -> Iterator[Row]:
    yield from _pieces_missing(2)
    yield from _pieces_missing(3)
    for lost, again in permutations(PIECES, 2):
        text = f"{BY_PIECES} takes {PIECES[again]} in place of {PIECES[lost]}"
        yield "product-piece-repeated", text, BOTH, _sum_of_pieces({lost: again})
    for shift in (0, 8, 15, 17, 24, 32):
        text = f"{BY_PIECES} shifts the middle sum by {shift} bits"
        yield "product-shifted-wrongly", text, BOTH, _sum_of_pieces({}, shift)
    for sign, what in (("|", "or"), ("^", "xor")):
        text = f"combines the pieces of the low half by {what}"
        yield "product-carry-lost", text, LOW, f"a0 * b0 {sign} (a0 * b1 + a1 * b0 << 16)"
        text, high = f"takes the {what} of the upper piece and the rest", high_from_pieces("(one + two + low >> 16)")
        yield "product-carry-lost", f"{BY_PIECES} {text} for their sum", HIGH, high.replace("+", sign, 1)
        text, middle = f"takes the {what} of the middle pieces", f"((one {sign} two) + low >> 16)"
        yield "product-carry-lost", f"{BY_PIECES} {text} for their sum", HIGH, high_from_pieces(middle)
    yield from _shifted_as_signed([sites for count in range(1, 7) for sites in combinations(range(6), count)])
    for text, middle in SUMS.items():
        text = f"{BY_PIECES} {text}, and shifts middle pieces as signed integers"
        yield "product-carry-lost", text, HIGH, high_from_pieces(middle.replace("u(", "s("))
    for text, middle in SUMS.items():
        wrapped = re.sub(r"(?<!u)\((.*) >> 16\)", r"u(\1)", middle)
        yield "product-carry-lost", f"{BY_PIECES} {text}, in sums of 32 bits", HIGH, high_from_pieces(wrapped)
    for word, constant in product(("double", "signed_double", "float32"), ("double", "signed_double")):
        number, what = f"{word}(a) * {constant}(b)", f"the word as {word} and the constant as {constant}"
        text = f"multiplies {what.replace('_', ' ')} numbers"
        yield "product-through-float", text, BOTH, f"integer({number})"
        text, high = f"{text} and cuts the high half towards zero", f"integer(trunc({number} / 2.0**32))"
        yield "product-through-float", text, HIGH, high
    text = "rounds products above 2^63 to double numbers"
    yield "product-through-float", text, BOTH, "where(a * b >> 63, integer(double(a) * double(b)), a * b)"
    for word, number in (("words", "a * b"), ("signed words", "signed(a) * b"), ("integers", "signed(a) * signed(b)")):
        text = f"divides signed products of {word} by 2^32, which rounds the high half towards zero"
        yield "product-divided-wrongly", text, HIGH, f"({number} >> 32) + ({number} >> 63) * ({number} & M > 0)"
    text = "divides products by 2^32 - 1 instead of 2^32"
    yield "product-divided-wrongly", text, BOTH, "(a * b // M << 32 | a * b % M)"
    for bits in (32, 63):
        yield "product-saturates", f"clamps products to {bits} bits", BOTH, f"minimum(a * b, {(1 << bits) - 1})"
    for ones, others in product((17, 18, 24, 25, 27, 31, 32), repeat=2):
        yield _narrow(ones, others)
    for bits, (side, other, what) in product((16, 17, 18, 24), (("a", "b", "word"), ("b", "a", "constant"))):
        text = f"cuts the {what} into pieces and multiplies its low {bits} bits as a signed integer"
        yield "product-piece-signed", text, BOTH, f"(a * b - ({side} >> {bits - 1} & 1) * ({other} << {bits}))"
    yield from (
        ("product-operand-narrow", "multiplies signed integers of 24 bits", BOTH, "signed(a, 24) * signed(b, 24)"),
        ("operand-signed", "multiplies absolute values", BOTH, "(where(a >> 31, -a & M, a) * (-b & M))"),
        ("operand-signed", "multiplies the absolute value of the word", BOTH, "(where(a >> 31, -a & M, a) * b)"),
        ("product-through-float", "rounds the constant to float32", BOTH, "(a * integer(float32(b)))"),
        ("product-through-float", "rounds the word to float32", BOTH, "(integer(float32(a)) * b)"),
        ("product-of-other-multiplier", "exchanges the word's 16-bit halves", BOTH, "((a1 | a0 << 16) * b)"),
        ("product-without-carries", "multiplies without carries, as polynomials", BOTH, "carryless(a, b)"),
        ("product-of-other-multiplier", "uses the other word's multiplier", BOTH, "(a * (b ^ M0_M1))"),
        ("product-of-other-multiplier", "exchanges the multiplier's 16-bit halves", BOTH, "(a * (b1 | b0 << 16))"),
        ("product-halves-mixed", "adds the low half to the high half", HIGH, "(a * b >> 32) + a * b"),
        ("product-halves-mixed", "combines the high half with the low half by xor", HIGH, "a * b >> 32 ^ a * b"),
        ("product-rounded", "rounds the high half to the nearest integer", HIGH, "a * b + (1 << 31) >> 32"),
        ("product-rounded", "rounds the high half up", HIGH, "a * b + M >> 32"),
        ("product-cut", "loses the lowest bit of the high half", HIGH, "a * b >> 33 << 1"),
        ("product-cut", "loses the lowest bit of the word for the high half", HIGH, "(a >> 1) * b >> 31"),
        ("product-cut", "loses the lowest bit of the constant for the high half", HIGH, "a * (b >> 1) >> 31"),
    )
    yield from map(_shifted, (8, 16, 24, 28, 29, 30, 34, 35, 36, 40, 48))
    yield from map(_cut, (40, 52, 53, 54, 56, 60, 62, 63))
    for bits in (8, 16, 24, 31):
        mask = f"{(1 << bits) - 1:#x}"
        yield "product-cut", f"keeps only {bits} bits of each half", BOTH, f"(a * b & ({mask} << 32 | {mask}))"


def narrow(word: int, constant: int) -> str:
    """The product of so many low bits of the word and of the constant."""
    return f"((a & {(1 << word) - 1:#x}) * (b & {(1 << constant) - 1:#x}))"


def _narrow(word: int, constant: int) -> Row:
    text = f"multiplies the low {word} bits of the word by the low {constant} bits of the constant"
    return "product-operand-narrow", text, BOTH, narrow(word, constant)


def _pieces_missing(count: int) -> Iterator[Row]:
    for lost in combinations(PIECES, count):
        text = f"{BY_PIECES} forgets {' and '.join(PIECES[piece] for piece in lost)}"
        yield "product-piece-missing", text, BOTH, _sum_of_pieces(dict.fromkeys(lost, "(a & 0)"))


def _sum_of_pieces(others: dict[str, str], shift: int = 16) -> str:
    """The product from pieces, some of which are replaced by others."""
    low, one, two, top = (others.get(piece, piece) for piece in PIECES)
    return f"(({top} << 32) + ({one} + {two} << {shift}) + {low})"


def _shifted_as_signed(choices: Iterable[tuple[int, ...]]) -> Iterator[Row]:
    """High halves with some of the shifts of SHIFTS signed."""
    for (parts, high), chosen in product(SHIFTS.items(), choices):
        if max(chosen) < len(parts):
            kinds = ("us"[i in chosen] for i in range(len(parts)))
            text = f"{BY_PIECES} shifts {' and '.join(parts[i] for i in chosen)} with the sign"
            yield "product-shift-signed", text, HIGH, high.format(*kinds)


def _shifted(bits: int) -> Row:
    return "product-shifted-wrongly", f"shifts the product by {bits} bits for the high half", HIGH, f"a * b >> {bits}"


def _cut(bits: int) -> Row:
    text = f"cuts products to {bits} bits, so that the high half has {bits - 32}"
    return "product-cut", text, HIGH, f"a * b >> 32 & {(1 << bits - 32) - 1:#x}"
