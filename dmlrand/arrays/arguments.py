"""Checks of arguments of other kinds: a name from a list of choices, and shapes that must broadcast."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..messages import format_value
from .tensor import Shape


def check_choice(value: Any, name: str, choices: Iterable[str]) -> str:
    """`value`, which must be one of the strings in `choices`."""
    allowed = tuple(choices)
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be {format_choices(map(repr, allowed))}; got {format_value(value)}.")
    return value


def format_choices(choices: Iterable[str]) -> str:
    """The choices as errors list them: "a, b or c"."""
    *first, last = choices
    return f"{', '.join(first)} or {last}" if first else last


def format_all(names: Iterable[str]) -> str:
    """The names as errors list them: "a, b and c"."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def check_broadcast(shape: Shape, parameter: Shape, name: str, *, widening: bool = False) -> None:
    """Check that a parameter of shape `parameter` broadcasts to `shape`.

    With `widening` the parameter only has to broadcast with `shape`: the result may have more elements.
    """
    if shape[len(shape) - len(parameter) :] == parameter:
        return  # Fast path for scalars and for arrays of the same shape: numpy's function takes microseconds.
    try:
        result = np.broadcast_shapes(shape, parameter)
    except ValueError:
        result = None
    if result is None or (result != shape and not widening):
        how = "with" if widening else "to"
        raise ValueError(
            f"{name} must broadcast {how} shape {shape}; got shape {parameter}. Reshape it, or draw another shape."
        )
