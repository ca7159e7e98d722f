"""Functions with parameters, which are computed from pairs of a right word w and a wrong one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import lgamma, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32
from ..dump import RIGHT, Dump, Hypothesis, stream_words
from ..generators.variants import WordVariant
from .conversions import WordFunction, bits_of, calculated, word_function
from .distributions import DISTRIBUTIONS, STORE_UNIFORM, fit_distributions
from .numbers import COARSE_PIECES, PIECES

MIN_PAIRS = 32  # with fewer pairs of words, bits could be taken for one another by chance
MIN_PARAMETER_WORDS = 16
PARAMETER_WORDS = 256
MIN_DISTINCT_WORDS = 3
MIN_ORDER_BITS = 60  # that prove a function of few results
MAX_GRID_STEPS, GRID_TOLERANCE = 1 << 16, 0.02
MIN_NUMBER, MAX_NUMBER = 2.0**-20, 2.0**20  # of the largest number; words, read as numbers, are larger or smaller
FITTED_PIECES = {"w": 32} | {text: bits for text, bits in (PIECES | COARSE_PIECES).items() if "int32" not in text}
STORE_WORD = "store the word"

Words = NDArray[np.uint32]


def fit_parameters(dump: Dump, variant: WordVariant) -> Iterator[Hypothesis]:
    """The hypotheses of a function with a parameter that gives the first elements, of words in order."""
    if dump.size < MIN_PARAMETER_WORDS:
        return
    index = np.arange(min(dump.size, PARAMETER_WORDS), dtype=np.int64)
    got = dump.at(index)
    if np.unique(got).size < MIN_DISTINCT_WORDS and got.size < MIN_PAIRS or (got == got[0]).all():
        return
    words = stream_words(dump, variant, np.arange(4 * index.size, dtype=np.int64))
    found = _fitting(words[: index.size], got) if dump.is_of_words else []
    numbers = got.view(np.float32 if got.itemsize == 4 else np.float64)
    with np.errstate(all="ignore"):
        if np.isfinite(numbers).all() and MIN_NUMBER < np.abs(numbers).max() < MAX_NUMBER:
            shapes = DISTRIBUTIONS if variant == RIGHT else DISTRIBUTIONS[:1]
            found += fit_distributions(words, numbers.astype(np.float64), numbers.dtype, shapes)
            found += _fit_grid(words[: index.size], numbers)
    if dump.is_of_words:
        found = [each.of_words() for each in found]
    yield from (Hypothesis((), variant, None, each) for each in found)


def _fitting(right: Words, got: Words) -> list[WordFunction]:
    """The functions with parameters that give these words."""
    found = [inverted_bits(right, got), *(fit_mask(right, got) if got.size >= MIN_PAIRS else ())]
    if _order_bits(got) > MIN_ORDER_BITS:
        found += [*_fit_modulo(right, got), *_fit_scaled(right, got)]
    return [each for each in found if np.array_equal(each.function(right), got)]


def _order_bits(got: Words) -> float:
    """In how many orders these words could stand, as bits: so many prove a function of few results."""
    _, counts = np.unique(got, return_counts=True)
    return (lgamma(got.size + 1) - sum(lgamma(count + 1) for count in counts.tolist())) / log(2)


def _fit_grid(words: Words, numbers: NDArray[Any]) -> Iterator[WordFunction]:
    """offset + step * an integer that a function with parameters makes of the word."""
    values = np.unique(numbers.astype(np.float64))
    step, low = float(np.diff(values).min()), float(values[0])
    last = round((float(values[-1]) - low) / step)
    if not 0 < last <= MAX_GRID_STEPS:
        return
    step = (float(values[-1]) - low) / last
    low -= step * round(low / step) if abs(low / step - round(low / step)) < GRID_TOLERANCE else 0.0
    places = (numbers - low) / step
    if np.abs(places - np.rint(places)).max() < GRID_TOLERANCE:
        for found in _fitting(words, np.rint(places).astype(np.int64).astype(np.uint32)):
            text = found.expression if step == 1 else f"{step:.6g} * ({found.expression})"
            text += f" {'-' if low < 0 else '+'} {abs(low):.6g}" if abs(low) > GRID_TOLERANCE * step else ""
            function = partial(_on_grid, found.function, step, low, numbers.dtype)
            yield WordFunction("numbers-reduced", function, text, STORE_UNIFORM, 1, "number", 1, step / 4)


def _on_grid(function: Callable[[Words], Words], step: float, low: float, dtype: Any, w: Words) -> NDArray[Any]:
    return bits_of(function(w).view(np.int32) * step + low, dtype)


def _fit_modulo(words: Words, got: Words) -> Iterator[WordFunction]:
    """low + n % divisor, or a remainder with the sign of n: the divisor is the greatest common one of n - v."""
    values = got.view(np.int32).astype(np.int64)
    for piece in (*FITTED_PIECES, "int32(w)", "abs(int32(w))"):
        wide = calculated(piece)(words).astype(np.int64)
        divisor = int(np.gcd.reduce(np.diff(wide - values)))
        shown, n = _in_brackets(piece), f"({piece}).astype('i8')"
        if max(2, int(values.max() - values.min()) + 1) <= divisor < 1 << 31:
            low = int(values[0] - wide[0] % divisor)
            text = f"{shown} % {divisor}" + (f" {'+' if low > 0 else '-'} {abs(low)}" if low else "")
            yield word_function("words-reduced", f"{n} % {divisor} + {low}", text, STORE_WORD)
        elif 2 <= divisor < 1 << 31 and np.abs(values).max() < divisor:
            text = f"the remainder of {shown} / {divisor}, with the sign of w"
            remainder = f"where({n} < 0, -(-{n} % {divisor}), {n} % {divisor})"
            yield word_function("words-reduced", remainder, text, STORE_WORD)


def _fit_scaled(words: Words, got: Words) -> Iterator[WordFunction]:
    """low + floor(n * factor * 2**-bits), or n // divisor: functions that grow with n."""
    values = got.view(np.int32).astype(np.int64)
    for piece, bits in FITTED_PIECES.items():
        shown, n = _in_brackets(piece), f"({piece}).astype('u8')"
        wide = calculated(n)(words)
        if not (np.diff(values[np.argsort(wide, kind="stable")]) < 0).any():
            yield from _fit_factor(values, wide, shown, n, bits)


