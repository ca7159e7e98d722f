"""A Philox4x32 machine as its maker wired it, rightly or wrongly.

The defaults are the machine of specs/operator.md; a wrong one is the right one with a field replaced. Its words
at any places of a tensor are computed with plain numpy: slow beside the kernels, but every screw can be turned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.tensor import Shape
from ..philox import M0, M1, MASK32, ROUNDS, W0, W1, Words2, Words4

Words6 = tuple[int, int, int, int, int, int]
Carries = tuple[bool, bool, bool]


def as_given(words: Any) -> Any:
    """No change."""
    return words


def order(*elements: int) -> Callable[[Words6], Words6]:
    """Take the words of these places."""

    def reordered(words: Words6) -> Words6:
        a, b, c, d, e, f = (words[element] for element in elements)
        return a, b, c, d, e, f

    return reordered


def bytes_swapped(words: Words6) -> Words6:
    """The four bytes of each word in reverse."""
    a, b, c, d, e, f = (int.from_bytes(word.to_bytes(4, "little"), "big") for word in words)
    return a, b, c, d, e, f


COUNTER_REVERSED = order(3, 2, 1, 0, 4, 5)
KEY_REVERSED = order(0, 1, 2, 3, 5, 4)
ALL_REVERSED = order(5, 4, 3, 2, 1, 0)
KEY_FIRST = order(2, 3, 4, 5, 0, 1)  # where counter and key are found when the key stands first


def all_carries_but(word: int) -> Carries:
    """Every carry but the one out of this counter word."""
    return word != 0, word != 1, word != 2


def whole_product(word: Any, multiplier: int) -> tuple[Any, Any]:
    """The high and the low half of a 32x32-bit product."""
    product = word * multiplier
    return product >> 32, product & MASK32


def consecutive(index: Any, shape: Shape) -> tuple[Any, Any]:
    """The block and lane of flat indexes, four to a block, whatever the shape."""
    return index >> 2, index & 3


def add_blocks(counter: Words4, blocks: Any, carries: Carries) -> Words4:
    """A counter moved on by fewer than 2**64 blocks; `carries` tells which of words 0, 1, 2 carry into the next."""
    words, carry = [], 0
    for word, addend, carries_on in zip(counter, (blocks & MASK32, blocks >> 32, 0, 0), (*carries, False)):
        total = word + addend + carry
        words.append(total & MASK32)
        carry = total >> 32 if carries_on else 0
    return words[0], words[1], words[2], words[3]


class Device(NamedTuple):
    """The parts of a generator that a maker can get wrong, in the order in which a word passes through them."""

    read: Callable[[Words6], Words6] = as_given  # from the state's elements to counter 0..3, key 0..1
    place: Callable[[Any, Shape], tuple[Any, Any]] = consecutive  # from flat indexes to blocks and lanes
    skip: int = 0  # blocks passed over before the first, in [0, 2**128)
    carries: Carries = (True, True, True)  # out of counter words 0, 1, 2
    multipliers: tuple[int, int] = (M0, M1)
    product: Callable[[Any, int], tuple[Any, Any]] = whole_product
    crossed: bool = True  # whether the products change places in a round
    weyl: Words2 = (W0, W1)
    bumps_first: bool = False  # whether the key grows before the first round as well
    rounds: int = ROUNDS
    lanes: tuple[int, ...] = (0, 1, 2, 3)  # which word of the block comes out as lane 0, 1, 2, 3
    write: Callable[[Any], Any] = as_given  # from a word made to the word stored

    def words(self, state: Words6, index: NDArray[np.uint64], shape: Shape) -> NDArray[np.uint32]:
        """What this machine stores at flat indexes of a tensor of `shape`, given the six words of a state."""
        block, lane = self.place(index, shape)
        # Neighbours mostly share a block: the rounds run once for each run of equal ones.
        fresh = np.ones(block.size, bool)
        fresh[1:] = block[1:] != block[:-1]
        made = np.array(np.broadcast_arrays(*self.blocks(state, block[fresh])), np.uint32)
        stored: NDArray[np.uint32] = self.write(made[np.array(self.lanes)[lane], np.cumsum(fresh) - 1])
        return stored

    def blocks(self, state: Words6, block: NDArray[np.uint64]) -> Words4:
        """The words of blocks number `block`, before lanes are picked."""
        c0, c1, c2, c3, k0, k1 = self.read(state)
        start = (c0 | c1 << 32 | c2 << 64 | c3 << 96) + self.skip
        words = tuple(start >> bits & MASK32 for bits in (0, 32, 64, 96))
        counter = add_blocks((words[0], words[1], words[2], words[3]), block, self.carries)
        key: Words2 = (k0, k1)
        if self.bumps_first:
            key = self._bump(key)
        for _ in range(self.rounds):
            counter = self._round(counter, key)
            key = self._bump(key)
        return counter

    def _round(self, counter: Words4, key: Words2) -> Words4:
        c0, c1, c2, c3 = counter
        first, second = self.product(c0, self.multipliers[0]), self.product(c2, self.multipliers[1])
        if self.crossed:
            first, second = second, first
        return first[0] ^ c1 ^ key[0], first[1], second[0] ^ c3 ^ key[1], second[1]

    def _bump(self, key: Words2) -> Words2:
        return (key[0] + self.weyl[0]) & MASK32, (key[1] + self.weyl[1]) & MASK32


RIGHT = Device()
