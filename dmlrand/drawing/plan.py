"""Every draw: check the arguments, then fill an output with numbers of a state, by a rule.

Number i of a state is made from the same words in every draw. A draw wants a region of these numbers: a whole tensor,
or a window of it. Kernels draw the words of the region and make numbers from them. Large outputs, and those that
kernels cannot write to, are filled in pieces, which threads may share.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy import empty, ndarray
from numpy.typing import NDArray

from ..kernels import RuleKernels, of_rule
from ..state import UINT32, State, check_state, move_blocks
from .arguments import check_int
from .filling import THREADING_MIN_BYTES, fill_pieces
from .messages import format_value
from .tensor import (
    FAST_PATH_MAX_SIZE,
    MAX_RANK,
    PASS_SHAPE_OR_OUT,
    Shape,
    check_addressable,
    check_out,
    check_shape,
    check_sizes,
    is_contiguous_aligned,
    small_size,
)
from .window import StridedRegion, window_region

Array = NDArray[Any]
Values = TypeVar("Values", covariant=True)

# A kernel advances the state by (words + padding) // 4 blocks. DISCARD rounds up: unread words of the last block are
# discarded. KEEP rounds down: the next draw reads them.
DISCARD, KEEP = 3, 0
ONE_THREAD_MAX_SIZE = 1 << 30  # elements of the largest output of the fast path, if threads is 1
new_tuple = tuple.__new__  # what the constructor of a NamedTuple calls; a direct call takes half the time


class Outputs(NamedTuple, Generic[Values]):
    """The values of a draw, and the state after the whole tensor.

    `values` is an array of NumPy, of Dask or of a device, as the function says. `state` is a uint32 array of NumPy in
    the shape of the argument. random_generator leaves it None if output_state is False.

    >>> from dmlrand import make_state, uniform
    >>> values, state = uniform(make_state(key=42), 2)
    >>> values, state
    (array([0.8354591, 0.9162973], dtype=float32), array([ 1,  0,  0,  0, 42,  0], dtype=uint32))
    """

    values: Values
    state: State


@dataclass(frozen=True, eq=False, slots=True)
class BoundRule:
    """A rule of kernels/rules.py with its parameters: how numbers of a dtype are made from words."""

    name: str  # in kernels/rules.py
    dtype: np.dtype[Any]
    kernel_dtype: np.dtype[Any]  # how the kernels see the output: float32, float64 or, for other types, unsigned bits
    kernels: RuleKernels
    parameters: Array
    group_words: int = 1  # words that make one group of numbers
    group_numbers: int = 1  # numbers that are made together

    def words_read(self, numbers: int) -> int:
        """How many words are read for `numbers` numbers, in complete groups."""
        return -(-numbers // self.group_numbers) * self.group_words


WORDS = BoundRule("word", UINT32, UINT32, of_rule("word"), np.empty(0, UINT32))


def draw(
    state: Any,
    rule: BoundRule,
    shape: Any,
    window: Any = None,
    out: Any = None,
    threads: int = 1,
    lane: int = 0,
    padding: int = DISCARD,
) -> Outputs[Array]:
    """The numbers of a tensor, or of a window of it, and the state after the whole tensor.

    Number 0 begins with lane `lane` of the state's block. With the padding KEEP, the new state points to the block that
    holds the next word, even if some of its words are already read. The other arguments are those of dmlrand.uniform.
    """
    if out is None:
        size = shape if shape.__class__ is int else small_size(shape)
    elif (
        shape is None
        and state.__class__ is out.__class__ is ndarray
        and out.dtype is rule.dtype
        and (out.ndim == 1 or out.flags.c_contiguous and 1 < out.ndim <= MAX_RANK)
        # Two different arrays that own their memory share none. A view does not own its memory.
        and out.base is state.base is None
        and state is not out
    ):
        size = out.size
    else:
        size = -1
    if (  # Fast path: the usual draw, in which every function call and check counts.
        window is None
        and threads.__class__ is int
        and threads > 0
        and 0 <= size <= (FAST_PATH_MAX_SIZE if threads > 1 else ONE_THREAD_MAX_SIZE)
        and lane.__class__ is int
        and 0 <= lane < 4
        and state.__class__ is ndarray
        and state.ndim == 1  # numba takes long to refuse another rank
    ):
        values: Any = empty(shape, rule.dtype) if out is None else out
        new_state = state.copy()
        flat = values if size is shape or values.ndim == 1 else values.ravel()  # size is shape: the shape is an int
        if rule.kernel_dtype is not rule.dtype:
            flat = flat.view(rule.kernel_dtype)
        try:
            rule.kernels.fill.run(new_state, padding, lane, size, 0, rule.parameters, flat)
            return new_tuple(Outputs, (values, new_state))
        except TypeError:
            pass  # the kernel takes no other state, and no other memory: the checks explain it
    return _draw_checked(state, rule, shape, window, out, threads, lane, padding)


def _draw_checked(
    state: Any, rule: BoundRule, shape: Any, window: Any, out: Any, threads: Any, lane: Any, padding: int
) -> Outputs[Array]:
    """As draw, for any arguments: first they are checked."""
    before = check_state(state)
    lane = check_int(lane, "lane", 0, 4)
    target = None if out is None else check_out(out, rule.dtype, before)
    sizes, region = _check_region(rule, shape, window, target, lane)
    threads = check_int(threads, "threads", 1)
    values = empty(sizes if region is None else region.sizes, rule.dtype) if target is None else target
    new_state = before.copy()  # kernels take no read-only or strided state
    start = new_state.reshape(6)
    if region is None and is_contiguous_aligned(values) and (threads == 1 or values.nbytes < THREADING_MIN_BYTES):
        flat = values.reshape(-1).view(rule.kernel_dtype)
        rule.kernels.fill.run(start, padding, lane, flat.size, 0, rule.parameters, flat)
    else:
        fill(values, start, lane, rule, region, threads)
        move_blocks(start, (lane + rule.words_read(prod(sizes)) + padding) // 4)
    return Outputs(out if isinstance(out, ndarray) else values, new_state)


def _check_region(
    rule: BoundRule, shape: Any, window: Any, target: Array | None, lane: int
) -> tuple[Shape, StridedRegion | None]:
    """The sizes of the whole tensor, and the region of the window. `target` is the output, if it is given."""
    if shape is None:
        if target is None:
            raise TypeError(f"shape must be given if out is not; got neither. {PASS_SHAPE_OR_OUT}")
        if window is not None:
            raise TypeError("shape must be given with window, because it is the shape of the whole tensor; got None.")
        return check_sizes(target.shape), None
    if window is None:
        sizes = check_shape(shape, rule.dtype.itemsize)
        if target is not None and target.shape != sizes:
            raise ValueError(
                f"shape must be the shape of out, or None; got {sizes} with an out of shape {target.shape}."
            )
        return sizes, None
    sizes = check_sizes(shape)
    if lane + rule.words_read(prod(sizes)) >= 1 << 63:
        raise ValueError(
            f"shape must use fewer than 2**63 words; got {format_value(sizes)} of {rule.dtype}. Draw several smaller "
            "tensors."
        )
    region = window_region(sizes, window)
    check_addressable(region.sizes, "window", rule.dtype.itemsize)
    if target is not None and target.shape != region.sizes:
        raise ValueError(f"out must have the window's shape {region.sizes}; got {target.shape}.")
    return sizes, region


def fill(
    values: Array, state: State, lane: int, rule: BoundRule, region: StridedRegion | None = None, threads: int = 1
) -> None:
    """Fill `values`, of any strides, with the numbers of a region, or of a whole tensor. The state is not modified."""
    kernels, first, is_consecutive = rule.kernels, 0, True
    if region is not None:
        part = region.for_kernels()
        first, is_consecutive = int(part[0]), part[2:].tolist() == [1]

    def make(start: int, flat: Array) -> None:
        copy, target = np.array(state).reshape(6), flat.view(rule.kernel_dtype)  # the kernel `fill` advances the copy
        if is_consecutive:
            kernels.fill.run(copy, DISCARD, lane, values.size, first + start, rule.parameters, target)
        else:
            kernels.fill_region.run(copy, lane, part, start, rule.parameters, target)

    fill_pieces(values, make, threads)
