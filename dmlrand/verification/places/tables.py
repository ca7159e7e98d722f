"""Where the elements of a dump stand in the stream of a generator: looked up in a sorted table of its elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dump import Bits, Dump, Hypothesis, Places, stream_words

NOT_FOUND = -(1 << 62)
BEFORE = 1024  # elements before the state's place that a table has


class Table:
    """The elements of a hypothesis at consecutive word positions, sorted."""

    def __init__(self, dump: Dump, hypothesis: Hypothesis, count: int) -> None:
        self.width, self.step = hypothesis.function.width, dump.right.width
        self.first = 0 if hypothesis.variant.counting.rule is not None else -BEFORE
        places = np.arange(self.first, count + self.width - 1, dtype=np.int64)
        words = stream_words(dump, hypothesis.variant, places)
        if self.width > 1:
            words = np.lib.stride_tricks.sliding_window_view(words, self.width)
        made = hypothesis.function.function(words)
        self.order = np.argsort(made, kind="stable")
        self.made = made[self.order]

    @property
    def is_useful(self) -> bool:
        """Whether many elements differ."""
        return bool(np.count_nonzero(self.made[1:] != self.made[:-1]) * 4 > self.made.size)

    def find(self, elements: Bits) -> Places:
        """The first word position of each element, or NOT_FOUND."""
        at = np.minimum(np.searchsorted(self.made, elements), self.made.size - 1)
        found: Places = np.where(self.made[at] == elements, self.order[at] + self.first, NOT_FOUND)
        return found


def share_found(sorted_dump: NDArray[Any], made: NDArray[Any]) -> int:
    """How many elements of a hypothesis are somewhere in a dump."""
    at = np.minimum(np.searchsorted(sorted_dump, made), sorted_dump.size - 1)
    return int(np.count_nonzero(sorted_dump[at] == made))
