"""What TensorFlow accepts as a shape, a seed, a type, a bound or an algorithm, and how it reads each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.arguments import check_broadcast, format_choices
from ...arrays.integers import check_int
from ...arrays.number_types import FLOATS, INTEGERS, check_dtype, check_reals, round_reals

Array = NDArray[Any]
Sizes = tuple[int, ...]

PHILOX, AUTO_SELECT = 1, 3  # tf.random.Algorithm
LOW64, HIGH64 = -(1 << 63), 1 << 63
SIGNED = ("int32", "int64")  # the types of integers of a range; the full range also has the unsigned ones


# What tf.as_dtype takes as a string, and Python's own float. NumPy reads "float" and float as float64.
_NAMES = {"half": "float16", "float": "float32", "double": "float64", **{name: name for name in FLOATS + INTEGERS}}


def read_dtype(dtype: Any, names: tuple[str, ...]) -> np.dtype[Any]:
    """`dtype` as one of those named, as tf.as_dtype reads it.

    Python's float is float32. Python's int and NumPy's short strings, such as "f4", are no types of TensorFlow. The
    byte order of NumPy's types does not count. A tf.DType names NumPy's type itself.
    """
    given = getattr(dtype, "as_numpy_dtype", dtype)
    if given is float:
        given = np.float32
    elif isinstance(given, str):
        given = _NAMES.get(given)
    elif given is int:
        given = None
    elif isinstance(given, np.dtype):
        given = given.newbyteorder("=")
    try:
        return check_dtype(given, names)
    except TypeError:
        pass
    raise TypeError(f"dtype must be {format_choices(names)}, as tf.as_dtype reads it; got {dtype!r}.")


def check_sizes(shape: Any) -> Sizes:
    """`shape` as a tuple of sizes: a sequence or vector of ints, of any rank, () for a scalar."""
    if isinstance(shape, np.ndarray) and shape.ndim == 1:
        shape = shape.tolist() if shape.size == 0 or shape.dtype.kind in "iu" else list(shape)
    if not isinstance(shape, (list, tuple)):
        raise TypeError(f"shape must be a sequence of ints; got {shape!r}. Write [3] for three values, [] for one.")
    return tuple([check_int(size, f"shape[{axis}]", 0, HIGH64) for axis, size in enumerate(shape)])


def check_algorithm(alg: Any) -> int:
    """`alg` as TensorFlow's number of it. On the CPU auto_select is Philox with the same scrambling of seeds."""
    if isinstance(alg, str):
        known = {"philox": PHILOX, "autoselect": AUTO_SELECT}
        found = known.get(alg.strip().lower().replace("-", "").replace("_", ""))
    else:
        number = check_int(alg, "alg")
        found = number if number in (PHILOX, AUTO_SELECT) else None
    if found is None:
        raise ValueError(
            f"alg must be 'philox' (1) or 'auto_select' (3, which is Philox on the CPU); got {alg!r}. "
            "ThreeFry is not imitated."
        )
    return found


def check_pair(seed: Any) -> tuple[int, int, np.dtype[Any]]:
    """A seed of shape [2] as two signed ints, and its type as TensorFlow converts it: lists are int32 if they fit."""
    values, kind = int_vector(seed, "seed", LOW64, HIGH64)
    if len(values) != 2 or np.ndim(seed) != 1:
        raise ValueError(f"seed must have shape [2]; got shape {list(np.shape(seed))}. Pass two ints, such as [1, 2].")
    return values[0], values[1], kind


def int_vector(values: Any, name: str, low: int, high: int) -> tuple[list[int], np.dtype[Any]]:
    """A sequence or array of ints in [low, high), flattened, and the type TensorFlow converts it to."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind not in "iu":
            raise TypeError(f"{name} must hold integers; got an array of {values.dtype}. Convert it yourself.")
        numbers: Any = values.ravel().tolist()
        kind: np.dtype[Any] | None = values.dtype.newbyteorder("=")
    elif isinstance(values, (list, tuple)):
        numbers, kind = values, None
    else:
        raise TypeError(
            f"{name} must be a sequence or array of ints; got {values!r} of type {type(values).__name__}. "
            "Pass ints in a list."
        )
    checked = [check_int(number, f"{name}[{i}]", low, high) for i, number in enumerate(numbers)]
    return checked, kind or smallest_int(checked)


def smallest_int(values: list[int]) -> np.dtype[Any]:
    """TensorFlow's type of Python ints: int32 where all fit, else int64."""
    fit = all(-(1 << 31) <= value < 1 << 31 for value in values)
    return np.dtype(np.int32 if fit else np.int64)


def read_reals(value: Any, name: str, kind: np.dtype[Any], sizes: Sizes) -> Array:
    """A number, or an array of numbers, as finite numbers of the type that broadcast with `sizes`.

    TensorFlow reads Python floats as float32 on the way to the 16-bit types, so they are rounded twice.
    """
    numbers = check_reals(value, name)
    if type(value) is float or isinstance(value, (list, tuple)):
        numbers = round_reals(numbers, name, np.dtype(np.float64 if kind.itemsize == 8 else np.float32), value)
    rounded = round_reals(numbers, name, kind, value)
    check_broadcast(sizes, rounded.shape, name, widening=True)
    return rounded


def check_bounds(minval: Any, maxval: Any, kind: np.dtype[Any], sizes: Sizes) -> tuple[Array, Array]:
    """The bounds of a uniform draw of reals, minval below maxval everywhere and their difference finite."""
    bottom = read_reals(minval, "minval", kind, sizes)
    top = read_reals(1 if maxval is None else maxval, "maxval", kind, sizes)
    check_broadcast(bottom.shape, top.shape, "maxval", widening=True)
    if not (bottom < top).all():
        raise ValueError(f"minval must be below maxval in {kind}; got minval {minval!r} and maxval {maxval!r}.")
    with np.errstate(over="ignore"):
        if not np.isfinite(top - bottom).all():
            raise ValueError(f"maxval - minval must be finite in {kind}; got minval {minval!r} and maxval {maxval!r}.")
    return bottom, top


def check_range(minval: Any, maxval: Any, kind: np.dtype[Any]) -> tuple[int, int] | None:
    """The bounds of a draw of integers; None for the whole range of the type, where both bounds are None."""
    if (minval is None) != (maxval is None):
        raise ValueError(
            f"minval and maxval must both be None or both be given for {kind}; got minval {minval!r} and "
            f"maxval {maxval!r}. maxval has no default for integers."
        )
    if minval is None:
        return None
    if kind.kind == "u":
        raise ValueError(
            f"minval and maxval must be None for {kind}, of which TensorFlow draws the full range only; got minval "
            f"{minval!r} and maxval {maxval!r}. Draw a signed type, or pass minval=None and maxval=None."
        )
    info = np.iinfo(kind)
    bottom = check_int(minval, "minval", int(info.min), int(info.max) + 1)
    top = check_int(maxval, "maxval", int(info.min), int(info.max) + 1)
    if bottom >= top:
        raise ValueError(f"minval must be below maxval; got minval {bottom} and maxval {top}.")
    return bottom, top
