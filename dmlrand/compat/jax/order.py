"""Orders and selections by a key: permutation, choice."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import kernels
from ...arrays import subnormals
from ...arrays.integers import check_int
from ...arrays.tensor import Shape
from .arguments import INT32, INT64, as_reals, check_axis, check_flag, check_shape, default_int, is_row
from .discrete import greatest, randint
from .keys import THREEFRY, Keys, is_common, read_keys
from .reals import gumbels, log, uniforms
from .sources import Words

Array = NDArray[Any]

SCAN = 16  # XLA's running sums go by blocks of so many
FEW = 200  # elements at most for kernels: insertion sorts more of them slowly, JAX sorts from 1626 on twice


def permutation(
    key: Words,
    x: Any,
    axis: int = 0,
    independent: bool = False,
    *,
    impl: str = THREEFRY,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """The elements of an array in another order, by sorting random words.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg"
    x : array of one axis or more, or int >= 0, which stands for 0, 1, ..., x - 1
    axis : int
        The axis along which to shuffle.
    independent : bool
        Whether each line along axis is shuffled by itself, or all alike.

    Returns
    -------
    array of x's dtype (for an int, int32, with x64 int64), of key's leading axes and x's shape

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> permutation(PRNGKey(0), 5)
    array([0, 1, 4, 3, 2], dtype=int32)
    """
    items = isinstance(x, np.ndarray) and x.ndim > 0
    axis = check_axis(axis, x.ndim if items else 1)
    alone = check_flag(independent, "independent")
    if not items:
        return _order(key, _read_count(x, "x", x64), default_int(x64), impl, partitionable)
    if alone and x.ndim > 1:
        return _shuffle(read_keys(key, impl, partitionable), x, axis)
    order = _order(key, x.shape[axis], INT64, impl, partitionable)
    return _take(x, order, axis, order.ndim - 1)


def choice(
    key: Words,
    a: Any,
    shape: Any = (),
    replace: bool = True,
    p: Any = None,
    axis: int = 0,
    *,
    impl: str = THREEFRY,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Elements drawn from an array.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg"
    a : array of one axis or more, or int >= 0, which stands for 0, 1, ..., a - 1
    shape : int or sequence of ints >= 0
    replace : bool
        Whether an element may come again.
    p : float32 or float64 array of one axis, as long as a; optional
        Weights: 0 at least, and not all 0. float64 and Python's floats count as float32 without x64.
    axis : int
        The axis of a to draw from.

    Returns
    -------
    array of a's dtype (for an int, int32, with x64 int64): key's leading axes, then those of a with shape for axis

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above, or there are too few elements.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> choice(PRNGKey(0), 10, (4,), replace=False)
    array([0, 1, 8, 5], dtype=int32)
    """
    items = isinstance(a, np.ndarray) and a.ndim > 0
    axis = check_axis(axis, a.ndim if items else 1)
    count = a.shape[axis] if items else _read_count(a, "a", x64)
    again = check_flag(replace, "replace")
    if again and p is None and count:
        places = randint(key, shape, 0, count, impl=impl, partitionable=partitionable, x64=x64)
    else:
        places = _places(key, count, check_shape(shape), again, p, impl, partitionable, x64)
    if not items:
        return places
    sizes = check_shape(shape)
    return np.zeros(places.shape, a.dtype) if 0 in sizes else _take(a, places, axis, places.ndim - len(sizes))


def _places(
    key: Words, count: int, shape: Shape, replace: bool, p: Any, impl: str, partitionable: bool, x64: bool
) -> Array:
    """`choice` of 0, 1, ..., count - 1, but for the plain one: by weight, or without replacement."""
    draws, kind = math.prod(shape), default_int(x64)
    if draws and 0 < count <= FEW and replace and is_row(p) and p.size == count and is_common(key, impl, partitionable):
        places = np.empty(shape, INT32)
        if kernels.threefry_weighted(key, p, places if places.ndim == 1 else places.reshape(-1)):
            return places if kind is INT32 else places.astype(kind)
    weights = None if p is None else _read_weights(p, count, x64)
    if draws == 0:
        return np.zeros(read_keys(key, impl, partitionable).lead + shape, kind)
    if count == 0:
        raise ValueError("a must hold an element to draw from; got none.")
    if not replace and draws > count:
        raise ValueError(f"shape without replacement must be at most {count} draws, the elements of a; got {draws}.")
    if weights is None:
        order = _order(key, count, kind, impl, partitionable)
        return order[..., :draws].reshape(order.shape[:-1] + shape)
    keys = read_keys(key, impl, partitionable)
    if replace:
        sums = running_sums(weights)
        one = np.ones(1, sums.dtype)
        fractions = one - uniforms(keys, shape, sums.dtype, one - one, one)
        total = sums[-1]
        marks = subnormals.multiply(total, fractions) if subnormals.possible(total) else total * fractions
        drawn: Array = np.searchsorted(sums, marks)
    else:
        drawn = greatest(gumbels(keys, (count,), weights.dtype) + log(weights), draws)
    return drawn.reshape(keys.lead + shape).astype(kind, copy=False)


