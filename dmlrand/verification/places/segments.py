"""Divide a dump into segments of one origin each. Many segments are summarised, so that their number is bounded."""

from __future__ import annotations

import numpy as np

from ..dump import Dump, Places
from ..report.result import Segment
from .origins import FAR, FILL, FOREIGN, Codes, Origins

MAX_SEGMENTS = 256
MAX_SUMMARIES = 8  # distinct offsets, or distinct fills, with a summary each; more of them have one summary together
# The kinds of summaries of several codes. The kind of any other run is its code.
MANY_OFFSETS, MANY_FILLS = FOREIGN - 1, int(np.iinfo(np.int64).max)


def find_segments(dump: Dump) -> tuple[Segment, ...]:
    """The segments that cover a tensor, in its order. The memory needed does not grow with the tensor."""
    origins, runs = Origins(dump), Runs()
    for position, codes in origins.codes():
        runs.add(position, codes)
    return runs.segments(origins.far)


class Runs:
    """Runs of equal codes, which are added piece by piece. More than MAX_SEGMENTS of them are summarised."""

    def __init__(self) -> None:
        self.count = 0
        # A column for each run or summary: the start, the stop, the number of elements, the first code, and the kind.
        self._runs = np.empty((5, 0), np.int64)

    def add(self, position: int, codes: Codes) -> None:
        """Add the codes of the next elements, whose first is element `position`."""
        edges = np.flatnonzero(np.diff(codes, prepend=codes[0] + 1, append=codes[-1] + 1))
        starts, stops, codes = edges[:-1], edges[1:], codes[edges[:-1]]
        runs = np.stack([position + starts, position + stops, stops - starts, codes, codes])
        if position and self._runs[4, -1] == codes[0]:  # the last run goes on
            self._runs[1:3, -1] += stops[0]
            runs = runs[:, 1:]
        self.count += runs.shape[1]
        self._runs = np.append(self._runs, runs, 1)
        if self.count > MAX_SEGMENTS:
            self._runs = np.append(_summarised(self._runs[:, :-1]), self._runs[:, -1:], 1)

    def segments(self, far: list[int]) -> tuple[Segment, ...]:
        """The segments, whose far offsets are these."""
        found = []
        runs = self._runs if self.count <= MAX_SEGMENTS else _summarised(self._runs)
        for start, stop, elements, code, kind in runs.T.tolist():
            offset = None if code >= FOREIGN else far[code - FAR] if code >= FAR else code
            fill = code - FILL if FILL <= code and kind != MANY_FILLS else None
            share = elements / (stop - start)
            found.append(Segment(start, stop, offset, fill, share, varies=kind == MANY_OFFSETS))
        return tuple(sorted(found, key=lambda segment: (segment.start, segment.stop)))


def _summarised(runs: Places) -> Places:
    """One column for all runs of a kind."""
    runs = runs[:, np.argsort(runs[0], kind="stable")]
    kinds = runs[4]
    for chosen, many in ((kinds < FOREIGN, MANY_OFFSETS), (kinds >= FOREIGN, MANY_FILLS)):
        distinct = np.union1d(kinds[chosen], [FOREIGN] if many == MANY_FILLS else [])
        if distinct.size > MAX_SUMMARIES or many in distinct:
            kinds[chosen] = many
    _, firsts, kind = np.unique(kinds, return_index=True, return_inverse=True)
    made = runs[:, firsts]
    np.maximum.at(made[1], kind, runs[1])
    made[2] = np.bincount(kind, runs[2])
    return made
