"""Block functions with a fault: products, the key of each round, and which half, word and key a round combines.

Products are expressions of a word a, a constant b, and their upper and lower 16 bits a1, a0, b1 and b0, as ports
compute them wrongly: cut, signed, in floats, from pieces of 16 bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import permutations, product
from typing import Any

import numpy as np

from ...philox import M0, M1, ROUNDS, W0, W1
from ..dump import RIGHT, Hypothesis, fault
from ..report.result import Finding
from .variants import MULTIPLY, Variant

SOME_WORDS = (0x9A3B5C7D, 0x81234567, 0xFEDCBA98, 0xE1D2C3B4, 0x9F8E7D6C, 0xC5B6A798)
# Of the two products.
HALVES = {3: "", 1: ", in the product of counter word 0 only", 2: ", in the product of counter word 2 only"}
KEYS = {3: "key", 1: "key word 0", 2: "key word 1"}
REMEDY = "multiply unsigned 32 by 32 bits to 64"


@cache
def round_faults() -> tuple[Hypothesis, ...]:
    """The faults that are also searched together with others."""
    return (*_common_faults(), *_faults_of_products(), *_faults_of_keys())


def _common_faults() -> Iterator[Hypothesis]:
    for rounds in (*range(1, ROUNDS), ROUNDS + 1):
        yield fault(f"rounds-{rounds}", f"runs {rounds} round{'s' * (rounds != 1)}: run {ROUNDS}", rounds=rounds)
    for name, text, steps in (
        ("multipliers-exchanged", f"multiplies counter word 0 by {M1:#x} and word 2 by {M0:#x}: exchange the two",
         {"m0": M1, "m1": M0}),
        ("weyl-constants-exchanged", f"adds {W1:#x} to key word 0 and {W0:#x} to word 1 between rounds: exchange the "
         "two", {"w0": W1, "w1": W0}),
        ("products-not-crossed", "leaves each product in its own half of the block: compute words 0 and 1 from word "
         "2's product", {"results": round_results("h0 l0 h1 l1")}),
        ("product-halves-exchanged", "exchanges the high and low halves of the products: use the high halves in words "
         "0 and 2", {"results": round_results("l1 h1 l0 h0")}),
        ("key-not-bumped", f"uses one key for all rounds: add {W0:#x} and {W1:#x} to the key's words between rounds",
         {"w0": 0, "w1": 0}),
        ("key-bumped-early", "bumps the key before the first round: use the unchanged key in the first round",
         {"bumps": ("r + 1", "r + 1")}),
        ("key-bumped-late", "uses the unchanged key in the first two rounds: bump the key before the second round",
         {"bumps": ("max(r - 1, 0)",) * 2}),
        ("block-of-the-block", "computes the block of each block: store the first one",
         {"rounds": 2 * ROUNDS, "bumps": (f"r % {ROUNDS}",) * 2}),
    ):  # fmt: skip
        yield fault(name, text, **steps)


# Products

# High halves without a1 * b1, of the middle products {one} and {two}, and {low}, the upper half of a0 * b0.
# u shifts the low 32 bits of a sum by 16.
LOST_CARRIES = {
    "the lower pieces": "u({one}) + u({two})",
    "the middle sum": "u({one} + {two} + {low})",
    "the sum of the two middle pieces": "u({one} + {two}) + (({one} + {two} & 0xffff) + {low} >> 16)",
    "the second middle piece": "u({one}) + u({two} + {low})",
    "the first middle piece": "u({one} + {low}) + u({two})",
    "the low piece": "({one} + {two} >> 16)",
    "the low piece and of the middle sum": "u({one} + {two})",
}
PIECES = {"one": "(a0 * b1)", "two": "(a1 * b0)", "low": "(a0 * b0 >> 16)"}
# Right high halves, if the shifts {0} of the low product, {1} of other products and {2} of operands are unsigned.
SHIFTED = (
    "{2}(a) * {2}(b) + {1}(a0 * {2}(b)) + {1}({2}(a) * b0)"
    " + {1}({0}(a0 * b0) + (a0 * {2}(b) & 0xffff) + ({2}(a) * b0 & 0xffff))",
    "{2}(a) * {2}(b) + {1}({2}(a) * b0 + {0}(a0 * b0)) + {1}(a0 * {2}(b) + ({2}(a) * b0 + {0}(a0 * b0) & 0xffff))",
    "{2}(a) * {2}(b) + {1}({2}(a) * b0) + {1}(a0 * {2}(b) + {0}(a0 * b0) + ({2}(a) * b0 & 0xffff))",
)
# Wrong high halves, and wrong products of which both halves are taken: the name, what the generator does, how.
HIGH_HALVES = (
    ("product-half-zero", "takes 0 for the high half of products, as integers of 32 bits do", "a & 0"),
    ("product-half-repeated", "takes the low half for the high half too, as a shift by 0 does", "a * b"),
    ("signed-products", "multiplies signed integers, which makes high halves wrong", "signed(a) * signed(b) >> 32"),
    ("operand-signed", "multiplies a signed word by an unsigned constant", "signed(a) * b >> 32"),
    ("operand-signed", "multiplies an unsigned word by a signed constant", "a * signed(b) >> 32"),
    *(("product-carry-lost", f"adds up products of 16-bit pieces and loses the carry of {text}",
       f"a1 * b1 + {middle.format(**PIECES)}") for text, middle in LOST_CARRIES.items()),
    *(("product-shift-signed", f"adds up products of 16-bit pieces and shifts {what} as int, with the sign",
       high.format(*shifts))
      for high in SHIFTED
      for what, shifts in (("the low product", "suu"), ("all products", "ssu"), ("operands and products", "sss"))),
)  # fmt: skip
PRODUCTS = (
    ("product-through-float", "computes products as double numbers, which rounds them",
     "integer(double(a) * double(b))"),
    ("product-through-float", "computes products as float32 numbers, which rounds them",
     "integer(float32(a) * float32(b))"),
    ("product-of-other-multiplier", "uses the other word's multiplier", "(a * (b ^ M0_M1))"),
    ("products-of-24-bits", "multiplies only the low 24 bits of words and constants",
     "((a & 0xffffff) * (b & 0xffffff))"),
    ("product-operand-narrow", "multiplies only the low 16 bits of words and constants", "(a0 * b0)"),
    ("product-operand-narrow", "multiplies only the low 16 bits of words", "(a0 * b)"),
    ("product-operand-narrow", "multiplies only by the low 16 bits of constants", "(a * b0)"),
)  # fmt: skip


def _faulty_products() -> Iterator[tuple[str, str, str]]:
    """The names, what the generator does, and the expressions of both halves."""
    for name, text, high in HIGH_HALVES:
        yield name, text, f"(({high}) & M, a * b & M)"
    yield "product-half-zero", "takes 0 for the low half of products", "(a * b >> 32, a & 0)"
    for name, text, made in PRODUCTS:
        yield name, text, f"({made} >> 32 & M, {made} & M)"
        yield name, f"{text} for the high half", f"({made} >> 32 & M, a * b & M)"
        yield name, f"{text} for the low half", f"(a * b >> 32, {made} & M)"


def _faults_of_products() -> Iterator[Hypothesis]:
    for (name, text, multiply), (which, where) in product(_faulty_products(), HALVES.items()):
        yield fault(name, f"{text}{where}: {REMEDY}", multiply=_of_halves(which, multiply, MULTIPLY))


def _of_halves(halves: int, wrong: Any, right: Any) -> tuple[Any, Any]:
    """The step of both halves: wrong in the first one (1), in the second one (2), or in both (3)."""
    return wrong if halves & 1 else right, wrong if halves & 2 else right


# Keys


def _faults_of_keys() -> Iterator[Hypothesis]:
    for number, (words, key) in product(range(1, ROUNDS), KEYS.items()):
        text = f"does not bump the {key} before round {number + 1}: bump it once before every round but the first"
        yield fault("key-bump-missing", text, bumps=_of_halves(words, f"r - 1 * (r >= {number})", "r"))
    text = "bumps the key before every second round: do it before each"
    yield fault("key-bump-missing", text, bumps=("r // 2",) * 2)
    for number in range(ROUNDS):
        text = f"uses no key in round {number + 1}: use the bumped key in each of the {ROUNDS} rounds"
        keys = tuple(f"0 if r == {number} else {key}" for key in RIGHT.keys)
        yield fault("key-missing-in-a-round", text, keys=keys)
    of_64_bits = "k0 + s0 & M", "k1 + s1 + (k0 + s0 >> 32) & M"
    for text, (low, high) in (
        ("bumps the key as one number of 64 bits: add to both words without a carry between them", (W0, W1)),
        (f"adds {W0:#x} to the key as a number of 64 bits: add {W0:#x} to word 0 and {W1:#x} to word 1", (W0, 0)),
        (f"adds 0x9e3779b97f4a7c15 to the key as a number of 64 bits: add {W0:#x} to word 0 and {W1:#x} to word 1",
         (0x7F4A7C15, W0)),
    ):  # fmt: skip
        yield fault("key-bumped-as-64-bits", text, keys=of_64_bits, w0=low, w1=high)


# The wiring of a round


def round_results(halves: str = "h1 l1 h0 l0", words: str = "13", keys: str = "01") -> tuple[str, ...]:
    """The results of a round with other halves, and other words for the high halves."""
    first, second, third, fourth = halves.split()
    return f"{first} ^ c{words[0]} ^ q{keys[0]}", second, f"{third} ^ c{words[1]} ^ q{keys[1]}", fourth


# A word is overwritten before its old value was used.
OVERWRITTEN = (
    Variant(factors=("(c2 * M1 >> 32) ^ c1 ^ q0", "c2")),
    Variant(factors=("c0", "(c0 * M0 >> 32) ^ c3 ^ q1")),
    Variant(results=("h1 ^ l1 ^ q0", *RIGHT.results[1:])),
    Variant(results=(*RIGHT.results[:2], "h0 ^ l0 ^ q1", "l0")),
    Variant(results=("h1 ^ l1 ^ q0", "l1", "h0 ^ l0 ^ q1", "l0")),
)
NAMED = dict.fromkeys(OVERWRITTEN, "counter-word-overwritten-in-rounds") | {
    Variant(results=round_results("h0 l1 h1 l0")): "high-halves-exchanged",
    Variant(results=round_results("h1 l0 h0 l1")): "low-halves-exchanged",
    Variant(results=round_results(words="31")): "counter-words-1-3-exchanged-in-rounds",
    Variant(results=round_results(keys="10")): "key-words-exchanged-in-rounds",
}


@cache
def wiring_faults() -> tuple[Hypothesis, ...]:
    """Rounds that take one half, word or key for another, or put their results in another order.

    Ports change two or three of these at once. These faults are searched alone only.
    """
    made: dict[bytes, Hypothesis | None] = dict.fromkeys(_block(each.variant) for each in round_faults())
    for rounds in (*_one_change(), *_several_changes()):
        text = f"The generator computes {_formula(rounds)} in a round: use {_formula(RIGHT)}."
        # Different formulas may be one function.
        name = NAMED.get(rounds, "round-wired-wrongly")
        made.setdefault(_block(rounds), Hypothesis((Finding(name, text),), rounds))
    return tuple(filter(None, made.values()))


def _one_change() -> Iterator[Variant]:
    names, two = ["h1", "l1", "h0", "l0"], ["".join(words) for words in product("0123", repeat=2)]
    orders = [*permutations(names), *((*names[:i], half, *names[i + 1 :]) for half in names for i in range(4))]
    for results in (
        *permutations(RIGHT.results), *(round_results(" ".join(order)) for order in orders),
        *(round_results(words=words) for words in two), *(round_results(keys=keys) for keys in ("10", "00", "11")),
        *(tuple(result.replace(f" ^ {word}", "") for result in RIGHT.results) for word in ("c1", "c3", "q0", "q1")),
        ("h1 ^ c1", "l1 ^ q0", "h0 ^ c3", "l0 ^ q1"),
    ):  # fmt: skip
        yield Variant(results=results)
    yield from OVERWRITTEN
    for words in two:
        yield Variant(factors=(f"c{words[0]}", f"c{words[1]}"))


def _several_changes() -> Iterator[Variant]:
    """Each choice of the multiplied words and of the words beside them, and of what is exchanged."""
    for (factors, words), high, low, keys, (m0, m1), is_low_first in product(
        (*product(("02", "20"), ("13", "31")), *product(("13", "31"), ("02", "20"))),
        ("h1 h0", "h0 h1"), ("l1 l0", "l0 l1"), ("01", "10"), ((M0, M1), (M1, M0)), (False, True),
    ):  # fmt: skip
        halves = " ".join(half for pair in zip(high.split(), low.split()) for half in pair)
        first, second, third, fourth = round_results(halves, words, keys)
        results = (second, first, fourth, third) if is_low_first else (first, second, third, fourth)
        yield Variant(m0=m0, m1=m1, factors=(f"c{factors[0]}", f"c{factors[1]}"), results=results)


def _block(rounds: Variant) -> bytes:
    """What the rounds make of some words."""
    with np.errstate(all="ignore"):
        inputs: Any = tuple(np.array([word], np.uint64) for word in SOME_WORDS)
        words = rounds._replace(rounds=2).blocks(inputs)
    return np.array([word + np.uint64(0) for word in words]).tobytes()


def _formula(rounds: Variant) -> str:
    """What a round makes of counter words c0 to c3 and key words k0 and k1."""
    text = ", ".join(rounds.results).replace("q", "k")
    for i, (factor, multiplier) in enumerate(zip(rounds.factors, (rounds.m0, rounds.m1))):
        name, factor = "M0" if multiplier == M0 else "M1", factor.replace("q", "k")
        factor = f"({factor})" if " " in factor else factor
        text = text.replace(f"h{i}", f"high({factor}*{name})").replace(f"l{i}", f"low({factor}*{name})")
    return f"({text})"
