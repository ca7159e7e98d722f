"""Faults of the counter and the key of a block: a state read wrongly, another key, a counter counted wrongly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

from ...philox import MASK32, MASK64, ROUNDS, W0, W1
from .variants import Change, FaultModel, Rule, Words6, WordVariant, add_blocks, counting_fault

Fault = FaultModel[WordVariant]
WORDS = ("counter word 0", "counter word 1", "counter word 2", "counter word 3", "key word 0", "key word 1")
RIGHT_ORDER = (0, 1, 2, 3, 4, 5)
COUNTER = (0, 1, 2, 3)
READ_RIGHT = "the counter is words 0 to 3, word 0 the lowest, and the key words 4 and 5"
ADVANCE = "add the block's number to the 128-bit counter"
SAMPLE: Words6 = (0x9A3B5C7D, 0x81234567, 0xFEDCBA98, 0xE1D2C3B4, 0x9F8E7D6C, 0xC5B6A798)  # different in each change
GOLDEN = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio, odd: the step of SplitMix64


# How the state is read


def bytes_swapped(word: Any) -> Any:
    """The low 32 bits of a number, or of each number of an array, with their bytes in reverse order."""
    return (word & 0xFF) << 24 | (word & 0xFF00) << 8 | word >> 8 & 0xFF00 | word >> 24 & 0xFF


def word_order(*places: int) -> Change:
    """Take the words at these places."""
    return lambda words: tuple(words[place] for place in places)  # type: ignore[return-value]


def zero_words(*places: int) -> Change:
    return lambda words: tuple(0 if i in places else word for i, word in enumerate(words))  # type: ignore[return-value]


def swap_bytes(*places: int) -> Change:
    return lambda words: tuple(  # type: ignore[return-value]
        bytes_swapped(word) if i in places else word for i, word in enumerate(words)
    )


def extend_sign(place: int) -> Change:
    """Widen a word as a signed integer, which sets all bits of the next word where the sign bit is set."""
    return lambda words: tuple(  # type: ignore[return-value]
        word | (i == place + 1) * MASK32 * (words[place] >> 31) for i, word in enumerate(words)
    )


def faults_of_reading(known: set[Words6]) -> Iterator[Fault]:
    """Reading the state in part, in another byte order, or in another order. `known` are the readings of SAMPLE that
    other faults have."""
    for name, read, text in _readings():
        made = read(SAMPLE)
        if made not in known:
            known.add(made)
            name = "another-key" if made[:4] == SAMPLE[:4] else name
            yield counting_fault(name, f"reads {text}: {READ_RIGHT}", read=read)


def _readings() -> Iterator[tuple[str, Change, str]]:
    for count in (3, 2, 1, 4):
        for places in combinations(COUNTER, count):
            yield "input-words-zero", zero_words(*places), f"{listed(places)} as 0"
    for places in (*((place,) for place in RIGHT_ORDER), (0, 1), (2, 3), (4, 5), COUNTER):
        text = f"{listed(places)} with the bytes of each word in reverse order"
        yield "input-bytes-swapped", swap_bytes(*places), text
    orders = [(*counter, *key) for counter, key in product(permutations(COUNTER), ((4, 5), (5, 4)))]
    orders += [tuple((place + first) % 6 for place in RIGHT_ORDER) for first in range(6)]
    for order in (*orders, RIGHT_ORDER[::-1], (4, 5, 2, 3, 0, 1), (*COUNTER, 0, 1)):
        text = f"the six words in the order {', '.join(map(str, order))}"
        yield "input-words-reordered", word_order(*order), text


def listed(places: tuple[int, ...]) -> str:
    """The names of words."""
    if places == RIGHT_ORDER:
        return "all six words"
    if len(places) == 1:
        return WORDS[places[0]]
    if places == (4, 5):
        return "both key words"
    return f"counter words {', '.join(map(str, places[:-1]))} and {places[-1]}"


# Another key


def splitmix(number: int) -> int:
    """The first number of SplitMix64 from this state on."""
    x = number + GOLDEN & MASK64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK64
    return x ^ x >> 31


def faults_of_keys(key: int) -> Iterator[Fault]:
    """Hashes and parts of the key that a generator may use in its place."""
    low, high = key & MASK32, key >> 32
    first, second = np.random.SeedSequence(key).generate_state(2).tolist()
    for used, text in (
        (splitmix(key), "SplitMix64 of the key"),
        (splitmix(low), "SplitMix64 of the key's lower word"),
        (first | second << 32, "NumPy's SeedSequence of the key"),
        (int.from_bytes(key.to_bytes(8, "little"), "big"), "the key with its bytes reversed"),
        (low << 32, "the key's lower word as the upper one"),
        (high, "the key's upper word as the lower one"),
        (key & (1 << 53) - 1, "the low 53 bits of the key"),
        (key + 1 & MASK64, "greater by 1"),
    ):
        if used != key:
            yield counting_fault("another-key", (
                f"uses key {used:#x} ({used}), which is {text}, in place of key {key:#x} ({key}): check the key, or "
                "the seed"
            ), read=partial(_with_key, used))  # fmt: skip


def _with_key(key: int, words: Words6) -> Words6:
    return (*words[:4], key & MASK32, key >> 32)


# How blocks are counted

NAMES = {"W0": W0, "W1": W1, "M": MASK32}
# What is made of word a and a number, by what a sentence says.
OPERATIONS = {"adds {} to {}": "a + {}", "xors {} into {}": "a ^ {}", "puts {} into {}": "{}"}


def _rule(changed: dict[int, str], blocks: str = "n") -> Rule:
    """Add `blocks` to the counter, and then change words, modulo 2**32.

    Expressions may use the words f of the first block, the block's number n, and the word a that they change.
    """
    arguments = "lambda f, n, a=0:"
    count = eval(f"{arguments} {blocks}", NAMES)
    changes = {place: eval(f"{arguments} {text}", NAMES) for place, text in changed.items()}

    def rule(first: Words6, block: Any) -> Words6:
        words = add_blocks(first, count(first, block))
        return _put(words, {place: change(first, block, words[place]) for place, change in changes.items()})

    return rule


def _put(words: Words6, changed: dict[int, Any]) -> Words6:
    """The words with others at some places, modulo 2**32."""
    return tuple(changed[i] & MASK32 if i in changed else word for i, word in enumerate(words))  # type: ignore[return-value]


@cache
def counting_faults() -> tuple[Fault, ...]:
    """Blocks whose counter or key is computed wrongly from their number."""
    return tuple(counting_fault(name, text, rule=rule) for name, rule, text in _countings())


def _countings() -> Iterator[tuple[str, Rule, str]]:
    yield from _numbers_in_words()
    for period, place in product((2, 3, 4), (4, 5)):
        yield "key-alternates", _rule({place: f"a + n % {period}"}), (
            f"changes the key from block to block, so that {WORDS[place]} of block i is increased by i mod {period}: "
            "use one key for all blocks"
        )  # fmt: skip
    for times, group in product((1, ROUNDS - 1, ROUNDS), (0, 2, 4, 8, 16, 32, 64)):
        bumps = f"{times} * {f'(n % {group})' if group else 'n'}"
        resets = f"resets it every {group} blocks" if group else "keeps it"
        yield "key-not-reset", _rule({4: f"a + {bumps} * W0", 5: f"a + {bumps} * W1"}), (
            f"bumps the key {times} times in each block and {resets}: start each block with the state's key"
        )  # fmt: skip
    for times in (2, 3, 4, 8, 16, 32, 64, 128, 256):
        text = f"advances the counter by 1 for {times} blocks, so that each is made {times} times: {ADVANCE}"
        yield "counter-too-slow", _rule({}, f"n // {times}"), text
    for times in (1 << 8, 1 << 16):
        text = f"advances the counter by {times:,} for each block: {ADVANCE}"
        yield "counter-too-fast", _rule({}, f"{times} * n"), text
    for places in (COUNTER, (0, 1, 2), (1, 2), (4, 5), RIGHT_ORDER):
        text = f"adds the block's number to {listed(places)}: {ADVANCE}"
        yield "number-added-to-all-words", _rule(dict.fromkeys(places, "a + n"), "0"), text
    for text, used in (
        ("the bytes of each counter word in reverse order", lambda c: map(bytes_swapped, c)),
        ("all 16 bytes of the counter in reverse order", lambda c: map(bytes_swapped, c[::-1])),
        ("counter words 1, 2, 3 and 0 as words 0 to 3", lambda c: (*c[1:], c[0])),
        ("counter words 3, 0, 1 and 2 as words 0 to 3", lambda c: (c[3], *c[:3])),
    ):
        yield "counter-used-wrongly", partial(_after_counting, used), (
            f"advances the counter correctly, but then takes {text}: use it as it is"
        )  # fmt: skip
    for places, sign in product(((0, 2), (0, 1)), "^+"):
        text = f"combines {listed(places)} with the key words by {sign} before the rounds: use the counter as it is"
        yield "counter-used-wrongly", _rule({place: f"a {sign} f[{4 + i}]" for i, place in enumerate(places)}), text
    rule = _rule({0: "f[0] + n & 0x7fffffff", 1: "a + (f[0] + n >> 31)"}, "0")
    yield "counter-word-narrow", rule, f"counts in 31 bits of counter word 0, and adds the carry to word 1: {ADVANCE}"
    yield from _carries()


def _numbers_in_words() -> Iterator[tuple[str, Rule, str]]:
    name = "block-number-in-a-word"
    for (place, word), (text, made) in product(enumerate(WORDS), OPERATIONS.items()):
        what, four = (text.format(f"{times}the block's number", word) for times in ("", "4 times "))
        alone = " alone" + ", as a thread's subsequence of curand_init" * (place == 2 and text.startswith("adds"))
        if place or not text.startswith("adds"):  # no-carry-out-of-word-0
            yield name, _rule({place: made.format("n")}, "0"), f"{what}{alone}: {ADVANCE}"
        yield name, _rule({place: made.format("4 * n")}, "0"), f"{four} alone: {ADVANCE}"
        if place:
            also = f"{what}, and advances the counter too: {ADVANCE} only"
            yield name, _rule({place: made.format("n")}), also
        for group in (2**power for power in range(1, 11)) if place and not text.startswith("xors") else ():
            number = text.format(f"the number of the group of {group} blocks", word)
            also = f"{number}, and the number in the group to word 0: {ADVANCE}"
            yield "group-number-in-a-word", _rule({place: made.format(f"n // {group}")}, f"n % {group}"), also


def _after_counting(change: Callable[[Any], Iterable[Any]], first: Words6, block: Any) -> Words6:
    words = add_blocks(first, block)
    return (*change(words[:4]), *words[4:])  # type: ignore[return-value]


def _carries() -> Iterator[tuple[str, Rule, str]]:
    for digits in ("02", "03", "04", "05", "13", "14", "34", "30", "012", "013", "0123"):
        word, *targets = map(int, digits)
        remedy = "wrap modulo 2^128" if word == 3 else f"add it to word {word + 1} only"
        which = " and ".join(WORDS[target] for target in targets)
        text = f"adds the carry out of counter word {word} to {which}: {remedy}"
        yield "carry-into-another-word", _carrying(word, (*targets,)), text
    for word in range(3):
        out, right = f"the carry out of counter word {word}", f"add 1 to word {word + 1} when word {word} wraps"
        yield "carry-late", _carrying(word, (word + 1,), 1), f"adds {out} one block late: {right}"
        yield "carry-early", _carrying(word, (word + 1,), -1), f"adds {out} one block early: {right}"
    yield "carries-not-nested", _carries_not_nested, (
        "adds 1 to word 2 whenever word 1 is 0, also without a carry into word 1: test word 1 only after word 0 has "
        "wrapped"
    )  # fmt: skip
    # The carry out of word 0 to word 1, which is right as (f[0] + n & M) < f[0].
    for name, carry, text in (
        ("carry-signed", "(f[0] + n & M ^ 1 << 31) < (f[0] ^ 1 << 31)", "finds the carry out of counter word 0 by a "
         "signed comparison: compare unsigned words"),
        ("carry-early", "(f[0] + n & M) <= f[0]", "adds a carry to word 1 for the first block, because it compares "
         "with <=: compare with <"),
        ("carry-early", "(f[0] + n & M) <= n", "adds a carry to word 1 for all blocks, because it compares word 0 with "
         "the block's number by <=: compare with <"),
        ("carry-lost", "(f[0] + n & M) == 0", "carries out of counter word 0 only for the block where that word is 0: "
         "carry for all later blocks too"),
        ("carry-signed", "(f[0] + n & M) >> 31", "adds a carry to word 1 where word 0 is negative as int32: carry at "
         "2^32"),
        ("carry-signed", "-((f[0] + n & M) >> 31)", "adds counter word 0 to word 1 as a signed integer, which is -1 in "
         "its upper 32 bits from 2^31 on: carry at 2^32"),
        ("carry-signed", "(f[0] + n >> 31) - (f[0] >> 31) + 1 >> 1", "carries out of counter word 0 when its sign bit "
         "changes, at 2^31: carry at 2^32"),
    ):  # fmt: skip
        yield name, _rule({0: "a + n", 1: f"a + ({carry})"}, "0"), text


def _carrying(word: int, targets: tuple[int, ...], late: int = 0) -> Rule:
    """Count with the carry out of one word added to other words, and some blocks late."""

    def rule(first: Words6, block: Any) -> Words6:
        to_wrap = (1 << 32 * (word + 1)) - sum(first[i] << 32 * i for i in range(word + 1))
        carries, right = (np.uint64(block >= to_wrap + blocks) for blocks in (late, 0))
        words = list(add_blocks(first, block, 3 if word + 1 in targets else word))
        if word + 1 in targets:
            words[word + 1] = words[word + 1] - right
        return _put(tuple(words), {target: words[target] + carries for target in targets})  # type: ignore[arg-type]

    return rule


def _carries_not_nested(first: Words6, block: Any) -> Words6:
    """Count block by block, where each step tests every word for 0 by itself."""
    if first[1]:
        return add_blocks(first, block)
    steps = np.minimum(block, (1 << 32) - 1 - int(first[0]))  # in which word 1 stays 0
    return _put(add_blocks(first, block), {2: first[2] + steps})
