"""What the imitated systems share: arithmetic, and every check of an argument, those of dmlrand.drawing among them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..drawing import number_types
from ..drawing.arguments import (
    check_bits as check_bits,
    check_choice as check_choice,
    check_int as check_int,
    format_choices as format_choices,
)
from ..drawing.interchange import as_array
from ..drawing.messages import format_value as format_value
from ..drawing.number_types import FLOATS as FLOATS, INTEGERS as INTEGERS, Array as Array, check_dtype as check_dtype
from ..drawing.position import SharedPosition
from ..drawing.tensor import Shape as Shape
from ..state import State, StateLike, check_state
from .kernels.xla import fma

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
check_real = number_types.check_real


def join_words(low: Any, high: Any) -> NDArray[np.uint64]:
    """low + 2**32 * high, for each two words of two arrays."""
    return np.asarray(np.asarray(high, np.uint64) << np.uint64(32) | low)


def fma32(x: Any, y: Any, z: Any) -> NDArray[np.float32]:
    """x * y + z of float32, rounded once on every machine: a processor's fused multiply-add."""
    return np.asarray(fma(x, y, z))  # type: ignore[no-untyped-call]  # kernels have no types


def check_int_of(kind: np.dtype[Any], value: Any, name: str, remedy: str = "") -> int:
    """`value` as a Python int that the integer type `kind` holds."""
    info = np.iinfo(kind)
    return check_int(value, name, int(info.min), int(info.max) + 1, remedy)


def check_signed_seed(seed: Any) -> int:
    """A seed of 64 bits with or without a sign: an int in [-2**63, 2**64), modulo 2**64."""
    return check_int(seed, "seed", -(1 << 63), 1 << 64) % (1 << 64)


def read_sizes(shape: Any, name: str = "shape", *, takes_int: bool = True, end: int | None = None) -> Shape:
    """The sizes in `shape`, a sequence or a vector of ints in [0, end), of any rank. With `takes_int`, an int is one
    size."""
    if isinstance(shape, np.ndarray) and shape.ndim == 1:
        shape = shape.tolist() if shape.dtype.kind in "iu" else list(shape)
    if isinstance(shape, (tuple, list)):
        return tuple([check_int(size, f"{name}[{axis}]", 0, end) for axis, size in enumerate(shape)])
    if takes_int:
        return (check_int(shape, name, 0, end),)
    raise TypeError(
        f"{name} must be a sequence of ints; got {format_value(shape)}. Write [3] for three values, [] for one."
    )


def check_bounds(low: Any, high: Any, kind: Any = None, /, **given: Any) -> None:
    """Check that each bound in `low` is below that in `high`, and that the width of reals is finite in their type.
    `given` holds the two arguments that the bounds were read from. Errors name `kind`, the type."""
    if type(low) is int and low < high:
        return  # Fast path: numpy's functions take microseconds.
    (first, first_value), (last, last_value) = given.items()
    if not np.all(low < high):
        rule = f"{first} must be below {last}"
    else:
        with np.errstate(over="ignore"):
            if np.isfinite(high - low).all():
                return
        rule = f"{last} - {first} must be finite"
    rule = f"{rule}{f' in {kind}' if kind else ''}"
    raise ValueError(f"{rule}; got {first} {format_value(first_value)} and {last} {format_value(last_value)}.")


def check_broadcast(shape: Shape, parameter: Shape, name: str, *, widening: bool = False) -> None:
    """Check that a parameter of shape `parameter` broadcasts to `shape`, or, with `widening`, with it."""
    if shape[len(shape) - len(parameter) :] == parameter:
        return  # Fast path for scalars and for arrays of the same shape: numpy's function takes microseconds.
    try:
        result = np.broadcast_shapes(shape, parameter)
    except ValueError:
        result = None
    if result is None or (result != shape and not widening):
        how = "with" if widening else "to"
        raise ValueError(
            f"{name} must broadcast {how} shape {shape}; got shape {parameter}. Reshape it, or draw another shape."
        )


def check_reals(value: Any, name: str, kinds: str = "iuf") -> Array:
    """`value`, a number or an array, as an array of numpy's integers or reals. `kinds` are numpy's letters of the
    allowed kinds; bfloat16 always is. A Python int beyond 64 bits becomes a float64, which may be infinite."""
    try:
        array = as_array(value, name)
        if array.dtype == object and isinstance(value, int):
            array = np.asarray(float(value))
    except ValueError:  # rows of unequal lengths
        array = np.empty(0, object)
    except OverflowError:
        array = np.asarray(math.inf)
    if array.dtype.kind not in kinds and array.dtype.name != "bfloat16":
        rule = f"{name} must be a {'float' if kinds == 'f' else 'real number'} or an array of them"
        raise TypeError(f"{rule}; got {format_value(value)} of type {type(value).__name__}. Pass floats.")
    return array


def round_reals(numbers: Array, name: str, kind: np.dtype[Any], given: Any) -> Array:
    """`numbers` rounded to the type. ValueError, with `given`, if one is not finite, before or after rounding."""
    with np.errstate(all="ignore"):
        rounded = numbers.astype(kind)
    if not np.isfinite(rounded).all():
        raise number_types.not_finite(name, kind, given)
    return rounded


class StatePosition(SharedPosition["State"]):
    """A shared position that is a state of six words: lane 0 of the block at its counter."""

    @property
    def state(self) -> State:
        """The state that the next draw begins with: a new uint32 array of shape (6,). Set it to any state."""
        return self._place.copy()

    @state.setter
    def state(self, state: StateLike) -> None:
        self._move_to(np.array(check_state(state)).reshape(6))
