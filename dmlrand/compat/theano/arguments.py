"""The shape argument of a distribution. A size is an int, or a Result whose value a call of the function gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.integers import check_int
from ...arrays.tensor import check_sizes
from .graph import Apply, Constant, Result


def read_shape(shape: Any) -> Result:
    """A Result whose value is a tuple of sizes. Sizes that are known are checked at once."""
    if isinstance(shape, Result):
        return Apply("shape", _sizes_of_vector, [shape])
    if not isinstance(shape, (tuple, list)):
        return Constant(check_sizes(shape), "shape")
    if not any(isinstance(item, Result) for item in shape):
        return Constant(check_sizes(shape) if shape else (), "shape")
    known = check_sizes([0 if isinstance(item, Result) else item for item in shape])
    items = [item if isinstance(item, Result) else Constant(size) for item, size in zip(shape, known)]
    return Apply("shape", _sizes_of_numbers, items)


def _sizes_of_vector(value: Any) -> tuple[int, ...]:
    if np.ndim(value) > 1:
        raise ValueError(f"shape must be an integer or a vector of integers; got an array of shape {np.shape(value)}.")
    items = list(value) if np.ndim(value) else [value]
    return check_sizes(items) if items else ()


def _sizes_of_numbers(*values: Any) -> tuple[int, ...]:
    return tuple(check_int(value, f"shape[{axis}]", 0) for axis, value in enumerate(values))
