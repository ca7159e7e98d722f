"""Elements of another algorithm that has the same seed."""

from __future__ import annotations

import numpy as np

from .dump import Dump, Lookup, elements_of, least_hits
from .functions.numbers import word_functions
from .generators.others import first_words
from .report.result import Finding

MIN_WORDS = 12  # that must be equal
MIN_KNOWN_BITS = 20  # of an element; the low bits of words of a linear generator are often equal by chance
FEW_WORDS = 4  # that are looked up first
MAX_WIDTH = 4  # words of an element
MAX_COMPARED = 1 << 20  # elements
FALSE_FINDINGS = 1e-9  # that are accepted in a search of foreign elements


def explain_as_other(dump: Dump) -> list[Finding]:
    """Another algorithm of the state or of a seed, and a function of its words, that gives the first elements."""
    if dump.size < MIN_WORDS:
        return []
    present, functions = Lookup(dump.head(MAX_COMPARED)), dump.rules or (dump.right, *word_functions())
    names, listed = zip(*first_words(dump.six, MIN_WORDS * MAX_WIDTH))
    words, tried = np.stack(listed), len(functions) * len(names)
    for function in functions:
        few = elements_of(words[:, : FEW_WORDS * function.width], function)
        likely = np.flatnonzero(present.holds(few).sum(1) >= FEW_WORDS - 1)
        if not likely.size or dump.known_bits(function) < MIN_KNOWN_BITS:
            continue
        chance = present.sorted.size / 2.0 ** dump.known_bits(function)
        first = elements_of(words[likely, : MIN_WORDS * function.width], function)
        # The words of a seed may occur among those of another seed: words that are all in their places come first.
        in_place = (first == dump.head(MIN_WORDS)).all(1)
        for i in np.argsort(~in_place, kind="stable").tolist():
            count = np.unique(first[i][present.holds(first[i])]).size
            if count * 4 >= 3 * MIN_WORDS and count >= least_hits(first[i].size, chance, tried, FALSE_FINDINGS):
                what = "" if function is dump.right else f", stored as {function.expression}, where w is such a word"
                sentence = f"The {dump.unit}s are those of {names[likely[i]]}{what}: "
                remedy = "use Philox4x32-10 with the state's counter and key."
                return [Finding("another-algorithm", sentence + remedy)]
    return []
