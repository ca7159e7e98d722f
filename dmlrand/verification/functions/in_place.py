"""A function of words that gives all wrong words of a tensor, whichever words it was applied to."""

from __future__ import annotations

import numpy as np

from ..dump import Dump
from ..report.result import Finding
from .conversions import WordFunction
from .fitting import MIN_DISTINCT_WORDS, fit_mask, inverted_bits
from .numbers import word_functions

SAMPLE_WORDS = 1 << 14  # from the first wrong word on
FIRST_WORDS = 64  # compared first, because most functions fail there
MIN_WRONG_WORDS = 3
HOLE_SHARE = 0.9  # of the words between the first and the last wrong word are wrong
# A function with few results, such as 0 for half of all words, is proved by the words it was applied to instead.
MIN_ALTERED_WORDS = 32


def explain_by_function(dump: Dump, first: int) -> list[Finding]:
    """The function that gives all wrong words, if there is one. `first` is the first wrong one."""
    if not dump.is_of_words:
        return []
    got = dump.at(np.arange(first, min(first + SAMPLE_WORDS, dump.size)))
    right = dump.right_elements(first, got.size)
    places = np.flatnonzero(got != right)
    values = np.unique(got[places])
    if places.size < MIN_WRONG_WORDS or values.size == 1 and places.size > HOLE_SHARE * places[-1]:
        return []  # one constant overwrote a range: no function of words

    def gives(each: WordFunction, places: np.ndarray) -> bool:
        return np.array_equal(each.function(right[places]), got[places])

    known = [each for each in word_functions() if each.width == 1]
    functions = [inverted_bits(right[places], got[places]), *known, *fit_mask(right[places], got[places])]
    fitting = [each for each in functions if gives(each, places[:FIRST_WORDS]) and gives(each, places)]
    # A function of all words says more than one of some: w & ~1 more than w ^ 1 for the odd words.
    fitting.sort(key=lambda each: not np.array_equal(each.function(right), got))
    for each in fitting:
        where = _altered(dump, each)
        is_of_all = where == "Every word"
        varies = is_of_all and dump.size >= MIN_ALTERED_WORDS and np.unique(each.function(right)).size > 1
        if where and (values.size >= MIN_DISTINCT_WORDS or varies):
            sentence = f"{where} is stored as {each.expression}, where w is the right word: {each.remedy}."
            return [Finding(each.name, sentence)]
    return []


def _altered(dump: Dump, found: WordFunction) -> str:
    """The words to which a function was applied, as the subject of a sentence. Empty if a wrong word is another."""
    spared, lanes, first, last = False, np.zeros(4, np.int64), dump.size, 0
    for position, got in dump.pieces():
        right = dump.right_elements(position, got.size)
        made, wrong = found.function(right), got != right
        if (wrong & (made != got)).any():
            return ""
        spared |= bool((made != got).any())
        places = position + np.flatnonzero(wrong)
        lanes += np.bincount(places & 3, minlength=4)
        first, last = min([first, *places[:1].tolist()]), max([last, *places[-1:].tolist()])
    if not spared:
        return "Every word"
    listed = np.flatnonzero(lanes).tolist()
    some_lanes = f", in lane{'s' * (len(listed) > 1)} {', '.join(map(str, listed))}" if len(listed) < 4 else ""
    return f"Each of the {int(lanes.sum()):,} wrong words (from word {first:,} to word {last:,}{some_lanes})"
