"""What a generator makes of its words: uniform numbers by many rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np

from .conversions import NO_CONVERSION, WordFunction, bits_of, calculated, integer_functions, word_function

Rule = Callable[[Any], Any]
PAIR = "(w0 is the first of its two words)"
RIGHT_RULE = "the uniform number of the low 23 bits of w"
USE_RULE = "make numbers of words by the rule of dmlrand.uniform, which is that of TensorFlow-DirectML"
STORE_NUMBERS = "store all bits of each number"

# A uniform number is a piece of a word, an integer of so many bits, made into a fraction.
PIECES = {
    **{"w & 0x7fffff": 23, "w >> 9": 23, "w >> 8": 24, "w": 32, "w & 0xffffff": 24, "w >> 1": 31},
    **{"w & 0x7fffffff": 31, "int32(w)": 31},
}
FRACTIONS = ("{n} * 2**-{bits}", "{n} / {most}", "{n} * 2**-{bits} + 2**-{half}", "{n} * 2**-{bits} + 2**-{bits}")
# cuRAND's, a word as a number, MKL's without its shift, and Triton's.
OTHER_RULES = (
    *("float32(w) * 2**-32 + 2**-33", "float(w)", "int32(w) * 2**-32"),
    "float32(where(int32(w) < 0, -int32(w) - 1, int32(w))) * 4.6566127342e-10",
)
# Numbers of float16 and bfloat16 by dmlrand's rules and those of PyTorch; and Triton's with another absolute value.
RARE_RULES = (
    *("(w & 0x3ff) * 2**-10", "(w & 0x7f) * 2**-7", "(w & 0x7ff) * 2**-11", "(w & 0xff) * 2**-8"),
    "float32(abs(int32(w).astype('i8'))) * 4.6566127342e-10",
)
# Of words {0} and {1}: the expression {2}, and what a sentence says.
PAIR_EXPRESSIONS = {
    "(({0} & 0xfffff) * 2**32 + {1}) * 2**-52": "the uniform number of the low 20 bits of {0} and {1}",
    "({0} * 2**32 + {1} >> 11) * 2**-53": "53 bits, {2}",
    "({0} * 2**32 + {1} >> 12) * 2**-52": "52 bits, {2}",
    "(({0} >> 5) * 2**26 + ({1} >> 6)) * 2**-53": "53 bits, {2}",
    "(({0} >> 6) * 2**27 + ({1} >> 5)) * 2**-53": "53 bits, {2}",
    "(({0} >> 11) * 2**32 + {1}) * 2**-53": "53 bits, {2}",
    "(({0} & 0x1fffff) * 2**32 + {1}) * 2**-53": "53 bits, {2}",
    "(({0} & 0xfffff) * 2**32 + {1}) / 4503599627370495": "52 bits, {2}",
    "({0} * 2**32 + {1} >> 11) / 9007199254740991": "53 bits, {2}",
    "({0} * 2**32 + {1} >> 12) * 2**-52 + 2**-53": "52 bits, {2}",
    "({0} ^ {1} * 2**21) * 2**-53 + 2**-54": "53 bits, {2}",
    "(({0} >> 12) * 2**32 + {1}) * 2**-52": "52 bits, {2}",
    "({0} * 2**32 + {1}) * 2**-64": "64 bits, {2}",
    "{0} * 2**-32 + {1} * 2**-64": "the float64 number {2}",
}
AFTERWARDS = ("1 - u", "1 + u", "2*u - 1", "float16(u)", "bfloat16(u)", "float32(u)")


def _of_pieces(fractions: tuple[str, ...]) -> dict[str, Rule]:
    """The rules of uniform numbers in float64, by their expressions."""
    rules = {}
    for fraction, (piece, bits) in product(fractions, PIECES.items()):
        n = f"({piece})" if " " in piece else piece
        text = fraction.format(n=n, bits=bits, half=bits + 1, most=(1 << bits) - 1)
        rules[RIGHT_RULE if text == "(w & 0x7fffff) * 2**-23" else text] = calculated(text)
    return rules


COMMON_RULES = _of_pieces(FRACTIONS[:1]) | {text: calculated(text) for text in OTHER_RULES}
WORD_RULES = COMMON_RULES | _of_pieces(FRACTIONS[1:]) | {text: calculated(text) for text in RARE_RULES}


@cache
def pair_rules() -> dict[str, Rule]:
    """The rules of uniform numbers in float64 that are made of two words."""
    rules: dict[str, Rule] = {}
    for (expression, text), words in product(PAIR_EXPRESSIONS.items(), (("w0", "w1"), ("w1", "w0"))):
        filled = expression.format(*words)
        rules[f"{text.format(*words, filled)} {PAIR}"] = partial(_of_pair, calculated(filled, "w0, w1"))
    return rules


def _of_pair(rule: Callable[[Any, Any], Any], w: Any) -> Any:
    return rule(w[..., 0].astype(np.uint64), w[..., 1].astype(np.uint64))


# Numbers in dumps of numbers


@cache
def float32_rules() -> tuple[WordFunction, ...]:
    """The rules of float32 numbers: the right one first."""
    rounded = (
        _number_function(np.float32, rule, f"the float64 number, {text}, rounded to float32", width=2)
        for text, rule in pair_rules().items()
    )
    return *_number_rules(np.float32, WORD_RULES, COMMON_RULES, 1), *rounded


@cache
def float64_rules() -> tuple[WordFunction, ...]:
    """The rules of float64 numbers: the right one first."""
    wrong = (rule._replace(name=rule.name or "other-uniform-rule")
             for rule in _number_rules(np.float64, WORD_RULES, COMMON_RULES, 1))  # fmt: skip
    return (*_number_rules(np.float64, pair_rules(), pair_rules(), 2), *wrong)


def _number_rules(dtype: Any, rules: dict[str, Rule], common: dict[str, Rule], width: int) -> Iterator[WordFunction]:
    """The right rule without a name, which is the first one, and the wrong ones."""
    first, right = next(iter(rules.items()))
    for text, rule in rules.items():
        kind = f"the {np.dtype(dtype)} number " * (text in WORD_RULES and not text.startswith("the "))
        yield _number_function(dtype, rule, f"{kind}{text}", name="other-uniform-rule" * (text != first), width=width)
    for after, (text, rule) in product(AFTERWARDS, common.items()):
        if dtype != np.float32 or after != "float32(u)":
            yield _number_function(dtype, rule, f"{after}, where u is {text}", after, width=width)
    for digits in range(3, 12):
        for kind, cut in (("decimals", f"round(float(u), {digits})"), ("significant digits", f"digits({digits}, u)")):
            yield _number_function(dtype, right, f"{first}, with {digits} {kind}", cut, "digits-lost", width)
    text, swapped = f"the bytes of {first} in reverse order", lambda w: bits_of(right(w), dtype).byteswap()
    yield WordFunction("bytes-swapped", swapped, text, STORE_NUMBERS, width, "number")


def _number_function(
    dtype: Any, rule: Rule, text: str, after: str = "u", name: str = "other-uniform-rule", width: int = 1
) -> WordFunction:
    """The function that stores a number of this rule, after something else was done to it."""
    finish = calculated(after, "u")
    remedy = STORE_NUMBERS if name == "digits-lost" else USE_RULE
    # A float32 number is rounded once before anything is done to it, as in a shader.
    return WordFunction(name, lambda w: bits_of(finish(rule(w).astype(dtype)), dtype), text, remedy, width, "number")


# Functions in dumps of words


@cache
def word_functions() -> tuple[WordFunction, ...]:
    """The functions of words without parameters, the more common ones first."""
    return (*(word_function(*row) for row in integer_functions()), *_numbers_in_words())


def _numbers_in_words() -> Iterator[WordFunction]:
    for number in float32_rules():
        is_rule = number.name in ("", "other-uniform-rule") and "float(w)" not in number.expression
        if number.width == 1 and is_rule:
            yield number.of_words()._replace(name="uniform-instead-of-word")
    for digits in range(5, 10):
        text = f"w with {digits} significant decimal digits"
        yield word_function("digits-lost", f"digits({digits}, w).astype('u8')", text, NO_CONVERSION)
