"""Shapes and outputs: what a tensor argument must be."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .integers import check_int

Shape = tuple[int, ...]

MAX_RANK = 8  # of DirectML's tensors

FAST_PATH_MAX_SIZE = 1 << 16  # a size of rank 1 up to this needs no further check

# The flags of an array whose memory is its own, writable, contiguous and aligned.
ORDINARY = np.empty((2, 2)).flags.num

# The exact search for an overlap takes time exponential in the rank, and no signal interrupts it. This many candidates
# take numpy 0.03 to 1 s. overlaps_itself searches at most once for each axis.
OVERLAP_STEPS = 1_000_000

PASS_SHAPE_OR_OUT = (
    "Pass shape for a new array, or out to fill an array that you have."  # remedy where both are missing
)


def check_sizes(shape: Any) -> Shape:
    """`shape` as a tuple of 1 to 8 sizes, each at least 0; a single int means rank 1."""
    if isinstance(shape, np.ndarray) and shape.ndim:
        raise TypeError(
            f"shape must be an int, a tuple or a list; got an array of shape {shape.shape}. Pass tuple(shape.tolist())."
        )
    if not isinstance(shape, (tuple, list)):
        return (check_int(shape, "shape", 0),)
    if not 1 <= len(shape) <= MAX_RANK:
        raise ValueError(
            f"shape must have rank 1 to {MAX_RANK}; got {tuple(shape)} of rank {len(shape)}. "
            "Merge axes, or add axes of size 1."
        )
    return tuple([check_int(size, f"shape[{axis}]", 0) for axis, size in enumerate(shape)])


def check_shape(shape: Any, itemsize: int = 4) -> Shape:
    """check_sizes, for a tensor that will be held in memory: its bytes must be fewer than 2**63."""
    # Fast path: the other checks take longer than a small draw.
    size = shape[0] if shape.__class__ is tuple and len(shape) == 1 else shape
    if size.__class__ is int and 0 <= size <= FAST_PATH_MAX_SIZE:
        return (size,)
    return check_addressable(check_sizes(shape), "shape", itemsize)


def check_addressable(sizes: Shape, name: str, itemsize: int = 4) -> Shape:
    """The sizes, if numpy can index an array of them: fewer than 2**63 bytes."""
    # numpy counts a zero size as one here; so do we, to refuse what it would refuse.
    if math.prod([size or 1 for size in sizes]) * itemsize >= 1 << 63:
        raise ValueError(
            f"{name} must describe fewer than 2**63 bytes; got {sizes} with {itemsize} bytes an element. "
            "random_window gives any part of a larger tensor."
        )
    return sizes


def check_out(out: Any, dtype: np.dtype[Any], state: NDArray[Any]) -> NDArray[Any]:
    """`out` as a plain array of `dtype` that may be written to: no two elements, and no word of state, in one place."""
    if is_ordinary_out(out, dtype, state):
        return out  # type: ignore[no-any-return]
    if not isinstance(out, np.ndarray) or hasattr(out, "mask"):  # the mask would be ignored
        raise TypeError(f"out must be a numpy array; got {type(out).__name__}. numpy.empty(shape, {dtype}) makes one.")
    if out.dtype != dtype:
        raise TypeError(f"out must hold {dtype} in native byte order; got {out.dtype}. Allocate it with that dtype.")
    if not out.flags.writeable:
        raise ValueError("out must be writable; got a read-only array. Pass a writable one, such as out.copy().")
    target = np.asarray(out)
    if not target.flags.c_contiguous and overlaps_itself(target, "out.strides"):
        raise ValueError(
            f"out must not overlap itself; got shape {out.shape} with strides {out.strides}, "
            "where two elements share memory. Pass a copy."
        )
    if shares_memory(target, state, "out.strides"):
        raise ValueError("out must not share memory with the state; got a view of it. Pass a copy of either.")
    return target


def is_ordinary_out(out: Any, dtype: np.dtype[Any], state: NDArray[Any]) -> bool:
    """Whether check_out, check_rank and is_contiguous_aligned would all agree to `out`; False where that takes longer to see."""
    return (
        out.__class__ is np.ndarray
        and out.dtype is dtype
        and out.flags.num & ORDINARY == ORDINARY
        # Two arrays that own their memory do not share it: a view does not own its memory.
        and state.base is None
        and state is not out
        and 1 <= out.ndim <= MAX_RANK
    )


def check_rank(out: NDArray[Any]) -> NDArray[Any]:
    """`out`, if it has as many axes as a tensor may have."""
    if not 1 <= out.ndim <= MAX_RANK:
        raise ValueError(
            f"out must have rank 1 to {MAX_RANK}; got {out.shape} of rank {out.ndim}. Pass a reshaped view."
        )
    return out


def overlaps_itself(array: NDArray[Any], name: str) -> bool:
    """Whether two different elements of `array` share memory. Exact; ValueError where that cannot be decided."""
    if _spread(array):
        return False
    # Moving two elements along an axis keeps their distance, so any two that differ there overlap if and only if two
    # do on either side of one cut: cut, compare the sides, and go on with one place of that axis.
    for axis, size in enumerate(array.shape):
        if size > 1:
            first, second = np.split(array, [size // 2], axis)
            if _share(first, second, array, name):
                return True
            array = np.split(array, [1], axis)[0]
    return False


def shares_memory(array: NDArray[Any], other: NDArray[Any], name: str) -> bool:
    """Whether an element of `array` shares memory with one of `other`. Exact; ValueError where that is undecided.

    The error blames `name`, which holds the strides of `array`.
    """
    return _share(array, other, array, name)


def _share(first: NDArray[Any], second: NDArray[Any], array: NDArray[Any], name: str) -> bool:
    """np.shares_memory with a bound on its time; `array` and `name` are for the error."""
    try:
        return np.shares_memory(first, second, max_work=OVERLAP_STEPS)  # type: ignore[arg-type]  # any int, in fact
    except (np.exceptions.TooHardError, OverflowError):
        raise ValueError(
            f"{name} must be simple enough to be checked for overlap in {OVERLAP_STEPS:,} steps; "
            f"got shape {array.shape} with strides {array.strides} in bytes, which are too entangled. "
            "Let each stride step over all that the smaller strides span, as in a slice of a packed array."
        ) from None


def _spread(array: NDArray[Any]) -> bool:
    """Whether each axis steps over all that the axes of smaller strides span: no overlap, in the common case."""
    span = array.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape) if size > 1):
        if stride < span:
            return False
        span += stride * (size - 1)
    return True


def is_uniformly_strided(array: NDArray[Any]) -> bool:
    """Whether the elements, in row-major order, lie aligned and any one distance apart: reshape(-1) is then a view."""
    axes = [(size, stride) for size, stride in zip(array.shape, array.strides) if size > 1]
    return array.flags.aligned and all(outer[1] == inner[0] * inner[1] for outer, inner in pairwise(axes))


def is_contiguous_aligned(array: NDArray[Any]) -> bool:
    """Whether kernels can write to the array directly: contiguous and aligned."""
    flags = array.flags
    return flags.c_contiguous and flags.aligned
