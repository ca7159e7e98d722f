"""Ways in which a device may fill what DirectML's page leaves open, each as a slow generator of a case's buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..philox import MASK32, block
from ..state import blocks_for
from .case import UNWRITTEN, Case

Position = tuple[int, int]  # counter and key
Buffers = tuple[NDArray[np.uint32], NDArray[np.uint32]]


def wrap_modulo(counter: int, key: int, blocks: int) -> Position:
    return (counter + blocks) % (1 << 128), key


def stay_at_the_end(counter: int, key: int, blocks: int) -> Position:
    return min(counter + blocks, (1 << 128) - 1), key


def carry_into_the_key(counter: int, key: int, blocks: int) -> Position:
    total = counter + blocks
    return total % (1 << 128), (key + (total >> 128)) % (1 << 64)


def by_index(case: Case) -> NDArray[np.int64]:
    return case.value_places()


def by_memory(case: Case) -> NDArray[np.int64]:
    return np.sort(case.value_places())


def ignoring_strides(case: Case) -> NDArray[np.int64]:
    return np.arange(case.words)


class Reading(NamedTuple):
    """One way to read the page. The defaults are those of specs/operator.md.

    Attributes
    ----------
    order : six ints
        The state elements that hold the counter's words and the key's words, lowest word first.
    move : callable of counter, key and a number of blocks
        The position that many blocks later.
    blocks : callable of a number of words
        By how many blocks a draw advances the counter.
    place : callable of a case
        The places of the words in the output buffer, in the order of the stream.
    """

    order: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    move: Callable[[int, int, int], Position] = wrap_modulo
    blocks: Callable[[int], int] = blocks_for
    place: Callable[[Case], NDArray[np.int64]] = by_index

    def buffers(self, case: Case) -> Iterator[Buffers]:
        """The output buffer and the six words of the new state after each draw."""
        counter, key = self._read(case)
        for _ in range(case.draws):
            values = np.full(case.values_words, UNWRITTEN, np.uint32)
            values[self.place(case)] = self._words(counter, key, case.words)
            counter, key = self.move(counter, key, self.blocks(case.words))
            yield values, self._store(counter, key)

    def state_after(self, case: Case, blocks: int) -> NDArray[np.uint32]:
        """The six words of the state so many blocks after the state of the case. A negative number rewinds."""
        return self._store(*self.move(*self._read(case), blocks))

    def _read(self, case: Case) -> Position:
        words = [case.state[place] for place in self.order]
        return _number(words[:4]), _number(words[4:])

    def _store(self, counter: int, key: int) -> NDArray[np.uint32]:
        state = np.empty(6, np.uint32)
        state[list(self.order)] = [*_split(counter, 4), *_split(key, 2)]
        return state

    def _words(self, counter: int, key: int, count: int) -> list[int]:
        words: list[int] = []
        for index in range(blocks_for(count)):
            c, k = self.move(counter, key, index)
            words += block(_split(c, 4), _split(k, 2))
        return words[:count]


def _number(words: list[int]) -> int:
    return sum(word << 32 * place for place, word in enumerate(words))


def _split(number: int, count: int) -> Any:
    return tuple(number >> 32 * place & MASK32 for place in range(count))
