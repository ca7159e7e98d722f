"""Windows: from an index expression over a tensor to the elements of the stream that it needs."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arguments import check_int
from .messages import format_value
from .tensor import Shape


class StridedRegion(NamedTuple):
    """A part of a stream of words or numbers. Its element `index` is number offset + sum(index[i] * strides[i])."""

    offset: int
    sizes: Shape
    strides: Shape

    def coalesced(self) -> "StridedRegion":
        """The same words in the same order, with as few axes as possible and at least one."""
        sizes, strides = [1], [1]
        for size, stride in zip(self.sizes, self.strides):
            if size == 1:
                continue
            if sizes[-1] == 1:
                sizes[-1], strides[-1] = size, stride
            elif strides[-1] == size * stride:
                sizes[-1], strides[-1] = sizes[-1] * size, stride
            else:
                sizes.append(size)
                strides.append(stride)
        return StridedRegion(self.offset, tuple(sizes), tuple(strides))

    def for_kernels(self) -> NDArray[np.int64]:
        """The region as kernels take it: the offset, then the size and the stride of each axis."""
        offset, sizes, strides = self.coalesced()
        return np.array([offset, *[number for axis in zip(sizes, strides) for number in axis]], np.int64)


def whole_region(shape: Shape) -> StridedRegion:
    """The region of a whole tensor: consecutive words from word 0 on."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * shape[axis]
    return StridedRegion(0, shape, tuple(strides))


def window_region(shape: Shape, window: Any) -> StridedRegion:
    """The region of tensor[window]. The window consists of ints, slices of positive step and one Ellipsis."""
    offset, sizes, strides = whole_region(shape)
    window_sizes, window_strides = [], []
    for axis, index in enumerate(one_per_axis(window, len(shape))):
        if isinstance(index, slice):
            start, count, step = _read_slice(index, axis, sizes[axis])
            window_sizes.append(count)
            window_strides.append(step * strides[axis])
        else:
            start = _read_int(index, axis, sizes[axis])
        offset += start * strides[axis]
    return StridedRegion(offset, tuple(window_sizes), tuple(window_strides))


def consecutive_region(shape: Shape, window: Any) -> StridedRegion:
    """The region of a window whose words are consecutive."""
    region = window_region(shape, window)
    if prod(region.sizes) > 1 and region.coalesced().strides != (1,):
        raise ValueError(
            f"window must select consecutive words of the tensor; got {format_value(window)} of shape {shape}. Draw "
            "each run of words as a window of its own, or index the result of a larger window."
        )
    return region


def one_per_axis(window: Any, rank: int) -> list[Any]:
    """The indices of a window, one for each axis. An Ellipsis, or the end, stands for the missing ones."""
    items = list(window) if isinstance(window, tuple) else [window]
    ellipses = [position for position, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1:
        raise IndexError(f"window must hold at most one Ellipsis; got {len(ellipses)}.")
    indices = len(items) - len(ellipses)
    if indices > rank:
        raise IndexError(f"window must have at most as many indices as shape has axes, {rank}; got {indices}.")
    at = ellipses[0] if ellipses else len(items)
    return items[:at] + [slice(None)] * (rank - indices) + items[at + 1 :]


def _read_slice(index: slice, axis: int, size: int) -> tuple[int, int, int]:
    start, stop, step = index.indices(size)
    if step < 0:
        name = f"window[{axis}].step"
        raise ValueError(f"{name} must be at least 1; got {format_value(step)}. Reverse the result instead.")
    # A step over the whole axis selects one index at most. A larger step might not fit in the 64 bits of a kernel.
    return start, max(0, -((start - stop) // step)), min(step, max(1, size))


def _read_int(index: Any, axis: int, size: int) -> int:
    name = f"window[{axis}]"
    position = check_int(index, name, others=", a slice or Ellipsis")
    if not -size <= position < size:
        raise IndexError(f"{name} must be in [{-size}, {size}); got {format_value(position)}.")
    return position % size
