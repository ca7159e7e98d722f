"""Checks of shapes and of outputs given by the caller."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arguments import check_int
from .interchange import share_array
from .messages import format_value

Shape = tuple[int, ...]

MAX_RANK = 8  # of a tensor of DirectML

FAST_PATH_MAX_SIZE = 1 << 16  # the largest size of an axis, and of a whole shape, that needs no further check

# The remedy in errors for calls that give neither shape nor out.
PASS_SHAPE_OR_OUT = "Pass shape for a new array, or out to fill an array that you have."


def check_sizes(shape: Any) -> Shape:
    """`shape` as a tuple of 1 to 8 sizes, each at least 0. An int means rank 1."""
    if not isinstance(shape, (tuple, list)):
        return (check_int(shape, "shape", 0, others=", or a tuple or list of integers"),)
    if not 1 <= len(shape) <= MAX_RANK:
        raise ValueError(
            f"shape must have rank 1 to {MAX_RANK}; got {format_value(tuple(shape))} of rank {len(shape)}. Methods of "
            "Stream return a scalar if shape is left out."
        )
    return tuple([check_int(size, f"shape[{axis}]", 0) for axis, size in enumerate(shape)])


def small_size(shape: Any) -> int:
    """The product of a tuple of ints that are each at most FAST_PATH_MAX_SIZE, or -1 for every other shape."""
    if shape.__class__ is not tuple or not 0 < len(shape) <= MAX_RANK:
        return -1
    total = 1
    for size in shape:
        if size.__class__ is not int or not 0 <= size <= FAST_PATH_MAX_SIZE:
            return -1
        total *= size
    return total


def check_shape(shape: Any, itemsize: int = 4) -> Shape:
    """check_sizes for a tensor that will be in memory: it must have fewer than 2**63 bytes."""
    # Fast path, because the other checks take longer than a small draw.
    size = shape if shape.__class__ is int else small_size(shape)
    if 0 <= size <= FAST_PATH_MAX_SIZE:
        return (size,) if size is shape else shape  # type: ignore[no-any-return]
    return check_addressable(check_sizes(shape), "shape", itemsize)


def check_addressable(sizes: Shape, name: str, itemsize: int = 4) -> Shape:
    """`sizes`, if numpy can index an array of that shape: it has fewer than 2**63 bytes."""
    # A size of 0 counts as 1, as in numpy's own check.
    count = math.prod([size or 1 for size in sizes])
    if count * itemsize >= 1 << 63:
        raise ValueError(
            f"{name} must describe fewer than 2**63 bytes; got {format_value(sizes)} with {itemsize} bytes an element. "
            "Use several smaller tensors, or windows of it."
        )
    return sizes


def check_out(out: Any, dtype: np.dtype[Any], state: NDArray[Any]) -> NDArray[Any]:
    """`out` as an instance of ndarray itself. No two elements share memory, and none lies within that of the state."""
    target = out if out.__class__ is np.ndarray else share_array(out, "out")
    if target is None:
        raise TypeError(f"out must be a numpy array; got {type(out).__name__}. numpy.empty(shape, {dtype}) makes one.")
    if target.dtype != dtype:
        raise TypeError(
            f"out must hold {dtype} in native byte order; got {target.dtype}. Allocate it with that dtype."
        )
    if not target.flags.writeable:
        raise ValueError(
            "out must be writable; got a read-only array. Draw without out, then convert or copy the values."
        )
    if not target.flags.c_contiguous and may_overlap_itself(target):
        raise ValueError(
            f"out must not overlap itself; got shape {target.shape} with strides {target.strides}. Each stride must be "
            "at least the memory that the smaller strides span. Pass a copy."
        )
    if np.may_share_memory(target, state):  # an exact answer can take numpy minutes, without an interrupt
        raise ValueError("out must not share memory with the state; got one that does. Pass a copy of either.")
    return target


def may_overlap_itself(array: NDArray[Any]) -> bool:
    """Whether a stride is below the memory that the smaller strides span. Slices of packed arrays have no such stride.

    Some such arrays have no two elements at one place, but to tell takes long.
    """
    span = array.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape) if size > 1):
        if stride < span:
            return array.size > 0
        span += stride * (size - 1)
    return False


def is_contiguous_aligned(array: NDArray[Any]) -> bool:
    """Whether kernels can write to the array directly: contiguous and aligned."""
    flags = array.flags
    return flags.c_contiguous and flags.aligned
