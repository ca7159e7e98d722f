"""Find a function that makes the wrong words from the right ones, and say which words it was applied to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..arrays.filling import elements_at, flat_pieces
from ..philox import MASK32
from ..state import State
from .altered_words import AlteredWords
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
MIN_ALTERED_WORDS = 32

Words = NDArray[np.uint32]


def explain_by_function(state: State, values: Words, first_mismatch: int) -> list[Finding]:
    """The function that gives all wrong words of a tensor, if there is one."""
    index = np.arange(first_mismatch, min(first_mismatch + SAMPLE_WORDS, values.size), dtype=np.int64)
    right = words_from(state, first_mismatch, index.size)
    got = elements_at(values, index)
    wrong = got != right
    if np.count_nonzero(wrong) < MIN_WRONG_WORDS:
        return []
    fitting = [found for found in _candidates(index % 4, right, got, wrong) if _fits(found, right, got)]
    # A function of all words says more than one that spared some: w & ~1 more than w ^ 1 for the odd words.
    fitting.sort(key=lambda found: not _altered_in_sample(first_mismatch, right, wrong, found).is_whole())
    distinct = np.unique(got[wrong]).size >= MIN_DISTINCT_WORDS
    for found in fitting:
        altered = _altered_words(state, values, found)
        if altered is not None and (distinct or altered.is_whole() and altered.words() >= MIN_ALTERED_WORDS):
            return [Finding(found.name, _sentence(found, altered))]
    return []


def _candidates(lanes: NDArray[np.int64], right: Words, got: Words, wrong: NDArray[np.bool_]) -> Iterator[WordFunction]:
    """Functions that may give the wrong words of a sample: those solved from pairs of words, and the known ones."""
    yield _of_bit_map(BitMap({0: MASK32}, int(got[0] ^ right[0])))
    addend = (int(got[0]) - int(right[0])) & MASK32
    yield WordFunction("constant-added", lambda w: w + np.uint32(addend), f"w + {addend:#x} modulo 2**32")
    yield from conversions()
    yield from map(_of_bit_map, common_bit_maps())
    # Words that the map does not change are right and tell something too, if they lie between wrong words.
    wrong_places = np.flatnonzero(wrong)[:BIT_MAP_PAIRS]
    between = np.arange(min(wrong_places[-1] + 1, BIT_MAP_PAIRS), dtype=np.int64)
    between = between[np.isin(lanes[between], lanes[wrong_places])]
    for pairs in (between, wrong_places):
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


def _altered_in_sample(position: int, right: Words, wrong: NDArray[np.bool_], found: WordFunction) -> AlteredWords:
    altered = AlteredWords(position + right.size)
    altered.add(position, wrong, (found.function(right) != right) & ~wrong)
    return altered


def _altered_words(state: State, values: Words, found: WordFunction) -> AlteredWords | None:
    """Where the function was applied. None if a wrong word is not its result."""
    altered = AlteredWords(values.size)
    for position, got in flat_pieces(values):
        right = words_from(state, position, got.size)
        results = found.function(right)
        wrong = got != right
        if (wrong & (got != results)).any():
            return None
        altered.add(position, wrong, (results != right) & ~wrong)
    return altered


def _sentence(found: WordFunction, altered: AlteredWords) -> str:
    return f"{altered.describe()} is stored as {found.expression}, where w is the right word: {found.remedy}."
