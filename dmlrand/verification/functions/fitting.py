"""Functions with parameters, which are computed from pairs of a right word and a wrong element."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from math import lgamma, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32
from ..dump import RIGHT, Dump, Hypothesis, stream_words
from ..generators.variants import Variant
from .conversions import WordFunction, bits_of, calculated, word_function
from .numbers import PIECES, RIGHT_RULE, WORD_RULES, Rule, pair_rules

MIN_NUMBERS = 16
PARAMETER_WORDS = 256
MIN_DISTINCT_WORDS = 3
MIN_ORDER_BITS = 60  # that prove a function of few results
MIN_NUMBER, MAX_NUMBER = 2.0**-20, 2.0**20  # of the largest number; words, read as numbers, are larger or smaller
MIN_CORRELATION = 0.99999
MAX_DEVIATION = 2.0**-8  # of a number, in standard deviations
SMALL_DEVIATION = 2.0**-16  # of computations in other steps
UNSIGNED_PIECES = {"w": 32} | {text: bits for text, bits in PIECES.items() if "int32" not in text}
STORE_WORD = "store the word"
STORE_UNIFORM = "store uniform numbers in [0, 1), by the rule of dmlrand.uniform"

# By the words of each: uniform numbers of other bits are nearly equal to one of these.
UNIFORMS = {
    1: {text: WORD_RULES[text] for text in (
        RIGHT_RULE, "w * 2**-32", "(w & 0xffffff) * 2**-24", "(w & 0x7fffffff) * 2**-31", "int32(w) * 2**-32")},
    2: {text: rule for text, rule in pair_rules().items() if text.startswith("the ")},
}  # fmt: skip
RANGES = (("u",),)
DISTRIBUTIONS = (
    *RANGES,
    *((text,) for text in ("log(u)", "log(1 - u)")),  # exponential numbers
    # Box-Muller: one number of two uniform ones, or two.
    *(
        tuple(f"sqrt(-2*log({radius})) * {turn}(2*pi*{angle})" for turn in turns)
        for radius, angle in (("u", "v"), ("1 - u", "v"), ("v", "u"), ("1 - v", "u"))
        for turns in (("cos",), ("sin",), ("cos", "sin"), ("sin", "cos"), ("cos", "-sin"), ("-sin", "cos"))
    ),
)

Words = NDArray[np.uint32]


def fit_parameters(dump: Dump, variant: Variant, places: NDArray[np.int64]) -> list[Hypothesis]:
    """The hypotheses of a function with a parameter: of words that gives the elements at places, or of all numbers."""
    got, head = dump.at(places[:PARAMETER_WORDS]), dump.head(PARAMETER_WORDS)
    found = []
    if dump.is_of_words and np.unique(got).size >= MIN_DISTINCT_WORDS:
        found = _of_words(stream_words(dump, variant, places[:PARAMETER_WORDS]), got)
    numbers = head.view(np.float32 if head.itemsize == 4 else np.float64)
    # A few wrong numbers may fit another rule by chance. So most numbers must be wrong.
    is_enough = head.size >= MIN_NUMBERS and np.count_nonzero(places < head.size) * 2 > head.size
    with np.errstate(all="ignore"):
        if is_enough and np.isfinite(numbers).all() and MIN_NUMBER < np.abs(numbers).max() < MAX_NUMBER:
            words = stream_words(dump, variant, np.arange(4 * head.size, dtype=np.int64))
            shapes = DISTRIBUTIONS if variant == RIGHT else RANGES
            found += _fit_distributions(words, numbers.astype(np.float64), numbers.dtype, shapes)
    return [Hypothesis((), variant, None, each.of_words() if dump.is_of_words else each) for each in found]


# Words


def _of_words(right: Words, got: Words) -> list[WordFunction]:
    """The functions with parameters that give these words."""
    found = [word_function("bits-inverted", f"w ^ {int(got[0] ^ right[0]):#x}"), *_fit_mask(right, got)]
    if got.size >= MIN_NUMBERS and _order_bits(got) > MIN_ORDER_BITS:
        found += [*_fit_modulo(right, got), *_fit_scaled(right, got)]
    return [each for each in found if np.array_equal(each.function(right), got)]


def _order_bits(got: Words) -> float:
    """In how many orders these words could stand, as bits: so many prove a function of few results."""
    _, counts = np.unique(got, return_counts=True)
    return (lgamma(got.size + 1) - sum(lgamma(count + 1) for count in counts.tolist())) / log(2)


def _fit_mask(right: Words, got: Words) -> Iterator[WordFunction]:
    """The mask that clears bits of each word, if nothing else was done."""
    cleared: Any = np.bitwise_or.reduce(right & ~got)
    if cleared and cleared != MASK32 and not (got & ~right).any():
        yield word_function("bits-cleared", f"w & {MASK32 ^ int(cleared):#x}")


def _fit_modulo(words: Words, got: Words) -> Iterator[WordFunction]:
    """low + n % divisor, or a remainder with the sign of n: the divisor is the greatest common one of n - v."""
    values = got.view(np.int32).astype(np.int64)
    for piece in (*UNSIGNED_PIECES, "int32(w)", "abs(int32(w))"):
        wide = calculated(piece)(words).astype(np.int64)
        divisor = int(np.gcd.reduce(np.diff(wide - values)))
        shown, n = _in_brackets(piece), f"({piece}).astype('i8')"
        low = int(values[0] - wide[0] % divisor) if divisor else 0
        if max(2, int(values.max() - values.min()) + 1) <= divisor < 1 << 31:
            text = f"{shown} % {divisor}{_plus(low)}"
            yield word_function("words-reduced", f"{n} % {divisor} + {low}", text, STORE_WORD)
        elif 2 <= divisor < 1 << 31 and np.abs(values).max() < divisor:
            text = f"the remainder of {shown} / {divisor}, with the sign of w"
            remainder = f"where({n} < 0, -(-{n} % {divisor}), {n} % {divisor})"
            yield word_function("words-reduced", remainder, text, STORE_WORD)


def _fit_scaled(words: Words, got: Words) -> Iterator[WordFunction]:
    """low + (n * factor >> bits), which grows with n."""
    values = got.view(np.int32).astype(np.int64)
    for piece, bits in UNSIGNED_PIECES.items():
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


# Numbers of another range or distribution: smooth functions of uniform numbers, found by correlation


def _fit_distributions(
    words: NDArray[np.uint32], numbers: NDArray[Any], dtype: np.dtype[Any], shapes: tuple[tuple[str, ...], ...]
) -> Iterator[WordFunction]:
    """The functions scale * shape(u) + offset that give the first numbers of consecutive words, four for each."""
    numbers = numbers[: numbers.size // 2 * 2]  # whole pairs
    spread = float(np.std(numbers))
    sizes = sorted({1, dtype.itemsize // 4}) if np.isfinite(spread) and spread else []
    for size, shape in product(sizes, shapes):
        many = 1 + any("v" in text for text in shape)
        for uniform, rule in UNIFORMS[size].items():
            make = partial(_numbers, size, many, rule, shape)
            made = make(words[: size * many * numbers.size // len(shape)]).ravel()
            if not np.isfinite(made).all() or abs(np.corrcoef(made, numbers)[0, 1]) <= MIN_CORRELATION:
                continue
            scale, offset = np.polyfit(made, numbers, 1).tolist()
            deviation = float(np.abs(scale * made + offset - numbers).max()) / spread
            if deviation >= MAX_DEVIATION / 2:
                continue
            factor = {"1": "", "-1": "-"}.get(f"{scale:.5g}", f"{scale:.5g} * ")
            added = "" if abs(offset) < 1e-5 * abs(scale) else f" {'-' if offset < 0 else '+'} {abs(offset):.5g}"
            texts = [f"{factor}{text}{added}" for text in shape]
            pair = "two words in a row" if size == 1 else "two pairs of words in a row"
            who = "u is" if many == 1 else f"u and v, of {pair}, are each"
            text = f"{'nearly ' * (deviation > SMALL_DEVIATION)}{' and '.join(texts)}, where {who} {uniform}"
            name = "other-range" if shape == ("u",) else "other-distribution"
            if texts == ["u"]:
                name, text = "other-uniform-rule", f"nearly {uniform}"
            stored = partial(_stored, make, scale, offset, dtype)
            yield WordFunction(name, stored, text, STORE_UNIFORM, size * many, "number", len(shape),
                               MAX_DEVIATION * spread)  # fmt: skip


def _numbers(size: int, many: int, rule: Rule, shape: tuple[str, ...], w: NDArray[Any]) -> NDArray[Any]:
    """A row of numbers for so many uniform ones of `size` words each."""
    w = w.reshape(-1, many, size)
    u = rule(w if size > 1 else np.ascontiguousarray(w[..., 0]))
    with np.errstate(all="ignore"):
        return np.stack([calculated(text, "u, v")(u[:, 0], u[:, -1]) for text in shape], -1)


def _stored(make: Callable[[Any], Any], scale: float, offset: float, dtype: Any, w: NDArray[Any]) -> NDArray[Any]:
    made = scale * make(w) + offset
    made = np.where(np.isfinite(made), made, np.nan)
    return bits_of(made if made.shape[1] > 1 else made.ravel(), dtype)
