"""Elements of another source: another algorithm of the same seed, another key, a counter instead of words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from ..state import counter_of, key_of
from .dump import Dump, Lookup, elements_of, least_hits
from .functions.conversions import WordFunction
from .functions.numbers import word_functions
from .generators.fault_models import FaultModel
from .generators.keys import key_model
from .generators.others import first_words
from .generators.variants import Counting, WordVariant
from .recovery import recover
from .report.result import Finding

MIN_WORDS = 12  # that must be equal
MIN_KNOWN_BITS = 20  # of an element; the low bits of words of a linear generator are often equal by chance
FEW_WORDS = 4  # that are looked up first
MAX_WIDTH = 4  # words of an element
MAX_COMPARED = 1 << 20  # elements
NEAR_KEYS = 1 << 16  # on both sides of the key
SMALL_SEEDS = range(1 << 20)
FALSE_FINDINGS = 1e-9  # that are accepted in a search of foreign elements


def explain_as_other(dump: Dump) -> list[Finding]:
    """The other algorithm that gives all elements, or the first ones."""
    return list(_algorithms(dump)) if dump.size >= MIN_WORDS else []


def explain_counters(dump: Dump) -> list[Finding]:
    """Indexes, counters or keys that were stored in place of words."""
    if dump.size < MIN_WORDS:
        return []
    got = dump.head(1 << 16)
    index = np.arange(got.size * dump.right.width, dtype=np.int64)
    blocks, six = index >> 2, np.array(dump.six, np.uint64)
    counters = np.stack(Counting().inputs(dump.six, blocks.astype(np.uint64)), 1)
    for what, made in (
        ("the numbers 0, 1, 2, ...", index),
        ("the numbers 1, 2, 3, ...", index + 1),
        ("the number of each word's block: 0, 0, 0, 0, 1, ...", blocks),
        ("the counter words of each block", counters[index, index & 3]),
        ("counter word 0, increased by 1 for each element", index + dump.six[0]),
        ("counter word 0 of each block", blocks + dump.six[0]),
        ("the six words of the state, again and again", six[index % 6]),
        ("the four words of the counter, again and again", six[index % 4]),
    ):
        if np.array_equal(got, elements_of(made.astype(np.uint32), dump.right)):
            numbers = "" if dump.is_of_words else "numbers made of "
            sentence = f"The dump holds {numbers}{what}, and no words: store the block's words."
            return [Finding("counter-instead-of-words", sentence)]
    return []


def near_keys(dump: Dump) -> list[FaultModel[WordVariant]]:
    """The generators with a key of a few other bits, a key near the right one, or a small one, and its counter or 0."""
    own, elements = key_of(dump.state), dump.head(4)
    if not dump.is_of_words:
        elements = elements.view(dump.values.dtype)
    if dump.size < MIN_WORDS or not dump.is_of_words and not ((elements >= 0) & (elements < 1)).all():
        return []
    near = range(max(own - NEAR_KEYS, 0), min(own + 1 + NEAR_KEYS, 1 << 64))
    for start, keys in product((counter_of(dump.state), 0), ([own ^ 1 << bit for bit in range(64)], near, SMALL_SEEDS)):
        try:
            found = recover(elements, keys=keys, counters=start, dtype=elements.dtype, threads=1)
        except ImportError:  # no numba
            continue
        for each in found:
            if each.key != own:
                return [key_model(each.key, own, from_zero=not start)]
    return []


def _algorithms(dump: Dump) -> Iterator[Finding]:
    """Another algorithm of the state or of a seed, and a function of its words."""
    present, functions = Lookup(dump.head(MAX_COMPARED)), dump.rules or (dump.right, *word_functions())
    names, listed = zip(*first_words(dump.six, dump.size, MIN_WORDS * MAX_WIDTH))
    words, tried = np.stack(listed), len(functions) * len(names)

    def made_by(rows: Any, elements: int, function: WordFunction) -> Any:
        """The first elements of some generators."""
        return elements_of(words[rows, : elements * function.width], function)

    for function in functions:
        likely = np.flatnonzero(present.holds(made_by(slice(None), FEW_WORDS, function)).sum(1) >= FEW_WORDS - 1)
        if not likely.size or dump.known_bits(function) < MIN_KNOWN_BITS:
            continue
        chance = present.sorted.size / 2.0 ** dump.known_bits(function)
        first = made_by(likely, MIN_WORDS, function)
        in_place = (first == dump.head(MIN_WORDS)).all(1)
        # The words of a seed may occur among those of another seed: words that are all in their places come first.
        for i in np.argsort(~in_place, kind="stable").tolist():
            row, made, found = likely[i], first[i], present.holds(first[i])
            count = np.unique(made[found]).size
            if count * 4 >= 3 * MIN_WORDS and count >= least_hits(made.size, chance, tried, FALSE_FINDINGS):
                what = "" if function is dump.right else f", stored as {function.expression}, where w is such a word"
                sentence = f"The {dump.unit}s are those of {names[row]}{what}: "
                yield Finding("another-algorithm", f"{sentence}use Philox4x32-10 with the state's counter and key.")
                return
