"""Divide a dump into segments of one origin each. Many segments are summarised, so that their number is bounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..dump import Dump, Hypothesis, Place
from ..report.result import Segment
from .fitting import Table
from .origins import FOREIGN, SPARSE_STEP, Codes, Origins, in_runs, mark_fills

CHUNK_WORDS = 1 << 14
CONTEXT_WORDS = 4  # before a chunk: their codes are final
UNFINISHED_WORDS = SPARSE_STEP + 16  # at the end of a chunk: the next chunk may show that they belong to a block
MIN_NUMBERS = 4  # equal offsets side by side: a number is at several places of the stream
MAX_SEGMENTS = 256
MAX_SUMMARIES = 8  # distinct offsets, or distinct fills, with a summary each; more of them have one summary together

Places = NDArray[np.int64]


def find_segments(dump: Dump) -> tuple[Segment, ...]:
    """The segments that cover a tensor, in its order. The memory needed does not grow with the tensor."""
    origins = Origins(dump.state)
    runs = Runs(origins)
    for position, codes in element_codes(origins, dump):
        runs.add(position, codes)
    return runs.segments(dump.size)


def element_codes(origins: Origins, dump: Dump) -> Iterator[tuple[int, Codes]]:
    """The codes of a tensor's elements, piece by piece: (position of the piece's first element, codes)."""
    return _word_codes(origins, dump) if dump.is_of_words else _number_codes(dump)


def _number_codes(dump: Dump) -> Iterator[tuple[int, Codes]]:
    """The codes of numbers: right, a constant, at an offset in a table of the stream's first words, or foreign."""
    count = min(2 * dump.size + (1 << 12), 1 << 20) * dump.right.width
    table = None
    for position, piece in dump.pieces():
        codes = np.where(piece == dump.right_elements(position, piece.size), np.int64(0), np.int64(FOREIGN))
        wrong = codes != 0
        if wrong.any():
            table = table or Table(dump, Hypothesis((), function=dump.right), count)
            places = (position + np.arange(piece.size)) * dump.right.width
            offsets = table.find(piece) - places
            moved = in_runs(offsets[1:] == offsets[:-1], MIN_NUMBERS) & wrong
            codes[moved] = offsets[moved]
            # A number that is also at an earlier place of the stream, between others at one offset.
            alone = np.flatnonzero((codes[1:] == FOREIGN) & (codes[:-1] != FOREIGN)) + 1
            place = Place("", lambda index, offset=codes[alone - 1]: index * dump.right.width + offset, "")  # type: ignore[misc]
            expected = Hypothesis((), place=place, function=dump.right).elements(dump, position + alone)
            found = alone[expected == piece[alone]]
            codes[found] = codes[found - 1]
            mark_fills(codes, piece, MIN_NUMBERS, alone=False)
        yield position, codes


def _word_codes(origins: Origins, dump: Dump) -> Iterator[tuple[int, Codes]]:
    """The codes of words. The last ones of a chunk are computed again with the next chunk."""
    position = 0  # of the first unfinished word
    context, context_codes = np.empty(0, np.uint32), np.empty(0, np.int64)
    unfinished = np.empty(0, np.uint32)
    for start, piece in dump.pieces():
        for first in range(0, piece.size, CHUNK_WORDS):
            chunk = piece[first : first + CHUNK_WORDS]
            words = np.concatenate([context, unfinished, chunk])
            codes = origins.codes_of(position - context.size, words, context_codes)
            is_last = start + first + chunk.size == dump.size
            end = words.size if is_last else max(words.size - UNFINISHED_WORDS, context.size)
            if is_last:  # the last block, if it is not whole, may have other lanes
                rest = min(dump.size % 4, words.size)
                for lanes in (1, 2, 3, -1, -2) if rest else ():
                    origins.mark_offset(codes[-rest:], words[-rest:], dump.size - rest, lanes)
            yield position, codes[context.size : end]
            position += end - context.size
            kept = slice(max(end - CONTEXT_WORDS, 0), end)
            context, context_codes, unfinished = words[kept], codes[kept], words[end:]


class Runs:
    """Runs of equal codes: the first ones, and summaries of all."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._start, self._code = 0, FOREIGN  # of the run that is not complete
        self._first_runs: list[tuple[int, int, int]] = []
        self.count = 0
        # A summary for each code. None: of all codes together.
        self._with_offset: dict[int | None, _Summary] = {None: _Summary()}
        self._without_offset: dict[int | None, _Summary] = {None: _Summary(), FOREIGN: _Summary()}

    def add(self, position: int, codes: Codes) -> None:
        """Add the codes of the next words, whose first is word `position`."""
        if not codes.size:
            return
        firsts = np.append(np.int64(0), np.flatnonzero(codes[1:] != codes[:-1]) + 1)
        starts, run_codes = position + firsts, codes[firsts]
        if position and run_codes[0] == self._code:
            starts[0] = self._start
        elif position:
            starts, run_codes = np.append(self._start, starts), np.append(self._code, run_codes)
        self._complete(starts[:-1], starts[1:], run_codes[:-1])
        self._start, self._code = int(starts[-1]), int(run_codes[-1])

    def segments(self, size: int) -> tuple[Segment, ...]:
        """The segments of a tensor of `size` words, all of which were added."""
        self._complete(*(np.array([number], np.int64) for number in (self._start, size, self._code)))
        if self.count <= MAX_SEGMENTS:
            return tuple(self._origins.segment(*run) for run in self._first_runs)
        found = []
        for summaries in (self._with_offset, self._without_offset):
            together = len(summaries) > MAX_SUMMARIES + 1
            for code, (start, stop, words, first_code) in summaries.items():
                if words and (code is None) == together:
                    of_fills = together and summaries is self._without_offset
                    segment = self._origins.segment(start, stop, FOREIGN if of_fills else first_code)
                    found.append(segment._replace(share=words / (stop - start), varies=together and not of_fills))
        return tuple(sorted(found, key=lambda segment: (segment.start, segment.stop)))

    def _complete(self, starts: Places, stops: Places, codes: Codes) -> None:
        if not codes.size:
            return
        self.count += codes.size
        room = MAX_SEGMENTS - len(self._first_runs)
        self._first_runs += zip(starts[:room].tolist(), stops[:room].tolist(), codes[:room].tolist())
        for summaries, chosen in ((self._with_offset, codes < FOREIGN), (self._without_offset, codes >= FOREIGN)):
            for code in [None, *np.unique(codes[chosen]).tolist()]:
                if len(summaries) > MAX_SUMMARIES + 1 and code is not None:
                    break
                runs = chosen if code is None else codes == code
                if runs.any():
                    summary = summaries.get(code) or _Summary()
                    if not summary.words:
                        summary = _Summary(int(starts[runs][0]), first_code=int(codes[runs][0]))
                    words = summary.words + int((stops - starts)[runs].sum())
                    summaries[code] = summary._replace(stop=int(stops[runs][-1]), words=words)


class _Summary(NamedTuple):
    """The common properties of many runs."""

    start: int = 0
    stop: int = 0
    words: int = 0
    first_code: int = 0
