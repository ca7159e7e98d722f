"""Integers, truths and categories of a key."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ... import kernels
from ...arrays import subnormals
from ...arrays.arguments import check_broadcast
from ...arrays.integers import check_int
from ...arrays.tensor import Shape
from .arguments import (
    BOOL,
    INT32,
    INTEGERS,
    UINT32,
    UINT64,
    as_reals,
    check_axis,
    check_flag,
    check_shape,
    default_int,
    dtype_or,
    is_row,
)
from .keys import THREEFRY, Keys, is_common, read_keys
from .reals import format_of, gumbels, uniforms
from .sources import Words

Array = NDArray[Any]


def randint(
    key: Words,
    shape: Any,
    minval: Any,
    maxval: Any,
    dtype: DTypeLike | None = None,
    *,
    impl: str = THREEFRY,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Integers in [minval, maxval), by a remainder of twice the type's bits; slightly biased, as JAX's.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg"
    shape : int or sequence of ints >= 0
    minval, maxval : int, or array of ints that broadcasts to shape
        Clipped to what dtype holds; maxval may be one above it. As in JAX, minval >= maxval gives minval.
    dtype : int8, int16, int32, uint8, uint16, uint32 or, with x64, int64 or uint64
        By default, and for Python's int: int32, with x64 int64.

    Returns
    -------
    array of dtype, of key's leading axes and shape

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> randint(PRNGKey(0), (5,), 0, 10)
    array([9, 0, 2, 3, 1], dtype=int32)
    """
    if dtype is None and x64 is False and type(minval) is type(maxval) is int and is_common(key, impl, partitionable):
        low, high = _clip_ints(minval, maxval, INT32)
        values = np.empty(check_shape(shape), INT32)
        kernels.threefry_randint(key, low, max(1, high - low), values if values.ndim == 1 else values.reshape(-1))
        return values
    keys = read_keys(key, impl, partitionable)
    kind = dtype_or(default_int(x64), dtype, INTEGERS)
    sizes = check_shape(shape)
    return randints(keys, sizes, kind, *_read_range(minval, maxval, sizes, kind))


def bernoulli(
    key: Words,
    p: Any = 0.5,
    shape: Any = None,
    *,
    impl: str = THREEFRY,
    partitionable: bool = True,
    x64: bool = False,
) -> NDArray[np.bool_]:
    """True with probability p. JAX's mode="low", its default.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg"
    p : real in [0, 1], or array of reals that broadcasts to shape
        Its type is the one drawn in; float64 and Python's floats count as float32 without x64.
    shape : int or sequence of ints >= 0; by default that of p

    Returns
    -------
    bool array of key's leading axes and shape

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above. (JAX lets p outside [0, 1] pass.)

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> bernoulli(PRNGKey(0), 0.5, (4,))
    array([False, False,  True,  True])
    """
    if type(p) is float and 0 <= p <= 1 and x64 is False and is_common(key, impl, partitionable):
        truths = np.empty(() if shape is None else check_shape(shape), BOOL)
        kernels.threefry_bernoulli(key, p, truths if truths.ndim == 1 else truths.reshape(-1))
        return truths
    keys = read_keys(key, impl, partitionable)
    chances = as_reals(p, "p", x64)
    if not bool(((chances >= 0) & (chances <= 1)).all()):
        raise ValueError(f"p must be in [0, 1]; got {p!r}.")
    sizes = chances.shape if shape is None else check_shape(shape)
    check_broadcast(sizes, chances.shape, "p")
    work = format_of(chances.dtype).work
    values = uniforms(keys, sizes, chances.dtype, np.zeros(1, work), np.ones(1, work))
    return np.asarray(values < subnormals.flush(chances.astype(work)))


