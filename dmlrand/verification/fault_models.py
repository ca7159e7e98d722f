"""The mistakes that makers of Philox generators make, each as a machine that makes exactly this one.

Names are stable: programs may compare them. A sentence says what is wrong and how to mend it. These are mistakes in
the words of the output; those in the state afterwards are in state_mistakes.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..arrays.tensor import Shape
from ..philox import M0, M1, MASK32, ROUNDS, W0, W1
from ..state import blocks_for
from .device import (
    ALL_REVERSED,
    COUNTER_REVERSED,
    KEY_FIRST,
    KEY_REVERSED,
    RIGHT,
    Device,
    Words6,
    all_carries_but,
    bytes_swapped,
    order,
)


class Mistake(NamedTuple):
    """A wrong machine, and what to say of it."""

    name: str
    sentence: str
    device: Device


# Ways to read or write the state


def _counter_of_64_bits(words: Words6) -> Words6:
    return words[0], words[1], 0, 0, words[4], words[5]


def _key_of_32_bits(words: Words6) -> Words6:
    return words[0], words[1], words[2], words[3], words[4], 0


def _signed_counter(words: Words6) -> Words6:
    return words[0], words[1] | _sign(words[0]), words[2], words[3], words[4], words[5]


def _signed_key(words: Words6) -> Words6:
    return words[0], words[1], words[2], words[3], words[4], words[5] | _sign(words[4])


def _sign(word: int) -> int:
    """The upper 32 bits that a word gets when it is widened as a signed integer."""
    return MASK32 if word >> 31 else 0


# Products


def _signed_product(word: Any, multiplier: int) -> tuple[Any, Any]:
    """As multiplied by two signed 32-bit integers: both constants are negative then, and many words are."""
    product = word * multiplier
    return ((product >> 32) - word - multiplier * (word >> 31)) & MASK32, product & MASK32


def _product_without_carry(word: Any, multiplier: int) -> tuple[Any, Any]:
    """The high half put together from 16-bit pieces, forgetting what the lower pieces carry into it."""
    word_low, word_high = word & 0xFFFF, word >> 16
    low, high = multiplier & 0xFFFF, multiplier >> 16
    top = word_high * high + (word_high * low >> 16) + (word_low * high >> 16)
    return top & MASK32, word * multiplier & MASK32


def _halves_exchanged(word: Any, multiplier: int) -> tuple[Any, Any]:
    product = word * multiplier
    return product & MASK32, product >> 32


# From flat indexes to blocks and lanes


def _per_word(index: Any, shape: Shape) -> tuple[Any, Any]:
    return index >> 2 << 2, index & 3


def _block_per_element(index: Any, shape: Shape) -> tuple[Any, Any]:
    return index, index & 0


def _block_per_element_turning(index: Any, shape: Shape) -> tuple[Any, Any]:
    return index, index & 3


def _reserving_256(index: Any, shape: Shape) -> tuple[Any, Any]:
    return index << 8, index & 0


def _column_major(index: Any, shape: Shape) -> tuple[Any, Any]:
    flat, stride = index & 0, prod(shape)
    for size in reversed(shape):
        stride //= size
        index, place = np.divmod(index, np.uint64(size))
        flat = flat + place * np.uint64(stride)
    return flat >> 2, flat & 3


def _lanes_apart(index: Any, shape: Shape) -> tuple[Any, Any]:
    lane, block = np.divmod(index, np.uint64(blocks_for(prod(shape))))
    return block, lane


def _rows_padded(index: Any, shape: Shape) -> tuple[Any, Any]:
    row, column = np.divmod(index, np.uint64(shape[-1]))
    return row * np.uint64(blocks_for(shape[-1])) + (column >> 2), column & 3


def _rows_alike(index: Any, shape: Shape) -> tuple[Any, Any]:
    column = index % np.uint64(shape[-1])
    return column >> 2, column & 3


def _groups_alike(blocks: int) -> Callable[[Any, Shape], tuple[Any, Any]]:
    def place(index: Any, shape: Shape) -> tuple[Any, Any]:
        return (index >> 2) % np.uint64(blocks), index & 3

    return place


def _swapped(words: Any) -> Any:
    return words.byteswap()


# The list

_WIDEN = "widen it as unsigned"


def _table() -> list[Mistake]:
    right = RIGHT._replace
    rows = [
        (
            "counter-words-reversed",
            "It reads the counter's words highest first: take state word 0 as the lowest.",
            right(read=COUNTER_REVERSED),
        ),
        (
            "key-words-reversed",
            "It reads the key's words highest first: take state word 4 as the lower.",
            right(read=KEY_REVERSED),
        ),
        (
            "counter-and-key-words-reversed",
            "It reads the words of counter and key highest first: take state words 0 and 4 as the lowest.",
            right(read=order(3, 2, 1, 0, 5, 4)),
        ),
        (
            "all-words-reversed",
            "It reads all six words of the state backwards: the counter is words 0 to 3, the key words 4 and 5.",
            right(read=ALL_REVERSED),
        ),
        (
            "counter-halves-exchanged",
            "It takes the counter's upper 64 bits for the lower: words 0 and 1 are the lower half.",
            right(read=order(2, 3, 0, 1, 4, 5)),
        ),
        (
            "key-before-counter",
            "It reads the key before the counter: the counter is state words 0 to 3, the key words 4 and 5.",
            right(read=KEY_FIRST),
        ),
        (
            "input-bytes-swapped",
            "It reads the bytes of each state word in reverse: store the state in the device's own byte order.",
            right(read=bytes_swapped),
        ),
        (
            "high-counter-words-ignored",
            "It uses the low 64 bits of the counter and zeros above them: use all four counter words.",
            right(read=_counter_of_64_bits),
        ),
        (
            "high-key-word-ignored",
            "It uses the low 32 bits of the key and zeros above them: use both key words.",
            right(read=_key_of_32_bits),
        ),
        (
            "counter-sign-extended",
            f"It widens counter word 0 as a signed integer, which fills word 1 with ones: {_WIDEN}.",
            right(read=_signed_counter),
        ),
        (
            "key-sign-extended",
            f"It widens the low key word as a signed integer, which fills the high one with ones: {_WIDEN}.",
            right(read=_signed_key),
        ),
        (
            "first-block-skipped",
            "It increments the counter before the first block: make the block first, then increment.",
            right(skip=1),
        ),
        (
            "counter-advanced-per-word",
            "It advances the counter by one for each word, 4 for each block: advance by one for each block.",
            right(place=_per_word),
        ),
        (
            "one-block-per-element",
            "It makes a block for each element and keeps lane 0 only: use all four lanes of a block.",
            right(place=_block_per_element),
        ),
        (
            "one-block-per-element-turning-lanes",
            "It makes block i for element i and keeps lane i mod 4: element i is lane i mod 4 of block i div 4.",
            right(place=_block_per_element_turning),
        ),
        (
            "reserves-256-blocks-per-value",
            "It reserves 256 blocks for each value, as TensorFlow's samplers do: use four values of each block.",
            right(place=_reserving_256),
        ),
        (
            "column-major",
            "It stores the words in column-major order: the last axis must vary fastest.",
            right(place=_column_major),
        ),
        (
            "lanes-stored-apart",
            "It stores lane 0 of all blocks, then lane 1, and so on: the four lanes of a block belong side by side.",
            right(place=_lanes_apart),
        ),
        (
            "rows-start-blocks",
            "It starts each row of the last axis with a new block: count words through the whole tensor.",
            right(place=_rows_padded),
        ),
        (
            "rows-repeat",
            "It gives each row of the last axis the same words: the block's number must count all axes.",
            right(place=_rows_alike),
        ),
        (
            "multipliers-exchanged",
            f"It multiplies counter word 0 by {M1:#x} and word 2 by {M0:#x}: exchange the two.",
            right(multipliers=(M1, M0)),
        ),
        (
            "products-not-crossed",
            "It keeps each product in its own half of the block: the product of word 2 makes words 0 and 1.",
            right(crossed=False),
        ),
        (
            "product-halves-exchanged",
            "It exchanges the high and low halves of the products: words 0 and 2 take the high half.",
            right(product=_halves_exchanged),
        ),
        (
            "signed-products",
            "It multiplies signed integers, so that high halves are wrong: multiply unsigned 32 by 32 bits to 64.",
            right(product=_signed_product),
        ),
        (
            "product-carry-lost",
            "It puts high halves together from 16-bit pieces and loses the carry of the lower ones: add it.",
            right(product=_product_without_carry),
        ),
        (
            "weyl-constants-exchanged",
            f"It adds {W1:#x} to key word 0 and {W0:#x} to word 1 between rounds: exchange the two.",
            right(weyl=(W1, W0)),
        ),
        (
            "key-not-bumped",
            f"It uses one key for all rounds: add {W0:#x} and {W1:#x} to its words between rounds.",
            right(weyl=(0, 0)),
        ),
        (
            "key-bumped-early",
            "It bumps the key before the first round as well: the first round takes the key as it is.",
            right(bumps_first=True),
        ),
        (
            "bytes-swapped",
            "It stores the bytes of each word in reverse: store uint32 in the device's own byte order.",
            right(write=_swapped),
        ),
    ]
    rows += [
        (
            f"no-carry-out-of-word-{word}",
            f"It loses the carry out of counter word {word}: when that word wraps, add 1 to word {word + 1}.",
            right(carries=all_carries_but(word)),
        )
        for word in range(3)
    ]
    rows += [
        (f"rounds-{rounds}", f"It runs {rounds} round{'s' * (rounds != 1)}: run {ROUNDS}.", right(rounds=rounds))
        for rounds in range(1, 21)
        if rounds != ROUNDS
    ]
    rows += [
        (
            "lanes-reversed" if lanes == (3, 2, 1, 0) else f"lanes-ordered-{''.join(map(str, lanes))}",
            f"It stores the lanes of each block in the order {', '.join(map(str, lanes))}: store 0, 1, 2, 3.",
            right(lanes=lanes),
        )
        for lanes in permutations(range(4))
        if lanes != (0, 1, 2, 3)
    ]
    rows += [
        (
            f"groups-of-{blocks}-blocks-repeat",
            f"It starts again after every {blocks} blocks, as if it took a thread's place in its group for its place "
            "in the dispatch: use the global index.",
            right(place=_groups_alike(blocks)),
        )
        for blocks in (32, 64, 128, 256, 512, 1024)
    ]
    return [Mistake(*row) for row in rows]


MISTAKES = tuple(_table())
