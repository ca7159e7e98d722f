"""Find a function that makes the wrong words from the right ones, and say which words it was applied to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..philox import MASK32
from ..state import State
from . import compare
from .bit_maps import BitMap, common_bit_maps, describe_bit_map, fit_bit_map, fit_mask
from .conversions import WordFunction, conversions
from .report import Finding
from .stream_words import words_from

SAMPLE_WORDS = 1 << 14  # from the first wrong word on
FIRST_WORDS = 64  # of the sample, compared first, because most functions fail there
BIT_MAP_PAIRS = 256
MIN_WRONG_WORDS = 3
# A function with few results, such as 0 for half of all words, is proved by the words it was applied to instead.
MIN_DISTINCT_WORDS = 3
MIN_WORDS_OF_REGION = 32

Words = NDArray[np.uint32]


def explain_by_function(state: State, values: Words, first_mismatch: int) -> list[Finding]:
    """The function that gives all wrong words of a tensor, if there is one."""
    index = np.arange(first_mismatch, min(first_mismatch + SAMPLE_WORDS, values.size))
    right = words_from(state, first_mismatch, index.size)
    got = np.asarray(values)[np.unravel_index(index, values.shape)]
    wrong = got != right
    if np.count_nonzero(wrong) < MIN_WRONG_WORDS:
        return []
    fitting = [found for found in _candidates(index % 4, right, got, wrong) if _fits(found, right, got)]
    # A function of all words says more than one that spared some: w & ~1 more than w ^ 1 for the odd words.
    fitting.sort(key=lambda found: not _region_of_sample(first_mismatch, right, wrong, found).is_whole())
    distinct = np.unique(got[wrong]).size >= MIN_DISTINCT_WORDS
    for found in fitting:
        region = _region(state, values, found)
        if region is not None and (distinct or region.is_whole() and region.words() >= MIN_WORDS_OF_REGION):
            return [Finding(found.name, _sentence(found, region))]
    return []


def _candidates(lanes: NDArray[np.int64], right: Words, got: Words, wrong: NDArray[np.bool_]) -> Iterator[WordFunction]:
    """Functions that may give the wrong words of a sample: those solved from pairs of words, and the known ones."""
    yield _of_bit_map(BitMap({0: MASK32}, int(got[0] ^ right[0])))
    addend = (int(got[0]) - int(right[0])) & MASK32
    yield WordFunction("constant-added", lambda w: w + np.uint32(addend), f"w + {addend:#x} modulo 2**32")
    yield from conversions()
    yield from map(_of_bit_map, common_bit_maps())
    # Words that the map does not change are right and tell something too, if they lie between wrong words.
    first = slice(None, BIT_MAP_PAIRS)
    last = np.flatnonzero(wrong[first])[-1]
    between = (np.isin(lanes, lanes[first][wrong[first]]) & (np.arange(right.size) <= last))[first]
    for pairs in (np.flatnonzero(between), np.flatnonzero(wrong)[first]):
        for fit in (fit_mask, fit_bit_map):
            bit_map = fit(right[pairs], got[pairs])
            if bit_map is not None:
                yield _of_bit_map(bit_map)


def _of_bit_map(bit_map: BitMap) -> WordFunction:
    name, expression = describe_bit_map(bit_map)
    return WordFunction(name, bit_map.apply, expression)


def _fits(found: WordFunction, right: Words, got: Words) -> bool:
    for words in (slice(FIRST_WORDS), slice(FIRST_WORDS, None)):
        if not ((got[words] == right[words]) | (got[words] == found.function(right[words]))).all():
            return False
    return True


def _region_of_sample(position: int, right: Words, wrong: NDArray[np.bool_], found: WordFunction) -> _Region:
    region = _Region(position + right.size)
    region.add(position, wrong, (found.function(right) != right) & ~wrong)
    return region


def _region(state: State, values: Words, found: WordFunction) -> _Region | None:
    """Where the function was applied. None if a wrong word is not its result."""
    region = _Region(values.size)
    for position, right, got in compare(state, values):
        results = found.function(right)
        wrong = got != right
        if (wrong & (got != results)).any():
            return None
        region.add(position, wrong, (results != right) & ~wrong)
    return region


class _Region:
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
        some_lanes = f" of lane{'s' * (len(lanes) > 1)} {' and '.join(map(str, lanes))}"
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
    return np.array([np.count_nonzero(chosen[(lane - position) % 4 :: 4]) for lane in range(4)])


def _sentence(found: WordFunction, region: _Region) -> str:
    return f"{region.describe()} is stored as {found.expression}, where w is the right word: {found.remedy}."
