"""Counters and keys that generators compute wrongly: rules from the words of the first block to those of a block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ...philox import MASK32, ROUNDS, W0, W1
from .variants import Rule, Words6, add_blocks

Row = tuple[str, Rule, str]  # the name of a fault, the rule, and what the generator does and should do instead
NAMES = ("counter word 0", "counter word 1", "counter word 2", "counter word 3", "key word 0", "key word 1")
ADVANCE = "add the block's number to the 128-bit counter"
SIGN_BIT = 1 << 31
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "adds {} to {}": lambda word, number: word + number,
    "xors {} into {}": lambda word, number: word ^ number,
    "ors {} into {}": lambda word, number: word | number,
    "puts {} into {}": lambda word, number: number,
}


def faulty_counters() -> Iterator[Row]:
    """The rows of all faulty rules."""
    yield from _numbers_in_words()
    for period, place in product((2, 3, 4), (4, 5)):
        yield "key-alternates", partial(_alternating, place, period), (
            f"changes the key from block to block, so that {NAMES[place]} of block i is increased by i mod {period}: "
            "use one key for all blocks"
        )  # fmt: skip
    for times in (ROUNDS - 1, ROUNDS):
        text, remedy = f"bumps the key {times} times in each block and", "start each block with the state's key"
        yield "key-not-reset", partial(_bumping_in_place, times), f"{text} keeps it: {remedy}"
        for group in (4, 8, 16):
            rule = partial(_bumping_in_place, times, group=group)
            yield "key-not-reset", rule, f"{text} resets it every {group} blocks: {remedy}"
    for times in (2, 4, 8):
        text = f"advances the counter by 1 for {times} blocks, so that each is made {times} times: {ADVANCE}"
        yield "counter-too-slow", partial(_slow, times), text
    yield "counter-runs-backwards", _subtracting, f"subtracts the block's number: {ADVANCE}"
    yield "number-added-to-all-words", _added_everywhere, f"adds the block's number to each counter word: {ADVANCE}"
    for bits in (16, 24, 31):
        text = f"counts in {bits} bits of counter word 0, and"
        yield "counter-word-narrow", partial(_narrow, bits, 1), f"{text} adds the carry to word 1: {ADVANCE}"
        yield "counter-word-narrow", partial(_narrow, bits, 0), f"{text} loses the carry: {ADVANCE}"
    yield "counter-through-float", _rounding, f"rounds counter word 0 to float32: {ADVANCE}"
    yield from _carries()


def _numbers_in_words() -> Iterator[Row]:
    name, remedy = "block-number-in-a-word", f"alone: {ADVANCE}"
    for (place, word), (text, operation) in product(enumerate(NAMES), OPERATIONS.items()):
        what, four = (text.format(f"{times}the block's number", word) for times in ("", "4 times "))
        if place or not text.startswith("adds"):  # no-carry-out-of-word-0
            yield name, partial(_into, place, operation), f"{what} {remedy}"
        yield name, partial(_into, place, operation, times=4), f"{four} {remedy}"
        if place:
            also = f"{what}, and advances the counter too: {ADVANCE} only"
            yield name, partial(_into, place, operation, advances=True), also
        for group in (2**power for power in range(1, 11)) if place and text.startswith(("adds", "puts")) else ():
            number = text.format(f"the number of the group of {group} blocks", word)
            also = f"{number}, and the number in the group to word 0: {ADVANCE}"
            yield "group-number-in-a-word", partial(_into, place, operation, group=group), also


def _carries() -> Iterator[Row]:
    for word, target in ((0, 2), (0, 3), (0, 4), (0, 5), (1, 3), (1, 4), (3, 4), (3, 0)):
        remedy = "wrap modulo 2^128" if word == 3 else f"add it to word {word + 1}"
        text = f"adds the carry out of counter word {word} to {NAMES[target]}: {remedy}"
        yield "carry-into-another-word", partial(_carrying, word, target), text
    for word in range(3):
        out, right = f"the carry out of counter word {word}", f"add 1 to word {word + 1} when word {word} wraps"
        yield "carry-doubled", partial(_carrying, word, word + 1, times=2), f"adds {out} twice: {right}"
        yield "carry-late", partial(_carrying, word, word + 1, late=1), f"adds {out} one block late: {right}"
        yield "carry-early", partial(_carrying, word, word + 1, late=-1), f"adds {out} one block early: {right}"
        yield "carry-subtracted", partial(_carrying, word, word + 1, times=-1), f"subtracts {out}: {right}"
    for limit in (MASK32, MASK32 >> 1):
        yield "counter-saturates", partial(_saturating, limit), f"stops counter word 0 at {limit:#x}: {ADVANCE}"
    yield "counter-saturates", saturating_128, "stops the counter at 2^128 - 1: wrap modulo 2^128"
    text = "finds the carry out of counter word 0 by a signed comparison: compare unsigned words"
    yield "carry-signed", _comparing_signed, text
    text = "carries out of counter word 0 when its sign bit changes, at 2^31: carry at 2^32"
    yield "carry-signed", _carrying_at_sign, text


def _put(words: Words6, changed: dict[int, Any]) -> Words6:
    """The words with others at some places, modulo 2**32."""
    return tuple(changed[i] & MASK32 if i in changed else word for i, word in enumerate(words))  # type: ignore[return-value]


def _blocks_to_wrap(words: Any) -> int:
    """After how many blocks a number of these words, lowest first, is 0 again."""
    return int((1 << 32 * len(words)) - sum(word << 32 * i for i, word in enumerate(words)))


def _into(
    place: int, operation: Any, first: Words6, block: Any, *, times: int = 1, group: int = 1, advances: bool = False
) -> Words6:
    """Combine a word with the number of a group of blocks. Advance the counter by the number in the group, or fully."""
    number, rest = divmod(block, group)
    words = add_blocks(first, block if advances else rest)
    return _put(words, {place: operation(words[place], times * number)})


def _alternating(place: int, period: int, first: Words6, block: Any) -> Words6:
    return _put(add_blocks(first, block), {place: first[place] + block % period})


def _bumping_in_place(times: int, first: Words6, block: Any, *, group: int = 1 << 63) -> Words6:
    bumps = times * (block % group)
    return _put(add_blocks(first, block), {4: first[4] + bumps * W0, 5: first[5] + bumps * W1})


def _slow(times: int, first: Words6, block: Any) -> Words6:
    return add_blocks(first, block // times)


def _subtracting(first: Words6, block: Any) -> Words6:
    return add_blocks(first, -block.astype(np.int64))


def _narrow(bits: int, carries: int, first: Words6, block: Any) -> Words6:
    mask = (1 << bits) - 1
    total = (first[0] & mask) + block
    return _put(first, {0: total & mask, 1: first[1] + carries * (total >> bits)})


def _rounding(first: Words6, block: Any) -> Words6:
    return _put(first, {0: (first[0] + block).astype(np.float32).astype(np.uint64)})


def _added_everywhere(first: Words6, block: Any) -> Words6:
    return _put(first, {i: first[i] + block for i in range(4)})


def _carrying(word: int, target: int, first: Words6, block: Any, *, times: int = 1, late: int = 0) -> Words6:
    """Count with the carry out of one word added to a word, several times, or some blocks late."""
    wraps = _blocks_to_wrap(first[: word + 1])
    carry, delayed = (block * 0 + (block >= at) for at in (wraps, wraps + late))
    words = add_blocks(first, block)
    if word < 3:
        words = _put(words, {word + 1: words[word + 1] - carry})
    return _put(words, {target: words[target] + delayed * (times & MASK32)})


def carry_into_the_key(first: Words6, block: Any) -> Words6:
    """Count with one number of 192 bits."""
    low = first[4] + (block >= _blocks_to_wrap(first[:4]))
    return _put(add_blocks(first, block), {4: low, 5: first[5] + (low >> 32)})


def _saturating(most: int, first: Words6, block: Any) -> Words6:
    total = first[0] + block
    return _put(first, {0: np.where(total > most, max(most, first[0]), total)})


def saturating_128(first: Words6, block: Any) -> Words6:
    """Count, but not beyond 2**128 - 1."""
    return add_blocks(first, np.minimum(block, min(_blocks_to_wrap(first[:4]) - 1, (1 << 63) - 1)))


def _comparing_signed(first: Words6, block: Any) -> Words6:
    total = first[0] + block & MASK32
    return _put(first, {0: total, 1: first[1] + ((total ^ SIGN_BIT) < (first[0] ^ SIGN_BIT))})


def _carrying_at_sign(first: Words6, block: Any) -> Words6:
    total = first[0] + block
    carry = (total >> 31) - (first[0] >> 31)
    return _put(first, {0: total, 1: first[1] + (carry + 1 >> 1)})
