"""The range [minval, maxval) of OpenVINO's RandomUniform: what it may be, and in which type its width is taken."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...arrays.integers import check_int
from ...arrays.number_types import check_real
from ...arrays.subnormals import flush
from .numbers import openvino_bfloat16

INT32 = np.iinfo(np.int32)


class Range(NamedTuple):
    """Bounds and width: ints for integer types, else scalars of the float type that an implementation computes in."""

    low: Any
    high: Any
    width: Any


def check_range(minval: Any, maxval: Any, kind: np.dtype[Any], plugin: bool) -> Range:
    """minval and maxval of the output type `kind`, with the width as the implementation computes it.

    Raises TypeError or ValueError where a bound is not of the type, they are not in order, or the width overflows.
    """
    low, high = _check_bound(minval, "minval", kind), _check_bound(maxval, "maxval", kind)
    if not low < high:
        raise ValueError(f"minval must be less than maxval in {kind}; got minval {minval} and maxval {maxval}.")
    if kind.kind == "i":
        return _integers(int(low), int(high), plugin and kind.itemsize == 8)
    with np.errstate(over="ignore"):
        if kind == np.float64 and plugin:
            low, high = _narrowed(low, high)
        if plugin and low.dtype == np.float32:
            low, high = flush(low)[()], flush(high)[()]  # as the plugin changes constants of a model
        if kind.name == "bfloat16":
            low, high = np.float32(low), np.float32(high)
            width = openvino_bfloat16(np.array([high - low]))[0]
        elif kind == np.float16 and plugin:
            low, high = np.float32(low), np.float32(high)
            width = high - low
        elif kind == np.float16:
            width = np.float32(high - low)  # subtracted, and rounded, in float16
            low, high = np.float32(low), np.float32(high)
        else:
            width = high - low
    if not np.isfinite(width):
        raise ValueError(
            f"maxval - minval must be finite in {kind}; got minval {minval} and maxval {maxval}. "
            "Every output would be infinite or no number: narrow the range."
        )
    return Range(low, high, width)


def _check_bound(value: Any, name: str, kind: np.dtype[Any]) -> Any:
    """`value` as a scalar of `kind`: a Python number, or a scalar or 1-element tensor of that very type."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        if array.dtype != kind:
            raise TypeError(
                f"{name} must be of the output type, {kind}; got {array.dtype}. "
                f"Convert it: {name}.astype({str(kind)!r})."
            )
        if array.shape not in ((), (1,)):
            raise ValueError(
                f"{name} must be a scalar or a 1D tensor of 1 element; got shape {array.shape}. "
                "All elements share one range."
            )
        bound = array.reshape(1)[0]
    elif kind.kind == "i":
        info = np.iinfo(kind)
        return check_int(value, name, int(info.min), int(info.max) + 1)
    else:
        bound = check_real(value, name, kind)
        if isinstance(value, int) and int(bound) != value:
            raise ValueError(
                f"{name} must be representable in {kind}; got the int {value}. Pass a float to have it rounded."
            )
        return bound
    if not math.isfinite(bound):
        raise ValueError(f"{name} must be finite as a {kind}; got {value!r}. Pass a finite number.")
    return bound


def _integers(low: int, high: int, clamped: bool) -> Range:
    if clamped:
        start, end = (min(max(bound, int(INT32.min)), int(INT32.max)) for bound in (low, high))
        if start == end:
            raise ValueError(
                "minval and maxval must differ after clamping to int32, in which the CPU plugin computes int64; "
                f'got {low} and {high}. The "reference" implementation takes them.'
            )
        low, high = start, end
    return Range(low, high, high - low)


def _narrowed(low: Any, high: Any) -> tuple[Any, Any]:
    """float64 bounds as float32, in which the CPU plugin computes them."""
    start, end = np.float32(low), np.float32(high)
    if not (np.isfinite(start) and np.isfinite(end) and start < end):
        raise ValueError(
            "minval and maxval must be finite and differ in float32, in which the CPU plugin computes float64; "
            f'got {low} and {high}. The "reference" implementation takes them.'
        )
    return start, end
