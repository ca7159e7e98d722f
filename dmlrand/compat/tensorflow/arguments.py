"""Checks of TensorFlow's arguments: shapes, seeds, dtypes, bounds, logits and algorithms, read as TensorFlow does."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from ...drawing.arguments import format_choices
from ...drawing.interchange import read_array
from ...drawing.number_types import FLOATS, INTEGERS, check_dtype
from .. import shared
from ..shared import Array as Array, Shape, check_broadcast, check_int, check_reals, format_value, round_reals

Ints = tuple[list[int], np.dtype[Any]]  # ints, and the type that TensorFlow gives to them

LOW64, HIGH64 = -(1 << 63), 1 << 63
SIGNED = ("int32", "int64")  # the integer types of which a range can be drawn; the others have the full range only
AUTO = "auto_select"  # the default of `alg`

# The strings that tf.as_dtype takes, and Python's float. NumPy would read "float" as float64.
_NAMES: dict[Any, str] = {name: name for name in FLOATS + INTEGERS}
_NAMES |= {"half": "float16", "float": "float32", "double": "float64", float: "float32"}


class Algorithm(Enum):
    """`tf.random.Algorithm`, as split of this module takes it. Only PHILOX and AUTO_SELECT are imitated."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


# On the CPU both are Philox, and seeds are scrambled in the same way.
_ALGORITHMS = {"philox": Algorithm.PHILOX.value, "autoselect": Algorithm.AUTO_SELECT.value}


def check_algorithm(alg: Any) -> int:
    """`alg` as TensorFlow's number for it."""
    if isinstance(alg, str):
        found = _ALGORITHMS.get(alg.strip().lower().replace("-", "").replace("_", ""), 0)
    else:
        found = check_int(alg.value if isinstance(alg, Enum) else alg, "alg")
    if found not in _ALGORITHMS.values():
        rule = "alg must be 'philox' (1) or 'auto_select' (3, which is Philox on the CPU)"
        raise ValueError(f"{rule}; got {format_value(alg)}. ThreeFry is not imitated.")
    return found


def read_dtype(dtype: Any, names: tuple[str, ...]) -> np.dtype[Any]:
    """`dtype` as one of those named, as tf.as_dtype reads it: Python's float is float32, and Python's int and NumPy's
    short strings, such as "f4", are no types. The byte order does not count. A tf.DType names NumPy's type itself."""
    given = getattr(dtype, "as_numpy_dtype", dtype)
    if isinstance(given, np.dtype):
        given = given.newbyteorder("=")
    elif isinstance(given, str) or given is int or given is float:
        given = _NAMES.get(given)
    try:
        return check_dtype(given, names)
    except TypeError:
        got = f"got {format_value(dtype)}."
        raise TypeError(f"dtype must be {format_choices(names)}, as tf.as_dtype reads it; {got}") from None


def as_numpy(value: Any, name: str) -> Any:
    """An array of any package but TensorFlow as a numpy array. Other values are returned as they are."""
    for item in value if isinstance(value, (list, tuple)) else (value,):
        if type(item) not in (int, float) and hasattr(getattr(item, "dtype", None), "as_numpy_dtype"):
            rule = f"{name} must be or hold no tensor of TensorFlow"
            raise TypeError(f"{rule}; got a {type(item).__name__}. Pass its array: {name}.numpy().")
    array = None if type(value) in (int, float, list, tuple, np.ndarray) else read_array(value, name)
    return value if array is None else array


def check_sizes(shape: Any) -> Shape:
    """`shape` as a tuple of sizes: a sequence or vector of ints, of any rank, () for a scalar."""
    return shared.read_sizes(as_numpy(shape, "shape"), takes_int=False, end=HIGH64)


def is_int64_shape(shape: Any) -> bool:
    """Whether TensorFlow reads a shape as a tensor of int64, as it reads an int64 array."""
    given = as_numpy(shape, "shape")
    return isinstance(given, np.ndarray) and given.dtype.kind in "iu" and given.dtype.name != "int32"


def check_pair(seed: Any) -> tuple[int, int, np.dtype[Any]]:
    """A seed pair as two signed ints, and its type in TensorFlow. Numbers of uint64 count as the int64 with the same
    bits."""
    numbers, kind = fixed_ints(seed, "seed", 2, "two ints, such as [1, 2]", high=None)
    first, second = [number - 2 * HIGH64 * (number >= HIGH64) for number in numbers]
    return first, second, kind


def fixed_ints(values: Any, name: str, length: int, contents: str, high: int | None = 1 << 64) -> Ints:
    """A vector of `length` ints as read_ints reads it. The error says what the vector holds: `contents`."""
    sizes = [len(values)] if isinstance(values, (list, tuple)) else list(np.shape(as_numpy(values, name)))
    if sizes != [length]:
        raise ValueError(f"{name} must have shape [{length}]: {contents}; got shape {sizes}.")
    return read_ints(values, name, LOW64, high)


