"""Checks of integers, bools, and names from a list. Errors name the argument, the rule, the value and the remedy."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from .interchange import type_name
from .messages import format_value


def check_int(
    value: Any, name: str, low: int | None = None, high: int | None = None, remedy: str = "", others: str = ""
) -> int:
    """`value` as a Python int in [low, high). None means no limit on that side.

    Anything that is not an integer is a TypeError; bool and float are not integers. `others` says which other types the
    argument may have. An integer out of range is a ValueError, whose message ends with the remedy, if there is one.
    """
    if type(value) is not int:
        try:
            if is_bool(value) or getattr(value, "ndim", None):
                raise TypeError
            value = operator.index(value)
        except (TypeError, AttributeError):  # AttributeError: TensorFlow's tensors of reals
            raise TypeError(
                f"{name} must be an integer{others}; got {format_value(value)} of type {type(value).__name__}. Pass "
                f"{'one of these' if others else 'an int'}."
            ) from None
    if (low is not None and value < low) or (high is not None and value >= high):
        raise ValueError(
            f"{name} must be {format_range(low, high)}; got {format_value(value)}.{remedy and ' ' + remedy}"
        )
    return value  # type: ignore[no-any-return]


def is_bool(value: Any) -> bool:
    """Whether a value is a bool of Python, or a scalar or an array of bools of any package.

    Old releases of numpy, and PyTorch, treat their bools as integers.
    """
    return isinstance(value, bool) or (hasattr(value, "dtype") and type_name(value.dtype) == "bool")


def check_bool(value: Any, name: str) -> bool:
    if not is_bool(value) or np.ndim(value):
        raise TypeError(
            f"{name} must be a bool; got {format_value(value)} of type {type(value).__name__}. Pass True or False."
        )
    return bool(value)


def check_bits(value: Any, name: str, bits: int, others: str = "") -> int:
    """`value` as a Python int in [0, 2**bits). `others` is as in check_int."""
    return check_int(value, name, 0, 1 << bits, f"Reduce it yourself: {name} % 2**{bits}.", others)


def format_range(low: int | None, high: int | None) -> str:
    """The range as errors write it. Powers of two from 2**16 on are written as powers."""
    if high is None:
        return f"at least {_bound(low or 0)}"
    last = _bound(high - 1)
    return f"in [{_bound(low or 0)}, {f'{last}]' if '**' in last else f'{_bound(high)})'}"


def _bound(value: int) -> str:
    size = abs(value)
    exponent = size.bit_length() - 1
    return f"{'-' * (value < 0)}2**{exponent}" if exponent >= 16 and size == 1 << exponent else str(value)


def check_choice(value: Any, name: str, choices: Iterable[str]) -> str:
    """`value`, which must be one of the strings in `choices`."""
    allowed = tuple(choices)
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be {format_choices(map(repr, allowed))}; got {format_value(value)}.")
    return value


def format_choices(choices: Iterable[str], word: str = "or") -> str:
    """The choices as errors list them: "a, b or c"."""
    *first, last = choices
    return f"{', '.join(first)} {word} {last}" if first else last