def running_sums(values: Array) -> Array:
    """Sums of the first 1, 2, ... values, added in XLA's order: within blocks of 16, then the blocks' sums likewise."""
    if values.size <= SCAN:
        return np.cumsum(values, dtype=values.dtype)
    blocks = np.zeros((-(-values.size // SCAN), SCAN), values.dtype)
    blocks.reshape(-1)[: values.size] = values
    sums = np.cumsum(blocks, axis=1, dtype=values.dtype)
    sums[1:] += running_sums(sums[:, -1])[:-1, None]
    return sums.reshape(-1)[: values.size]


def _read_count(value: Any, name: str, x64: Any) -> int:
    """How many elements an int stands for."""
    if type(value) is int and 0 <= value < 1 << 31:
        return value
    if isinstance(value, np.ndarray):
        value = value[()]
    if not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an array of one axis or more, or an int; got {type(value).__name__}.")
    return check_int(value, name, 0, 1 << 63 if check_flag(x64, "x64") else 1 << 31)


def _read_weights(p: Any, count: int, x64: bool) -> Array:
    weights = as_reals(p, "p", x64)
    if weights.dtype.name not in ("float32", "float64"):
        raise TypeError(f"p must be float32 or float64; got {weights.dtype}. Convert it: p.astype(numpy.float32).")
    if weights.shape != (count,):
        raise ValueError(f"p must have a weight for each of the {count} elements; got shape {weights.shape}.")
    weights = subnormals.flush(weights)
    if count and not (weights.min() >= 0 and 0 < weights.max() < np.inf):  # nan fails too
        raise ValueError(f"p must hold finite weights of at least 0, not all 0 or subnormal; got {p!r}.")
    return weights


def _order(key: Words, count: int, kind: np.dtype[Any], impl: str, partitionable: bool) -> Array:
    """0, 1, ..., count - 1 in each key's order: key's leading axes in front."""
    if count <= FEW and is_common(key, impl, partitionable):
        order = np.empty(count, INT32)
        kernels.threefry_order(key, order)
        return order if kind is INT32 else order.astype(kind)
    return _shuffle(read_keys(key, impl, partitionable), np.arange(count, dtype=kind), 0)


def _shuffle(keys: Keys, items: Array, axis: int) -> Array:
    """Each key's shuffle of the items along an axis: key's leading axes in front."""
    # Two elements whose words are equal keep their order, so several rounds: enough for 3 times the bits of a pair.
    rounds = math.ceil(3 * math.log(max(1, items.size)) / math.log((1 << 32) - 1))
    shape = items.shape
    axis += len(keys.lead)
    items = np.broadcast_to(items, keys.lead + shape) if keys.lead else items
    for _ in range(rounds):
        keys, drawn = keys.halves()
        order = drawn.bits(32, shape).argsort(axis, kind="stable")
        items = items[order] if items.ndim == 1 else np.take_along_axis(items, order, axis)
    return items.copy() if rounds == 0 else items


def _take(items: Array, places: Array, axis: int, lead: int) -> Array:
    """items[places] along an axis, with the first `lead` axes of places, those of the keys, in front."""
    taken = items.take(places, axis)
    if lead == 0:
        return np.asarray(taken)  # of no axes, numpy makes a scalar
    return np.ascontiguousarray(np.moveaxis(taken, range(axis, axis + lead), range(lead))).reshape(
        places.shape[:lead] + items.shape[:axis] + places.shape[lead:] + items.shape[axis + 1 :]
    )
