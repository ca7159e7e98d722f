"""Functions that were applied to all words of a tensor, or to all words of a range."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..dump import Dump
from ..report.result import Finding
from .conversions import WordFunction
from .fitting import MIN_DISTINCT_WORDS, fit_maps, inverted_bits
from .numbers import word_functions

SAMPLE_WORDS = 1 << 14  # from the first wrong word on
FIRST_WORDS = 64  # compared first, because most functions fail there
BIT_MAP_PAIRS = 256
MIN_WRONG_WORDS = 3
HOLE_SHARE = 0.9  # of the words between the first and the last wrong word are wrong
# A function with few results, such as 0 for half of all words, is proved by the words it was applied to instead.
MIN_ALTERED_WORDS = 32

Words = NDArray[np.uint32]


def explain_by_function(dump: Dump, first: int) -> list[Finding]:
    """The function that gives all elements from the first wrong one to the last, if there is one."""
    if dump.bits != np.uint32:
        return []
    index = np.arange(first, min(first + SAMPLE_WORDS, dump.size), dtype=np.int64)
    right, got = dump.right_elements(first, index.size), dump.at(index)
    wrong = np.flatnonzero(got != right)
    if wrong.size < MIN_WRONG_WORDS:
        return []
    if wrong.size > HOLE_SHARE * wrong[-1] and (got[wrong] == got[0]).all():
        return []  # one constant overwrote a range: no function of words
    right, got = right[: wrong[-1] + 1], got[: wrong[-1] + 1]
    distinct = np.unique(got[wrong]).size >= MIN_DISTINCT_WORDS
    for found in _functions(right, got):
        if not all(np.array_equal(found.function(right[:n]), got[:n]) for n in (FIRST_WORDS, right.size)):
            continue
        # If all results are one constant, the words may just as well have been overwritten.
        varies = np.unique(found.function(right)).size > 1
        if distinct or varies and right.size >= MIN_ALTERED_WORDS:
            where = _altered(dump, found, first)
            if where:
                return [Finding(found.name, _sentence(found, where, dump.unit))]
    return []


def _functions(right: Words, got: Words) -> Iterator[WordFunction]:
    """Functions that may give the words of a sample: those solved from pairs of words, and the known ones."""
    yield inverted_bits(right, got)
    yield from (each for each in word_functions() if each.width == 1)
    yield from fit_maps(right[:BIT_MAP_PAIRS], got[:BIT_MAP_PAIRS])


def _altered(dump: Dump, found: WordFunction, first: int) -> str:
    """The words that a function was applied to, as the subject of a sentence. Empty if a wrong word is not its result.

    `first` is the first wrong word.
    """
    last, end, is_from_start = first, dump.size, True  # end: the first word after `first` that is not a result
    for position, got in dump.pieces():
        right = dump.right_elements(position, got.size)
        wrong, others = (position + np.flatnonzero(each != got) for each in (right, found.function(right)))
        is_from_start = is_from_start and not (others < first).any()
        end = min([end, *others[others > first][:1].tolist()])
        last = max([last, *wrong[-1:].tolist()])
        if last >= end:
            return ""
    if end < dump.size:
        return f"Every word from word {first} to word {last}"
    return "Every word" if is_from_start else f"Every word from word {first} on"


def _sentence(found: WordFunction, where: str, unit: str) -> str:
    if unit == "word":
        return f"{where} is stored as {found.expression}, where w is the right word: {found.remedy}."
    where = where.replace("word", "number")
    return f"{where} is stored with the bits {found.expression}, where w are the bits of the right number: store them."
