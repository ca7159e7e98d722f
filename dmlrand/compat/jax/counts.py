"""Integers of a key with a distribution that is not uniform: geometric numbers and random signs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...arrays.arguments import check_broadcast
from ...arrays.number_types import FLOATS
from ...messages import format_value
from .. import subnormals
from .arguments import INTEGERS, as_reals, check_shape, default_float, default_int, dtype_or
from .elementary import divide_by, log, log1p
from .jax_arrays import KeyArray
from .keys import read_keys
from .reals import format_of, transformed
from .selections import bernoulli

Array = NDArray[Any]


def rademacher(
    key: KeyArray,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """1 and -1 with equal probability.

    Parameters
    ----------
    key, shape, impl, partitionable, x64
        As in uniform.
    dtype : a signed type of randint, or a type of uniform
        The default, also for Python's int, is int32, and int64 with x64.

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> rademacher(PRNGKey(0), (5,))
    array([-1, -1,  1,  1, -1], dtype=int32)
    """
    kind = dtype_or(default_int(x64), default_float(x64) if dtype is float else dtype, SIGNED)
    chance = default_float(x64).type(0.5)
    heads = bernoulli(key, chance, check_shape(shape), impl=impl, partitionable=partitionable, x64=x64)
    return np.asarray(np.where(heads, kind.type(1), kind.type(-1)))


SIGNED = (*[name for name in INTEGERS if name.startswith("int")], *FLOATS)


def geometric(
    key: KeyArray,
    p: Any,
    shape: Any = None,
    dtype: DTypeLike | None = None,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """The number of trials up to the first success: floor(log(u) / log1p(-p)) + 1, where u is uniform in (0, 1).

    Parameters
    ----------
    key, impl, partitionable, x64
        As in uniform.
    p : real in [0, 1], or array of reals that broadcasts to shape
        The chance of success. The draw has the type of p, as in bernoulli.
    shape : int or sequence of ints >= 0
        The default is the shape of p.
    dtype : int32 or, with x64, int64
        The default, also for Python's int, is int32, and int64 with x64. Greater numbers become the type's greatest.

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> geometric(PRNGKey(0), 0.25, (5,))
    array([1, 1, 4, 3, 2], dtype=int32)
    """
    keys = read_keys(key, impl, partitionable)
    out_kind = dtype_or(default_int(x64), dtype, ("int32", "int64"))
    chances = subnormals.flush(as_reals(p, "p", x64))
    if not bool(((chances >= 0) & (chances <= 1)).all()):
        raise ValueError(f"p must be in [0, 1]; got {format_value(p)}.")
    sizes = chances.shape if shape is None else check_shape(shape)
    check_broadcast(sizes, chances.shape, "p")
    kind = chances.dtype
    one = kind.type(1)
    divide, parameter = divide_by(log1p(-chances), math.prod(sizes))

    def trials(u: Array, parameter: Array) -> Array:
        logs = log(np.where(u == 0, one, u))
        return np.asarray(np.floor(divide(logs, parameter).astype(kind, copy=False)) + one)

    counts = transformed(keys, sizes, kind, format_of(kind).unit_bounds(), trials, parameter)
    return _saturated(counts, out_kind)


@np.errstate(all="ignore")
def _saturated(numbers: Array, kind: np.dtype[Any]) -> Array:
    """Integers of `kind`: its greatest integer where a number is greater, and 0 for nan."""
    top = np.iinfo(kind).max
    whole = np.where(np.isnan(numbers), 0, numbers).astype(kind)
    return np.asarray(np.where(numbers >= float(top), kind.type(top), whole))
