"""Functions with parameters, which are computed from pairs of a right word w and a wrong one."""

from __future__ import annotations

from collections.abc import Iterator
from math import lgamma, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32
from ..dump import RIGHT, Dump, Hypothesis, stream_words
from ..generators.variants import WordVariant
from .conversions import WordFunction, calculated, word_function
from .distributions import DISTRIBUTIONS, fit_distributions
from .numbers import COARSE_PIECES, PIECES

MIN_PAIRS = 32  # with fewer pairs of words, bits could be taken for one another by chance
MIN_PARAMETER_WORDS = 16
PARAMETER_WORDS = 256
MIN_DISTINCT_WORDS = 3
MIN_ORDER_BITS = 60  # that prove a function of few results
MIN_NUMBER, MAX_NUMBER = 2.0**-20, 2.0**20  # of the largest number; words, read as numbers, are larger or smaller
FITTED_PIECES = {"w": 32} | {text: bits for text, bits in (PIECES | COARSE_PIECES).items() if "int32" not in text}
STORE_WORD = "store the word"

Words = NDArray[np.uint32]


def fit_parameters(dump: Dump, variant: WordVariant) -> Iterator[Hypothesis]:
    """The hypotheses of a function with a parameter that gives the first elements, of words in order."""
    got = dump.head(PARAMETER_WORDS)
    if got.size < MIN_PARAMETER_WORDS or np.unique(got).size < (MIN_DISTINCT_WORDS if got.size < MIN_PAIRS else 2):
        return
    words = stream_words(dump, variant, np.arange(4 * got.size, dtype=np.int64))
    found = _of_words(words[: got.size], got) if dump.is_of_words else []
    numbers = got.view(np.float32 if got.itemsize == 4 else np.float64)
    with np.errstate(all="ignore"):
        if np.isfinite(numbers).all() and MIN_NUMBER < np.abs(numbers).max() < MAX_NUMBER:
            shapes = DISTRIBUTIONS if variant == RIGHT else DISTRIBUTIONS[:1]
            found += fit_distributions(words, numbers.astype(np.float64), numbers.dtype, shapes)
    if dump.is_of_words:
        found = [each.of_words() for each in found]
    yield from (Hypothesis((), variant, None, each) for each in found)


def _of_words(right: Words, got: Words) -> list[WordFunction]:
    """The functions with parameters that give these words."""
    found = [inverted_bits(right, got), *(fit_mask(right, got) if got.size >= MIN_PAIRS else ())]
    if _order_bits(got) > MIN_ORDER_BITS:
        found += [*_fit_modulo(right, got), *_fit_scaled(right, got)]
    return [each for each in found if np.array_equal(each.function(right), got)]


def _order_bits(got: Words) -> float:
    """In how many orders these words could stand, as bits: so many prove a function of few results."""
    _, counts = np.unique(got, return_counts=True)
    return (lgamma(got.size + 1) - sum(lgamma(count + 1) for count in counts.tolist())) / log(2)


def _fit_modulo(words: Words, got: Words) -> Iterator[WordFunction]:
    """low + n % divisor, or a remainder with the sign of n: the divisor is the greatest common one of n - v."""
    values = got.view(np.int32).astype(np.int64)
    for piece in (*FITTED_PIECES, "int32(w)", "abs(int32(w))"):
        wide = calculated(piece)(words).astype(np.int64)
        divisor = int(np.gcd.reduce(np.diff(wide - values)))
        shown, n = _in_brackets(piece), f"({piece}).astype('i8')"
        if max(2, int(values.max() - values.min()) + 1) <= divisor < 1 << 31:
            low = int(values[0] - wide[0] % divisor)
            yield word_function(
                "words-reduced", f"{n} % {divisor} + {low}", f"{shown} % {divisor}{_plus(low)}", STORE_WORD
            )
        elif 2 <= divisor < 1 << 31 and np.abs(values).max() < divisor:
            text = f"the remainder of {shown} / {divisor}, with the sign of w"
            remainder = f"where({n} < 0, -(-{n} % {divisor}), {n} % {divisor})"
            yield word_function("words-reduced", remainder, text, STORE_WORD)


def _fit_scaled(words: Words, got: Words) -> Iterator[WordFunction]:
    """low + (n * factor >> bits), or n // divisor: functions that grow with n."""
    values = got.view(np.int32).astype(np.int64)
    for piece, bits in FITTED_PIECES.items():
        shown, n = _in_brackets(piece), f"({piece}).astype('u8')"
        wide = calculated(n)(words)
        if (np.diff(values[np.argsort(wide, kind="stable")]) < 0).any():
            continue
        pairs = [*zip(values.tolist(), wide.tolist())]
        low = round(float(np.polyfit(wide / 2.0**bits, values, 1)[1]) + 0.5)  # of the value at 0
        for start in dict.fromkeys((low, low - 1, low + 1, 0)):
            least = max(-(-(value - start << bits) // each) for value, each in pairs if each)
            most = min(-(-(value - start + 1 << bits) // each) - 1 for value, each in pairs if each)
            if 0 < least <= most < 1 << 32 and most - least <= max(least // 8, 2):
                factor = _roundest(least, most)
                scaled = f"({n} * {factor} >> {bits}).astype('i8') + {start}"
                yield word_function("words-reduced", scaled, f"{shown} * {factor} >> {bits}{_plus(start)}", STORE_WORD)
                break
        least = max(each // (value + 1) + 1 if value >= 0 else 1 << 32 for value, each in pairs)
        most = min((each // value for value, each in pairs if value > 0), default=0)
        if 1 < least <= most:
            yield word_function(
                "words-reduced", f"{n} // {_roundest(least, most)}", f"{shown} // {_roundest(least, most)}"
            )


def _in_brackets(piece: str) -> str:
    return f"({piece})" if " " in piece else piece


def _plus(number: int) -> str:
    return f" {'+' if number > 0 else '-'} {abs(number)}" if number else ""


def _roundest(least: int, most: int) -> int:
    """The number between the two with the most zeros at its end, in decimal notation."""
    step: int = 10 ** len(str(most))
    while step > 1 and -(-least // step) * step > most:
        step //= 10
    return max(-(-least // step) * step, 1)


def inverted_bits(right: Words, got: Words) -> WordFunction:
    """w ^ constant, which the first word gives."""
    return word_function("bits-inverted", f"w ^ {int(got[0] ^ right[0]):#x}")


def fit_mask(right: Words, got: Words) -> Iterator[WordFunction]:
    """The mask that clears bits of each word, if the words prove that nothing else was done."""
    cleared: Any = np.bitwise_or.reduce(right & ~got)
    if cleared and cleared != MASK32 and not (got & ~right).any():
        yield word_function("bits-cleared", f"w & {MASK32 ^ int(cleared):#x}")
