"""Give each word of a dump a code that says where the word comes from: its offset in the stream, a fill, or nowhere.

For a fixed key the block function is a bijection. So any four words can be run backwards to the counter that makes
them. The counter of words that are not a block is a random number of 128 bits. A counter near the expected one, and two
neighbouring blocks with consecutive counters, are therefore proof.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32
from ...state import State, counter_of, key_of
from ..dump import words_at, words_from
from ..inverse import invert_block
from ..report.result import Segment
from ..report.segment_text import STREAM_WORDS

# A code below 2**49 in size is an offset in words. The ranges of other codes do not overlap.
NEAR_WORDS = 1 << 49  # one block proves an offset below this; a wrong proof has a probability of 2**-80 per block
NEAR_BLOCKS = NEAR_WORDS // 4
FAR = 1 << 52  # FAR + i: the offset is number i of Origins.far
FOREIGN = 1 << 53
FILL = 1 << 54  # FILL + value

MAX_FAR_OFFSETS = 1024  # distinct offsets of 2**49 words and more that are distinguished
RECENT_OFFSETS = 4  # tried for a whole chunk before blocks are run backwards
DENSE_WORDS = 1 << 20  # after so many words without a block, only some places are searched:
SPARSE_STEP = 128  # the first 8 places of each 128

Words = NDArray[np.uint32]
Codes = NDArray[np.int64]


class Origins:
    """The codes of a dump's words, chunk by chunk. Chunks follow one another."""

    def __init__(self, state: State) -> None:
        self.far: list[int] = []
        self._state = state
        self._key = key_of(state) & MASK32, key_of(state) >> 32
        self._recent: list[int] = []
        self._words_without_block = 0

    def codes_of(self, position: int, words: Words, known: Codes) -> Codes:
        """The codes of words whose first is word `position` of the dump. `known` is the codes of the first words."""
        codes = np.full(words.size, FOREIGN, np.int64)
        self.mark_offset(codes, words, position, 0)
        if (codes == FOREIGN).any():
            codes[: known.size] = known
            mark_fills(codes, words, 3)
            # The run that the context ends in may go on for a few words, which need not hold a whole block.
            continued = [code for code in known[-1:].tolist() if code < FOREIGN]
            for code in {*self._recent, *continued}:
                self.mark_offset(codes, words, position, code)
            self._mark_blocks(codes, words, position)
            self._mark_edges(codes, words, position)
            # Two equal words are a fill only if they are not the end of one run of the stream and the start of another.
            mark_fills(codes, words, 2)
            self._remember(codes)
        codes[: known.size] = known
        return codes

    def segment(self, start: int, stop: int, code: int) -> Segment:
        """The words start to stop - 1, which have one code."""
        if code >= FOREIGN:
            return Segment(start, stop, None, code - FILL if code >= FILL else None)
        return Segment(start, stop, self._offset(code))

    def _offset(self, code: int) -> int:
        return self.far[code - FAR] if code >= FAR else code

    def mark_offset(self, codes: Codes, words: Words, position: int, code: int) -> None:
        """Mark the words that equal the stream's words at an offset."""
        if code and not (codes == FOREIGN).any():
            return
        expected = words_from(self._state, position + self._offset(code), words.size)
        codes[(codes == FOREIGN) & (expected == words)] = code

    def _mark_blocks(self, codes: Codes, words: Words, position: int) -> None:
        """Run every four neighbouring words that are still foreign backwards, and mark those that are a block."""
        free = codes == FOREIGN
        starts = np.flatnonzero(free[:-3] & free[1:-2] & free[2:-1] & free[3:])
        sparse = self._words_without_block >= DENSE_WORDS
        if sparse:
            starts = starts[(position + starts) % SPARSE_STEP < 8]
        if not starts.size:
            return
        low, high = self._distances(words, starts, position)
        offsets = low.view(np.int64) * 4 - (position + starts) % 4
        near = (high == 0) & (low <= NEAR_BLOCKS) | (~high == 0) & (~low < NEAR_BLOCKS)
        near &= np.abs(offsets) < NEAR_WORDS
        for lane in range(4):
            codes[starts[near] + lane] = offsets[near]
        if sparse and near.any():
            for code in np.unique(offsets[near])[:RECENT_OFFSETS].tolist():
                self.mark_offset(codes, words, position, code)
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
                self.mark_offset(codes, words, position, FAR + self.far.index(offset))
        found = bool((codes[starts] < FOREIGN).any())
        self._words_without_block = 0 if found else self._words_without_block + words.size

    def _distances(
        self, words: Words, starts: NDArray[np.int64], position: int
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """By how many blocks each block's counter is beyond that of its place: the low and the high 64 bits."""
        lanes = [words[starts + lane].astype(np.uint64) for lane in range(4)]
        c0, c1, c2, c3 = invert_block((lanes[0], lanes[1], lanes[2], lanes[3]), self._key)
        low, high = c0 | c1 << np.uint64(32), c2 | c3 << np.uint64(32)
        counter = counter_of(self._state)
        for low_blocks, high_blocks in (
            (((position + starts) // 4).astype(np.uint64), np.uint64(0)),
            (np.uint64(counter & (1 << 64) - 1), np.uint64(counter >> 64)),
        ):
            borrow = (low < low_blocks).astype(np.uint64)
            low, high = low - low_blocks, high - high_blocks - borrow
        return low, high

    def _mark_edges(self, codes: Codes, words: Words, position: int) -> None:
        """Mark up to three foreign words on both sides of words with an offset: parts of blocks."""
        if not (codes < FAR).any():
            return
        for step in (1, -1, 1, -1, 1, -1):
            foreign = np.flatnonzero(codes == FOREIGN)
            foreign = foreign[(foreign - step >= 0) & (foreign - step < words.size)]
            offsets = codes[foreign - step]
            near = offsets < FAR
            places, offsets = foreign[near], offsets[near]
            right = words_at(self._state, position + places + offsets) == words[places]
            codes[places[right]] = offsets[right]

    def _remember(self, codes: Codes) -> None:
        """Keep the offsets of this chunk for the next one, if they are few."""
        distinct = np.unique(codes[(codes < FOREIGN) & (codes != 0)])
        if 0 < distinct.size <= RECENT_OFFSETS:
            new = distinct.tolist()
            self._recent = (new + [code for code in self._recent if code not in new])[:RECENT_OFFSETS]


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
