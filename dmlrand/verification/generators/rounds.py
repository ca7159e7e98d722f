"""Block functions with a fault: products, the key of each round, and which half, word and key a round combines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations, product
from typing import Any

from ...philox import ROUNDS, W0, W1
from .products import common_products, rare_products
from .variants import MULTIPLY, Rounds

Row = tuple[str, Rounds, str]  # the name of a fault, the rounds, and what the generator does and should do instead
# Of the two products, or of the two halves of a round.
HALVES = {3: "", 1: ", in the product of counter word 0 only", 2: ", in the product of counter word 2 only"}
RIGHT = Rounds()
REMEDY = "multiply unsigned 32 by 32 bits to 64"
WORDS = {3: "", 1: " in words 0 and 1", 2: " in words 2 and 3"}
KEYS = {3: "key", 1: "key word 0", 2: "key word 1"}
BUMPS = {-1: ("key-bump-missing", "does not bump the {}"), 1: ("key-bump-doubled", "bumps the {} twice")}
# Expressions that are used in place of high ^ counter ^ key, and shown in sentences.
COMBINATIONS = (
    *("(high ^ counter) + key", "(high + counter) ^ key", "high ^ (counter + key)", "high + counter + key"),
    *("(high + key) ^ counter", "high + (counter ^ key)", "(high ^ counter) | key", "(high | counter) ^ key"),
    *("high ^ (counter | key)", "high | counter | key", "(high ^ key) | counter", "high | (counter ^ key)"),
    *("high ^ counter", "high ^ key", "(high ^ counter) - key", "high ^ counter ^ key ^ r"),
)
# How many key steps the key of round r has, in place of r.
SCHEDULES = (
    *("r // 2", "r // 2 * 2", "(r + 1) // 2", "(r + 1) // 2 * 2", "2 * r + 1", "3 * r", "r * r", "2**r", "2**r - 1"),
    *("r + 1", "r + 2", "max(r - 2, 0)", "-r & M", "last - r", "last + 1 - r", "1", "last", "last + 1"),
    *(f"min(r, {most})" for most in range(1, ROUNDS - 2)),
    *(f"r % {period}" for period in range(2, ROUNDS)),
)


def faulty_rounds() -> Iterator[Row]:
    """The rows that are also searched together with other faults."""
    for (name, text, multiply), (which, where) in product(common_products(), HALVES.items()):
        used = _of_halves(which, multiply, MULTIPLY)
        yield name, Rounds(multiply=used), f"{text}{where}: {REMEDY}"
    yield from _other_rounds()


def rare_rounds(known: Iterable[Rounds]) -> Iterator[Row]:
    """The rows that are searched alone only. `known` are the rounds that other rows have."""
    for name, text, multiply in rare_products():
        yield name, Rounds(multiply=(multiply, multiply)), f"{text}: {REMEDY}"
    named = {rounds.bumps for rounds in known}
    for bumps, (words, key) in product(SCHEDULES, KEYS.items()):
        if (used := _of_halves(words, bumps, "r")) not in named:
            times = bumps.replace("last + 1", str(ROUNDS)).replace("last", str(ROUNDS - 1))
            text = f"adds its step {times} times to the {key} of round r, counted from 0: add it r times"
            yield "key-bumped-otherwise", Rounds(bumps=used), text
    for one, two in product("^+-|", repeat=2):
        for expression in (f"(high {one} counter) {two} key", f"high {one} (counter {two} key)"):
            text = f"computes {expression} in a round: use high ^ counter ^ key"
            yield "xor-replaced", Rounds(results=_combined(expression, 3)), text
    for expression, number in product(COMBINATIONS, ("0", "last")):
        text = f"computes {expression} in the {'last' if number == 'last' else 'first'} round: use high ^ counter ^ key"
        yield "xor-replaced", Rounds(results=_in_round(number, _combined(expression, 3))), text
    for keys, sign in product((("k0", "0", "k1", "0"), ("k0", "k1", "0", "0")), "^+"):
        made = tuple(f"({right}) {sign} {key} & M" for right, key in zip(RIGHT.results, keys))
        text = f"computes the block {sign} ({', '.join(keys)}), where k0 and k1 are the key's words: store the block"
        yield "key-used-after-rounds", Rounds(results=_in_round("last", made)), text
    yield from _wirings(known)


def round_results(halves: str = "h1 l1 h0 l0", words: str = "13", keys: str = "01") -> tuple[str, ...]:
    """The results of a round with other halves, and other words for the high halves."""
    first, second, third, fourth = halves.split()
    return f"{first} ^ c{words[0]} ^ q{keys[0]}", second, f"{third} ^ c{words[1]} ^ q{keys[1]}", fourth


# fmt: off
def _other_rounds() -> Iterator[Row]:
    for number, (words, key), (step, (name, what)) in product(range(1, ROUNDS), KEYS.items(), BUMPS.items()):
        where = f"before round {number + 1}: bump it once before every round but the first"
        more = f"r {step:+} * (r >= {number})"
        yield name, Rounds(bumps=_of_halves(words, more, "r")), f"{what.format(key)} {where}"
    for expression, (halves, where) in product(COMBINATIONS, WORDS.items()):
        yield ("xor-replaced", Rounds(results=_combined(expression, halves)),
               f"computes {expression}{where} of a round: use high ^ counter ^ key")
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
        ("round-keys-reversed", Rounds(bumps=("last - r",) * 2),
         "uses the keys of the rounds in reverse order: use the unchanged key in the first round"),
        ("key-bumped-backwards", Rounds(bumps=("-r & M",) * 2),
         "subtracts the key's steps between rounds: add them"),
        ("key-bumped-by-multiples", Rounds(bumps=("r * (r + 1) // 2",) * 2),
         "adds the round's number times the step before each round: add the step once"),
        ("key-bump-doubled", Rounds(bumps=("2 * r",) * 2), "bumps the key twice between rounds: bump it once"),
        ("key-bump-missing", Rounds(bumps=("r // 2",) * 2),
         "bumps the key before every second round: do it before each"),
        ("key-bumped-as-64-bits", Rounds(keys=of_64_bits, key_steps=(0x7F4A7C15, W0)),
         "adds 0x9e3779b97f4a7c15 to the key as a number of 64 bits: add "
         f"{W0:#x} to word 0 and {W1:#x} to word 1"),
        ("key-bumped-as-64-bits", Rounds(keys=("k0 + s0 + (k1 + s1 >> 32) & M", "k1 + s1 & M")),
         "adds the carry out of key word 1 to word 0: bump both words without a carry between them"),
        ("key-words-exchanged-in-rounds",
         Rounds(keys=("(k1 + s1 if r & 1 else k0 + s0) & M", "(k0 + s0 if r & 1 else k1 + s1) & M")),
         "exchanges the key words in every second round: use key word 0 for counter word 0"),
        ("key-bumped-by-xor", Rounds(keys=("k0 ^ r", "k1 ^ r")),
         "combines the key with the round's number by xor: add the key's steps"),
        ("block-of-the-block", Rounds(rounds=2 * ROUNDS, bumps=(f"r % {ROUNDS}",) * 2),
         "computes the block of each block: store the first one"),
        ("key-not-cut", Rounds(keys=("k0 + s0", "k1 + s1")),
         "keeps more than 32 bits of the key's words when it bumps them: add modulo 2^32"),
        ("key-bump-saturates", Rounds(keys=("minimum(k0 + s0, M)", "minimum(k1 + s1, M)")),
         "clamps the key at 0xffffffff when it is bumped: add modulo 2^32"),
        ("key-bumped-by-xor", Rounds(keys=("k0 ^ s0 & M", "k1 ^ s1 & M")),
         "combines the key with multiples of its steps by xor: add the multiples"),
        ("key-bumped-by-xor", Rounds(keys=("k0 ^ s0", "k1 ^ s1"), bumps=("r & 1",) * 2),
         "combines the key with its steps by xor between rounds: add the steps"),
        ("high-halves-exchanged", Rounds(results=round_results("h0 l1 h1 l0")),
         "exchanges the high halves of the two products in each round: use that of word 2's product in word 0"),
        ("low-halves-exchanged", Rounds(results=round_results("h1 l0 h0 l1")),
         "exchanges the low halves of the two products in each round: use that of word 2's product in word 1"),
        ("counter-words-1-3-exchanged-in-rounds", Rounds(results=round_results(words="31")),
         "exchanges counter words 1 and 3 in each round: combine word 1 with the product of word 2"),
        ("key-words-exchanged-in-rounds", Rounds(results=round_results(keys="10")),
         "exchanges the key words in each round: use key word 0 for counter word 0"),
        ("fed-forward", Rounds(results=_in_last_round("({1}) ^ i{0}", 0, 1, 2, 3)),
         "combines the block with its counter by xor: store the block"),
        ("fed-forward", Rounds(results=_in_last_round("({1}) + i{0} & M", 0, 1, 2, 3)),
         "adds the counter to the block: store the block"),
        ("fed-forward", Rounds(results=_in_last_round("({1}) - i{0} & M", 0, 1, 2, 3)),
         "subtracts the counter from the block: store the block"),
    )
    overwritten = (
        Rounds(factors=("(c2 * M1 >> 32) ^ c1 ^ q0", "c2")), Rounds(results=("h1 ^ l1 ^ q0", *RIGHT.results[1:])),
        Rounds(factors=("c0", "(c0 * M0 >> 32) ^ c3 ^ q1")), Rounds(results=(*RIGHT.results[:2], "h0 ^ l0 ^ q1", "l0")),
    )
    for word, rounds in enumerate(overwritten):
        yield ("counter-word-overwritten-in-rounds", rounds,
               f"overwrites counter word {word} in each round before its old value was used: "
               "compute both halves of a round from the old words")
    for lanes in ((0,), (1,), (2,), (3,), (0, 1), (2, 3)):
        which = f"word{'s' * (len(lanes) > 1)} {' and '.join(map(str, lanes))}"
        yield ("words-a-round-early", Rounds(results=_in_last_round("c{0}", *lanes)),
               f"stores {which} of each block as {'they are' if len(lanes) > 1 else 'it is'} before the last round: "
               f"store the words after {ROUNDS} rounds")


# fmt: on


def _combined(expression: str, halves: int) -> tuple[str, ...]:
    """The results of a round that uses an expression for its first high half (1), its second one (2), or both (3)."""
    first, second = (
        f"({expression}) & M".replace("high", half).replace("counter", word).replace("key", key)
        for half, word, key in (("h1", "c1", "q0"), ("h0", "c3", "q1"))
    )
    right, low, other, last = RIGHT.results
    return first if halves & 1 else right, low, second if halves & 2 else other, last


def _in_last_round(text: str, *words: int) -> tuple[str, ...]:
    """The results of a round, of which some are others in the last round: {0} is the word, and {1} the right result."""
    return _in_round("last", (text.format(i, made) if i in words else made for i, made in enumerate(RIGHT.results)))


def _in_round(number: str, results: Iterable[str]) -> tuple[str, ...]:
    """The results of a round, which are others in one round."""
    return tuple(f"{other} if r == {number} else {right}" for other, right in zip(results, RIGHT.results))


def keys_missing_in(*rounds: int) -> tuple[str, str]:
    first, second = (f"0 if r in {rounds} else {key}" for key in RIGHT.keys)
    return first, second


def _wirings(known: Iterable[Rounds]) -> Iterator[Row]:
    """Rounds that take one half, word or key for another, or put their results in another order."""
    names, two = ["h1", "l1", "h0", "l0"], ["".join(words) for words in product("0123", repeat=2)]
    orders = [*permutations(names), *((*names[:i], half, *names[i + 1 :]) for half in names for i in range(4))]
    wired = [RIGHT._replace(results=results) for results in (
        *permutations(RIGHT.results), *(round_results(" ".join(order)) for order in orders),
        *(round_results(words=words) for words in two), *(round_results(keys=keys) for keys in ("00", "11")),
        ("h1 ^ c1", "l1 ^ q0", "h0 ^ c3", "l0 ^ q1"),
    )]  # fmt: skip
    wired += [RIGHT._replace(factors=(f"c{words[0]}", f"c{words[1]}")) for words in two]
    named = [RIGHT, *known]
    for rounds in dict.fromkeys(wired):
        if rounds not in named:
            yield "round-wired-wrongly", rounds, f"computes {_formula(rounds)} in a round: use {_formula(RIGHT)}"


def _formula(rounds: Rounds) -> str:
    """What a round makes of counter words c0 to c3 and key words k0 and k1."""
    text = ", ".join(rounds.results).replace("q", "k")
    for i, factor in enumerate(rounds.factors):
        text = text.replace(f"h{i}", f"high({factor}*M{i})").replace(f"l{i}", f"low({factor}*M{i})")
    return f"({text})"


def _of_halves(halves: int, wrong: Any, right: Any) -> tuple[Any, Any]:
    """The step of both halves: wrong in the first one (1), in the second one (2), or in both (3)."""
    return wrong if halves & 1 else right, wrong if halves & 2 else right
