"""Numbers of another range or distribution: smooth functions of uniform numbers, found by correlation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .conversions import WordFunction, bits_of, calculated

MIN_CORRELATION = 0.99999
MAX_DEVIATION = 2.0**-8  # of a number, in standard deviations
SMALL_DEVIATION = 2.0**-16  # of computations in other steps
STORE_UNIFORM = "store uniform numbers in [0, 1), by the rule of dmlrand.uniform"

# Uniform numbers of a word w, or of w and the word x after it: those of other bits are nearly equal to one of these.
UNIFORMS = {
    1: ("(w & 0x7fffff) * 2**-23", "w * 2**-32", "(w & 0xffffff) * 2**-24", "(w & 0x7fffffff) * 2**-31",
        "(w & 0xffff) * 2**-16", "int32(w) * 2**-32 + 0.5"),
    2: ("(w & 0xfffff) * 2**-20 + x * 2**-52", "w * 2**-32 + x * 2**-64", "x * 2**-32 + w * 2**-64"),
}  # fmt: skip
RANGES = (("u",),)
DISTRIBUTIONS = (
    *((text,) for text in ("log(u)", "log(1 - u)", "sqrt(u)", "u**2", "u**2.2", "u**(1/2.2)", "u**3", "u**(1/3)")),
    *((text,) for text in ("normal(u)", "cos(2*pi*u)", "sin(2*pi*u)", "log(u / (1 - u))", "u + v", "u * v")),
    ("where(u <= 0.0031308, 12.92 * u, 1.055 * u**(1/2.4) - 0.055)",),  # sRGB
    ("where(u <= 0.04045, u / 12.92, ((u + 0.055) / 1.055)**2.4)",),
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
    for size, uniforms in UNIFORMS.items() if np.isfinite(spread) and spread else ():
        for uniform in uniforms if size == dtype.itemsize // 4 or size == 1 else ():
            for shape in shapes:
                many = 1 + any("v" in text for text in shape)
                made = _made(size, many, uniform, shape, words[: size * many * numbers.size // len(shape)])
                made = made[: numbers.size].ravel()
                if made.size != numbers.size or not np.isfinite(made).all():
                    continue
                if abs(np.corrcoef(made, numbers)[0, 1]) > MIN_CORRELATION:
                    scale, offset = np.polyfit(made, numbers, 1).tolist()
                    deviation = float(np.abs(scale * made + offset - numbers).max()) / spread
                    if deviation < MAX_DEVIATION / 2:
                        function = partial(_stored, size, many, uniform, shape, scale, offset, dtype)
                        text = _text(size, many, uniform, shape, scale, offset, deviation)
                        name = "other-distribution" if shape != ("u",) else "other-range"
                        name = "other-uniform-rule" if text.startswith(f"nearly {uniform}") else name
                        yield WordFunction(name, function, text, STORE_UNIFORM, size * many, "number",
                                           len(shape), MAX_DEVIATION * spread)  # fmt: skip


def _made(size: int, many: int, uniform: str, shape: tuple[str, ...], w: NDArray[Any]) -> NDArray[Any]:
    """The numbers of so many uniform ones of `size` words each, along the last axes."""
    w = w.reshape(-1, many, size)
    u = calculated(uniform, "w, x")(np.ascontiguousarray(w[..., 0]), w[..., -1].astype(np.float64))
    with np.errstate(all="ignore"):
        return np.stack([calculated(text, "u, v")(u[:, 0], u[:, -1]) for text in shape], -1)


def _stored(
    size: int, many: int, uniform: str, shape: tuple[str, ...], scale: float, offset: float, dtype: Any, w: NDArray[Any]
) -> NDArray[Any]:
    made = scale * _made(size, many, uniform, shape, w) + offset
    made = np.where(np.isfinite(made), made, np.nan)
    return bits_of(made.reshape(-1, len(shape)) if len(shape) > 1 else made.ravel(), dtype)


def _text(
    size: int, many: int, uniform: str, shape: tuple[str, ...], scale: float, offset: float, deviation: float
) -> str:
    """The expressions with their scale and offset, and what u and v are."""
    factor = {"1": "", "-1": "-"}.get(f"{scale:.5g}", f"{scale:.5g} * ")
    added = "" if abs(offset) < 1e-5 * abs(scale) else f" {'-' if offset < 0 else '+'} {abs(offset):.5g}"
    nearly = "nearly " if deviation > SMALL_DEVIATION else ""
    after = ", where x is the word after w" if size > 1 else ""
    if (shape, factor, added) == (("u",), "", ""):
        return f"nearly {uniform}{after}"
    uniforms = f"u is {uniform}" if many == 1 else f"u and v are {uniform} of two words in a row"
    texts = " and ".join(f"{factor}{text}{added}" for text in shape)
    return f"{nearly}{texts}, where {uniforms}{after}"
