"""Integers of a key: uniform words, and integers in a range."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ... import kernels
from ...arrays.arguments import check_broadcast
from ...arrays.integers import check_int
from ...arrays.tensor import Shape
from .arguments import (
    INTEGERS,
    UINT32,
    UINT64,
    UNSIGNED,
    check_flag,
    check_shape,
    default_int,
    dtype_or,
)
from .jax_arrays import KeyArray, as_numpy
from .keys import Keys, read_keys, stretch, take_place

Array = NDArray[Any]


def bits(
    key: KeyArray,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Uniform words.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg" and "unsafe_rbg"; or typed keys of JAX
    shape : int or sequence of ints >= 0
    dtype : uint8, uint16, uint32 or, with x64, uint64
        The default is uint32, and uint64 with x64.

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> bits(PRNGKey(0), (2,))
    array([4070199207, 4202968722], dtype=uint32)
    """
    keys = read_keys(key, impl, partitionable)
    kind = dtype_or(UINT64 if check_flag(x64, "x64") else UINT32, dtype, UNSIGNED)
    return keys.bits(8 * kind.itemsize, check_shape(shape))


def randint(
    key: KeyArray,
    shape: Any,
    minval: Any,
    maxval: Any,
    dtype: DTypeLike | None = None,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Integers in [minval, maxval). They are slightly biased, as JAX's are.

    An integer is minval plus the remainder of a word of twice the type's bits.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg" and "unsafe_rbg"; or typed keys of JAX
    shape : int or sequence of ints >= 0
    minval, maxval : int, or array of ints that broadcasts to shape
        Both are clipped to the range of dtype; maxval may be one above it. As in JAX, minval >= maxval gives minval.
    dtype : int8, int16, int32, uint8, uint16, uint32 or, with x64, int64 or uint64
        The default, also for Python's int, is int32, and int64 with x64.

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> randint(PRNGKey(0), (5,), 0, 10)
    array([9, 0, 2, 3, 1], dtype=int32)
    """
    keys = read_keys(key, impl, partitionable)
    kind = dtype_or(default_int(x64), dtype, INTEGERS)
    sizes = check_shape(shape)
    return randints(keys, sizes, kind, minval, maxval)


def randints(keys: Keys, shape: Shape, kind: np.dtype[Any], minval: Any, maxval: Any) -> Array:
    """Integers of `kind` in [minval, maxval)."""
    span, start = _read_range(minval, maxval, shape, kind)
    unsigned = span.dtype
    width = 8 * unsigned.itemsize
    out = np.empty(keys.lead + shape, unsigned)
    flat = out.reshape(-1)
    span, start = stretch(out.shape, span, start)
    first, second = keys.halves()
    for (place, high), (_, low) in zip(first.pieces(width, shape), second.pieces(width, shape)):
        kernels.xla_randint(high, low, take_place(span, place), take_place(start, place), flat[place])
    return out.view(kind) if kind.itemsize == unsigned.itemsize else out.astype(kind)


def _read_range(minval: Any, maxval: Any, shape: Shape, kind: np.dtype[Any]) -> tuple[Array, Array]:
    """maxval - minval and minval as words. A difference of 2**bits is 0."""
    bottom, _ = _read_bound(minval, "minval", shape, kind)
    top, beyond = _read_bound(maxval, "maxval", shape, kind)
    unsigned = UINT64 if kind.itemsize == 8 else UINT32
    with np.errstate(over="ignore"):  # numpy warns where the bounds have no axes
        width = top.astype(unsigned) - bottom.astype(unsigned) + beyond.astype(unsigned)
    return np.where(top > bottom, width, unsigned.type(1)), bottom.astype(unsigned)


def _read_bound(value: Any, name: str, shape: Shape, kind: np.dtype[Any]) -> tuple[Array, Array]:
    """A bound clipped to what `kind` holds, and whether it was greater."""
    info = np.iinfo(kind)
    value = as_numpy(value)
    if not isinstance(value, np.ndarray):
        number = check_int(value, name)
        return np.array(min(max(number, int(info.min)), int(info.max)), kind), np.array(number > int(info.max))
    if value.dtype.kind not in "iu":
        raise TypeError(
            f"{name} must hold integers; got {value.dtype} of shape {value.shape}. "
            f"Convert it: {name}.astype(numpy.int32)."
        )
    check_broadcast(shape, value.shape, name)
    own = np.iinfo(value.dtype)
    clipped = value.clip(max(int(own.min), int(info.min)), min(int(own.max), int(info.max)))
    return np.asarray(clipped).astype(kind), np.asarray(value > int(info.max))
