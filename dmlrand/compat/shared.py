"""Arithmetic and checks that several imitated systems share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..arrays.integers import check_int
from ..arrays.tensor import Shape
from ..kernels import dialect

Words = NDArray[np.uint32]
Floats = NDArray[Any]


def join_words(low: Any, high: Any) -> NDArray[np.uint64]:
    """low + 2**32 * high, for each two words of two arrays."""
    return np.asarray(np.asarray(high, np.uint64) << np.uint64(32) | low)


def fma32(x: Any, y: Any, z: Any) -> NDArray[np.float32]:
    """x * y + z of float32, rounded once on every machine: a processor's fused multiply-add."""
    return np.asarray(dialect.fma(x, y, z))  # type: ignore[no-untyped-call]  # kernels have no types


def normal_pairs(uniforms: Floats, angles: Floats) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """sqrt(-2 log(u)) times the sine, and times the cosine, of an angle, in float64: Box and Muller's two normals.

    Both arrays have one shape, which is the shape of both results. The numbers u are above 0.
    """
    pairs = np.empty((*uniforms.shape, 2))
    u, angle = (each.astype(np.float64).reshape(-1) for each in (uniforms, angles))
    kernels.box_muller(u, angle, pairs.reshape(-1))
    return pairs[..., 0], pairs[..., 1]


def check_sizes(sizes: Sequence[Any], name: str = "shape", end: int | None = None) -> Shape:
    """The sizes as a tuple of ints in [0, end)."""
    return tuple([check_int(size, f"{name}[{axis}]", 0, end) for axis, size in enumerate(sizes)])


def sizes_of(shape: Any, name: str = "shape") -> Shape:
    """`shape` as a tuple of sizes, which may be empty. An int means rank 1."""
    return check_sizes(shape, name) if isinstance(shape, (tuple, list)) else (check_int(shape, name, 0),)
