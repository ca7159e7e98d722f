"""Say which words of a tensor a faulty function was applied to: all, those of some lanes, or those of a range."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class AlteredWords:
    """The wrong words of a tensor, and the words that were spared: right, although the function changes them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self.first = self.last = -1  # wrong word
        self.wrong = np.zeros(4, np.int64)  # words by lane
        self._spared = np.zeros(4, np.int64)
        self._spared_inside = np.zeros(4, np.int64)  # between the first and the last wrong word
        self._spared_after = np.zeros(4, np.int64)  # the last wrong word so far

    def add(self, position: int, wrong: NDArray[np.bool_], spared: NDArray[np.bool_]) -> None:
        """Add the next words, whose first is word `position`."""
        places = np.flatnonzero(wrong)
        if places.size:
            last = int(places[-1])
            begin = int(places[0]) if self.first < 0 else 0
            self._spared_inside += self._spared_after + _by_lane(spared[begin:last], position + begin)
            self._spared_after = _by_lane(spared[last:], position + last)
            self.first = position + begin if self.first < 0 else self.first
            self.last = position + last
        elif self.first >= 0:
            self._spared_after += _by_lane(spared, position)
        self.wrong += _by_lane(wrong, position)
        self._spared += _by_lane(spared, position)

    def is_whole(self) -> bool:
        """Whether no word was spared between the first and the last wrong word, in the lanes of wrong words."""
        return not self._spared_inside[self.wrong > 0].any()

    def words(self) -> int:
        """How many words lie between the first and the last wrong word, in the lanes of wrong words."""
        return (self.last + 1 - self.first) * int(np.count_nonzero(self.wrong)) // 4

    def describe(self) -> str:
        lanes = np.flatnonzero(self.wrong).tolist()
        some_lanes = f" of lane{'s' * (len(lanes) > 1)} {', '.join(map(str, lanes))}"
        if not self._spared.any():
            return "Every word"
        if not self._spared[lanes].any():
            return f"Every word{some_lanes}"
        if not self.is_whole():
            return f"Each of the {int(self.wrong.sum())} wrong words"
        where = some_lanes if self._spared_inside.any() else ""
        if self.last == self._size - 1:
            return f"Every word{where} from word {self.first} on"
        return f"Every word{where} from word {self.first} to word {self.last}"


def _by_lane(chosen: NDArray[np.bool_], position: int) -> NDArray[np.int64]:
    """How many words of each lane are chosen. The first is word `position`."""
    return np.array([np.count_nonzero(chosen[(lane - position) % 4 :: 4]) for lane in range(4)], np.int64)
