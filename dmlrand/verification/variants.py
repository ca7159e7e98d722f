"""A Philox4x32 generator with exchangeable steps, in plain NumPy: the correct one by default, and its faulty variants.

The defaults are the generator of specs/operator.md. A faulty variant has one field replaced. This code is slow beside
the kernels, because every step can be replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.tensor import Shape
from ..philox import M0, M1, MASK32, ROUNDS, W0, W1, Words2, Words4
from ..state import blocks_for

Words6 = tuple[int, int, int, int, int, int]
Carries = tuple[bool, bool, bool]


def unchanged(words: Any) -> Any:
    return words


def multiply_unsigned(word: Any, multiplier: int) -> tuple[Any, Any]:
    """The high and the low half of a product of 32 by 32 bits."""
    product = word * multiplier
    return product >> 32, product & MASK32


def place_consecutively(index: Any, shape: Shape) -> tuple[Any, Any]:
    """The block and the lane of flat indexes: four to a block, for every shape."""
    return index >> 2, index & 3


def add_blocks(counter: Words4, blocks: Any, carries: Carries) -> Words4:
    """A counter plus fewer than 2**64 blocks. `carries` says which of the words 0, 1, 2 carry into the next word."""
    words, carry = [], 0
    for word, addend, carries_on in zip(counter, (blocks & MASK32, blocks >> 32, 0, 0), (*carries, False)):
        total = word + addend + carry
        words.append(total & MASK32)
        carry = total >> 32 if carries_on else 0
    return words[0], words[1], words[2], words[3]


class WordVariant(NamedTuple):
    """How a generator makes its words: the steps in the order in which they run."""

    read: Callable[[Words6], Words6] = unchanged  # from the state's words to counter words 0..3 and key words 0, 1
    place: Callable[[Any, Shape], tuple[Any, Any]] = place_consecutively  # from flat indexes to blocks and lanes
    skipped_blocks: int = 0  # between the state's counter and the first block, in [0, 2**128)
    carries: Carries = (True, True, True)  # out of counter words 0, 1, 2
    counter_order: tuple[int, ...] = (0, 1, 2, 3)  # which word of the advanced counter is used as word 0, 1, 2, 3
    multipliers: Words2 = (M0, M1)
    multiply: Callable[[Any, int], tuple[Any, Any]] = multiply_unsigned
    halves_exchanged: bool = False  # whether the high and the low halves of the products change places
    products_crossed: bool = True  # whether the products change places in a round
    key_steps: Words2 = (W0, W1)
    bumps: Callable[[int], int] = unchanged  # from a round's number to how often its key was bumped
    rounds: int = ROUNDS
    lanes: tuple[int, ...] = (0, 1, 2, 3)  # which word of the block is stored as lane 0, 1, 2, 3
    store: Callable[[Any], Any] = unchanged  # from a word made to the word stored

    def words(self, state: Words6, index: NDArray[np.uint64], shape: Shape) -> NDArray[np.uint32]:
        """The words that this variant stores at flat indexes of a tensor of `shape`."""
        block, lane = self.place(index, shape)
        # Neighbouring words mostly share a block, so each run of equal block numbers is computed once.
        starts = np.ones(block.size, bool)
        starts[1:] = block[1:] != block[:-1]
        made = np.array(np.broadcast_arrays(*self.blocks(state, block[starts])), np.uint32)
        stored: NDArray[np.uint32] = self.store(made[np.array(self.lanes)[lane], np.cumsum(starts) - 1])
        return stored

    def word_at(self, state: Words6, index: int, shape: Shape) -> int:
        """One word, computed with Python's integers: a tenth of the time of `words`."""
        block, lane = self.place(np.array([index], np.uint64), shape)
        made = self.blocks(state, int(block[0]))[self.lanes[int(lane[0])]]
        return int(self.store(np.array([made], np.uint32))[0])

    def blocks(self, state: Words6, block: Any) -> Words4:
        """The words of blocks by number, before the lanes are ordered. `block` is an int or a uint64 array."""
        c0, c1, c2, c3, k0, k1 = self.read(state)
        first = (c0 | c1 << 32 | c2 << 64 | c3 << 96) + self.skipped_blocks
        words = tuple(first >> bits & MASK32 for bits in (0, 32, 64, 96))
        advanced = add_blocks((words[0], words[1], words[2], words[3]), block, self.carries)
        c0, c1, c2, c3 = (advanced[word] for word in self.counter_order)
        counter: Words4 = (c0, c1, c2, c3)
        for number in range(self.rounds):
            bumps = self.bumps(number)
            key = (k0 + bumps * self.key_steps[0]) & MASK32, (k1 + bumps * self.key_steps[1]) & MASK32
            counter = self._round(counter, key)
        return counter

    def _round(self, counter: Words4, key: Words2) -> Words4:
        c0, c1, c2, c3 = counter
        first, second = self.multiply(c0, self.multipliers[0]), self.multiply(c2, self.multipliers[1])
        if self.halves_exchanged:
            first, second = first[::-1], second[::-1]
        if self.products_crossed:
            first, second = second, first
        return first[0] ^ c1 ^ key[0], first[1], second[0] ^ c3 ^ key[1], second[1]


class StateVariant(NamedTuple):
    """How a generator makes the new state: the steps in the order in which they run."""

    read: Callable[[Words6], Words6] = unchanged
    blocks: Callable[[int], int] = blocks_for  # from the words drawn to the blocks that the counter advances by
    carries: Carries = (True, True, True)
    store: Callable[[Words6], Words6] = unchanged

    def next_state(self, state: Words6, words: int) -> Words6:
        """The six words that this variant stores after it drew `words`, which are fewer than 2**62."""
        c0, c1, c2, c3, k0, k1 = self.read(state)
        counter = add_blocks((c0, c1, c2, c3), self.blocks(words) % (1 << 64), self.carries)
        return self.store((*counter, k0, k1))