def categorical(
    key: Words,
    logits: Any,
    axis: int = -1,
    shape: Any = None,
    replace: bool = True,
    *,
    impl: str = THREEFRY,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Categories of the probabilities that are proportional to exp(logits): the greatest of logits plus Gumbel's noise.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg"
    logits : array of reals
        Its type is the one drawn in; float64 and Python's floats count as float32 without x64.
    axis : int
        The axis of logits that holds the categories; none other of its axes is one.
    shape : sequence of ints >= 0; by default that of logits without axis
        New axes in front of these; without replacement a category comes once along them.
    replace : bool

    Returns
    -------
    int32 array of key's leading axes and shape; with x64 int64, but for draws without replacement

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above, there is no category, or there are too few of them without replacement.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> categorical(PRNGKey(0), [0.1, 2.0, 0.3], shape=(8,))
    array([1, 1, 1, 1, 1, 1, 1, 0], dtype=int32)
    """
    if replace is True and x64 is False and is_row(logits) and logits.size and is_common(key, impl, partitionable):
        check_axis(axis, 1)
        places = np.empty(() if shape is None else check_shape(shape), INT32)
        kernels.threefry_categorical(key, logits, places if places.ndim == 1 else places.reshape(-1))
        return places
    keys = read_keys(key, impl, partitionable)
    array = as_reals(logits, "logits", x64)
    if array.ndim == 0:
        raise ValueError(f"logits must have an axis of categories; got the scalar {logits!r}.")
    axis = check_axis(axis, array.ndim) - array.ndim  # counted from the back: axes come in front
    batch = array.shape[:axis] + array.shape[array.ndim + axis + 1 :]
    sizes = batch if shape is None else check_shape(shape)
    check_broadcast(sizes, batch, "logits without axis")
    count = array.shape[axis]
    if count == 0:
        raise ValueError(f"logits must have at least one category; got shape {array.shape}.")
    front = sizes[: len(sizes) - len(batch)]
    if check_flag(replace, "replace"):
        stretched = list(sizes[len(front) :])
        stretched.insert(array.ndim + axis, count)
        noise = gumbels(keys, front + tuple(stretched), array.dtype)
        return np.asarray((noise + array).argmax(axis)).astype(default_int(x64))
    draws = math.prod(front)
    if draws > count or sizes != front + batch:
        raise ValueError(
            f"shape without replacement must be at most {count} draws, one for each category, in front of {batch}; "
            f"got {sizes}."
        )
    noisy = gumbels(keys, array.shape, array.dtype) + array
    if not batch:  # then no axis moves, which numpy takes microseconds to find
        return greatest(noisy, draws).reshape(keys.lead + sizes).astype(np.int32)
    drawn = np.moveaxis(greatest(np.moveaxis(noisy, axis, -1), draws), -1, len(keys.lead))
    return np.ascontiguousarray(drawn).reshape(keys.lead + sizes).astype(np.int32)


def greatest(values: Array, count: int) -> Array:
    """Where the `count` greatest of the last axis are, the greatest first; of equals the first one."""
    return np.argsort(-values, axis=-1, kind="stable")[..., :count]


def randints(keys: Keys, shape: Shape, kind: np.dtype[Any], span: Array, start: Array) -> Array:
    """Integers of `kind`: start, plus less than span. Those hold one number, or one an element; span 0 is all."""
    unsigned = span.dtype
    first, second = keys.halves()
    width = 8 * unsigned.itemsize
    high, low = first.bits(width, shape), second.bits(width, shape)
    if span.size != 1 or start.size != 1:
        span, start = (np.broadcast_to(each, high.shape).copy() for each in (span, start))
    out = np.empty(high.shape, unsigned)
    kernels.xla_randint(high.reshape(-1), low.reshape(-1), span.reshape(-1), start.reshape(-1), out.reshape(-1))
    values: Array = out.view(f"i{unsigned.itemsize}").astype(kind) if kind.itemsize < 4 else out.view(kind)
    return values


def scalar_range(low: int, high: int, kind: np.dtype[Any]) -> tuple[Array, Array]:
    """span and start, for `randints`, of two ints that `kind` holds, high perhaps one above."""
    unsigned = _unsigned(kind)
    modulus = 1 << 8 * unsigned.itemsize
    return np.array([max(1, high - low) % modulus], unsigned), np.array([low % modulus], unsigned)


_RANGES = {np.dtype(name): (int(np.iinfo(name).min), int(np.iinfo(name).max)) for name in INTEGERS}


def _clip_ints(low: int, high: int, kind: np.dtype[Any]) -> tuple[int, int]:
    """Bounds as the nearest ones that `kind` has; the upper one may be one above what it holds."""
    least, most = _RANGES[kind]
    if least <= low <= high <= most:
        return low, high
    return min(max(low, least), most), min(max(high, least), most + 1)


def _read_range(minval: Any, maxval: Any, shape: Shape, kind: np.dtype[Any]) -> tuple[Array, Array]:
    if not isinstance(minval, np.ndarray) and not isinstance(maxval, np.ndarray):
        return scalar_range(*_clip_ints(check_int(minval, "minval"), check_int(maxval, "maxval"), kind), kind)
    bottom, top = _read_bound(minval, "minval", shape), _read_bound(maxval, "maxval", shape)
    beyond = top > _RANGES[kind][1]
    bottom, top = _clip(bottom, kind), _clip(top, kind)
    unsigned = _unsigned(kind)
    with np.errstate(over="ignore"):  # numpy tells of it where the bounds have no axes
        width = top.astype(unsigned) - bottom.astype(unsigned) + beyond.astype(unsigned)
    return np.where(top > bottom, width, unsigned.type(1)), bottom.astype(unsigned)


def _read_bound(value: Any, name: str, shape: Shape) -> Array:
    array: Array
    if isinstance(value, np.ndarray):
        array = value
    else:
        array = np.array(min(max(check_int(value, name), -(1 << 63)), (1 << 64) - 1))
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers; got {array.dtype} of shape {array.shape}.")
    check_broadcast(shape, array.shape, name)
    return array


def _clip(values: Array, kind: np.dtype[Any]) -> Array:
    """Integers as the nearest ones that `kind` holds."""
    own, wanted = np.iinfo(values.dtype), np.iinfo(kind)
    clipped: Array = values.clip(max(int(own.min), int(wanted.min)), min(int(own.max), int(wanted.max))).astype(kind)
    return clipped


def _unsigned(kind: np.dtype[Any]) -> np.dtype[Any]:
    """The words that integers of `kind` are drawn in."""
    return UINT64 if kind.itemsize == 8 else UINT32