def read_ints(value: Any, name: str, low: int, high: int | None = None) -> Ints:
    """The ints in [low, high) of an int, a sequence or an array, and the type TensorFlow converts them to. `high` is
    2**63 by default, 2**64 for arrays."""
    value, kind = as_numpy(value, name), None
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.kind not in "iu":
            raise TypeError(f"{name} must hold integers; got an array of {value.dtype}. Convert it yourself.")
        value, kind, high = value.ravel().tolist(), value.dtype.newbyteorder("="), high or 1 << 64
    high = high or HIGH64
    if isinstance(value, (list, tuple)):
        numbers = [check_int(each, f"{name}[{i}]", low, high) for i, each in enumerate(value)]
    else:
        numbers = [check_int(value, name, low, high)]
    return numbers, kind or smallest_int(numbers)


def typed_ints(value: Any, name: str, low: int, rank: int) -> Ints:
    """An int or, if `rank` is 1, a vector of ints, and their type in TensorFlow, one of INTEGERS."""
    numbers, kind = read_ints(value, name, low)
    if type(value) is not int and np.ndim(value) > rank:
        rule = f"{name} must be an int{' or a vector of ints' * rank}"
        raise ValueError(f"{rule}; got shape {list(np.shape(value))}.")
    if kind.itemsize < 4:
        rule = f"{name} must be {', '.join(INTEGERS)} or Python ints"
        raise TypeError(f"{rule}; got {kind}. Convert it: {name}.astype(numpy.int64).")
    return numbers, kind


def smallest_int(values: list[int]) -> np.dtype[Any]:
    """TensorFlow's type of Python ints: int32 where all fit, else int64."""
    fit = all(-(1 << 31) <= value < 1 << 31 for value in values)
    return np.dtype(np.int32 if fit else np.int64)


def read_reals(value: Any, name: str, kind: np.dtype[Any], sizes: Shape) -> Array:
    """A number or an array as finite numbers of the type that broadcast with `sizes`. TensorFlow reads Python floats
    and sequences as float32 on the way to the 16-bit types, so it rounds them twice."""
    if type(value) in (int, float) and -60000 < value < 60000:  # Fast path: finite in every type
        return np.asarray(kind.type(np.float32(value) if kind.itemsize == 2 and type(value) is float else value))
    numbers = check_reals(as_numpy(value, name), name)
    if type(value) is float or isinstance(value, (list, tuple)):
        numbers = round_reals(numbers, name, np.dtype(np.float64 if kind.itemsize == 8 else np.float32), value)
    rounded = round_reals(numbers, name, kind, value)
    check_broadcast(sizes, rounded.shape, name, widening=True)
    return rounded


def check_range(minval: Any, maxval: Any, kind: np.dtype[Any], sizes: Shape) -> tuple[int, int] | None:
    """The bounds of a draw of integers; None for the whole range of the type, where both bounds are None. As in
    TensorFlow, an empty output may have any bounds: (0, 1) then stand for them."""
    if minval is None and maxval is None:
        return None
    if minval is None or maxval is None:
        rule = f"minval and maxval must both be None or both be given for {kind}"
        raise ValueError(f"{rule}; got {format_bounds(minval, maxval)}. maxval has no default for integers.")
    if kind.kind == "u":
        raise ValueError(
            f"minval and maxval must be None for {kind}, of which TensorFlow draws the full range only; got "
            f"{format_bounds(minval, maxval)}. Draw a signed type, or pass minval=None and maxval=None."
        )
    low, high = shared.check_int_of(kind, minval, "minval"), shared.check_int_of(kind, maxval, "maxval")
    if low >= high and 0 in sizes:
        return 0, 1
    shared.check_bounds(low, high, minval=minval, maxval=maxval)
    return low, high


def format_bounds(minval: Any, maxval: Any) -> str:
    return f"minval {format_value(minval)} and maxval {format_value(maxval)}"


def read_logits(logits: Any) -> Array:
    """Logits of shape (batch, classes), in the type that tf.convert_to_tensor gives them."""
    rows = given = check_reals(as_numpy(logits, "logits"), "logits")
    if given.dtype.kind == "f" and (kind := converted_type(logits, given)) != given.dtype:
        with np.errstate(over="ignore"):
            rows = given.astype(kind)
        if (np.isinf(rows) & np.isfinite(given)).any():
            rule = f"logits must be within the range of {kind}, the type of their first number"
            raise ValueError(f"{rule}; got {format_value(logits)}. Pass a float64 array: numpy.asarray(logits, float).")
    if rows.dtype.name not in FLOATS:
        raise TypeError(
            f"logits must be {format_choices(FLOATS)}; got {rows.dtype}. Convert them: numpy.asarray(logits, float)."
        )
    if rows.ndim != 2 or rows.shape[1] == 0:
        rule = "logits must have shape [batch, classes], with at least one class"
        raise ValueError(f"{rule}; got shape {list(rows.shape)}.")
    return rows


def converted_type(value: Any, rows: Array) -> np.dtype[Any]:
    """The type that tf.convert_to_tensor gives to `value`, which numpy reads as `rows`."""
    if rows.dtype.kind in "USO":  # TensorFlow has one type of strings
        return np.dtype(object)
    if not isinstance(value, (list, tuple)) or rows.dtype.kind not in "if" or not rows.size:
        return rows.dtype
    if rows.dtype.kind == "i":
        return smallest_int([int(rows.min()), int(rows.max())])
    first: Any = value  # the first number or array, whose type counts: float32 for Python's numbers
    while isinstance(first, (list, tuple)):
        first = first[0]
    return np.dtype(getattr(first, "dtype", np.float32))
