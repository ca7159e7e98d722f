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
        self._spared_before = np.zeros(4, np.int64)  # the first wrong word
        self._spared_until = np.zeros(4, np.int64)  # the last wrong word

    def add(self, position: int, wrong: NDArray[np.bool_], spared: NDArray[np.bool_]) -> None:
        """Add the next words, whose first is word `position`."""
        places = np.flatnonzero(wrong)
        if places.size:
            if self.first < 0:
                self.first = position + int(places[0])
                self._spared_before = self._spared + _by_lane(spared[: places[0]], position)
            self.last = position + int(places[-1])
            self._spared_until = self._spared + _by_lane(spared[: places[-1]], position)
        self.wrong += _by_lane(wrong, position)
        self._spared = self._spared + _by_lane(spared, position)

    def _spared_inside(self) -> NDArray[np.int64]:
        return self._spared_until - self._spared_before

    def is_whole(self) -> bool:
        """Whether no word was spared between the first and the last wrong word, in the lanes of wrong words."""
        return not self._spared_inside()[self.wrong > 0].any()

    def words(self) -> int:
        """How many words lie between the first and the last wrong word, in the lanes of wrong words."""
        return (self.last + 1 - self.first) * int(np.count_nonzero(self.wrong)) // 4

    def describe(self) -> str:
        """The words, as the subject of a sentence."""
        lanes = np.flatnonzero(self.wrong).tolist()
        some_lanes = f" of lane{'s' * (len(lanes) > 1)} {', '.join(map(str, lanes))}"
        if not self._spared[lanes].any():
            return f"Every word{some_lanes if self._spared.any() else ''}"
        if not self.is_whole():
            return f"Each of the {int(self.wrong.sum())} wrong words"
        end = "on" if self.last == self._size - 1 else f"to word {self.last}"
        return f"Every word{some_lanes if self._spared_inside().any() else ''} from word {self.first} {end}"


def _by_lane(chosen: NDArray[np.bool_], position: int) -> NDArray[np.int64]:
    """How many words of each lane are chosen. The first is word `position`."""
    return np.array([np.count_nonzero(chosen[(lane - position) % 4 :: 4]) for lane in range(4)], np.int64)
