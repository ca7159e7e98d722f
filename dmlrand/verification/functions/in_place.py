"""A function of words that gives all wrong words of a tensor, whichever words it was applied to."""

from __future__ import annotations

import numpy as np

from ..covering import Covering
from ..dump import Dump, Hypothesis
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
        covering = Covering(dump, Hypothesis((), function=each))
        is_of_all = not covering.wrong and dump.size >= MIN_ALTERED_WORDS and np.unique(each.function(right)).size > 1
        others_are_right = all(segment.offset is not None for segment in covering.segments)
        if others_are_right and (values.size >= MIN_DISTINCT_WORDS or is_of_all):
            lanes = sorted({*((first + places) % 4).tolist()})
            where = f", in lane{'s' * (len(lanes) > 1)} {', '.join(map(str, lanes))}," if len(lanes) < 4 else ""
            sentence = (
                each.sentence().replace("Every word", f"Each wrong word{where}") if covering.wrong else each.sentence()
            )
            return [Finding(each.name, sentence + covering.text())]
    return []
