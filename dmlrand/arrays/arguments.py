"""A check of an argument that is a name from a list of choices, and lists in the messages of errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..messages import format_value


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
