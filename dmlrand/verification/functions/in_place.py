"""Say which words of a tensor a faulty function was applied to: all, those of some lanes, or those of a range."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..dump import Dump
from ..report.result import Finding
from .conversions import WordFunction
from .fitting import MIN_DISTINCT_WORDS, fit_mask, inverted_bits
from .numbers import word_functions

SAMPLE_WORDS = 1 << 14  # from the first wrong word on
FIRST_WORDS = 64  # compared first, because most functions fail there
BIT_MAP_PAIRS = 256
MIN_WRONG_WORDS = 3
HOLE_SHARE = 0.9  # of the words between the first and the last wrong word are wrong
# A function with few results, such as 0 for half of all words, is proved by the words it was applied to instead.
MIN_ALTERED_WORDS = 32

Words = NDArray[np.uint32]
Pieces = Iterable[tuple[int, Words, Words]]  # the first place, the right words, and those of the dump


def explain_by_function(dump: Dump, first_mismatch: int) -> list[Finding]:
    """The function that gives all wrong elements of a tensor, if there is one."""
    if dump.bits != np.uint32:
        return []
    index = np.arange(first_mismatch, min(first_mismatch + SAMPLE_WORDS, dump.size), dtype=np.int64)
    right, got = dump.right_elements(first_mismatch, index.size), dump.at(index)
    wrong = got != right
    places = np.flatnonzero(wrong)
    if places.size < MIN_WRONG_WORDS:
        return []
    if places.size > HOLE_SHARE * places[-1] and (got[places] == got[places[0]]).all():
        return []  # one constant overwrote a range: no function of words
    cuts = slice(FIRST_WORDS), slice(FIRST_WORDS, None)
    sample = [(first_mismatch + (cut.start or 0), right[cut], got[cut]) for cut in cuts]
    tried = [(each, altered_words(sample, each.function)) for each in _functions(index % 4, right, got, wrong)]
    fitting = [(each, altered.is_whole) for each, altered in tried if altered is not None]
    # A function of all words says more than one that spared some: w & ~1 more than w ^ 1 for the odd words.
    fitting.sort(key=lambda each: not each[1])
    distinct = np.unique(got[wrong]).size >= MIN_DISTINCT_WORDS
    for found, _ in fitting:
        pieces = ((position, dump.right_elements(position, got.size), got) for position, got in dump.pieces())
        altered = altered_words(pieces, found.function)
        # If all results are one constant, the words may just as well have been overwritten.
        varies = np.unique(found.function(right)).size > 1
        if altered and (distinct or varies and altered.is_whole and altered.words >= MIN_ALTERED_WORDS):
            return [Finding(found.name, _sentence(found, altered.describe(dump.size), dump.unit))]
    return []


def _functions(lanes: NDArray[np.int64], right: Words, got: Words, wrong: NDArray[np.bool_]) -> Iterator[WordFunction]:
    """Functions that may give the wrong words of a sample: those solved from pairs of words, and the known ones."""
    yield inverted_bits(right, got)
    yield from (each for each in word_functions() if each.width == 1)
    # Words that the map does not change are right and tell something too, if they lie between wrong words.
    wrong_places = np.flatnonzero(wrong)[:BIT_MAP_PAIRS]
    between = np.arange(min(wrong_places[-1] + 1, BIT_MAP_PAIRS), dtype=np.int64)
    between = between[np.isin(lanes[between], lanes[wrong_places])]
    for pairs in (between, wrong_places):
        yield from fit_mask(right[pairs], got[pairs])


def _sentence(found: WordFunction, where: str, unit: str) -> str:
    if unit == "word":
        return f"{where} is stored as {found.expression}, where w is the right word: {found.remedy}."
    where = where.replace("word", "number")
    return f"{where} is stored with the bits {found.expression}, where w are the bits of the right number: store them."


class Altered(NamedTuple):
    """The wrong words of a tensor, and the words that were spared: right, although the function changes them."""

    first: int  # wrong word
    last: int
    wrong: NDArray[np.int64]  # how many words of each lane
    spared: NDArray[np.bool_]  # whether there are such words in each lane
    inside: NDArray[np.bool_]  # the same between the first and the last wrong word

    @property
    def is_whole(self) -> bool:
        """Whether no word was spared between the first and the last wrong word, in the lanes of wrong words."""
        return not self.inside[self.wrong > 0].any()

    @property
    def words(self) -> int:
        """How many words lie between the first and the last wrong word, in the lanes of wrong words."""
        return (self.last + 1 - self.first) * int(np.count_nonzero(self.wrong)) // 4

    def describe(self, size: int) -> str:
        """The words of a tensor of this size, as the subject of a sentence."""
        lanes = np.flatnonzero(self.wrong).tolist()
        some_lanes = f" of lane{'s' * (len(lanes) > 1)} {', '.join(map(str, lanes))}"
        if not self.spared[lanes].any():
            return f"Every word{some_lanes if self.spared.any() else ''}"
        if not self.is_whole:
            return f"Each of the {int(self.wrong.sum())} wrong words"
        end = "on" if self.last == size - 1 else f"to word {self.last}"
        return f"Every word{some_lanes if self.inside.any() else ''} from word {self.first} {end}"


def altered_words(pieces: Pieces, found: Callable[[Words], Words]) -> Altered | None:
    """Where a function was applied. None if a wrong word is not its result."""
    wrong_count, is_spared = np.zeros(4, np.int64), np.zeros(4, np.bool_)
    places: list[int] = []  # of wrong words: the first and the last one of each piece
    spared_after = np.full(4, np.iinfo(np.int64).max)  # the first spared word of each lane after a wrong word
    for position, right, got in pieces:
        results, wrong = found(right), got != right
        if (wrong & (got != results)).any():
            return None
        bad, good = position + np.flatnonzero(wrong), position + np.flatnonzero((results != right) & ~wrong)
        wrong_count += np.bincount(bad & 3, minlength=4)
        is_spared[good & 3] = True
        places += bad[[0, -1]].tolist() if bad.size else []
        if places:
            after = good[good > places[0]]
            np.minimum.at(spared_after, after & 3, after)
    first, last = (places[0], places[-1]) if places else (-1, -1)
    return Altered(first, last, wrong_count, is_spared, spared_after < last)
