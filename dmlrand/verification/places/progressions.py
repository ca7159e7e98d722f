"""Runs of blocks whose counters grow by one large step: thread ids in a counter word above the lowest one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import philox
from ...state import State, counter_of, key_of

COUNTERS = 1 << 128
PERIODS = tuple(4 << power for power in range(7))  # words of each thread that are tried
MIN_STEP_BLOCKS = 1 << 31  # smaller steps are told by the offsets of their blocks, which are near ones
LOW_HALF, WORD_BITS = np.uint64(philox.MASK32), np.uint64(32)

UInt64s = NDArray[np.uint64]
Places = NDArray[np.int64]


class Progression(NamedTuple):
    """Each `period` words of a dump are blocks whose first counter is `step` beyond that of the period before."""

    start: int  # a word of the dump
    counter: int  # of the block that starts there
    period: int  # words
    step: int  # blocks, modulo 2**128

    def words(self, state: State, position: int, size: int) -> NDArray[np.uint32]:
        """What words `position` to position + size - 1 of the dump are."""
        first, place = divmod(position - self.start, self.period)
        periods, places = np.divmod(place + np.arange(size, dtype=np.uint64), np.uint64(self.period))
        low, high = _sums(self.counter + first * self.step, periods, self.step)
        low, carried = low + (places >> np.uint64(2)), low
        high = high + (low < carried)
        key = key_of(state) & philox.MASK32, key_of(state) >> 32
        blocks = philox.block((low & LOW_HALF, low >> WORD_BITS, high & LOW_HALF, high >> WORD_BITS), key)
        words: NDArray[np.uint32] = np.choose((places & np.uint64(3)).astype(np.intp), blocks).astype(np.uint32)
        return words

    def offset_at(self, state: State, place: int) -> int:
        """The offset, in words, of a word of the dump: how far it is beyond the word that should be there."""
        first, inside = divmod(place - self.start, self.period)
        return _signed(self.counter + first * self.step - counter_of(state)) * 4 + inside - place

    @property
    def offset_step(self) -> int:
        """How much larger the offset is in each next period."""
        return 4 * _signed(self.step) - self.period


def find_progressions(
    counter: int, position: int, starts: Places, distances: tuple[UInt64s, UInt64s], size: int
) -> Iterator[Progression]:
    """The progressions of which three blocks, one period apart, are in a chunk of `size` words of a dump.

    A chunk starts at word `position`, and a block at word position + starts[i]. Its counter is distances[i], given as
    low and high 64 bits, beyond `counter` plus position + starts[i] div 4. Three counters have two equal steps by
    chance with a probability of 2**-128.
    """
    low, high = distances
    number = np.full(size + 2 * PERIODS[-1], -1, np.int64)
    number[starts] = np.arange(starts.size, dtype=np.int64)
    for period in PERIODS:
        second, third = number[starts + period], number[starts + 2 * period]
        (first,) = np.nonzero((second >= 0) & (third >= 0))
        second, third = second[first], third[first]
        step_low, step_high = low[second] - low[first], high[second] - high[first]
        equal = (low[third] - low[second] == step_low) & (high[third] - high[second] == step_high)
        near = (step_low + np.uint64(MIN_STEP_BLOCKS) < 2 * MIN_STEP_BLOCKS) & (step_high + np.uint64(1) < 2)
        for i in first[equal & ~near].tolist():
            start = position + int(starts[i])
            distance = _joined(low, high, i)
            step = _joined(low, high, int(number[starts[i] + period])) - distance + period // 4
            yield Progression(start, (counter + start // 4 + distance) % COUNTERS, period, step % COUNTERS)


def _joined(low: UInt64s, high: UInt64s, i: int) -> int:
    return int(low[i]) | int(high[i]) << 64


def _sums(base: int, numbers: UInt64s, step: int) -> tuple[UInt64s, UInt64s]:
    """base + numbers * step modulo 2**128, as low and high 64 bits. Numbers are below 2**31."""
    base, step = base % COUNTERS, step % COUNTERS
    step_low, step_high = np.uint64(step & (1 << 64) - 1), np.uint64(step >> 64)
    carry = (numbers * (step_low & LOW_HALF) >> WORD_BITS) + numbers * (step_low >> WORD_BITS) >> WORD_BITS
    product = numbers * step_low
    low = product + np.uint64(base & (1 << 64) - 1)
    return low, numbers * step_high + carry + np.uint64(base >> 64) + (low < product)


def _signed(blocks: int) -> int:
    """A distance modulo 2**128, as the number of blocks in [-2**127, 2**127)."""
    return (blocks + COUNTERS // 2) % COUNTERS - COUNTERS // 2
