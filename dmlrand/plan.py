"""The plan of every fill: a region of a stream of numbers, a rule that makes them of words, and pieces for threads."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import kernels
from .arrays.filling import fill_pieces
from .arrays.tensor import Shape, is_contiguous_aligned, is_uniformly_strided
from .arrays.window import StridedRegion
from .kernels import RuleKernels
from .state import UINT32, State

Array = NDArray[Any]

WHOLE = np.array([0, 1], np.int64)  # the region of a whole tensor, as kernels take it


class BoundRule(NamedTuple):
    """A rule of kernels/rules.py with its parameters: how numbers of a dtype are made of words."""

    name: str  # in kernels/rules.py
    dtype: np.dtype[Any]
    kernel_dtype: np.dtype[Any]  # how the kernels see the output: float32, float64 or, for other types, unsigned bits
    kernels: RuleKernels
    parameters: Array
    group_words: int = 1  # words that make one group of numbers
    group: int = 1  # numbers that are made together

    def words_read(self, numbers: int) -> int:
        """How many words are read for `numbers` numbers, in complete groups."""
        return -(-numbers // self.group) * self.group_words


WORDS = BoundRule("word", UINT32, UINT32, kernels.of_rule("word"), np.empty(0, UINT32))


def fill(
    values: Array, state: State, lane: int, rule: BoundRule, region: StridedRegion | None = None, threads: int = 1
) -> None:
    """Fill `values`, of any strides, with the numbers of a region, or of a whole tensor.

    Number 0 begins with lane `lane` of the state's block. The state is not modified.
    """
    start = np.array(state).reshape(6)  # a copy: kernels take no read-only or strided state
    if region is not None and region.coalesced().strides == (1,):
        region, offset = None, region.offset
    else:
        offset = 0

    def make(position: int, sizes: Shape, flat: Array) -> None:
        part = (
            np.array([offset + position, 1], np.int64) if region is None else region.part(position, sizes).for_kernels()
        )
        kernel = rule.kernels.fill if flat.flags.c_contiguous else rule.kernels.fill_strided
        kernel.run(start, 0, lane, part, rule.parameters, flat.view(rule.kernel_dtype))

    if region is None and not is_contiguous_aligned(values) and is_uniformly_strided(values):
        fill_pieces(values.reshape(-1), make, threads, direct=True)
    else:
        fill_pieces(values, make, threads)
