"""What a generator makes of its words: uniform numbers by many rules, packed and reduced words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bit_maps import common_bit_maps, describe_bit_map
from .conversions import NO_CONVERSION, STORE_WORDS, WordFunction, conversions

Bits = NDArray[Any]
Rule = Callable[[Any], Any]
LOW_23 = "the uniform number of the low 23 bits of w"
LOW_20 = "the uniform number of the low 20 bits of w0 and w1"
PAIR = "(w0 is the first of its two words)"

# Uniform numbers in float64, from one word or from two. Exact unless said otherwise.
RULES: dict[str, Rule] = {
    LOW_23: lambda w: (w & np.uint32(0x7FFFFF)) * 2.0**-23,
    "(w >> 9) * 2**-23": lambda w: (w >> np.uint32(9)) * 2.0**-23,
    "(w >> 8) * 2**-24": lambda w: (w >> np.uint32(8)) * 2.0**-24,
    "w * 2**-32": lambda w: w * 2.0**-32,
    "(w & 0xffffff) * 2**-24": lambda w: (w & np.uint32(0xFFFFFF)) * 2.0**-24,
    "w * 2**-32 + 2**-33": lambda w: w * 2.0**-32 + 2.0**-33,
    "float32(w) * 2**-32 + 2**-33": lambda w: (
        w.astype(np.float32) * np.float32(2.0**-32) + np.float32(2.0**-33)
    ).astype(np.float64),
    "w / 4294967295": lambda w: w / 4294967295.0,
    "(w >> 1) * 2**-31": lambda w: (w >> np.uint32(1)) * 2.0**-31,
    "(w & 0x7fffffff) * 2**-31": lambda w: (w & np.uint32(0x7FFFFFFF)) * 2.0**-31,
    "(w >> 8) * 2**-24 + 2**-25": lambda w: (w >> np.uint32(8)) * 2.0**-24 + 2.0**-25,
    "w / 4294967296 as int32, from -0.5 to 0.5": lambda w: w.view(np.int32) * 2.0**-32,
    "int32(w) * 2**-31": lambda w: w.view(np.int32) * 2.0**-31,
    "float(w)": lambda w: w.astype(np.float64),
}
COARSE_RULES: dict[str, Rule] = {
    "(w >> 24) / 255": lambda w: (w >> np.uint32(24)) / 255.0,
    "(w & 0xff) / 255": lambda w: (w & np.uint32(0xFF)) / 255.0,
    "(w >> 16) / 65535": lambda w: (w >> np.uint32(16)) / 65535.0,
    "(w & 0xffff) / 65535": lambda w: (w & np.uint32(0xFFFF)) / 65535.0,
    "(w >> 16) * 2**-16": lambda w: (w >> np.uint32(16)) * 2.0**-16,
    "(w & 0xffff) * 2**-16": lambda w: (w & np.uint32(0xFFFF)) * 2.0**-16,
}


def _joined(high: Any, low: Any) -> Any:
    return high.astype(np.uint64) << np.uint64(32) | low


PAIR_RULES: dict[str, Rule] = {
    LOW_20: lambda w: _joined(w[..., 0] & np.uint32(0xFFFFF), w[..., 1]) * 2.0**-52,
    "the uniform number of the low 20 bits of w1 and w0": lambda w: (
        _joined(w[..., 1] & np.uint32(0xFFFFF), w[..., 0]) * 2.0**-52
    ),
    "53 bits, (w0 * 2**32 + w1 >> 11) * 2**-53": lambda w: (_joined(w[..., 0], w[..., 1]) >> np.uint64(11)) * 2.0**-53,
    "53 bits, (w1 * 2**32 + w0 >> 11) * 2**-53": lambda w: (_joined(w[..., 1], w[..., 0]) >> np.uint64(11)) * 2.0**-53,
    "52 bits, (w0 * 2**32 + w1 >> 12) * 2**-52": lambda w: (_joined(w[..., 0], w[..., 1]) >> np.uint64(12)) * 2.0**-52,
    "52 bits, (w1 * 2**32 + w0 >> 12) * 2**-52": lambda w: (_joined(w[..., 1], w[..., 0]) >> np.uint64(12)) * 2.0**-52,
    "53 bits, ((w0 >> 5) * 2**26 + (w1 >> 6)) * 2**-53": lambda w: (
        ((w[..., 0] >> np.uint32(5)) * 2.0**26 + (w[..., 1] >> np.uint32(6))) * 2.0**-53
    ),
    "53 bits, ((w1 >> 5) * 2**26 + (w0 >> 6)) * 2**-53": lambda w: (
        ((w[..., 1] >> np.uint32(5)) * 2.0**26 + (w[..., 0] >> np.uint32(6))) * 2.0**-53
    ),
    "53 bits, (w0 ^ w1 * 2**21) * 2**-53 + 2**-54": lambda w: (
        (w[..., 0] ^ (w[..., 1].astype(np.uint64) << np.uint64(21))) * 2.0**-53 + 2.0**-54
    ),
    "64 bits, (w0 * 2**32 + w1) * 2**-64": lambda w: _joined(w[..., 0], w[..., 1]) * 2.0**-64,
    "64 bits, (w1 * 2**32 + w0) * 2**-64": lambda w: _joined(w[..., 1], w[..., 0]) * 2.0**-64,
    "w0 * 2**-32 + w1 * 2**-64": lambda w: w[..., 0] * 2.0**-32 + w[..., 1] * 2.0**-64,
}


def _bfloat16(number: Any) -> Any:
    bits = number.astype(np.float32).view(np.uint32)
    return (bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1)) & np.uint32(0xFFFF0000)).view(np.float32)


AFTERWARDS: dict[str, Rule] = {
    "{}": lambda u: u,
    "1 - u, where u is {}": lambda u: 1 - u,
    "2*u - 1, where u is {}": lambda u: 2 * u - 1,
    "float16(u), where u is {}": lambda u: u.astype(np.float16),
    "bfloat16(u), where u is {}": _bfloat16,
    "float32(u), where u is {}": lambda u: u.astype(np.float32),
}
FLOAT_DIGITS = range(3, 12)


def _bits_of(number: Any, dtype: Any) -> Bits:
    made: Bits = np.ascontiguousarray(number.astype(dtype)).view(np.uint32 if dtype == np.float32 else np.uint64)
    return made


def _number(name: str, dtype: Any, rule: Rule, after: Rule, text: str, width: int = 1) -> WordFunction:
    # A float32 number is rounded once before anything is done to it, as in a shader.
    def function(w: Bits) -> Bits:
        number = rule(w)
        return _bits_of(after(number.astype(dtype)), dtype)

    return WordFunction(name, function, text, STORE_WORDS, width)


@cache
def float32_rules() -> tuple[WordFunction, ...]:
    """The rules of float32 numbers: the right one first."""
    return tuple(_number_rules(np.float32, RULES, 1))


@cache
def float64_rules() -> tuple[WordFunction, ...]:
    """The rules of float64 numbers: the right one first."""
    return (*_number_rules(np.float64, PAIR_RULES, 2), *_number_rules(np.float64, RULES, 1))


def _number_rules(dtype: Any, rules: dict[str, Rule], width: int) -> Iterator[WordFunction]:
    for after_text, after in AFTERWARDS.items():
        for text, rule in rules.items():
            if dtype == np.float32 and after_text.startswith("float32"):
                continue
            whole = after_text.format(text) + (f" {PAIR}" if width == 2 else "")
            if after_text == "{}" and not text.startswith("the ") and " bits, " not in text:
                whole = f"the {np.dtype(dtype)} number {whole}"
            is_right = after_text == "{}" and rule in (RULES[LOW_23], PAIR_RULES[LOW_20])
            name = "" if is_right and (dtype == np.float32) == (width == 1) else "other-uniform-rule"
            yield _number(name, dtype, rule, after, whole, width)
    text, rule = next(iter(rules.items()))
    for digits in FLOAT_DIGITS:
        lost = f"{text}, with {{}}"
        fixed = lambda u, d=digits: np.round(u, d)  # noqa: E731
        yield _number("digits-lost", dtype, rule, fixed, lost.format(f"{digits} decimals"), width)
        rounded = lambda u, d=digits: _significant(u, d)  # noqa: E731
        yield _number("digits-lost", dtype, rule, rounded, lost.format(f"{digits} significant digits"), width)
    swapped = lambda w, f=rule: _bits_of(f(w), dtype).byteswap()  # noqa: E731
    yield WordFunction("bytes-swapped", swapped, f"the bytes of {text} in reverse order", STORE_WORDS, width)
    of_swapped = lambda w, f=rule: _bits_of(f(w.byteswap()), dtype)  # noqa: E731
    expression = f"{text}, of words whose bytes are in reverse order"
    yield WordFunction("bytes-swapped", of_swapped, expression, STORE_WORDS, width)


def _significant(number: Any, digits: int) -> Any:
    """Numbers with so many significant decimal digits, as a text file keeps them."""
    texts = [f"{value:.{digits}g}" for value in np.asarray(number, np.float64).ravel()]
    return np.array(texts, dtype=np.float64).reshape(np.shape(number))


def _lost_digits(digits: int) -> Callable[[Bits], Bits]:
    return lambda w: _significant(w, digits).astype(np.uint64).astype(np.uint32)


@cache
def word_functions() -> tuple[WordFunction, ...]:
    """The functions of words without parameters, the more common ones first."""
    return (
        WordFunction("bits-inverted", np.invert, "~w"),
        *(WordFunction(name, bit_map.apply, text) for bit_map, (name, text) in _bit_maps()),
        *conversions(),
        *_more_word_functions(),
    )


def _bit_maps() -> Iterator[tuple[Any, tuple[str, str]]]:
    for bit_map in common_bit_maps():
        yield bit_map, describe_bit_map(bit_map)


def _more_word_functions() -> Iterator[WordFunction]:
    for text, rule in (*RULES.items(), *COARSE_RULES.items()):
        for after_text, after in AFTERWARDS.items():
            if not after_text.startswith("float32"):
                whole = f"the bits of the float32 number {after_text.format(text)}"
                yield _number("uniform-instead-of-word", np.float32, rule, after, whole)
    for digits in range(5, 10):
        yield WordFunction(
            "digits-lost", _lost_digits(digits), f"w with {digits} significant decimal digits", NO_CONVERSION
        )
    for high, low in ((0, 1), (1, 0)):
        for shift, text in ((0, "low"), (16, "high")):
            expression = f"the {text} 16 bits of w{low} and, above them, of w{high} {PAIR}"
            yield WordFunction("words-packed", _packed_halves(high, low, shift), expression, STORE_WORDS, 2)
    for name, convert in (("unorm", _unorm16), ("float16", _half)):
        for text, rule in RULES.items():
            expression = f"two {name} numbers of 16 bits, each of {text} {PAIR}"
            yield WordFunction("words-packed", _packed_numbers(convert, rule), expression, STORE_WORDS, 2)
    for shift in (0, 8, 16, 24):
        expression = f"the bytes {shift // 8} of 4 words, the first lowest"
        yield WordFunction("words-packed", _packed_bytes(shift), expression, STORE_WORDS, 4)
    for text, rule in RULES.items():
        expression = f"four unorm numbers of 8 bits, each of {text}"
        yield WordFunction("words-packed", _packed_unorm8(rule), expression, STORE_WORDS, 4)
    halved = lambda w: (w.view(np.int32) // np.int32(2)).view(np.uint32)  # noqa: E731
    yield WordFunction("words-shortened", halved, "int32(w) / 2", NO_CONVERSION)


def _packed_halves(high: int, low: int, shift: int) -> Rule:
    by = np.uint32(shift)
    return lambda w: (w[..., high] >> by) << np.uint32(16) | (w[..., low] >> by) & np.uint32(0xFFFF)


def _packed_numbers(convert: Rule, rule: Rule) -> Rule:
    return lambda w: convert(rule(w[..., 0])) | convert(rule(w[..., 1])) << np.uint32(16)


def _packed_bytes(shift: int) -> Rule:
    def pack(w: Any) -> Any:
        return sum((w[..., i] >> np.uint32(shift) & np.uint32(0xFF)) << np.uint32(8 * i) for i in range(4))

    return pack


def _packed_unorm8(rule: Rule) -> Rule:
    def pack(w: Any) -> Any:
        numbers = (np.floor(rule(w[..., i]) * 255 + 0.5).astype(np.int64).astype(np.uint32) for i in range(4))
        return sum(number << np.uint32(8 * i) for i, number in enumerate(numbers))

    return pack


def _unorm16(number: Any) -> Bits:
    made: Bits = np.floor(np.clip(number, -1, 1) * 65535 + 0.5).astype(np.int64).astype(np.uint32)
    return made


def _half(number: Any) -> Bits:
    made: Bits = number.astype(np.float32).astype(np.float16).view(np.uint16).astype(np.uint32)
    return made
