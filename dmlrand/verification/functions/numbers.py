"""What a generator makes of its words: uniform numbers by many rules, packed and reduced words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np

from .conversions import NO_CONVERSION, STORE_WORDS, WordFunction, bits_of, calculated, integer_functions

Rule = Callable[[Any], Any]
U32, U64 = np.uint32, np.uint64
PAIR = "(w0 is the first of its two words)"

# fmt: off
# Uniform numbers in float64, by what a sentence says: mostly the expression that is calculated.
RULES: dict[str, Rule] = {
    "the uniform number of the low 23 bits of w": calculated("(w & 0x7fffff) * 2**-23"),
    **{text: calculated(text) for text in (
        "(w >> 9) * 2**-23", "(w >> 8) * 2**-24", "w * 2**-32", "(w & 0xffffff) * 2**-24", "w * 2**-32 + 2**-33",
        "float32(w) * 2**-32 + 2**-33", "w / 4294967295", "(w >> 1) * 2**-31", "(w & 0x7fffffff) * 2**-31",
        "(w >> 8) * 2**-24 + 2**-25", "int32(w) * 2**-31", "float(w)",
    )},
    "w / 4294967296 as int32, from -0.5 to 0.5": calculated("int32(w) * 2**-32"),
}
COARSE_RULES: dict[str, Rule] = {text: calculated(text) for text in (
    "(w >> 24) / 255", "(w & 0xff) / 255", "(w >> 16) / 65535", "(w & 0xffff) / 65535", "(w >> 16) * 2**-16",
    "(w & 0xffff) * 2**-16",
)}
# Of words {0} and {1}: the expression {2}, and what a sentence says.
PAIR_EXPRESSIONS = {
    "(({0} & 0xfffff) * 2**32 + {1}) * 2**-52": "the uniform number of the low 20 bits of {0} and {1}",
    "({0} * 2**32 + {1} >> 11) * 2**-53": "53 bits, {2}",
    "({0} * 2**32 + {1} >> 12) * 2**-52": "52 bits, {2}",
    "(({0} >> 5) * 2**26 + ({1} >> 6)) * 2**-53": "53 bits, {2}",
    "({0} ^ {1} * 2**21) * 2**-53 + 2**-54": "53 bits, {2}",
    "({0} * 2**32 + {1}) * 2**-64": "64 bits, {2}",
    "{0} * 2**-32 + {1} * 2**-64": "the float64 number {2}",
}
AFTERWARDS = ("u", "1 - u", "1 + u", "2*u - 1", "float16(u)", "bfloat16(u)", "float32(u)")
# fmt: on


def _of_pairs() -> dict[str, Rule]:
    rules: dict[str, Rule] = {}
    for (expression, text), words in product(PAIR_EXPRESSIONS.items(), (("w0", "w1"), ("w1", "w0"))):
        filled = expression.format(*words)
        rules[text.format(*words, filled)] = partial(_of_pair, calculated(filled, "w0, w1"))
    return rules


def _of_pair(rule: Callable[[Any, Any], Any], w: Any) -> Any:
    return rule(w[..., 0].astype(U64), w[..., 1].astype(U64))


@cache
def float32_rules() -> tuple[WordFunction, ...]:
    """The rules of float32 numbers: the right one first."""
    text, rule = next(iter(_of_pairs().items()))
    rounded = partial(_number, np.float32, rule, calculated("u", "u"))
    text = f"the float64 number, {text} {PAIR}, rounded to float32"
    return *_number_rules(np.float32, RULES, 1), WordFunction("other-uniform-rule", rounded, text, STORE_WORDS, 2)


@cache
def float64_rules() -> tuple[WordFunction, ...]:
    """The rules of float64 numbers: the right one first."""
    wrong = (rule._replace(name=rule.name or "other-uniform-rule") for rule in _number_rules(np.float64, RULES, 1))
    return (*_number_rules(np.float64, _of_pairs(), 2), *wrong)


def _number_rules(dtype: Any, rules: dict[str, Rule], width: int) -> Iterator[WordFunction]:
    """The right rule without a name, which is the first one, and the wrong ones."""
    first, right = next(iter(rules.items()))
    made = partial(_number, dtype)
    for after, (text, rule) in product(AFTERWARDS, rules.items()):
        if dtype != np.float32 or not after.startswith("float32"):
            whole = _followed(text, after) + f" {PAIR}" * (width == 2)
            if after == "u" and text in RULES and not text.startswith("the "):
                whole = f"the {np.dtype(dtype)} number {whole}"
            name = "" if after == "u" and text == first else "other-uniform-rule"
            yield WordFunction(name, partial(made, rule, calculated(after, "u")), whole, STORE_WORDS, width)
    for digits in range(3, 12):
        for kind, cut in (
            ("decimals", partial(np.round, decimals=digits)),
            ("significant digits", partial(_cut, digits)),
        ):
            text = f"{first}, with {digits} {kind}"
            yield WordFunction("digits-lost", partial(made, right, cut), text, STORE_WORDS, width)
    for text, swapped in (
        (f"the bytes of {first} in reverse order", lambda w: bits_of(right(w), dtype).byteswap()),
        (f"{first}, of words whose bytes are in reverse order", lambda w: bits_of(right(w.byteswap()), dtype)),
    ):
        yield WordFunction("bytes-swapped", swapped, text, STORE_WORDS, width)


def _number(dtype: Any, rule: Rule, after: Rule, w: Any) -> Any:
    # A float32 number is rounded once before anything is done to it, as in a shader.
    return bits_of(after(rule(w).astype(dtype)), dtype)


def _followed(text: str, after: str) -> str:
    """What is made of u, a number of this text."""
    return text if after == "u" else f"{after}, where u is {text}"


def _cut(digits: int, numbers: Any) -> Any:
    """Keep so many significant decimal digits, as a text file does."""
    texts = [f"{value:.{digits}g}" for value in np.asarray(numbers, np.float64).ravel()]
    return np.array(texts, dtype=np.float64).reshape(np.shape(numbers))


@cache
def word_functions() -> tuple[WordFunction, ...]:
    """The functions of words without parameters, the more common ones first."""
    return (*integer_functions(), *_numbers_in_words(), *_packed_words())


def common_functions() -> list[WordFunction]:
    """The functions that are searched with many generators."""
    numbers = [each for each in word_functions() if each.name == "uniform-instead-of-word"]
    return [*integer_functions()[:3], *numbers[:4]]


def _numbers_in_words() -> Iterator[WordFunction]:
    for after, (text, rule) in product(AFTERWARDS, (RULES | COARSE_RULES).items()):
        if not after.startswith("float32"):
            function = partial(_number, np.float32, rule, calculated(after, "u"))
            whole = f"the float32 number {_followed(text, after)}"
            if whole.startswith("the float32 number the uniform number"):
                whole = whole.replace("the float32 number the uniform", "the uniform float32")
            yield WordFunction("uniform-instead-of-word", function, f"the bits of {whole}", STORE_WORDS)
    for bits in (8, 16):
        function = partial(_unorm, bits, RULES["w / 4294967295"])
        yield WordFunction("words-reduced", function, f"w / 4294967295 as a unorm number of {bits} bits", STORE_WORDS)
    for digits in range(5, 10):
        text = f"w with {digits} significant decimal digits"
        yield WordFunction("digits-lost", partial(_cut_word, digits), text, NO_CONVERSION)


def _cut_word(digits: int, w: Any) -> Any:
    return _cut(digits, w).astype(U64).astype(U32)


def _packed_words() -> Iterator[WordFunction]:
    """16 or 8 bits of each of several words, the first lowest."""

    def packed(width: int, text: str, part: Rule) -> WordFunction:
        return WordFunction("words-packed", partial(_packed, width, part), text, STORE_WORDS, width)

    for (half, text), (low, high) in product(enumerate(("low", "high")), ((0, 1), (1, 0))):
        whole = f"the {text} 16 bits of w{low} and, above them, of w{high} {PAIR}"
        yield packed(2, whole, calculated(f"(w >> {16 * half} & 0xffff)[..., [{low}, {high}]]"))
    for text, rule in RULES.items():
        yield packed(2, f"two unorm numbers of 16 bits, each of {text} {PAIR}", partial(_unorm, 16, rule))
        yield packed(2, f"two float16 numbers of 16 bits, each of {text} {PAIR}", partial(_half, rule))
    for byte in range(4):
        yield packed(4, f"the bytes {byte} of 4 words, the first lowest", calculated(f"w >> {8 * byte} & 0xff"))
    for text, rule in RULES.items():
        yield packed(4, f"four unorm numbers of 8 bits, each of {text}", partial(_unorm, 8, rule))


def _packed(width: int, part: Rule, w: Any) -> Any:
    parts = part(w)
    return sum(parts[..., i] << U32(32 // width * i) for i in range(width))


def _unorm(bits: int, rule: Rule, w: Any) -> Any:
    return np.floor(np.clip(rule(w), -1, 1) * np.float64((1 << bits) - 1) + 0.5).astype(np.int64).astype(U32)


def _half(rule: Rule, w: Any) -> Any:
    return rule(w).astype(np.float32).astype(np.float16).view(np.uint16).astype(U32)
