"""The one rule for integer arguments, so that every error reads alike: argument, rule, value, remedy."""

import operator
from typing import Any


def check_int(value: Any, name: str, low: int | None = None, high: int | None = None, remedy: str = "") -> int:
    """`value` as a Python int in [low, high); None leaves that side open.

    Raises TypeError for anything that is not an integer (bool and float are not: nothing is cast silently),
    ValueError for one out of range, which ends with the remedy where there is one beyond obeying the rule.
    """
    if type(value) is not int:
        if is_bool(value) or not hasattr(value, "__index__"):
            raise TypeError(f"{name} must be an integer; got {value!r} of type {type(value).__name__}. Pass an int.")
        try:
            value = operator.index(value)
        except TypeError:
            raise TypeError(
                f"{name} must be an integer; got {value!r} of type {type(value).__name__}. Pass an int."
            ) from None
    if (low is not None and value < low) or (high is not None and value >= high):
        raise ValueError(
            f"{name} must be {format_range(low, high)}; got {format_value(value)}.{remedy and ' ' + remedy}"
        )
    return value  # type: ignore[no-any-return]


def is_bool(value: Any) -> bool:
    """Whether a value is Python's or numpy's bool. Old releases of numpy take theirs for an integer."""
    return isinstance(value, bool) or getattr(value, "dtype", None) == bool


def check_bits(value: Any, name: str, bits: int) -> int:
    """`value` as a Python int in [0, 2**bits)."""
    return check_int(value, name, 0, 1 << bits, f"Reduce it yourself: {name} % 2**{bits}.")


def format_value(value: Any) -> str:
    """`value` as errors give it: Python refuses to spell integers of thousands of digits."""
    if isinstance(value, int) and value.bit_length() > 1024:
        return f"an int of {value.bit_length()} bits"
    return repr(value)


def format_range(low: int | None, high: int | None) -> str:
    """The range as errors give it, powers of two from 2**16 on at both ends as such."""
    if high is None:
        return f"at least {_bound(low or 0)}"
    return f"in [{_bound(low or 0)}, {_bound(high)})"


def _bound(value: int) -> str:
    size = abs(value)
    exponent = size.bit_length() - 1
    return f"{'-' * (value < 0)}2**{exponent}" if exponent >= 16 and size == 1 << exponent else str(value)
