"""Checks of the arguments of torch's functions."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...arrays.integers import check_bits, check_int
from ...arrays.number_types import check_real
from ...arrays.tensor import Shape
from ...messages import format_value

HIGH63 = 1 << 63


def check_shape(shape: Any, itemsize: int) -> Shape:
    """`shape` as a tuple: an int, or any number of sizes, as torch takes it. It must have fewer than 2**31 bytes."""
    listed = shape if isinstance(shape, (tuple, list)) else (shape,)
    sizes = tuple(check_int(size, f"shape[{axis}]", 0) for axis, size in enumerate(listed))
    if prod(sizes) * itemsize >= 1 << 31:
        raise ValueError(
            f"shape must describe fewer than 2**31 bytes; got {sizes} with {itemsize} bytes an element. torch makes "
            "larger tensors in other ways, which are not reproduced."
        )
    return sizes


def check_seed(seed: Any) -> int:
    """A seed as torch takes it: an int in [-2**63, 2**64), modulo 2**64."""
    return check_int(seed, "seed", -HIGH63, 1 << 64) % (1 << 64)


def check_range(low: Any, high: Any) -> tuple[int, int]:
    """The bounds of int64 numbers."""
    first, last = check_int(low, "low", -HIGH63, HIGH63), check_int(high, "high", -HIGH63, HIGH63)
    if first >= last:
        raise ValueError(f"low must be less than high; got {first} and {last}.")
    return first, last


def check_chance(p: Any, kind: np.dtype[Any]) -> Any:
    """The chance to drop an element, as a scalar of the type."""
    chance = check_real(p, "p", kind)
    if not 0 <= chance <= 1:
        raise ValueError(f"p must be in [0, 1]; got {format_value(p)}.")
    return chance


def check_offset(offset: Any) -> int:
    """An offset of a generator: a multiple of 4."""
    number = check_bits(offset, "offset", 64)
    if number % 4:
        raise ValueError(f"offset must be a multiple of 4, as in torch; got {number}.")
    return number


def read_state(new_state: Any) -> tuple[int, int]:
    """The seed and the offset of a saved state."""
    raw = new_state.tobytes() if isinstance(new_state, np.ndarray) and new_state.dtype == np.uint8 else new_state
    if not isinstance(raw, bytes):
        got = f"an array of {raw.dtype}" if isinstance(raw, np.ndarray) else type(raw).__name__
        raise TypeError(f"new_state must be a uint8 array or bytes; got {got}. Pass get_state().")
    if len(raw) != 16:
        raise ValueError(f"new_state must have 16 bytes: the seed and the offset; got {len(raw)}.")
    seed, offset = np.frombuffer(raw, "<u8").tolist()
    return seed, check_offset(offset)
