"""Block functions with a fault: products, the key of each round, and which half, word and key a round combines.

Products are expressions of a word a, a constant b, and their upper and lower 16 bits a1, a0, b1 and b0, as ports
compute them wrongly: cut, signed, in floats, from pieces of 16 bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import permutations, product
from typing import Any

import numpy as np

from ...philox import M0, M1, ROUNDS, W0, W1
from .variants import MULTIPLY, FaultModel, Rounds, WordVariant, multiplication, round_fault

Fault = FaultModel[WordVariant]
Row = tuple[str, str, str]  # the name of a fault, what the generator does, and the expression of both halves
RIGHT = Rounds()
SOME_WORDS = (0x9A3B5C7D, 0x81234567, 0xFEDCBA98, 0xE1D2C3B4, 0x9F8E7D6C, 0xC5B6A798)
# Of the two products, or of the two halves of a round.
HALVES = {3: "", 1: ", in the product of counter word 0 only", 2: ", in the product of counter word 2 only"}
KEYS = {3: "key", 1: "key word 0", 2: "key word 1"}
REMEDY = "multiply unsigned 32 by 32 bits to 64"

# Products

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
# Both halves of a wrong product.
PRODUCTS = [
    ("product-through-float", "computes products as double numbers, which rounds them",
     "integer(double(a) * double(b))"),
    ("product-through-float", "computes products as float32 numbers, which rounds them",
     "integer(float32(a) * float32(b))"),
    ("product-of-other-multiplier", "uses the other word's multiplier", "(a * (b ^ M0_M1))"),
]  # fmt: skip


def expressed(high: str = "a * b >> 32", low: str = "a * b") -> str:
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
        ("product-half-repeated", "takes the low half for the high half too, as a shift by 0 does", "a * b"),
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
    cut = [
        ("product-operand-narrow", f"multiplies the low {word} bits of the word by the low {constant} bits of the "
         "constant", narrow(word, constant))
        for word, constant in ((16, 16), (16, 32), (32, 16), (24, 24), (24, 32), (32, 24))
    ]  # fmt: skip
    for name, text, made in (*PRODUCTS, *cut):
        yield name, text, expressed(f"{made} >> 32", made)
        yield name, f"{text} for the high half", expressed(f"{made} >> 32")
        yield name, f"{text} for the low half", expressed(low=made)


# Rounds


@cache
def round_faults() -> tuple[Fault, ...]:
    """The faults that are also searched together with others."""
    return (*_faults_of_products(), *_faults_of_keys(), *_faults_of_halves())


def _faults_of_products() -> Iterator[Fault]:
    for (name, text, multiply), (which, where) in product(faulty_products(), HALVES.items()):
        yield round_fault(name, f"{text}{where}: {REMEDY}", multiply=_of_halves(which, multiply, MULTIPLY))


def _faults_of_halves() -> Iterator[Fault]:
    yield round_fault("block-of-the-block", "computes the block of each block: store the first one",
                      rounds=2 * ROUNDS, bumps=(f"r % {ROUNDS}",) * 2)  # fmt: skip
    for name, text, results in (
        ("high-halves-exchanged", "the high halves of the two products in each round: use that of word 2's product in "
         "word 0", round_results("h0 l1 h1 l0")),
        ("low-halves-exchanged", "the low halves of the two products in each round: use that of word 2's product in "
         "word 1", round_results("h1 l0 h0 l1")),
        ("counter-words-1-3-exchanged-in-rounds", "counter words 1 and 3 in each round: combine word 1 with the "
         "product of word 2", round_results(words="31")),
        ("key-words-exchanged-in-rounds", "the key words in each round: use key word 0 for counter word 0",
         round_results(keys="10")),
    ):  # fmt: skip
        yield round_fault(name, f"exchanges {text}", results=results)
    overwritten: tuple[dict[str, Any], ...] = (
        {"factors": ("(c2 * M1 >> 32) ^ c1 ^ q0", "c2")},
        {"results": ("h1 ^ l1 ^ q0", *RIGHT.results[1:])},
        {"factors": ("c0", "(c0 * M0 >> 32) ^ c3 ^ q1")},
        {"results": (*RIGHT.results[:2], "h0 ^ l0 ^ q1", "l0")},
    )
    for word, steps in enumerate(overwritten):
        text = f"overwrites counter word {word} in each round before its old value was used"
        remedy = "compute both halves of a round from the old words"
        yield round_fault("counter-word-overwritten-in-rounds", f"{text}: {remedy}", **steps)


def _faults_of_keys() -> Iterator[Fault]:
    for number, (words, key) in product(range(1, ROUNDS), KEYS.items()):
        text = f"does not bump the {key} before round {number + 1}: bump it once before every round but the first"
        yield round_fault("key-bump-missing", text, bumps=_of_halves(words, f"r - 1 * (r >= {number})", "r"))
    text = "bumps the key before every second round: do it before each"
    yield round_fault("key-bump-missing", text, bumps=("r // 2",) * 2)
    for numbers in (*((number,) for number in range(1, ROUNDS)), (0, ROUNDS - 1)):
        which = " and ".join(str(number + 1) for number in numbers)
        text = f"uses no key in round {which}: use the bumped key in each of the {ROUNDS} rounds"
        yield round_fault("key-missing-in-a-round", text, keys=keys_missing_in(*numbers))
    of_64_bits = "k0 + s0 & M", "k1 + s1 + (k0 + s0 >> 32) & M"
    for text, steps in (
        ("bumps the key as one number of 64 bits: add to both words without a carry between them", (W0, W1)),
        (f"adds {W0:#x} to the key as a number of 64 bits: add {W0:#x} to word 0 and {W1:#x} to word 1", (W0, 0)),
        (f"adds 0x9e3779b97f4a7c15 to the key as a number of 64 bits: add {W0:#x} to word 0 and {W1:#x} to word 1",
         (0x7F4A7C15, W0)),
    ):  # fmt: skip
        yield round_fault("key-bumped-as-64-bits", text, keys=of_64_bits, key_steps=steps)


def keys_missing_in(*rounds: int) -> tuple[str, str]:
    first, second = (f"0 if r in {rounds} else {key}" for key in RIGHT.keys)
    return first, second


def _of_halves(halves: int, wrong: Any, right: Any) -> tuple[Any, Any]:
    """The step of both halves: wrong in the first one (1), in the second one (2), or in both (3)."""
    return wrong if halves & 1 else right, wrong if halves & 2 else right


# The wiring of a round


def round_results(halves: str = "h1 l1 h0 l0", words: str = "13", keys: str = "01") -> tuple[str, ...]:
    """The results of a round with other halves, and other words for the high halves."""
    first, second, third, fourth = halves.split()
    return f"{first} ^ c{words[0]} ^ q{keys[0]}", second, f"{third} ^ c{words[1]} ^ q{keys[1]}", fourth


def faults_of_wiring(known: Iterable[Fault]) -> Iterator[Fault]:
    """Rounds that take one half, word or key for another, or put their results in another order.

    Ports change two or three of these at once. `known` are the faults whose rounds have another name.
    """
    names, two = ["h1", "l1", "h0", "l0"], ["".join(words) for words in product("0123", repeat=2)]
    orders = [*permutations(names), *((*names[:i], half, *names[i + 1 :]) for half in names for i in range(4))]
    wired = [RIGHT._replace(results=results) for results in (
        *permutations(RIGHT.results), *(round_results(" ".join(order)) for order in orders),
        *(round_results(words=words) for words in two), *(round_results(keys=keys) for keys in ("00", "11")),
        ("h1 ^ c1", "l1 ^ q0", "h0 ^ c3", "l0 ^ q1"),
    )]  # fmt: skip
    wired += [RIGHT._replace(factors=(f"c{words[0]}", f"c{words[1]}")) for words in two]
    named = {_block(rounds) for rounds in (RIGHT, *(fault.variant.rounds for fault in known))}
    for rounds in (*wired, *_several_changes()):
        block = _block(rounds)
        if block not in named:  # different formulas may be one function
            named.add(block)
            text = f"The generator computes {_formula(rounds)} in a round: use {_formula(RIGHT)}."
            yield FaultModel("round-wired-wrongly", WordVariant(rounds=rounds), text)


def _block(rounds: Rounds) -> bytes:
    """What the rounds make of some words."""
    with np.errstate(all="ignore"):
        inputs: Any = tuple(np.array([word], np.uint64) for word in SOME_WORDS)
        words = rounds._replace(rounds=2).blocks(inputs)
    return np.array([word + np.uint64(0) for word in words]).tobytes()


def _several_changes() -> Iterator[Rounds]:
    """Each choice of the multiplied words and of the words beside them, and of what is exchanged."""
    for (factors, words), high, low, keys, multipliers, is_low_first in product(
        (*product(("02", "20"), ("13", "31")), *product(("13", "31"), ("02", "20"))),
        ("h1 h0", "h0 h1"), ("l1 l0", "l0 l1"), ("01", "10"), ((M0, M1), (M1, M0)), (False, True),
    ):  # fmt: skip
        halves = " ".join(half for pair in zip(high.split(), low.split()) for half in pair)
        first, second, third, fourth = round_results(halves, words, keys)
        results = (second, first, fourth, third) if is_low_first else (first, second, third, fourth)
        factor_names = f"c{factors[0]}", f"c{factors[1]}"
        yield Rounds(multipliers=multipliers, factors=factor_names, results=results)


def _formula(rounds: Rounds) -> str:
    """What a round makes of counter words c0 to c3 and key words k0 and k1."""
    text = ", ".join(rounds.results).replace("q", "k")
    for i, (factor, multiplier) in enumerate(zip(rounds.factors, rounds.multipliers)):
        name = "M0" if multiplier == M0 else "M1"
        text = text.replace(f"h{i}", f"high({factor}*{name})").replace(f"l{i}", f"low({factor}*{name})")
    return f"({text})"
