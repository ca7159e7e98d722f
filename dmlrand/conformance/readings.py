"""Ways in which a device may fill what DirectML's page leaves open, as variants of the generator that make buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..state import blocks_for
from ..verification.generators.readings import word_order
from ..verification.generators.variants import Counting, Rule, StateVariant, WordVariant
from .case import UNWRITTEN, Case

Buffers = tuple[NDArray[np.uint32], NDArray[np.uint32]]


def by_memory(case: Case) -> NDArray[np.int64]:
    return np.sort(case.value_places())


def ignoring_strides(case: Case) -> NDArray[np.int64]:
    return np.arange(case.words)


class Reading(NamedTuple):
    """One way to read the page. The defaults are those of specs/operator.md.

    Attributes
    ----------
    order : six ints
        The state elements that hold the counter's words and the key's words, lowest word first. Every order here is
        its own inverse.
    rule : callable, optional
        The words of a block from those of the first block and its number, in place of a counter modulo 2**128.
    blocks : callable of a number of words
        By how many blocks a draw advances the counter.
    place : callable of a case
        The places of the words in the output buffer, in the order of the stream.
    """

    order: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    rule: Rule | None = None
    blocks: Callable[[int], int] = blocks_for
    place: Callable[[Case], NDArray[np.int64]] = Case.value_places

    def buffers(self, case: Case) -> Iterator[Buffers]:
        """The output buffer and the six words of the new state after each draw."""
        read = word_order(*self.order)
        counting = Counting(read=read, rule=self.rule)
        generator, update = WordVariant(counting), StateVariant(counting, self.blocks, store=read)
        state = case.state
        for _ in range(case.draws):
            values = np.full(case.values_words, UNWRITTEN, np.uint32)
            values[self.place(case)] = generator.words(state, np.arange(case.words, dtype=np.uint64), case.sizes)
            state = update.next_state(state, case.words)
            yield values, np.array(state, np.uint32)

    def state_after(self, case: Case, blocks: int) -> NDArray[np.uint32]:
        """The six words of the state so many blocks after the state of the case. A negative number rewinds."""
        read = word_order(*self.order)
        update = StateVariant(Counting(read=read), lambda words: blocks, store=read)
        return np.array(update.next_state(case.state, case.words), np.uint32)
