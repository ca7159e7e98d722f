"""Find a function that makes the wrong words from the right ones, and say which words it was applied to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32
from ..dump import Dump, Hypothesis
from ..generators.variants import WordVariant
from ..report.result import Finding
from .altered_words import AlteredWords
from .bit_maps import BitMap, common_bit_maps, fit_bit_map, fit_mask, of_bit_map
from .conversions import WordFunction, conversions

SAMPLE_WORDS = 1 << 14  # from the first wrong word on
FIRST_WORDS = 64  # compared first, because most functions fail there
BIT_MAP_PAIRS = 256
MIN_WRONG_WORDS = 3
HOLE_SHARE = 0.9  # of the words between the first and the last wrong word are wrong
# A function with few results, such as 0 for half of all words, is proved by the words it was applied to instead.
MIN_DISTINCT_WORDS = 3
MIN_ALTERED_WORDS = 32
MIN_PARAMETER_WORDS = 16
PARAMETER_WORDS = 256
STORE_WORD = "store the word"

Words = NDArray[np.uint32]


def explain_by_function(dump: Dump, first_mismatch: int) -> list[Finding]:
    """The function that gives all wrong elements of a tensor, if there is one."""
    if dump.bits != np.uint32:
        return []
    index = np.arange(first_mismatch, min(first_mismatch + SAMPLE_WORDS, dump.size), dtype=np.int64)
    right = dump.right_elements(first_mismatch, index.size)
    got = dump.at(index)
    wrong = got != right
    places = np.flatnonzero(wrong)
    if places.size < MIN_WRONG_WORDS:
        return []
    if places.size > HOLE_SHARE * places[-1] and (got[places] == got[places[0]]).all():
        return []  # a constant instead of all words of a range is no function of words
    cut = slice(FIRST_WORDS), slice(FIRST_WORDS, None)
    sample = [(first_mismatch + (part.start or 0), right[part], got[part]) for part in cut]
    tried = [(each, _altered_words(sample, each, dump.size)) for each in _candidates(index % 4, right, got, wrong)]
    fitting = [(each, altered.is_whole()) for each, altered in tried if altered is not None]
    # A function of all words says more than one that spared some: w & ~1 more than w ^ 1 for the odd words.
    fitting.sort(key=lambda each: not each[1])
    distinct = np.unique(got[wrong]).size >= MIN_DISTINCT_WORDS
    for found, _ in fitting:
        pieces = ((position, dump.right_elements(position, got.size), got) for position, got in dump.pieces())
        altered = _altered_words(pieces, found, dump.size)
        if altered is not None and (distinct or altered.is_whole() and altered.words() >= MIN_ALTERED_WORDS):
            return [Finding(found.name, _sentence(found, altered, dump.unit))]
    return []


def _candidates(lanes: NDArray[np.int64], right: Words, got: Words, wrong: NDArray[np.bool_]) -> Iterator[WordFunction]:
    """Functions that may give the wrong words of a sample: those solved from pairs of words, and the known ones."""
    yield from _with_a_constant(right, got)
    yield from conversions()
    yield from common_bit_maps()
    # Words that the map does not change are right and tell something too, if they lie between wrong words.
    wrong_places = np.flatnonzero(wrong)[:BIT_MAP_PAIRS]
    between = np.arange(min(wrong_places[-1] + 1, BIT_MAP_PAIRS), dtype=np.int64)
    between = between[np.isin(lanes[between], lanes[wrong_places])]
    for pairs in (between, wrong_places):
        yield from _fit_maps(right[pairs], got[pairs])


def _with_a_constant(right: Words, got: Words) -> Iterator[WordFunction]:
    """w ^ constant and w + constant, which the first words give."""
    yield of_bit_map(BitMap({0: MASK32}, int(got[0] ^ right[0])))
    addend = np.uint32((int(got[0]) - int(right[0])) & MASK32)
    yield WordFunction("constant-added", lambda w: w + addend, f"w + {addend:#x} modulo 2**32")


def _fit_maps(right: Words, got: Words) -> Iterator[WordFunction]:
    yield from (of_bit_map(fitted) for fit in (fit_mask, fit_bit_map) if (fitted := fit(right, got)) is not None)


def _altered_words(pieces: Iterable[tuple[int, Words, Words]], found: WordFunction, size: int) -> AlteredWords | None:
    """Where the function was applied. None if a wrong word is not its result."""
    altered = AlteredWords(size)
    for position, right, got in pieces:
        results = found.function(right)
        wrong = got != right
        if (wrong & (got != results)).any():
            return None
        altered.add(position, wrong, (results != right) & ~wrong)
    return altered


def _sentence(found: WordFunction, altered: AlteredWords, unit: str) -> str:
    if unit == "word":
        return f"{altered.describe()} is stored as {found.expression}, where w is the right word: {found.remedy}."
    where = altered.describe().replace("word", "number")
    return f"{where} is stored with the bits {found.expression}, where w are the bits of the right number: store them."


# Functions with a parameter


def fit_parameters(dump: Dump, variant: WordVariant) -> Iterator[Hypothesis]:
    """The hypotheses of a function with a parameter that gives the first elements, of words in order."""
    if not dump.is_of_words or dump.size < MIN_PARAMETER_WORDS:
        return
    index = np.arange(min(dump.size, PARAMETER_WORDS), dtype=np.int64)
    got, made = dump.at(index), Hypothesis((), variant).elements(dump, index)
    if np.unique(got).size < MIN_DISTINCT_WORDS and got.size < MIN_ALTERED_WORDS or (got == got[0]).all():
        return
    maps = _fit_maps(made, got) if got.size >= MIN_ALTERED_WORDS else ()
    for found in (*_fit_modulo(made, got), *_fit_scaled(made, got), *_with_a_constant(made, got), *maps):
        if np.array_equal(found.function(made), got):
            yield Hypothesis((), variant, None, found)


def _fit_modulo(words: Words, got: Words) -> Iterator[WordFunction]:
    """low + w % n, with n from the greatest common divisor of w - v."""
    values = got.view(np.int32).astype(np.int64)
    for text, signed in (("w", np.uint32), ("int32(w)", np.int32)):
        wide = words.view(signed).astype(np.int64)
        divisor = int(np.gcd.reduce(np.diff(wide - values)))
        if max(2, int(values.max() - values.min()) + 1) <= divisor < 1 << 31:
            low = int(values[0] - wide[0] % divisor)
            text += f" % {divisor}" + (f" {'+' if low > 0 else '-'} {abs(low)}" if low else "")
            yield WordFunction("words-reduced", partial(_modulo, signed, divisor, low), text, STORE_WORD)


def _modulo(signed: Any, divisor: int, low: int, w: Words) -> Words:
    made: Words = (w.view(signed).astype(np.int64) % divisor + low & MASK32).astype(np.uint32)
    return made


def _fit_scaled(words: Words, got: Words) -> Iterator[WordFunction]:
    """low + (w * n >> 32): n from the bounds that each word sets."""
    values = got.view(np.int32).astype(np.int64)
    order = np.argsort(words, kind="stable")
    wide, values = words[order].astype(object), values[order]
    low = int(values[0])
    if (np.diff(values) < 0).any() or low == values[-1]:
        return
    for start in (low, low - 1, 0):
        pairs = [(int(v) - start, w) for v, w in zip(values, wide) if w]
        if low < start or not pairs:
            continue
        least = max(-(-(v << 32) // w) for v, w in pairs)
        most = min(-(-(v + 1 << 32) // w) - 1 for v, w in pairs)
        if least <= most < 1 << 32 and most - least <= max(least // 8, 2):
            n = _roundest(least, most)
            text = f"w * {n} >> 32" + (f", plus {start}" if start else "")
            yield WordFunction("words-reduced", partial(_scaled, n, start), text, STORE_WORD)
            return


def _scaled(n: int, low: int, w: Words) -> Words:
    return ((w.astype(np.uint64) * n >> 32).astype(np.int64) + low).astype(np.uint32)


def _roundest(least: int, most: int) -> int:
    """The number between the two with the most zeros at its end, in decimal notation."""
    step: int = 10 ** len(str(most))
    while step > 1 and -(-least // step) * step > most:
        step //= 10
    return max(-(-least // step) * step, 1)
