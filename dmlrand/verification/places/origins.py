"""Give each word of a dump a code that says where the word comes from: its offset in the stream, a fill, or nowhere.

For a fixed key the block function is a bijection. So any four words can be run backwards to the counter that makes
them. The counter of words that are not a block is a random number of 128 bits. A counter near the expected one, and two
neighbouring blocks with consecutive counters, are therefore proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dump import Bits, Dump, Hypothesis, Place
from ..generators.variants import add_blocks
from ..inverse import invert_block
from ..report.segment_text import STREAM_WORDS
from .fitting import Table

CHUNK = 1 << 14  # elements
# A code below 2**49 in size is an offset in words. The ranges of other codes do not overlap.
NEAR_WORDS = 1 << 49  # one block proves an offset below this; a wrong proof has a probability of 2**-80 per block
NEAR_BLOCKS = NEAR_WORDS // 4
FAR = 1 << 52  # FAR + i: the offset is number i of Origins.far
FOREIGN = 1 << 53
FILL = 1 << 54  # FILL + value

MAX_FAR_OFFSETS = 1024  # distinct offsets of 2**49 words and more that are distinguished
RECENT_OFFSETS = 4  # tried for a whole chunk before blocks are run backwards
AROUND = 16  # elements on both sides of a chunk that are searched with it
MIN_NUMBERS = 4  # equal offsets side by side: a number is at several places of the stream

Codes = NDArray[np.int64]


class Origins:
    """The codes of a dump's elements."""

    def __init__(self, dump: Dump) -> None:
        self.far: list[int] = []
        self._dump = dump
        self._recent: list[int] = []
        # Elements of one value that are a fill: a number is at several places of the stream.
        self._least_fill = 2 if dump.is_of_words else MIN_NUMBERS

    def codes(self) -> Iterator[tuple[int, Codes]]:
        """The codes, chunk by chunk: the position of the chunk's first element, and the codes.

        A chunk is searched together with the elements around it, which may show that its words belong to a block.
        """
        for start, piece in self._dump.pieces():
            for position in range(start, start + piece.size, CHUNK):
                stop = min(position + CHUNK, start + piece.size)
                first, last = max(position - AROUND, 0), min(stop + AROUND, self._dump.size)
                before, after = (self._dump.at(np.arange(*ends)) for ends in ((first, position), (stop, last)))
                chunk = piece[position - start : stop - start]
                codes = self._codes_of(first, np.concatenate([before, chunk, after]))
                yield position, codes[position - first : stop - first]

    def _codes_of(self, position: int, elements: Bits) -> Codes:
        """The codes of elements whose first is element `position` of the dump."""
        codes = np.full(elements.size, FOREIGN, np.int64)
        self._mark_offset(codes, elements, position, 0)
        if (codes == FOREIGN).any():
            is_of_words = self._dump.is_of_words
            mark_fills(codes, elements, self._least_fill + 1, is_of_words)
            for code in self._recent:
                self._mark_offset(codes, elements, position, code)
            if is_of_words:
                self._mark_blocks(codes, elements, position)
            else:
                self._mark_numbers(codes, elements, position)
            self._mark_edges(codes, elements, position)
            # Two equal words are a fill only if they are not the end of one run of the stream and the start of another.
            mark_fills(codes, elements, self._least_fill, is_of_words)
            distinct = np.unique(codes[(codes < FOREIGN) & (codes != 0)])
            self._recent = distinct.tolist() if 0 < distinct.size <= RECENT_OFFSETS else self._recent
        return codes

    def _mark_offset(self, codes: Codes, elements: Bits, position: int, code: int) -> None:
        """Mark the foreign elements that equal the stream's at an offset."""
        if not code or (codes == FOREIGN).any():
            offset = self.far[code - FAR] if code >= FAR else code
            expected = self._dump.right_elements(position, elements.size, offset)
            codes[(codes == FOREIGN) & (expected == elements)] = code

    def _mark_numbers(self, codes: Codes, numbers: Bits, position: int) -> None:
        """Mark runs of numbers at one offset in a table of the stream's first words."""
        width = self._dump.right.width
        offsets = self._table.find(numbers) - (position + np.arange(numbers.size)) * width
        moved = in_runs(offsets[1:] == offsets[:-1], MIN_NUMBERS) & (codes == FOREIGN)
        codes[moved] = offsets[moved]

    @cached_property
    def _table(self) -> Table:
        count = min(2 * self._dump.size + (1 << 12), 1 << 20) * self._dump.right.width
        return Table(self._dump, Hypothesis((), function=self._dump.right), count)

    def _mark_blocks(self, codes: Codes, words: Bits, position: int) -> None:
        """Run every four neighbouring words that are still foreign backwards, and mark those that are a block."""
        free = codes == FOREIGN
        starts = np.flatnonzero(free[:-3] & free[1:-2] & free[2:-1] & free[3:])
        if not starts.size:
            return
        # By how many blocks each block's counter is beyond that of its place.
        lanes = (words[starts + lane].astype(np.uint64) for lane in range(4))
        low, high = _halves(invert_block(tuple(lanes), self._dump.six[4:]))  # type: ignore[arg-type]
        low_right, high_right = _halves(add_blocks(self._dump.six, ((position + starts) // 4).astype(np.uint64)))
        low, high = low - low_right, high - high_right - (low < low_right)
        offsets = low.view(np.int64) * 4 - (position + starts) % 4
        near = (high == 0) & (low <= NEAR_BLOCKS) | (~high == 0) & (~low < NEAR_BLOCKS)
        near &= np.abs(offsets) < NEAR_WORDS
        for lane in range(4):
            codes[starts[near] + lane] = offsets[near]
        for code in np.unique(offsets[near])[:RECENT_OFFSETS].tolist():
            self._mark_offset(codes, words, position, code)
        # Two neighbouring blocks at one far distance.
        after = np.minimum(np.searchsorted(starts, starts + 4), starts.size - 1)
        far = (starts[after] == starts + 4) & (low[after] == low) & (high[after] == high) & ~near
        for i in np.flatnonzero(far).tolist():
            if codes[starts[i]] == FOREIGN:
                offset = 4 * (int(low[i]) | int(high[i]) << 64) - (position + int(starts[i])) % 4
                offset = (offset + STREAM_WORDS // 2) % STREAM_WORDS - STREAM_WORDS // 2
                if offset not in self.far:
                    if len(self.far) == MAX_FAR_OFFSETS:
                        break
                    self.far.append(offset)
                self._mark_offset(codes, words, position, FAR + self.far.index(offset))

    def _mark_edges(self, codes: Codes, elements: Bits, position: int) -> None:
        """Mark up to three foreign elements on both sides of elements with an offset: parts of blocks."""
        dump = self._dump
        for step in (1, -1, 1, -1, 1, -1) if (codes < FAR).any() else ():
            foreign = np.flatnonzero(codes == FOREIGN)
            foreign = foreign[(foreign - step >= 0) & (foreign - step < elements.size)]
            foreign = foreign[codes[foreign - step] < FAR]
            offsets = codes[foreign - step]
            place = Place("", lambda index, offsets=offsets: index * dump.right.width + offsets, "")  # type: ignore[misc]
            made = Hypothesis((), place=place, function=dump.right).elements(dump, position + foreign)
            right = made == elements[foreign]
            codes[foreign[right]] = offsets[right]


def _halves(words: tuple[Any, ...]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The low and the high 64 bits of counters."""
    return words[0] | words[1] << 32, words[2] | words[3] << 32


def mark_fills(codes: Codes, elements: NDArray[Any], least: int, alone: bool = True) -> None:
    """Mark foreign elements that are `least` or more equal neighbours and, with `alone`, those of bits 0 or 1 only."""
    free = codes >= FOREIGN
    fill = in_runs(free[1:] & free[:-1] & (elements[1:] == elements[:-1]), least)
    if alone:
        fill |= (elements == 0) | (elements == np.iinfo(elements.dtype).max)
    fill &= (codes == FOREIGN) & (elements < FILL)
    codes[fill] = FILL + elements[fill].astype(np.int64)


def in_runs(equal: NDArray[np.bool_], least: int) -> NDArray[np.bool_]:
    """Which elements are one of `least` or more equal ones side by side. `equal` says which neighbours are equal."""
    found = np.zeros(equal.size + 1, np.bool_)
    for _ in range(least - 2):
        equal = equal[1:] & equal[:-1]
    for first in range(least):
        found[first : first + equal.size] |= equal
    return found
