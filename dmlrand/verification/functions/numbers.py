"""What a generator makes of its words: uniform numbers by many rules, packed and reduced words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bit_maps import common_bit_maps, describe_bit_map
from .conversions import NO_CONVERSION, STORE_WORDS, WordFunction, bits_of, conversions

Bits = NDArray[Any]
Rule = Callable[[Any], Any]
U32, U64 = np.uint32, np.uint64
LOW_23 = "the uniform number of the low 23 bits of w"
LOW_20 = "the uniform number of the low 20 bits of {0} and {1}"
PAIR = "(w0 is the first of its two words)"
FLOAT_DIGITS = range(3, 12)


def _joined(high: Any, low: Any) -> Any:
    return high.astype(U64) << U64(32) | low


# fmt: off
# Uniform numbers in float64, from one word or from two. Exact unless said otherwise.
RULES: dict[str, Rule] = {
    LOW_23: lambda w: (w & U32(0x7FFFFF)) * 2.0**-23,
    "(w >> 9) * 2**-23": lambda w: (w >> U32(9)) * 2.0**-23,
    "(w >> 8) * 2**-24": lambda w: (w >> U32(8)) * 2.0**-24,
    "w * 2**-32": lambda w: w * 2.0**-32,
    "(w & 0xffffff) * 2**-24": lambda w: (w & U32(0xFFFFFF)) * 2.0**-24,
    "w * 2**-32 + 2**-33": lambda w: w * 2.0**-32 + 2.0**-33,
    "float32(w) * 2**-32 + 2**-33":
        lambda w: (w.astype(np.float32) * np.float32(2.0**-32) + np.float32(2.0**-33)).astype(np.float64),
    "w / 4294967295": lambda w: w / 4294967295.0,
    "(w >> 1) * 2**-31": lambda w: (w >> U32(1)) * 2.0**-31,
    "(w & 0x7fffffff) * 2**-31": lambda w: (w & U32(0x7FFFFFFF)) * 2.0**-31,
    "(w >> 8) * 2**-24 + 2**-25": lambda w: (w >> U32(8)) * 2.0**-24 + 2.0**-25,
    "w / 4294967296 as int32, from -0.5 to 0.5": lambda w: w.view(np.int32) * 2.0**-32,
    "int32(w) * 2**-31": lambda w: w.view(np.int32) * 2.0**-31,
    "float(w)": lambda w: w.astype(np.float64),
}
COARSE_RULES: dict[str, Rule] = {
    "(w >> 24) / 255": lambda w: (w >> U32(24)) / 255.0,
    "(w & 0xff) / 255": lambda w: (w & U32(0xFF)) / 255.0,
    "(w >> 16) / 65535": lambda w: (w >> U32(16)) / 65535.0,
    "(w & 0xffff) / 65535": lambda w: (w & U32(0xFFFF)) / 65535.0,
    "(w >> 16) * 2**-16": lambda w: (w >> U32(16)) * 2.0**-16,
    "(w & 0xffff) * 2**-16": lambda w: (w & U32(0xFFFF)) * 2.0**-16,
}
# Of two words, in both orders.
PAIR_RULES: dict[str, Callable[[Any, Any], Any]] = {
    LOW_20: lambda a, b: _joined(a & U32(0xFFFFF), b) * 2.0**-52,
    "53 bits, ({0} * 2**32 + {1} >> 11) * 2**-53": lambda a, b: (_joined(a, b) >> U64(11)) * 2.0**-53,
    "52 bits, ({0} * 2**32 + {1} >> 12) * 2**-52": lambda a, b: (_joined(a, b) >> U64(12)) * 2.0**-52,
    "53 bits, (({0} >> 5) * 2**26 + ({1} >> 6)) * 2**-53":
        lambda a, b: ((a >> U32(5)) * 2.0**26 + (b >> U32(6))) * 2.0**-53,
    "53 bits, ({0} ^ {1} * 2**21) * 2**-53 + 2**-54":
        lambda a, b: (a ^ (b.astype(U64) << U64(21))) * 2.0**-53 + 2.0**-54,
    "64 bits, ({0} * 2**32 + {1}) * 2**-64": lambda a, b: _joined(a, b) * 2.0**-64,
    "{0} * 2**-32 + {1} * 2**-64": lambda a, b: a * 2.0**-32 + b * 2.0**-64,
}
AFTERWARDS: dict[str, Rule] = {
    "{}": lambda u: u,
    "1 - u, where u is {}": lambda u: 1 - u,
    "2*u - 1, where u is {}": lambda u: 2 * u - 1,
    "float16(u), where u is {}": lambda u: u.astype(np.float16),
    "bfloat16(u), where u is {}": lambda u: _bfloat16(u),
    "float32(u), where u is {}": lambda u: u.astype(np.float32),
}
# fmt: on


def _bfloat16(number: Any) -> Any:
    bits = bits_of(number)
    return (bits + U32(0x7FFF) + (bits >> U32(16) & U32(1)) & U32(0xFFFF0000)).view(np.float32)


def _of_pair(rule: Callable[[Any, Any], Any], first: int, second: int) -> Rule:
    return lambda w: rule(w[..., first], w[..., second])


def _of_pairs() -> dict[str, Rule]:
    rules: dict[str, Rule] = {}
    for text, rule in PAIR_RULES.items():
        for high, low in ((0, 1), (1, 0)):
            rules[text.format(f"w{high}", f"w{low}")] = _of_pair(rule, high, low)
    return rules


@cache
def float32_rules() -> tuple[WordFunction, ...]:
    """The rules of float32 numbers: the right one first."""
    return tuple(_number_rules(np.float32, RULES, 1))


@cache
def float64_rules() -> tuple[WordFunction, ...]:
    """The rules of float64 numbers: the right one first."""
    return (*_number_rules(np.float64, _of_pairs(), 2), *_number_rules(np.float64, RULES, 1))


def _number(name: str, dtype: Any, rule: Rule, after: Rule, text: str, width: int = 1) -> WordFunction:
    # A float32 number is rounded once before anything is done to it, as in a shader.
    return WordFunction(name, lambda w: bits_of(after(rule(w).astype(dtype)), dtype), text, STORE_WORDS, width)


def _number_rules(dtype: Any, rules: dict[str, Rule], width: int) -> Iterator[WordFunction]:
    first, rule = next(iter(rules.items()))
    for after_text, after in AFTERWARDS.items():
        for text, made in rules.items():
            if dtype == np.float32 and after_text.startswith("float32"):
                continue
            whole = after_text.format(text) + (f" {PAIR}" if width == 2 else "")
            if after_text == "{}" and not text.startswith("the ") and " bits, " not in text:
                whole = f"the {np.dtype(dtype)} number {whole}"
            is_right = after_text == "{}" and text == first and (dtype == np.float32) == (width == 1)
            yield _number("" if is_right else "other-uniform-rule", dtype, made, after, whole, width)
    for digits in FLOAT_DIGITS:
        fixed = lambda u, d=digits: np.round(u, d)  # noqa: E731
        yield _number("digits-lost", dtype, rule, fixed, f"{first}, with {digits} decimals", width)
        rounded = lambda u, d=digits: _significant(u, d)  # noqa: E731
        yield _number("digits-lost", dtype, rule, rounded, f"{first}, with {digits} significant digits", width)
    for function, text in (
        (lambda w: bits_of(rule(w), dtype).byteswap(), f"the bytes of {first} in reverse order"),
        (lambda w: bits_of(rule(w.byteswap()), dtype), f"{first}, of words whose bytes are in reverse order"),
    ):
        yield WordFunction("bytes-swapped", function, text, STORE_WORDS, width)


def _significant(number: Any, digits: int) -> Any:
    """Numbers with so many significant decimal digits, as a text file keeps them."""
    texts = [f"{value:.{digits}g}" for value in np.asarray(number, np.float64).ravel()]
    return np.array(texts, dtype=np.float64).reshape(np.shape(number))


@cache
def word_functions() -> tuple[WordFunction, ...]:
    """The functions of words without parameters, the more common ones first."""
    maps = ((bit_map, *describe_bit_map(bit_map)) for bit_map in common_bit_maps())
    return (
        WordFunction("bits-inverted", np.invert, "~w"),
        *(WordFunction(name, bit_map.apply, text) for bit_map, name, text in maps),
        *conversions(),
        *_numbers_in_words(),
        *_packed_words(),
        WordFunction(
            "words-shortened", lambda w: (w.view(np.int32) // np.int32(2)).view(U32), "int32(w) / 2", NO_CONVERSION
        ),
    )


def _numbers_in_words() -> Iterator[WordFunction]:
    for text, rule in (*RULES.items(), *COARSE_RULES.items()):
        for after_text, after in AFTERWARDS.items():
            if not after_text.startswith("float32"):
                whole = f"the bits of the float32 number {after_text.format(text)}"
                yield _number("uniform-instead-of-word", np.float32, rule, after, whole)
    for digits in range(5, 10):
        lost = lambda w, d=digits: _significant(w, d).astype(U64).astype(U32)  # noqa: E731
        yield WordFunction("digits-lost", lost, f"w with {digits} significant decimal digits", NO_CONVERSION)


def _packed_words() -> Iterator[WordFunction]:
    """16 or 8 bits of each of several words, the first lowest."""
    for shift, text in ((0, "low"), (16, "high")):
        for low, high in ((0, 1), (1, 0)):
            pack = _packed(_part(shift, 0xFFFF, [low, high]), 16)
            expression = f"the {text} 16 bits of w{low} and, above them, of w{high} {PAIR}"
            yield WordFunction("words-packed", pack, expression, STORE_WORDS, 2)
    for text, rule in RULES.items():
        for name, convert in (("unorm", _unorm(16)), ("float16", _half)):
            expression = f"two {name} numbers of 16 bits, each of {text} {PAIR}"
            yield WordFunction("words-packed", _packed(_converted(rule, convert), 16), expression, STORE_WORDS, 2)
    for shift in (0, 8, 16, 24):
        expression = f"the bytes {shift // 8} of 4 words, the first lowest"
        yield WordFunction("words-packed", _packed(_part(shift, 0xFF, [0, 1, 2, 3]), 8), expression, STORE_WORDS, 4)
    for text, rule in RULES.items():
        expression = f"four unorm numbers of 8 bits, each of {text}"
        yield WordFunction("words-packed", _packed(_converted(rule, _unorm(8)), 8), expression, STORE_WORDS, 4)


def _packed(part: Rule, bits: int) -> Rule:
    def pack(w: Any) -> Any:
        parts = part(w)
        return sum(parts[..., i] << U32(bits * i) for i in range(parts.shape[-1]))

    return pack


def _part(shift: int, mask: int, order: list[int]) -> Rule:
    return lambda w: (w >> U32(shift) & U32(mask))[..., order]


def _converted(rule: Rule, convert: Rule) -> Rule:
    return lambda w: convert(rule(w))


def _unorm(bits: int) -> Rule:
    return lambda u: np.floor(np.clip(u, -1, 1) * ((1 << bits) - 1) + 0.5).astype(np.int64).astype(U32)


def _half(number: Any) -> Any:
    return number.astype(np.float32).astype(np.float16).view(np.uint16).astype(U32)
