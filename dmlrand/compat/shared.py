"""Arithmetic and checks that several imitated systems share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.integers import check_int
from ..arrays.tensor import Shape
from ..kernels import dialect


def join_words(low: Any, high: Any) -> NDArray[np.uint64]:
    """low + 2**32 * high, for each two words of two arrays."""
    return np.asarray(np.asarray(high, np.uint64) << np.uint64(32) | low)


def fma32(x: Any, y: Any, z: Any) -> NDArray[np.float32]:
    """x * y + z of float32, rounded once on every machine: a processor's fused multiply-add."""
    return np.asarray(dialect.fma(x, y, z))  # type: ignore[no-untyped-call]  # kernels have no types


def check_int_of(kind: np.dtype[Any], value: Any, name: str, remedy: str = "") -> int:
    """`value` as a Python int that the integer type `kind` holds."""
    info = np.iinfo(kind)
    return check_int(value, name, int(info.min), int(info.max) + 1, remedy)


def check_sizes(sizes: Sequence[Any], name: str = "shape", end: int | None = None) -> Shape:
    """The sizes as a tuple of ints in [0, end)."""
    return tuple([check_int(size, f"{name}[{axis}]", 0, end) for axis, size in enumerate(sizes)])


def sizes_of(shape: Any, name: str = "shape") -> Shape:
    """`shape` as a tuple of sizes, which may be empty. An int means rank 1."""
    return check_sizes(shape, name) if isinstance(shape, (tuple, list)) else (check_int(shape, name, 0),)


# log(k!) minus Stirling's approximation, for k = 0, 1, ..., 9: TensorFlow's and JAX's constants.
STIRLING_TAILS = np.array(
    [
        0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
        0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
    ]
)  # fmt: skip
