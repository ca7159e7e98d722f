"""The types of numbers that can be drawn, and how an argument becomes a number of one."""

from __future__ import annotations

from typing import Any

import numpy as np

FLOATS = ("float16", "float32", "float64", "bfloat16")
INTEGERS = ("int32", "int64", "uint32", "uint64")


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
    if kind is None or kind.name not in names or not kind.isnative:
        raise TypeError(f"dtype must be {', '.join(names[:-1])} or {names[-1]}, in native byte order; got {dtype!r}.")
    return kind


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
    if isinstance(value, (bool, np.bool_, complex, np.complexfloating, np.ndarray)) or not (
        hasattr(value, "__float__") or hasattr(value, "__index__")
    ):
        raise TypeError(f"{name} must be a real number; got {value!r} of type {type(value).__name__}. Pass a float.")
    try:
        number = float(value)
    except OverflowError:  # an int beyond float64
        number = np.inf
    with np.errstate(all="ignore"):
        rounded = kind.type(number)
    if not np.isfinite(rounded):
        raise ValueError(f"{name} must be finite as a {kind}; got {value!r}. Pass a smaller number, or a wider dtype.")
    return rounded
