"""The distributions: what each one takes, and the rule that makes its numbers from words.

A bound rule is made of the parameters of a distribution and its dtype. Making it checks these arguments. Clauses:
specs/distributions.md.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from inspect import signature
from math import isfinite
from typing import Any, NamedTuple, Never

import numpy as np

from ..kernels import of_rule
from ..kernels.rules import RULES
from .arguments import check_int, format_choices, format_range
from .interchange import type_name
from .messages import format_value
from .number_types import FLOATS, INTEGERS, check_dtype, check_real, round_real
from .plan import BoundRule

BOOL = np.dtype(np.bool_)
_UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}  # by size in bytes
# What errors for a dtype of the other kind say.
INTEGERS_DRAWN = f"The function integers draws {format_choices(INTEGERS)}."
FLOATS_DRAWN = f"The functions uniform, normal and exponential draw {format_choices(FLOATS)}."
_SUFFIXES = {"float16": "f16", "float32": "f32", "float64": "f64", "bfloat16": "bf16"}


def kept(rule: Callable[..., BoundRule]) -> Callable[..., BoundRule]:
    """Keep the rules of numbers and a dtype, because checking these takes longer than a small draw."""
    count = sum(name != "dtype" for name in signature(rule).parameters)
    layout = struct.Struct(f"{count}d")

    @lru_cache
    def of_bytes(packed: bytes, *dtype: Any) -> BoundRule:
        return rule(*layout.unpack(packed), *dtype)

    @wraps(rule)
    def of_parameters(*given: Any) -> BoundRule:
        if {*map(type, given[:count])} <= {float, int}:
            try:  # as bytes, because 0.0 and -0.0 are equal and draw different numbers
                return of_bytes(layout.pack(*given[:count]), *given[count:])
            except (TypeError, ValueError, struct.error):
                pass  # the error shows the numbers as they were given
        return rule(*given)

    return of_parameters


@kept
def uniform_rule(low: Any, high: Any, dtype: Any) -> BoundRule:
    """The rule of real numbers in [low, high)."""
    kind = check_dtype(dtype, FLOATS, INTEGERS_DRAWN)
    bottom, top = check_real(low, "low", kind), check_real(high, "high", kind)
    if not bottom < top:
        raise ValueError(
            f"low must be below high once both are rounded to {kind}; got low {format_value(low)}, which becomes "
            f"{bottom}, and high {format_value(high)}, which becomes {top}."
        )
    # Rounding to float64 first changes nothing, because float64 has more than twice the bits of the narrower types.
    width = round_real(float(top) - float(bottom), kind)
    if not isfinite(width):
        raise ValueError(
            f"high - low must be a finite number of {kind}; got low {format_value(low)} and high {format_value(high)}. "
            "Use a wider dtype."
        )
    return _bind_real("uniform", kind, bottom, width)


@kept
def normal_rule(mean: Any, stddev: Any, dtype: Any) -> BoundRule:
    """The rule of normally distributed numbers."""
    kind = check_dtype(dtype, FLOATS, INTEGERS_DRAWN)
    rounded_mean, rounded_stddev = check_real(mean, "mean", kind), check_real(stddev, "stddev", kind)
    if rounded_stddev < 0:
        raise ValueError(
            f"stddev must be at least 0; got {format_value(stddev)}. Its absolute value gives the same distribution."
        )
    return _bind_real("normal", kind, rounded_mean, rounded_stddev)


@kept
def exponential_rule(scale: Any, dtype: Any) -> BoundRule:
    """The rule of exponentially distributed numbers."""
    kind = check_dtype(dtype, FLOATS, INTEGERS_DRAWN)
    rounded = check_real(scale, "scale", kind)
    if rounded < 0:
        raise ValueError(f"scale must be at least 0; got {format_value(scale)}. It is the mean of the numbers.")
    return _bind_real("exponential", kind, rounded)


def bind(name: str, kind: np.dtype[Any], parameters: Sequence[Any]) -> BoundRule:
    """The rule of kernels/rules.py with this name and these parameters, for numbers of a dtype."""
    rule = RULES[name]
    kernel_dtype = kind if kind.kind == "f" and kind.itemsize > 2 else _UNSIGNED[kind.itemsize]
    bound = np.array(parameters, rule.parameters)
    return BoundRule(name, kind, kernel_dtype, of_rule(name), bound, rule.words, rule.numbers)


def _bind_real(name: str, kind: np.dtype[Any], *parameters: Any) -> BoundRule:
    return bind(f"{name}_{_SUFFIXES[type_name(kind)]}", kind, parameters)


def integers_rule(low: Any, high: Any, dtype: Any) -> BoundRule:
    """The rule of integers in [low, high)."""
    if low is None or high is None:
        raise TypeError(
            f"low and high must both be given; got low {format_value(low)} and high {format_value(high)}. low=0, "
            "high=10 draws from 0 to 9."
        )
    return _integers_between(check_int(low, "low"), check_int(high, "high"), dtype)


@lru_cache  # the checks and the division below take longer than a small draw
def _integers_between(low: int, high: int, dtype: Any) -> BoundRule:
    """integers_rule, of checked bounds."""
    kind = check_dtype(dtype, INTEGERS, FLOATS_DRAWN)
    if low >= high:
        raise ValueError(
            f"low must be below high; got low {format_value(low)} and high {format_value(high)}. "
            "high itself is never drawn."
        )
    info = np.iinfo(kind)
    if low < info.min or high - 1 > info.max:
        raise ValueError(
            f"low and high - 1 must be numbers of {kind}, {format_range(int(info.min), int(info.max) + 1)}; got low "
            f"{format_value(low)} and high {format_value(high)}. Use a wider dtype, or one whose range fits."
        )
    modulus = 1 << 8 * kind.itemsize
    width = high - low
    shift = low % modulus if width < modulus else 0  # over the full range, a number has the bits of its words
    # integers_32 and integers_64 of kernels/rules.py divide by these numbers.
    division = [shift, width % modulus, min(modulus // width, modulus - 1)]
    return bind(f"integers_{8 * kind.itemsize}", kind, division)


@kept
def bernoulli_rule(p: Any) -> BoundRule:
    """The rule of bools that are True with probability p."""
    if p is None:
        raise TypeError(
            "p must be given, by position after shape or by name; got None. p=0.5 gives True half the time."
        )
    probability = float(check_real(p, "p", np.dtype(np.float64)))
    if not 0 <= probability <= 1:
        raise ValueError(f"p must be in [0, 1]; got {format_value(p)}. It is the probability of True.")
    # The product is exact, because 2**32 is a power of two. round takes the even one of two integers equally near.
    return bind("bernoulli", BOOL, [round(probability * 2**32)])


class Distribution(NamedTuple):
    """A row of DISTRIBUTIONS. Files, the command line and tests read the rows instead of naming distributions."""

    rule: Callable[..., BoundRule]  # made of the parameters and, unless it draws one type alone, the dtype
    parameters: dict[str, Any]  # with their defaults. None: the parameter must be given
    dtypes: tuple[str, ...]

    @property
    def default_dtype(self) -> str:
        """float32, or else the first one."""
        return "float32" if "float32" in self.dtypes else self.dtypes[0]

    @property
    def dtype_names(self) -> tuple[str, ...]:
        """The name of the argument dtype, or none if there is only one dtype."""
        return ("dtype",) if len(self.dtypes) > 1 else ()


DISTRIBUTIONS = {
    "uniform": Distribution(uniform_rule, {"low": 0.0, "high": 1.0}, FLOATS),
    "integers": Distribution(integers_rule, {"low": None, "high": None}, INTEGERS),
    "normal": Distribution(normal_rule, {"mean": 0.0, "stddev": 1.0}, FLOATS),
    "exponential": Distribution(exponential_rule, {"scale": 1.0}, FLOATS),
    "bernoulli": Distribution(bernoulli_rule, {"p": None}, ("bool",)),
}


def refuse_positional(call: str, first: Sequence[Any], rest: Sequence[Any]) -> Never:
    """TypeError for parameters by position: it shows the call to write. `first` ends with the shape.

    NumPy takes the parameters before the shape, so a call in its order would draw other numbers without an error.
    """
    row = DISTRIBUTIONS[call.rpartition(".")[2]]
    names = [*row.parameters, *row.dtype_names]
    shape = format_value(first[-1])
    named = [f"{name}={format_value(value)}" for name, value in zip(names, rest)]
    named += [f"{name}=..." for name in names[len(rest) :] if row.parameters.get(name, 0) is None]  # must be given
    raise TypeError(
        f"{format_choices(names, 'and')} must be given by name; got {', '.join(map(format_value, rest))} by position. "
        f"Write {call}({', '.join([*first[:-1], shape, *named])}), where the shape is {shape}."
    )
