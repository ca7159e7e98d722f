"""Which device drew numbers: the geometries of common devices, and a search for those that fit."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays.arguments import check_choice
from ...arrays.integers import check_int
from ...arrays.number_types import check_real
from ...arrays.tensor import Shape
from ...messages import format_value
from ...philox import MASK32, block
from ..shared import FLOAT64
from .generator import DEVICES, THREADS_PER_BLOCK, check_offset, check_seed, check_shape, max_blocks, normals, uniforms

MAX_SMS = 256
THREADS_PER_SM = (1024, 1536, 2048)
CONVERT = {"rand": uniforms, "randn": normals}


class Geometry(NamedTuple):
    """The number of threads of a large draw, and which multiprocessors and threads on each of them give it.

    `choices` are pairs for CUDAGenerator: all of them draw the same numbers. `devices` are those of DEVICES among them.

    >>> Geometry(43008, ((21, 2048), (28, 1536), (42, 1024)), ("RTX 3060",)).threads
    43008
    """

    threads: int
    choices: tuple[tuple[int, int], ...]
    devices: tuple[str, ...]


def find_geometry(
    values: Mapping[Any, float], seed: int, shape: Any, draw: str = "randn", *, offset: int = 0, tolerance: float = 6e-5
) -> list[Geometry]:
    """The geometries with which a device draws these numbers, among 1 to 256 multiprocessors of 1024 to 2048 threads.

    `values` maps indices to the numbers that torch printed: {(-1, -1): 0.1318}. An index is an int or a tuple of ints,
    one for each axis; it may be negative. Numbers among the last of a large tensor tell most.

    shape is that of the whole tensor. draw is "rand" or "randn". seed and offset, a multiple of 4, are those of the
    generator before the draw. tolerance is the largest distance of a printed number; the default is for four decimals.

    >>> printed = {(0, -1, -1): -0.0282, (0, -1, 0): -1.2356, (0, -2, -1): -0.4091}
    >>> find_geometry(printed, 42, (1, 64, 2048))
    [Geometry(threads=43008, choices=((21, 2048), (28, 1536), (42, 1024)), devices=('RTX 3060',))]
    """
    convert = CONVERT[check_choice(draw, "draw", CONVERT)]
    sizes, key, first = check_shape(shape, 4), check_seed(seed), check_offset(offset)
    near = check_real(tolerance, "tolerance", FLOAT64)
    if not isinstance(values, Mapping) or not values:
        raise TypeError(f"values must be a mapping of indices to numbers; got {format_value(values)}.")
    places = np.array([_flat_index(place, sizes) for place in values], np.uint64)
    printed = np.array([check_real(each, "each value", FLOAT64) for each in values.values()])

    def fits(blocks: int) -> bool:
        threads = THREADS_PER_BLOCK * min(blocks, -(-prod(sizes) // THREADS_PER_BLOCK))
        rows, subsequences = np.divmod(places, np.uint64(threads))
        words = _blocks(key, rows // np.uint64(4) + np.uint64(first // 4), subsequences)
        numbers = convert(words).reshape(-1, 4)[np.arange(places.size), rows % np.uint64(4)]
        return bool((np.abs(numbers - printed) <= near).all())

    pairs = [(sms, threads_per_sm) for sms in range(1, MAX_SMS + 1) for threads_per_sm in THREADS_PER_SM]
    found = []
    for blocks in sorted({max_blocks(*pair) for pair in pairs}):
        if fits(blocks):
            choices = tuple(pair for pair in pairs if max_blocks(*pair) == blocks)
            names = tuple(name for name, pair in DEVICES.items() if max_blocks(*pair) == blocks)
            found.append(Geometry(THREADS_PER_BLOCK * blocks, choices, names))
    return found


def _flat_index(place: Any, sizes: Shape) -> int:
    """The row-major number of an element. A single int is this number itself, or counts from the end."""
    indices, axes = (place, sizes) if isinstance(place, tuple) else ((place,), (prod(sizes),))
    if len(indices) != len(axes):
        raise ValueError(f"an index of values must have {len(axes)} ints, as the shape {sizes}; got {place!r}.")
    number = 0
    for index, size in zip(indices, axes):
        number = number * size + check_int(index, "an index of values", -size, size) % size
    return number


def _blocks(seed: int, numbers: NDArray[np.uint64], subsequences: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """The words of blocks `numbers` of subsequences, one block after the other."""
    shift, mask = np.uint64(32), np.uint64(MASK32)
    counter = (numbers & mask, numbers >> shift, subsequences & mask, subsequences >> shift)
    return np.stack(block(counter, (seed & MASK32, seed >> 32)), axis=1).astype(np.uint32).reshape(-1)