def _fit_factor(values: NDArray[Any], wide: NDArray[Any], shown: str, n: str, bits: int) -> Iterator[WordFunction]:
    """The factor or the divisor of n that gives these values, if there is one."""
    low, pairs = int(values.min()), [*zip(values.tolist(), wide.tolist())]
    mean = float(np.polyfit(wide / 2.0**bits, values, 1)[1])  # of the value at 0
    for start, half in dict.fromkeys(((round(mean + 0.5), 0), (round(mean), 1), (low, 0), (low - 1, 0), (0, 0))):
        doubled = [(2 * (value - start) - half, each) for value, each in pairs if each]
        least = max(-(-(value << bits - 1) // each) for value, each in doubled)
        most = min(-(-(value + 2 << bits - 1) // each) - 1 for value, each in doubled)
        if 0 < least <= most < 1 << 32 and most - least <= max(least // 8, 2):
            factor = _roundest(least, most)
            text = f"{shown} * {factor} * 2**-{bits}, rounded" if half else f"{shown} * {factor} >> {bits}"
            text += f", plus {start}" if start else ""
            scaled = f"({n} * {factor} + {half << bits - 1} >> {bits}).astype('i8') + {start}"
            yield word_function("words-reduced", scaled, text, STORE_WORD)
            return
    if low < 0:
        return
    least = max(each // (value + 1) + 1 for value, each in pairs)
    most = min((each // value for value, each in pairs if value > 0), default=0)
    if 1 < least <= most:
        divisor = _roundest(least, most)
        yield word_function("words-reduced", f"{n} // {divisor}", f"{shown} // {divisor}")


def _in_brackets(piece: str) -> str:
    return f"({piece})" if " " in piece else piece


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
    cleared, set_bits = (int(np.bitwise_or.reduce(bits)) for bits in (right & ~got, got & ~right))
    if cleared and not set_bits and cleared != MASK32:
        yield word_function("bits-cleared", f"w & {MASK32 ^ cleared:#x}")
