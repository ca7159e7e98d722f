"""Numbers of another range or distribution: smooth functions of uniform numbers, found by correlation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .conversions import WordFunction, bits_of, calculated
from .numbers import RIGHT_RULE, WORD_RULES, Rule, pair_rules

MIN_CORRELATION = 0.99999
MAX_DEVIATION = 2.0**-8  # of a number, in standard deviations
SMALL_DEVIATION = 2.0**-16  # of computations in other steps
STORE_UNIFORM = "store uniform numbers in [0, 1), by the rule of dmlrand.uniform"

# By the words of each: uniform numbers of other bits are nearly equal to one of these.
UNIFORMS = {
    1: {text: WORD_RULES[text] for text in (
        RIGHT_RULE, "w * 2**-32", "(w & 0xffffff) * 2**-24", "(w & 0x7fffffff) * 2**-31", "(w & 0xffff) * 2**-16",
        "int32(w) * 2**-32")},
    2: {text: rule for text, rule in pair_rules().items() if text.startswith("the ")},
}  # fmt: skip
DISTRIBUTIONS = (
    ("u",),  # another range
    *((text,) for text in ("log(u)", "log(1 - u)")),  # exponential numbers
    # Box-Muller: one number of two uniform ones, or two.
    *(
        tuple(f"sqrt(-2*log({radius})) * {turn}(2*pi*{angle})" for turn in turns)
        for radius, angle in (("u", "v"), ("1 - u", "v"), ("v", "u"), ("1 - v", "u"))
        for turns in (("cos",), ("sin",), ("cos", "sin"), ("sin", "cos"), ("cos", "-sin"), ("-sin", "cos"))
    ),
)


def fit_distributions(
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
