"""The types of numbers that can be drawn, and how an argument becomes a number of one."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

FLOATS = ("float16", "float32", "float64", "bfloat16")
INTEGERS = ("int32", "int64", "uint32", "uint64")


def check_dtype(dtype: Any, names: tuple[str, ...]) -> np.dtype[Any]:
    """`dtype` as one of those named, in native byte order."""
    if isinstance(dtype, str) and dtype == "bfloat16" and dtype in names:
        return _bfloat16()  # numpy knows the name only once ml_dtypes is imported
    try:
        kind = _read_dtype(dtype, names)
    except TypeError:  # numpy's, or that of a list, which has no hash
        kind = None
    if kind is None:
        raise TypeError(f"dtype must be {', '.join(names[:-1])} or {names[-1]}, in native byte order; got {dtype!r}.")
    return kind


@lru_cache  # numpy spells a dtype's name anew each time, which takes longer than a small draw
def _read_dtype(dtype: Any, names: tuple[str, ...]) -> np.dtype[Any] | None:
    if dtype is None:  # which numpy reads as float64
        return None
    kind: np.dtype[Any] = np.dtype(dtype)
    return kind if kind.name in names and kind.isnative else None


def words_per_number(kind: np.dtype[Any]) -> int:
    """How many words make a number of the type."""
    return 2 if kind.itemsize == 8 else 1


def _bfloat16() -> np.dtype[Any]:
    """The dtype bfloat16, which numpy itself lacks."""
    try:
        import ml_dtypes
    except ImportError:
        raise ImportError("dtype bfloat16 needs the package ml_dtypes: pip install 'dmlrand[bfloat16]'.") from None
    kind: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return kind


def check_real(value: Any, name: str, kind: np.dtype[Any]) -> Any:
    """`value` as a scalar of the type, rounded as numpy casts a float64.

    TypeError if it is no real number, ValueError if it is not finite, before or after.
    """
    plain = type(value) is float or type(value) is int
    if not plain and (
        isinstance(value, (bool, np.bool_, complex, np.complexfloating, np.ndarray))
        or not (hasattr(value, "__float__") or hasattr(value, "__index__"))
    ):
        raise TypeError(f"{name} must be a real number; got {value!r} of type {type(value).__name__}. Pass a float.")
    try:
        number = float(value)
    except OverflowError:  # an int beyond float64
        number = math.inf
    rounded = round_real(number, kind)
    if not math.isfinite(rounded):
        raise ValueError(f"{name} must be finite as a {kind}; got {value!r}. Pass a smaller number, or a wider dtype.")
    return rounded


def round_real(number: float, kind: np.dtype[Any]) -> Any:
    """`number` as a scalar of the type, which may be infinite."""
    if number == 0 or 2.0**-14 < abs(number) < 2.0**15:  # no type rounds these to 0 or inf
        return kind.type(number)
    with np.errstate(all="ignore"):  # the caller's settings must not turn rounding into an error
        return kind.type(number)
