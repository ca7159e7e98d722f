"""The types of numbers that can be drawn, and how an argument becomes a number of one."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from ..imports import extra_needed
from .integers import format_value

Scalar = TypeVar("Scalar", bound=np.generic)
DTypeOf = type[Scalar] | np.dtype[Scalar]  # the dtypes that a type checker can read the type of the values from

FLOATS = ("float16", "float32", "float64", "bfloat16")
INTEGERS = ("int32", "int64", "uint32", "uint64")

# What has __float__ or __index__, some of it in numpy alone, and is no real number.
_NOT_REAL = (bool, np.bool_, complex, np.complexfloating, str, bytes, np.datetime64, np.timedelta64, np.ndarray)


def check_dtype(dtype: Any, names: tuple[str, ...]) -> np.dtype[Any]:
    """`dtype` as one of those named, in native byte order."""
    if isinstance(dtype, str) and dtype == "bfloat16" and dtype in names:
        return _bfloat16()  # numpy knows the name only once ml_dtypes is imported
    kind: np.dtype[Any] | None = None
    if dtype is not None:  # which numpy reads as float64
        try:
            kind = np.dtype(dtype)
        except TypeError:
            pass
    if kind is None or _name_of(kind) not in names or not kind.isnative:
        raise TypeError(f"dtype must be {', '.join(names[:-1])} or {names[-1]}, in native byte order; got {dtype!r}.")
    return kind


@lru_cache
def _name_of(kind: np.dtype[Any]) -> str:
    """A type's name, which numpy spells anew each time, and takes microseconds to."""
    return kind.name


def words_per_number(kind: np.dtype[Any]) -> int:
    """How many words make a number of the type."""
    return 2 if kind.itemsize == 8 else 1


def words_read(numbers: int, kind: np.dtype[Any], together: int = 1) -> int:
    """How many words that many numbers of the type read, where they are made `together` at a time."""
    numbers = -(-numbers // together) * together
    return 2 * numbers if kind.itemsize == 8 else numbers


def _bfloat16() -> np.dtype[Any]:
    """The dtype bfloat16, which numpy itself lacks."""
    with extra_needed("dtype bfloat16 needs", "ml_dtypes", "bfloat16"):
        import ml_dtypes
    kind: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return kind


def check_real(value: Any, name: str, kind: np.dtype[Any]) -> Any:
    """`value` as a scalar of the type, rounded as numpy casts a float64.

    TypeError if it is no real number, ValueError if it is not finite, before or after.
    """
    plain = type(value) is float or type(value) is int
    if not plain and (isinstance(value, _NOT_REAL) or not (hasattr(value, "__float__") or hasattr(value, "__index__"))):
        raise TypeError(f"{name} must be a real number; got {value!r} of type {type(value).__name__}. Pass a float.")
    try:
        number = float(value)
        remedy = "Pass a smaller number, or a wider dtype." if math.isfinite(number) else "Pass a finite number."
    except OverflowError:
        number, remedy = math.inf, "It is beyond float64: pass a smaller number."
    rounded = round_real(number, kind)
    if not math.isfinite(rounded):
        raise ValueError(f"{name} must be finite as a {kind}; got {format_value(value)}. {remedy}")
    return rounded


def round_real(number: float, kind: np.dtype[Any]) -> Any:
    """`number` as a scalar of the type, which may be infinite."""
    if number == 0 or 2.0**-14 < abs(number) < 2.0**15:  # no type rounds these to 0 or inf
        return kind.type(number)
    with np.errstate(all="ignore"):  # the caller's settings must not turn rounding into an error
        return kind.type(number)
