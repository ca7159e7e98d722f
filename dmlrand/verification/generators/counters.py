"""Counters and keys that generators compute wrongly: rules from the words of the first block to those of a block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...philox import MASK32, ROUNDS, W0, W1
from .variants import Words6

Rule = Callable[[Words6, Any], Words6]
NAMES = ("counter word 0", "counter word 1", "counter word 2", "counter word 3", "key word 0", "key word 1")
ADVANCE = "add the block's number to the 128-bit counter"
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "adds {} to {}": lambda word, number: word + number & MASK32,
    "xors {} into {}": lambda word, number: word ^ number & MASK32,
    "ors {} into {}": lambda word, number: word | number & MASK32,
    "puts {} into {}": lambda word, number: (word & 0) + (number & MASK32),
}


def faulty_counters() -> Iterator[tuple[str, Rule, str]]:
    """The names, the rules, and what they do and what to do instead."""
    yield from _numbers_in_words()
    for period in (2, 3, 4):
        for place in (4, 5):
            turning = _into(place, OPERATIONS["adds {} to {}"], lambda b, n=period: b % n, lambda b: b)  # type: ignore[misc]
            what = f"{NAMES[place]} of block i is increased by i mod {period}: use one key for all blocks"
            yield "key-alternates", turning, f"changes the key from block to block, so that {what}"
    for times in (ROUNDS - 1, ROUNDS):
        yield "key-not-reset", _bumped_in_place(times), (
            f"bumps the key {times} times in each block and keeps it: start each block with the state's key"
        )  # fmt: skip
    for shift in (1, 2, 3):
        times = 1 << shift
        yield "counter-too-slow", lambda first, block, n=shift: added(first, block >> n), (  # type: ignore[misc]
            f"advances the counter by 1 for {times} blocks, so that each is made {times} times: {ADVANCE}"
        )  # fmt: skip
    yield "counter-runs-backwards", _subtracted, f"subtracts the block's number: {ADVANCE}"
    everywhere = lambda first, block: (*(word + block & MASK32 for word in first[:4]), *first[4:])  # noqa: E731
    yield "number-added-to-all-words", everywhere, f"adds the block's number to each counter word: {ADVANCE}"
    yield from _carries()


def _numbers_in_words() -> Iterator[tuple[str, Rule, str]]:
    for place, name in enumerate(NAMES):
        for text, operation in OPERATIONS.items():
            what, four = (text.format(f"{times}the block's number", name) for times in ("", "4 times "))
            if place or not text.startswith("adds"):  # no-carry-out-of-word-0
                yield "block-number-in-a-word", _into(place, operation, lambda b: b), f"{what} alone: {ADVANCE}"
            yield "block-number-in-a-word", _into(place, operation, lambda b: 4 * b), f"{four} alone: {ADVANCE}"
            if place:
                both = f"{what}, and advances the counter too: {ADVANCE} only"
                yield "block-number-in-a-word", _into(place, operation, lambda b: b, lambda b: b), both
            for power in range(1, 11) if place and text.startswith(("adds", "puts")) else ():
                group = text.format(f"the number of the group of {1 << power} blocks", name)
                rule = _into(place, operation, lambda b, n=power: b >> n, lambda b, n=power: b & (1 << n) - 1)  # type: ignore[misc]
                yield "group-number-in-a-word", rule, f"{group}, and the number in the group to word 0: {ADVANCE}"


def _carries() -> Iterator[tuple[str, Rule, str]]:
    for word, target in ((0, 2), (0, 3), (0, 4), (0, 5), (1, 3), (1, 4), (3, 4), (3, 0)):
        remedy = "wrap modulo 2^128" if word == 3 else f"add it to word {word + 1}"
        text = f"adds the carry out of counter word {word} to {NAMES[target]}: {remedy}"
        yield "carry-into-another-word", _carrying(word, target), text
    for word in range(3):
        out, right = f"the carry out of counter word {word}", f"add 1 to word {word + 1} when word {word} wraps"
        yield "carry-doubled", _carrying(word, word + 1, times=2), f"adds {out} twice: {right}"
        yield "carry-late", _carrying(word, word + 1, late=1), f"adds {out} one block late: {right}"
        yield "carry-early", _carrying(word, word + 1, late=-1), f"adds {out} one block early: {right}"
        yield "carry-subtracted", _carrying(word, word + 1, times=-1), f"subtracts {out}: {right}"
    for limit in (MASK32, MASK32 >> 1):
        yield "counter-saturates", _saturating(limit), f"stops counter word 0 at {limit:#x}: {ADVANCE}"
    yield "counter-saturates", _saturated_128, "stops the counter at 2^128 - 1: wrap modulo 2^128"
    yield "carry-signed", _signed_carry, (
        "finds the carry out of counter word 0 by a signed comparison: compare unsigned words"
    )  # fmt: skip
    yield "carry-signed", _at_sign, "carries out of counter word 0 when its sign bit changes, at 2^31: carry at 2^32"


def added(first: Words6, blocks: Any) -> Words6:
    """The words with blocks added to the counter."""
    words, carry = list(first), blocks & 0
    for place, addend in enumerate((blocks & MASK32, blocks >> 32, 0, 0)):
        total = first[place] + addend + carry
        words[place], carry = total & MASK32, total >> 32
    return tuple(words)  # type: ignore[return-value]


def put_word(words: Words6, place: int, word: Any) -> Words6:
    """The words with another one at this place."""
    return (*words[:place], word, *words[place + 1 :])  # type: ignore[return-value]


def _into(place: int, operation: Any, number: Any, advance: Any = None) -> Rule:
    def rule(first: Words6, block: Any) -> Words6:
        words = first if advance is None else added(first, advance(block))
        return put_word(words, place, operation(words[place], number(block)))

    return rule


def _subtracted(first: Words6, blocks: Any) -> Words6:
    """The complement of a counter plus blocks is the complement of the counter less blocks."""
    inverted = added((*(word ^ MASK32 for word in first[:4]), *first[4:]), blocks)  # type: ignore[arg-type]
    return (*(word ^ MASK32 for word in inverted[:4]), *first[4:])  # type: ignore[return-value]


def _bumped_in_place(times: int) -> Rule:
    def rule(first: Words6, block: Any) -> Words6:
        number = times * block & MASK32
        return (*added(first, block)[:4], first[4] + number * W0 & MASK32, first[5] + number * W1 & MASK32)

    return rule


def _carrying(word: int, target: int, times: int = 1, late: int = 0) -> Rule:
    """Count with the carry out of one word added to a word, several times, or some blocks late."""

    def rule(first: Words6, block: Any) -> Words6:
        words = list(added(first, block))
        last = (1 << 32 * (word + 1)) - sum(first[i] << 32 * i for i in range(word + 1))  # blocks until the word wraps
        carry, delayed = (block * 0 + (block >= at if 0 <= at < 1 << 63 else 0) for at in (last, last + late))
        if word < 3:
            words[word + 1] = words[word + 1] - carry & MASK32
        words[target] = words[target] + (delayed * times if times > 0 else -delayed) & MASK32
        return tuple(words)  # type: ignore[return-value]

    return rule


def _saturating(most: int) -> Rule:
    def rule(first: Words6, block: Any) -> Words6:
        total = first[0] + block
        return put_word(first, 0, np.where(total > most, max(most, first[0]), total))

    return rule


def _saturated_128(first: Words6, block: Any) -> Words6:
    counter = sum(word << 32 * i for i, word in enumerate(first[:4]))
    return added(first, np.minimum(block, min((1 << 128) - 1 - counter, (1 << 63) - 1)))


def _signed_carry(first: Words6, block: Any) -> Words6:
    total, sign = first[0] + block & MASK32, 1 << 31
    return put_word(put_word(first, 0, total), 1, first[1] + ((total ^ sign) < (first[0] ^ sign)) & MASK32)


def _at_sign(first: Words6, block: Any) -> Words6:
    total = first[0] + block
    carry = (total >> 31) - (first[0] >> 31)
    return put_word(put_word(first, 0, total & MASK32), 1, first[1] + (carry + 1 >> 1) & MASK32)
