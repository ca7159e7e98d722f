"""Find a function that makes the wrong words from the right ones, and say which words it was applied to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32
from ..dump import Dump, Hypothesis
from ..generators.variants import WordVariant
from ..report.result import Finding
from .altered_words import AlteredWords
from .bit_maps import BitMap, common_bit_maps, describe_bit_map, fit_bit_map, fit_mask
from .conversions import WordFunction, conversions

SAMPLE_WORDS = 1 << 14  # from the first wrong word on
FIRST_WORDS = 64  # of the sample, compared first, because most functions fail there
BIT_MAP_PAIRS = 256
MIN_WRONG_WORDS = 3
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
    if np.count_nonzero(wrong) < MIN_WRONG_WORDS:
        return []
    fitting = [found for found in _candidates(index % 4, right, got, wrong) if _fits(found, right, got)]
    # A function of all words says more than one that spared some: w & ~1 more than w ^ 1 for the odd words.
    fitting.sort(key=lambda found: not _altered_in_sample(first_mismatch, right, wrong, found).is_whole())
    distinct = np.unique(got[wrong]).size >= MIN_DISTINCT_WORDS
    for found in fitting:
        altered = _altered_words(dump, found)
        if altered is not None and (distinct or altered.is_whole() and altered.words() >= MIN_ALTERED_WORDS):
            return [Finding(found.name, _sentence(found, altered, dump.unit))]
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


def _altered_words(dump: Dump, found: WordFunction) -> AlteredWords | None:
    """Where the function was applied. None if a wrong word is not its result."""
    altered = AlteredWords(dump.size)
    for position, got in dump.pieces():
        right = dump.right_elements(position, got.size)
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
    for found in (*_fit_modulo(made, got), *_fit_scaled(made, got), *_fit_constants(made, got)):
        if np.array_equal(found.function(made), got):
            yield Hypothesis((), variant, None, found)


def _fit_modulo(words: Words, got: Words) -> Iterator[WordFunction]:
    """low + w % n, with n from the greatest common divisor of w - v."""
    for signed in (False, True):
        wide = words.view(np.int32).astype(np.int64) if signed else words.astype(np.int64)
        values = got.view(np.int32).astype(np.int64)
        differences = np.diff(wide - values)
        divisor = int(np.gcd.reduce(differences))
        spread = int(values.max() - values.min())
        if divisor < 2 or divisor <= spread or divisor >= 1 << 31:
            continue
        low = int(values[0] - wide[0] % divisor)
        text = f"{'int32(w)' if signed else 'w'} % {divisor}" + (
            f" + {low}" if low > 0 else f" - {-low}" if low else ""
        )

        def function(w: Words, n: int = divisor, add: int = low, as_signed: bool = signed) -> Words:
            numbers = w.view(np.int32).astype(np.int64) if as_signed else w.astype(np.int64)
            made: Words = ((numbers % n + add) & MASK32).astype(np.uint32)
            return made

        yield WordFunction("words-reduced", function, text, STORE_WORD)


def _fit_scaled(words: Words, got: Words) -> Iterator[WordFunction]:
    """low + (w * n >> 32): n from the bounds that each word sets."""
    values = got.view(np.int32).astype(np.int64)
    order = np.argsort(words, kind="stable")
    sorted_values = values[order]
    if (np.diff(sorted_values) < 0).any() or sorted_values[0] == sorted_values[-1]:
        return
    low = int(sorted_values[0])
    wide = words[order].astype(object)
    for start in (low, low - 1, 0):
        numbers = (sorted_values - start).astype(object)
        if numbers[0] < 0:
            continue
        least = max(-(-(int(v) << 32) // int(w)) if w else 0 for v, w in zip(numbers, wide))
        most = min(-(-((int(v) + 1) << 32) // int(w)) - 1 if w else 1 << 32 for v, w in zip(numbers, wide))
        if least <= most and most - least <= max(least // 8, 2) and most < 1 << 32:
            n = _roundest(least, most)
            text = f"w * {n} >> 32" + (f", plus {start}" if start else "")

            def function(w: Words, n: int = n, add: int = start) -> Words:
                made: Words = (((w.astype(np.uint64) * np.uint64(n)) >> np.uint64(32)).astype(np.int64) + add).astype(
                    np.uint32
                )
                return made

            yield WordFunction("words-reduced", function, text, STORE_WORD)
            return


def _roundest(least: int, most: int) -> int:
    """The number between the two with the most zeros at its end, in decimal notation."""
    step: int = 10 ** len(str(most))
    while step > 1 and -(-least // step) * step > most:
        step //= 10
    return max(-(-least // step) * step, 1)


def _fit_constants(words: Words, got: Words) -> Iterator[WordFunction]:
    """w ^ constant, w + constant, and any map of bits."""
    yield _of_bit_map(BitMap({0: MASK32}, int(got[0] ^ words[0])))
    addend = (int(got[0]) - int(words[0])) & MASK32
    yield WordFunction("constant-added", lambda w: w + np.uint32(addend), f"w + {addend:#x} modulo 2**32")
    for fit in (fit_mask, fit_bit_map):
        bit_map = fit(words, got)
        if bit_map is not None and got.size >= MIN_ALTERED_WORDS:
            yield _of_bit_map(bit_map)
