"""Block functions with a fault: products, the key of each round, and which half, word and key a round combines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations, product
from typing import Any

import numpy as np

from ...philox import M0, M1, ROUNDS, W0, W1
from .products import faulty_products
from .variants import MULTIPLY, Rounds

Row = tuple[str, Rounds, str]  # the name of a fault, the rounds, and what the generator does and should do instead
# Of the two products, or of the two halves of a round.
HALVES = {3: "", 1: ", in the product of counter word 0 only", 2: ", in the product of counter word 2 only"}
RIGHT = Rounds()
SOME_WORDS = (0x9A3B5C7D, 0x81234567, 0xFEDCBA98, 0xE1D2C3B4, 0x9F8E7D6C, 0xC5B6A798)
REMEDY = "multiply unsigned 32 by 32 bits to 64"
KEYS = {3: "key", 1: "key word 0", 2: "key word 1"}


def faulty_rounds() -> Iterator[Row]:
    """The rows that are also searched together with other faults."""
    for (name, text, multiply), (which, where) in product(faulty_products(), HALVES.items()):
        yield name, Rounds(multiply=_of_halves(which, multiply, MULTIPLY)), f"{text}{where}: {REMEDY}"
    yield from _other_rounds()


def round_results(halves: str = "h1 l1 h0 l0", words: str = "13", keys: str = "01") -> tuple[str, ...]:
    """The results of a round with other halves, and other words for the high halves."""
    first, second, third, fourth = halves.split()
    return f"{first} ^ c{words[0]} ^ q{keys[0]}", second, f"{third} ^ c{words[1]} ^ q{keys[1]}", fourth


# fmt: off
def _other_rounds() -> Iterator[Row]:
    for number, (words, key) in product(range(1, ROUNDS), KEYS.items()):
        bumps = _of_halves(words, f"r - 1 * (r >= {number})", "r")
        yield ("key-bump-missing", Rounds(bumps=bumps),
               f"does not bump the {key} before round {number + 1}: bump it once before every round but the first")
    for numbers in (*((number,) for number in range(1, ROUNDS)), (0, ROUNDS - 1)):
        yield ("key-missing-in-a-round", Rounds(keys=keys_missing_in(*numbers)),
               f"uses no key in round {' and '.join(str(number + 1) for number in numbers)}: "
               f"use the bumped key in each of the {ROUNDS} rounds")
    of_64_bits = "k0 + s0 & M", "k1 + s1 + (k0 + s0 >> 32) & M"
    yield from (
        ("key-bumped-as-64-bits", Rounds(keys=of_64_bits),
         "bumps the key as one number of 64 bits: add to both words without a carry between them"),
        ("key-bumped-as-64-bits", Rounds(keys=of_64_bits, key_steps=(W0, 0)),
         f"adds {W0:#x} to the key as a number of 64 bits: add {W0:#x} to word 0 and {W1:#x} to word 1"),
        ("key-bump-missing", Rounds(bumps=("r // 2",) * 2),
         "bumps the key before every second round: do it before each"),
        ("key-bumped-as-64-bits", Rounds(keys=of_64_bits, key_steps=(0x7F4A7C15, W0)),
         "adds 0x9e3779b97f4a7c15 to the key as a number of 64 bits: add "
         f"{W0:#x} to word 0 and {W1:#x} to word 1"),
        ("block-of-the-block", Rounds(rounds=2 * ROUNDS, bumps=(f"r % {ROUNDS}",) * 2),
         "computes the block of each block: store the first one"),
        ("high-halves-exchanged", Rounds(results=round_results("h0 l1 h1 l0")),
         "exchanges the high halves of the two products in each round: use that of word 2's product in word 0"),
        ("low-halves-exchanged", Rounds(results=round_results("h1 l0 h0 l1")),
         "exchanges the low halves of the two products in each round: use that of word 2's product in word 1"),
        ("counter-words-1-3-exchanged-in-rounds", Rounds(results=round_results(words="31")),
         "exchanges counter words 1 and 3 in each round: combine word 1 with the product of word 2"),
        ("key-words-exchanged-in-rounds", Rounds(results=round_results(keys="10")),
         "exchanges the key words in each round: use key word 0 for counter word 0"),
    )
    overwritten = (
        Rounds(factors=("(c2 * M1 >> 32) ^ c1 ^ q0", "c2")), Rounds(results=("h1 ^ l1 ^ q0", *RIGHT.results[1:])),
        Rounds(factors=("c0", "(c0 * M0 >> 32) ^ c3 ^ q1")), Rounds(results=(*RIGHT.results[:2], "h0 ^ l0 ^ q1", "l0")),
    )
    for word, rounds in enumerate(overwritten):
        yield ("counter-word-overwritten-in-rounds", rounds,
               f"overwrites counter word {word} in each round before its old value was used: "
               "compute both halves of a round from the old words")


# fmt: on


def keys_missing_in(*rounds: int) -> tuple[str, str]:
    first, second = (f"0 if r in {rounds} else {key}" for key in RIGHT.keys)
    return first, second


def wired_rounds(known: Iterable[Rounds]) -> Iterator[Row]:
    """Rounds that take one half, word or key for another, or put their results in another order.

    Ports change two or three of these at once. `known` are the rounds that other rows have.
    """
    names, two = ["h1", "l1", "h0", "l0"], ["".join(words) for words in product("0123", repeat=2)]
    orders = [*permutations(names), *((*names[:i], half, *names[i + 1 :]) for half in names for i in range(4))]
    wired = [RIGHT._replace(results=results) for results in (
        *permutations(RIGHT.results), *(round_results(" ".join(order)) for order in orders),
        *(round_results(words=words) for words in two), *(round_results(keys=keys) for keys in ("00", "11")),
        ("h1 ^ c1", "l1 ^ q0", "h0 ^ c3", "l0 ^ q1"),
    )]  # fmt: skip
    wired += [RIGHT._replace(factors=(f"c{words[0]}", f"c{words[1]}")) for words in two]
    named = {_block(rounds) for rounds in (RIGHT, *known)}
    for rounds in (*wired, *_several_changes()):
        block = _block(rounds)
        if block not in named:  # different formulas may be one function
            named.add(block)
            yield "round-wired-wrongly", rounds, f"computes {_formula(rounds)} in a round: use {_formula(RIGHT)}"


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


def _of_halves(halves: int, wrong: Any, right: Any) -> tuple[Any, Any]:
    """The step of both halves: wrong in the first one (1), in the second one (2), or in both (3)."""
    return wrong if halves & 1 else right, wrong if halves & 2 else right
