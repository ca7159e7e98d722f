"""Checks of the output type, the shape and the range of OpenVINO's RandomUniform, read as OpenVINO does."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.number_types import check_real
from ...arrays.tensor import Shape, check_addressable
from ...messages import format_value
from .. import shared
from ..subnormals import flush
from .numbers import Range, openvino_bfloat16

MAX_RANK = 32  # of the CPU plugin, and of NumPy 1
INT32_MIN, INT32_MAX = -(1 << 31), (1 << 31) - 1

OUTPUT_TYPES = {  # OpenVINO's names and NumPy's
    "i32": "int32", "i64": "int64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
}  # fmt: skip
PRECISIONS = {"i32": "I32", "i64": "I64", "f16": "FP16", "bf16": "BF16", "f32": "FP32", "f64": "FP64"}  # of IR's ports

# Every accepted spelling in lower case. "double" is the page's name for f64 in its second example.
_NAMES = {name: name for name in OUTPUT_TYPES} | {"fp16": "f16", "fp32": "f32", "fp64": "f64", "double": "f64"}


def type_name(given: Any) -> Any:
    """The key of OUTPUT_TYPES that `given` means, in upper or lower case; `given` itself if it means none."""
    return _NAMES.get(given.lower(), given) if isinstance(given, str) else given


def check_sizes(shape: Any, kind: np.dtype[Any], plugin: bool) -> Shape:
    """The sizes in an int32 or int64 tensor of rank 1, or in a list or tuple."""
    if isinstance(shape, np.ndarray):
        if shape.dtype.name not in ("int32", "int64"):
            raise TypeError(f"shape must hold int32 or int64; got {shape.dtype}. Convert it: shape.astype('int64').")
        if shape.ndim != 1:
            raise ValueError(f"shape must have rank 1, one element for each axis; got an array of shape {shape.shape}.")
        shape = shape.tolist()
    elif not isinstance(shape, (list, tuple)):
        raise TypeError(
            f"shape must be an int32 or int64 array of rank 1, or a list or tuple of ints; got {format_value(shape)} "
            f"of type {type(shape).__name__}. Pass [{format_value(shape)}] for one axis."
        )
    if len(shape) > MAX_RANK:
        raise ValueError(f"shape must have at most {MAX_RANK} sizes; got {len(shape)}. Merge axes.")
    if plugin and len(shape) == 0:
        raise ValueError(
            "shape must have at least one size, because OpenVINO's CPU plugin returns uninitialized memory for rank 0; "
            "got none. Pass [1]."
        )
    return check_addressable(shared.check_sizes(shape), "shape", kind.itemsize)


def check_range(minval: Any, maxval: Any, kind: np.dtype[Any], plugin: bool) -> Range:
    """minval and maxval of the output type `kind`, with the width as the implementation computes it."""
    low, high = _check_bound(minval, "minval", kind), _check_bound(maxval, "maxval", kind)
    if not low < high:
        raise ValueError(f"minval must be below maxval in {kind}; got minval {minval} and maxval {maxval}.")
    integer, narrowed = kind.kind == "i", plugin and kind.itemsize == 8
    with np.errstate(over="ignore"):
        if narrowed and integer:
            low, high = (min(max(bound, INT32_MIN), INT32_MAX) for bound in (low, high))
        elif narrowed or kind.itemsize == 2:
            low, high = np.float32(low), np.float32(high)
        if narrowed and not (low < high and math.isfinite(low) and math.isfinite(high)):
            rule = "differ after clamping to int32" if integer else "be finite and differ in float32"
            raise ValueError(
                f"minval and maxval must {rule}, in which the CPU plugin computes {kind}; got {minval} and {maxval}. "
                'The "reference" implementation accepts them.'
            )
        if integer:
            return Range(int(low), int(high), int(high) - int(low))
        if plugin and kind.itemsize >= 4:
            low, high = flush(low)[()], flush(high)[()]  # as the plugin changes constants of a model
        width = high - low
        if kind.name == "bfloat16":
            width = openvino_bfloat16(np.array([width]))[0]
        elif kind.itemsize == 2 and not plugin:
            width = np.float32(np.float16(width))  # float32 has enough digits for the second rounding to be right
    if not np.isfinite(width):
        raise ValueError(
            f"maxval - minval must be finite in {kind}; got minval {minval} and maxval {maxval}. "
            "Every output would be infinite or NaN: narrow the range."
        )
    return Range(low, high, width)


def _check_bound(value: Any, name: str, kind: np.dtype[Any]) -> Any:
    """`value` as a scalar of `kind`: a Python number, or a scalar or 1-element tensor of the same type."""
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
        if not math.isfinite(bound):
            raise ValueError(f"{name} must be finite as a {kind}; got {format_value(value)}. Pass a finite number.")
        return bound
    if kind.kind == "i":
        return shared.check_int_of(kind, value, name)
    bound = check_real(value, name, kind)
    if isinstance(value, int) and int(bound) != value:  # 2**24 + 1 is no float32
        raise ValueError(f"{name} must be representable in {kind}; got the int {value}. Pass a float to round it.")
    return bound
