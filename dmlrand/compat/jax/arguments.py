"""Checks of the arguments of JAX's functions, and JAX's own arrays and keys as numpy arrays. JAX is not imported."""

from __future__ import annotations

from typing import Any, Protocol, TypedDict

import numpy as np
from numpy.typing import DTypeLike

from ...drawing.number_types import FLOATS, check_dtype
from ..shared import FLOAT32, FLOAT64, Array, Shape, check_int, check_reals, format_value, read_sizes
from ..subnormals import flush

DType = DTypeLike | None

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)
UINT32, UINT64 = np.dtype(np.uint32), np.dtype(np.uint64)
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = ("int8", "int16", "int32", "int64", *UNSIGNED)
SHORT = {"int4": (-8, 7), "uint4": (0, 15), "int2": (-2, 1), "uint2": (0, 3)}  # of ml_dtypes: the range of each
SIGNS = (*INTEGERS, *FLOATS, "bool")  # of rademacher
# The types that are drawn by default, without and with x64.
DEFAULTS: dict[tuple[str, ...], list[np.dtype[Any]]] = {
    FLOATS: [FLOAT32, FLOAT64], UNSIGNED: [UINT32, UINT64], INTEGERS: [INT32, INT64]
}  # fmt: skip


class Config(TypedDict, total=False):
    """What JAX reads from its configuration. The package's docstring says what the options mean."""

    impl: str | None
    partitionable: bool
    x64: bool
    avx512_fp16: bool


class KeyArray(Protocol):
    """A key or an array of keys: an array of words of numpy or JAX, or a typed key of jax.random.key."""

    @property
    def dtype(self) -> Any: ...
    @property
    def shape(self) -> Any: ...


TYPED = {  # JAX's name of the dtype of a typed key, and the implementation of the key
    "key<fry>": "threefry2x32",
    "key<phx4>": "philox4x32",
    "key<rbg>": "rbg",
    "key<urbg>": "unsafe_rbg",
}


def check_shape(shape: Any, name: str = "shape") -> Shape:
    """`shape` as a tuple of sizes, which may be empty. An int means rank 1."""
    return read_sizes(shape if isinstance(shape, (int, tuple)) else as_numpy(shape), name)


def check_flag(value: Any, name: str) -> bool:
    if type(value) is not bool and not isinstance(value, np.bool_):
        raise TypeError(f"{name} must be True or False; got {format_value(value)}.")
    return bool(value)


def read_dtype(dtype: Any, names: tuple[str, ...], x64: bool) -> np.dtype[Any]:
    """`dtype` as one of the named types. None means the default, and Python's float and int mean the default of reals
    and of integers. Without x64 JAX has no type of 64 bits."""
    if dtype is None or (dtype is int and "int32" in names):
        return DEFAULTS.get(names, DEFAULTS[INTEGERS])[x64]
    if dtype is float and "float32" in names:
        return DEFAULTS[FLOATS][x64]
    kind = check_dtype(dtype, names)
    if kind.itemsize == 8 and not x64:
        narrow = f"{kind.name[:-2]}32"
        raise TypeError(
            f"dtype {kind.name} needs x64=True; got {dtype!r} without it, where JAX warns and draws {narrow}. "
            f"Pass x64=True, or dtype={narrow!r}."
        )
    return kind


def check_axis(axis: Any, rank: int) -> int:
    place = check_int(axis, "axis")
    if not -rank <= place < rank:
        raise ValueError(f"axis must be in [{-rank}, {rank}) for an array of rank {rank}; got {place}.")
    return place % rank


def as_reals(value: Any, name: str, x64: bool) -> Array:
    """`value` as an array of reals. Without x64, Python's numbers and arrays of float64 become float32, as in JAX."""
    array = check_reals(value, name, kinds="f")
    array = array if hasattr(value, "dtype") else array.astype(np.float64)
    return array if x64 else narrowed(array)


def narrowed(reals: Array) -> Array:
    """The reals that JAX reads without x64: float32 instead of float64. Subnormal numbers are kept."""
    with np.errstate(over="ignore", under="ignore"):
        return reals.astype(np.float32) if reals.dtype == FLOAT64 else reals


def as_type(reals: Array, kind: np.dtype[Any]) -> Array:
    """Reals converted as XLA does it: float64 by way of float32, where subnormal numbers are flushed."""
    with np.errstate(over="ignore", under="ignore"):
        if reals.dtype.kind not in "iu" and reals.dtype != kind and FLOAT64 in (reals.dtype, kind):
            reals = flush(flush(reals).astype(FLOAT32))
        return reals.astype(kind)


def as_numpy(value: Any) -> Any:
    """A jax.Array as a numpy array, an array without axes as a scalar, and any other value as it is."""
    if not isinstance(value, (np.ndarray, np.generic)) and hasattr(value, "__array__") and hasattr(value, "dtype"):
        value = np.asarray(value)
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
