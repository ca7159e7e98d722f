"""Words, integers and bools of a key: specs/jax.md, clauses 4, 11, 13 and 25.

All functions take a key, `shape` and the options as `uniform` does. Results have the leading axes of key, then `shape`.
"""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ... import kernels
from ...arrays.arguments import check_broadcast, check_choice
from ...arrays.integers import check_int
from ...arrays.number_types import FLOATS
from ...arrays.tensor import Shape
from ...messages import format_value
from .. import subnormals
from .arguments import (
    INTEGERS,
    UINT32,
    UINT64,
    UNSIGNED,
    Array,
    KeyArray,
    Options,
    as_numpy,
    as_reals,
    check_shape,
    default_float,
    default_int,
    dtype_or,
)
from .elementary import divide_by, log, log1p
from .keys import Keys, read_call, stretch, take_place
from .reals import MODES, fill_uniform, format_of, transformed, two_uniforms

SIGNS = (*INTEGERS, *FLOATS, "bool")


def bits(key: KeyArray, shape: Any = (), dtype: DTypeLike | None = None, **options: Unpack[Options]) -> Array:
    """Uniform words: uint8, uint16, uint32 or, with x64, uint64. The default is uint32, and uint64 with x64.

    >>> from dmlrand.compat.jax import PRNGKey
    >>> bits(PRNGKey(0), (2,))
    array([4070199207, 4202968722], dtype=uint32)
    """
    keys, x64 = read_call(key, options)
    kind = dtype_or(UINT64 if x64 else UINT32, dtype, UNSIGNED)
    return keys.bits(8 * kind.itemsize, check_shape(shape))


def randint(
    key: KeyArray, shape: Any, minval: Any, maxval: Any, dtype: DTypeLike | None = None, **options: Unpack[Options]
) -> Array:
    """Integers in [minval, maxval): minval plus the remainder of a word of twice the type's bits.

    They are slightly biased, as JAX's are.

    Parameters
    ----------
    minval, maxval : int, or array of ints that broadcasts to shape
        Both are clipped to the range of dtype; maxval may be one above it. As in JAX, minval >= maxval gives minval.
    dtype : int8, int16, int32, uint8, uint16, uint32 or, with x64, int64 or uint64
        The default, also for Python's int, is int32, and int64 with x64.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> randint(PRNGKey(0), (5,), 0, 10)
    array([9, 0, 2, 3, 1], dtype=int32)
    """
    keys, x64 = read_call(key, options)
    kind = dtype_or(default_int(x64), dtype, INTEGERS)
    return randints(keys, check_shape(shape), kind, minval, maxval)


def bernoulli(
    key: KeyArray, p: Any = 0.5, shape: Any = None, mode: str = "low", **options: Unpack[Options]
) -> NDArray[np.bool_]:
    """True with probability p.

    Parameters
    ----------
    p : real in [0, 1], or array of reals that broadcasts to shape
        The draw has the type of p. Without x64 float64 and Python's floats count as float32. JAX takes p outside
        [0, 1].
    shape : int or sequence of ints >= 0
        The default is the shape of p.
    mode : "low" or "high"
        "high" draws two uniform reals for each result, so that small p are met more exactly.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> bernoulli(PRNGKey(0), 0.5, (4,))
    array([False, False,  True,  True])
    """
    keys, x64 = read_call(key, options)
    chances, sizes = _read_chances(p, shape, x64)
    form = format_of(chances.dtype)
    if check_choice(mode, "mode", MODES) == "high":
        high, low = two_uniforms(keys, sizes, chances.dtype)
        return np.asarray(low * chances.dtype.type(2.0**-form.fraction) < chances - high)
    out = np.empty(keys.lead + sizes, np.bool_)
    flat = out.reshape(-1)
    (limits,) = stretch(out.shape, chances.astype(form.work))
    for place, words in keys.pieces(form.width, sizes):
        values = fill_uniform(words, chances.dtype, *form.bounds(), np.empty(words.size, form.work))
        np.less(values, take_place(limits, place), out=flat[place])
    return out


def rademacher(key: KeyArray, shape: Any = (), dtype: DTypeLike | None = None, **options: Unpack[Options]) -> Array:
    """1 and -1 with equal probability, in a type of randint or of uniform, or in bool. The default is randint's.

    Unsigned types have their greatest number in the place of -1. bool is True everywhere, as in JAX.

    >>> from dmlrand.compat.jax import PRNGKey
    >>> rademacher(PRNGKey(0), (5,))
    array([-1, -1,  1,  1, -1], dtype=int32)
    """
    x64 = options.get("x64", False)
    kind = dtype_or(default_int(x64), default_float(x64) if dtype is float else dtype, SIGNS)
    heads = bernoulli(key, default_float(x64).type(0.5), check_shape(shape), **options)
    return np.where(heads, 1, -1).astype(kind)


def geometric(
    key: KeyArray, p: Any, shape: Any = None, dtype: DTypeLike | None = None, **options: Unpack[Options]
) -> Array:
    """The number of trials up to the first success: floor(log(u) / log1p(-p)) + 1, where u is uniform in (0, 1).

    p and shape are those of bernoulli, and dtype is one of randint. Greater numbers become the type's greatest.

    >>> from dmlrand.compat.jax import PRNGKey
    >>> geometric(PRNGKey(0), 0.25, (5,))
    array([1, 1, 4, 3, 2], dtype=int32)
    """
    keys, x64 = read_call(key, options)
    out_kind = dtype_or(default_int(x64), dtype, INTEGERS)
    chances, sizes = _read_chances(p, shape, x64)
    kind = chances.dtype
    one = kind.type(1)
    divide, parameter = divide_by(log1p(-chances), math.prod(sizes))

    def trials(u: Array, parameter: Array) -> Array:
        logs = log(np.where(u == 0, one, u))
        return np.asarray(np.floor(divide(logs, parameter).astype(kind, copy=False)) + one)

    return saturated(transformed(keys, sizes, kind, format_of(kind).bounds(), trials, parameter), out_kind)


def _read_chances(p: Any, shape: Any, x64: bool) -> tuple[Array, Shape]:
    """Probabilities, and the shape of the output."""
    chances = subnormals.flush(as_reals(p, "p", x64))
    if not bool(((chances >= 0) & (chances <= 1)).all()):
        raise ValueError(f"p must be in [0, 1]; got {format_value(p)}.")
    sizes = chances.shape if shape is None else check_shape(shape)
    check_broadcast(sizes, chances.shape, "p")
    return chances, sizes


def randints(keys: Keys, shape: Shape, kind: np.dtype[Any], minval: Any, maxval: Any) -> Array:
    """Integers of `kind` in [minval, maxval)."""
    span, start = _read_range(minval, maxval, shape, kind)
    unsigned = span.dtype
    width = 8 * unsigned.itemsize
    out = np.empty(keys.lead + shape, unsigned)
    flat = out.reshape(-1)
    span, start = stretch(out.shape, span, start)
    first, second = keys.children()
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


@np.errstate(all="ignore")
def saturated(numbers: Array, kind: np.dtype[Any]) -> Array:
    """Integers of `kind`: its greatest integer where a number is greater, and 0 for nan."""
    top = np.iinfo(kind).max
    whole = np.where(np.isnan(numbers), 0, numbers).astype(kind)
    return np.asarray(np.where(numbers >= float(top), kind.type(top), whole))
