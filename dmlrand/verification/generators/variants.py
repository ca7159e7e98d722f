"""A Philox4x32 generator with exchangeable steps, in plain NumPy: the correct one by default, and its faulty variants.

The defaults are the generator of specs/operator.md. A faulty variant has one field replaced. Words are Python ints, or
uint64 arrays of values below 2**32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays.tensor import Shape
from ...philox import M0, M1, MASK32, ROUNDS, W0, W1, Words2, Words4
from ...state import blocks_for

Words6 = tuple[Any, Any, Any, Any, Any, Any]  # the counter, then the key
Change = Callable[[Words6], Words6]
Rule = Callable[[Words6, Any], Words6]  # from the words of the first block to those of a block, by number
Multiply = Callable[[Any, int], tuple[Any, Any]]  # to the high and the low half of a product
Placing = Callable[[Any, Shape], tuple[Any, Any]]  # from flat indexes to blocks and lanes
COUNTERS = 1 << 128


def blocks_between(start: int, end: int) -> int:
    """How many blocks counter `end` is after counter `start`, by the shorter way: negative if it is before."""
    blocks = (end - start) % COUNTERS
    return blocks - COUNTERS * (blocks > COUNTERS // 2)


def unchanged(words: Any) -> Any:
    return words


def multiply_unsigned(word: Any, multiplier: int) -> tuple[Any, Any]:
    """The high and the low half of a product of 32 by 32 bits."""
    product = word * multiplier
    return product >> 32, product & MASK32


def combine_by_xor(half: Any, word: Any, key: Any) -> Any:
    return half ^ word ^ key


def add_steps(key: Words2, steps: Words2) -> Words2:
    """The key of a round. Each word is added modulo 2**32."""
    return key[0] + steps[0] & MASK32, key[1] + steps[1] & MASK32


def place_consecutively(index: Any, shape: Shape) -> tuple[Any, Any]:
    """The block and the lane of flat indexes: four to a block, for every shape."""
    return index >> 2, index & 3


def add_blocks(first: Words6, blocks: Any, lost_carry: int = 3) -> Words6:
    """The words with blocks added to the counter. The carry out of counter word `lost_carry` is lost.

    blocks is an int, or an array of fewer than 2**64.
    """
    words, carry = list(first), 0
    for place, addend in enumerate((blocks & MASK32, blocks >> 32, 0, 0)):
        total = first[place] + addend + carry
        words[place], carry = total & MASK32, 0 if place == lost_carry else total >> 32
    return tuple(words)  # type: ignore[return-value]


def words_of(counter: int) -> Words4:
    """The words of a counter, modulo 2**128."""
    c0, c1, c2, c3 = (counter >> bits & MASK32 for bits in (0, 32, 64, 96))
    return c0, c1, c2, c3


class Counting(NamedTuple):
    """Which counter and which key each block has."""

    read: Change = unchanged  # the state
    skipped_blocks: int = 0  # between the state's counter and the first block, in [0, 2**128)
    lost_carry: int = 3  # the counter word of which the carry is lost, in add_blocks
    rule: Rule | None = None  # in place of add_blocks
    counter_order: tuple[int, ...] = (0, 1, 2, 3)  # which word of the advanced counter is used as word 0, 1, 2, 3

    def inputs(self, state: Words6, block: Any) -> Words6:
        """The counter and key words of blocks by number, which are an int or a uint64 array."""
        first = add_blocks(self.read(state), self.skipped_blocks)
        words = self.rule(first, block) if self.rule else add_blocks(first, block, self.lost_carry)
        # Arrays, because NumPy's scalars warn of products that wrap.
        shape = np.shape(block) or (1,)
        arrays = [np.broadcast_to(np.asarray(words[i]).astype(np.uint64), shape) for i in (*self.counter_order, 4, 5)]
        return tuple(arrays)  # type: ignore[return-value]


class Result(NamedTuple):
    """What makes a word of a round: a half of a product, and perhaps a counter word and a key word."""

    half: int  # high 0, low 0, high 1, low 1
    word: int | None = None
    key: int | None = None


class Rounds(NamedTuple):
    """The block function: the steps in the order in which they run."""

    multipliers: Words2 = (M0, M1)
    multiply: tuple[Multiply, Multiply] = (multiply_unsigned, multiply_unsigned)
    factors: tuple[int, int] = (0, 2)  # the counter words that are multiplied
    results: tuple[Result, ...] = (Result(2, 1, 0), Result(3), Result(0, 3, 1), Result(1))  # words 0 to 3
    combine: tuple[Callable[[Any, Any, Any], Any], ...] = (combine_by_xor, combine_by_xor)
    key_steps: Words2 = (W0, W1)
    bumps: Callable[[int], tuple[int, int]] = lambda number: (number, number)  # of both key words before a round
    bump: Callable[[Words2, Words2], Words2] = add_steps  # from the key and the sums of its steps to a round's key
    unkeyed: tuple[int, ...] = ()  # rounds without a key
    rounds: int = ROUNDS
    changed_early: int | None = None  # the counter word that is changed in a round before its old value was used
    early: tuple[int, ...] = ()  # words that are stored as they are before the last round
    feed: Callable[[Any, Any], Any] | None = None  # from a word made and its counter word to the word of the block

    def blocks(self, inputs: Words6) -> Words4:
        """The words of blocks, before the lanes are ordered."""
        counter: Any = inputs[:4]
        before = counter
        for number in range(self.rounds):
            before = counter
            counter = self._round(counter, self._key(inputs[4], inputs[5], number))
        counter = tuple(before[i] if i in self.early else counter[i] for i in range(4))
        if self.feed is not None:
            counter = tuple(self.feed(made, word) & MASK32 for made, word in zip(counter, inputs))
        return counter  # type: ignore[no-any-return]

    def _key(self, k0: Any, k1: Any, number: int) -> Words2:
        if number in self.unkeyed:
            return 0, 0
        first, second = (bumps * step for bumps, step in zip(self.bumps(number), self.key_steps))
        return self.bump((k0, k1), (first, second))

    def _round(self, counter: Words4, key: Words2) -> Words4:
        made = self._halves(counter, key)
        if self.changed_early is None:
            return made
        changed = (made[i] if i == self.changed_early else counter[i] for i in range(4))
        return self._halves(tuple(changed), key)  # type: ignore[arg-type]

    def _halves(self, counter: Words4, key: Words2) -> Words4:
        products = [self.multiply[i](counter[self.factors[i]], self.multipliers[i]) for i in (0, 1)]
        made = []
        for half, word, key_word in self.results:
            result = products[half // 2][half % 2]
            if word is not None and key_word is not None:
                result = self.combine[key_word](result, counter[word], key[key_word])
            elif word is not None:
                result = result ^ counter[word]
            elif key_word is not None:
                result = result ^ key[key_word]
            made.append(result)
        return tuple(made)  # type: ignore[return-value]


class WordVariant(NamedTuple):
    """How a generator makes its words."""

    counting: Counting = Counting()
    rounds: Rounds = Rounds()
    place: Placing = place_consecutively
    lanes: tuple[int, ...] = (0, 1, 2, 3)  # which word of the block is stored as lane 0, 1, 2, 3
    store: Callable[[Any], Any] = unchanged  # from a word made to the word stored

    def words(self, state: Words6, index: NDArray[np.uint64], shape: Shape) -> NDArray[np.uint32]:
        """The words that this variant stores at flat indexes of a tensor of `shape`."""
        block, lane = self.place(index, shape)
        # Neighbouring words mostly share a block, so each run of equal block numbers is computed once.
        starts = np.ones(block.size, bool)
        starts[1:] = block[1:] != block[:-1]
        inputs = self.counting.inputs(state, block[starts])
        made = np.array(np.broadcast_arrays(*self.rounds.blocks(inputs)), np.uint32)
        stored: NDArray[np.uint32] = self.store(made[np.array(self.lanes)[lane], np.cumsum(starts) - 1])
        return stored


class StateVariant(NamedTuple):
    """How a generator makes the new state: the steps in the order in which they run."""

    counting: Counting = Counting()
    blocks: Callable[[int], int] = blocks_for  # from the words drawn to the blocks that the counter advances by
    store: Change = unchanged

    def next_state(self, state: Words6, words: int) -> Words6:
        """The six words that this variant stores after it drew `words`."""
        after = self.counting.inputs(state, self.blocks(words))
        return self.store(tuple(int(word[0]) for word in after))  # type: ignore[arg-type]
