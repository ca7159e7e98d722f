"""Block functions with a fault: products, the key of each round, and which half, word and key a round combines."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import permutations, product
from typing import Any

import numpy as np

from ...philox import MASK32, ROUNDS, W0, W1, Words2
from .products import common_products, rare_products
from .variants import Result, Rounds, combine_by_xor, multiply_unsigned

Row = tuple[str, Rounds, str]  # the name of a fault, the rounds, and what the generator does and should do instead
# Of the two products, or of the two halves of a round.
HALVES = {3: "", 1: ", in the product of counter word 0 only", 2: ", in the product of counter word 2 only"}
MULTIPLY = "multiply unsigned 32 by 32 bits to 64"
WORDS = {3: "", 1: " in words 0 and 1", 2: " in words 2 and 3"}
KEYS = {(1, 1): "key", (1, 0): "key word 0", (0, 1): "key word 1"}
BUMPS = {-1: ("key-bump-missing", "does not bump the {}"), 1: ("key-bump-doubled", "bumps the {} twice")}
# Expressions that are used in place of high ^ counter ^ key, and shown in sentences.
COMBINATIONS = (
    *("(high ^ counter) + key", "(high + counter) ^ key", "high ^ (counter + key)", "high + counter + key"),
    *("(high + key) ^ counter", "high + (counter ^ key)", "(high ^ counter) | key", "(high | counter) ^ key"),
    *("high ^ (counter | key)", "high | counter | key", "(high ^ key) | counter", "high | (counter ^ key)"),
    *("high ^ counter", "high ^ key", "(high ^ counter) - key"),
)


def faulty_rounds() -> Iterator[Row]:
    """The rows that are also searched together with other faults."""
    for (name, text, multiply), (which, where) in product(common_products(), HALVES.items()):
        used = _of_halves(which, multiply, multiply_unsigned)
        yield name, Rounds(multiply=used), f"{text}{where}: {MULTIPLY}"
    yield from _other_rounds()


def rare_rounds(known: Iterable[Rounds]) -> Iterator[Row]:
    """The rows that are searched alone only. `known` are the rounds that other rows have."""
    for name, text, multiply in rare_products():
        yield name, Rounds(multiply=(multiply, multiply)), f"{text}: {MULTIPLY}"
    yield from _wirings(known)


def round_results(
    halves: tuple[int, ...] = (2, 3, 0, 1), words: tuple[int, ...] = (1, 3), keys: tuple[int, ...] = (0, 1)
) -> Any:
    """The results of a round with other halves, and other words for the high halves."""
    return tuple(
        Result(half, words[i // 2], keys[i // 2]) if i % 2 == 0 else Result(half) for i, half in enumerate(halves)
    )


# fmt: off
def _other_rounds() -> Iterator[Row]:
    for number, (words, key), (step, (name, what)) in product(range(1, ROUNDS), KEYS.items(), BUMPS.items()):
        where = f"before round {number + 1}: bump it once before every round but the first"
        yield name, Rounds(bumps=partial(_bumps, number, words, step)), f"{what.format(key)} {where}"
    for expression, (halves, where) in product(COMBINATIONS, WORDS.items()):
        combine = eval(f"lambda high, counter, key: ({expression}) & {MASK32}")
        yield ("xor-replaced", Rounds(combine=_of_halves(halves, combine, combine_by_xor)),
               f"computes {expression}{where} of a round: use high ^ counter ^ key")
    for numbers in (*((number,) for number in range(1, ROUNDS)), (0, ROUNDS - 1)):
        yield ("key-missing-in-a-round", Rounds(unkeyed=numbers),
               f"uses no key in round {' and '.join(str(number + 1) for number in numbers)}: "
               f"use the bumped key in each of the {ROUNDS} rounds")
    yield ("key-bumped-as-64-bits", Rounds(bump=_add_64_bits),
           "bumps the key as one number of 64 bits: add to both words without a carry between them")
    yield ("key-bumped-as-64-bits", Rounds(bump=_add_64_bits, key_steps=(W0, 0)),
           f"adds {W0:#x} to the key as a number of 64 bits: add {W0:#x} to word 0 and {W1:#x} to word 1")
    for name, bumps, text in (
        ("round-keys-reversed", lambda number: ROUNDS - 1 - number,
         "uses the keys of the rounds in reverse order: use the unchanged key in the first round"),
        ("key-bumped-backwards", lambda number: -number, "subtracts the key's steps between rounds: add them"),
        ("key-bumped-by-multiples", lambda number: number * (number + 1) // 2,
         "adds the round's number times the step before each round: add the step once"),
        ("key-bump-doubled", lambda number: 2 * number, "bumps the key twice between rounds: bump it once"),
        ("key-bump-missing", lambda number: number // 2, "bumps the key before every second round: do it before each"),
    ):
        yield name, Rounds(bumps=lambda number, bumps=bumps: (bumps(number) & MASK32,) * 2), text  # type: ignore[misc]
    for name, bump, text in (
        ("key-not-cut", lambda key, step: key + step,
         "keeps more than 32 bits of the key's words when it bumps them: add modulo 2^32"),
        ("key-bump-saturates", lambda key, step: np.minimum(key + step, MASK32),
         "clamps the key at 0xffffffff when it is bumped: add modulo 2^32"),
        ("key-bumped-by-xor", lambda key, step: key ^ step & MASK32,
         "combines the key with multiples of its steps by xor: add the multiples"),
    ):
        yield name, Rounds(bump=partial(_bump_words, bump)), text
    in_turn = Rounds(bump=partial(_bump_words, operator.xor), bumps=lambda number: (number & 1,) * 2)
    yield "key-bumped-by-xor", in_turn, "combines the key with its steps by xor between rounds: add the steps"
    for name, results, text in (
        ("high-halves-exchanged", round_results((0, 3, 2, 1)),
         "exchanges the high halves of the two products in each round: use that of word 2's product in word 0"),
        ("low-halves-exchanged", round_results((2, 1, 0, 3)),
         "exchanges the low halves of the two products in each round: use that of word 2's product in word 1"),
        ("counter-words-1-3-exchanged-in-rounds", round_results(words=(3, 1)),
         "exchanges counter words 1 and 3 in each round: combine word 1 with the product of word 2"),
        ("key-words-exchanged-in-rounds", round_results(keys=(1, 0)),
         "exchanges the key words in each round: use key word 0 for counter word 0"),
    ):
        yield name, Rounds(results=results), text
    for word in range(4):
        yield ("counter-word-overwritten-in-rounds", Rounds(changed_early=word),
               f"overwrites counter word {word} in each round before its old value was used: "
               "compute both halves of a round from the old words")
    for lanes in ((0,), (1,), (2,), (3,), (0, 1), (2, 3)):
        which = f"word{'s' * (len(lanes) > 1)} {' and '.join(map(str, lanes))}"
        yield ("words-a-round-early", Rounds(early=lanes),
               f"stores {which} of each block as {'they are' if len(lanes) > 1 else 'it is'} before the last round: "
               f"store the words after {ROUNDS} rounds")
    yield ("fed-forward", Rounds(feed=np.bitwise_xor),
           "combines the block with its counter by xor: store the block")
    yield "fed-forward", Rounds(feed=np.add), "adds the counter to the block: store the block"


# fmt: on


def _wirings(known: Iterable[Rounds]) -> Iterator[Row]:
    """Rounds that take one half, word or key for another, or put their results in another order."""
    right, two = Rounds(), list(product(range(4), repeat=2))
    halves = [order for order in product(range(4), repeat=4) if len({*order}) == 4 or _differences(order) == 1]
    wired = [right._replace(results=results) for results in (
        *permutations(right.results), *map(round_results, halves), *(round_results(words=words) for words in two),
        *(round_results(keys=(word, word)) for word in (0, 1)),
        (Result(2, 1), Result(3, None, 0), Result(0, 3), Result(1, None, 1)),
    )]  # fmt: skip
    wired += [right._replace(factors=(first, second)) for first, second in two]
    named = [right, *known]
    for rounds in dict.fromkeys(wired):
        if rounds not in named:
            yield "round-wired-wrongly", rounds, f"computes {_formula(rounds)} in a round: use {_formula(right)}"


def _differences(halves: tuple[int, ...]) -> int:
    return sum(half != result.half for half, result in zip(halves, Rounds().results))


def _formula(rounds: Rounds) -> str:
    """What a round makes of counter words c0 to c3 and key words k0 and k1."""
    made = []
    for half, word, key in rounds.results:
        text = f"{('high', 'low')[half % 2]}(c{rounds.factors[half // 2]}*M{half // 2})"
        made.append(text + (f" ^ c{word}" if word is not None else "") + (f" ^ k{key}" if key is not None else ""))
    return f"({', '.join(made)})"


def _add_64_bits(key: Words2, steps: Words2) -> Words2:
    low = key[0] + steps[0]
    return low & MASK32, key[1] + steps[1] + (low >> 32) & MASK32


def _bump_words(bump: Callable[[Any, Any], Any], key: Words2, steps: Words2) -> Words2:
    return bump(key[0], steps[0]), bump(key[1], steps[1])


def _of_halves(halves: int, wrong: Any, right: Any) -> tuple[Any, Any]:
    """The step of both halves: wrong in the first one (1), in the second one (2), or in both (3)."""
    return wrong if halves & 1 else right, wrong if halves & 2 else right


def _bumps(first: int, words: tuple[int, int], more: int, number: int) -> tuple[int, int]:
    """The bumps before a round: so many more from round `first` on, for one or both words of the key."""
    return number + more * words[0] * (number >= first), number + more * words[1] * (number >= first)
