"""Random orders by a key: permutation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.integers import check_int
from .arguments import INT64, check_axis, check_flag, default_int
from .jax_arrays import KeyArray, as_numpy
from .keys import Keys, read_keys

Array = NDArray[Any]


def permutation(
    key: KeyArray,
    x: Any,
    axis: int = 0,
    independent: bool = False,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """The elements of an array in a random order, which comes from sorting random words.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg" and "unsafe_rbg"; or typed keys of JAX
    x : array of one axis or more, or int >= 0, which stands for 0, 1, ..., x - 1
    axis : int
        The axis along which to shuffle.
    independent : bool
        Whether each line along axis gets its own order. If not, all lines get the same order.

    Returns
    -------
    array of the dtype of x. For an int it is int32, and int64 with x64. Its shape is the leading axes of key, then that
    of x.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> permutation(PRNGKey(0), 5)
    array([0, 1, 4, 3, 2], dtype=int32)
    """
    x = as_numpy(x)
    items = isinstance(x, np.ndarray) and x.ndim > 0
    axis = check_axis(axis, x.ndim if items else 1)
    keys = read_keys(key, impl, partitionable)
    independent = check_flag(independent, "independent")
    if not items:
        return order_of(keys, read_count(x, "x", x64), default_int(x64))
    if independent and x.ndim > 1:
        return _shuffle(keys, x, axis)
    return take_elements(x, order_of(keys, x.shape[axis], INT64), axis, len(keys.lead))


def order_of(keys: Keys, count: int, kind: np.dtype[Any]) -> Array:
    """0, 1, ..., count - 1 in the order of each key, with the keys' leading axes in front."""
    return _shuffle(keys, np.arange(count, dtype=kind), 0)


def _shuffle(keys: Keys, items: Array, axis: int) -> Array:
    """The items in the order of each key along an axis, with the keys' leading axes in front."""
    # Elements with equal words keep their order, so JAX sorts again with new words until such cases are unlikely.
    rounds = math.ceil(3 * math.log(max(1, items.size)) / math.log((1 << 32) - 1))
    shape = items.shape
    axis += len(keys.lead)
    items = np.broadcast_to(items, keys.lead + shape) if keys.lead else items
    for _ in range(rounds):
        keys, drawn = keys.halves()
        order = drawn.bits(32, shape).argsort(axis, kind="stable")
        items = items[order] if items.ndim == 1 else np.take_along_axis(items, order, axis)
    return items.copy() if rounds == 0 else items


def read_count(value: Any, name: str, x64: Any) -> int:
    """The argument that stands for 0, 1, ..., value - 1, as an int."""
    if isinstance(value, np.ndarray):
        value = value[()]
    if not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an array of one axis or more, or an int; got {type(value).__name__}.")
    return check_int(value, name, 0, 1 << 63 if check_flag(x64, "x64") else 1 << 31)


def take_elements(items: Array, places: Array, axis: int, lead: int) -> Array:
    """items[places] along an axis. The first `lead` axes of places, which are the keys', come first in the result."""
    taken = items.take(places, axis)
    if lead == 0:
        return np.asarray(taken)  # numpy makes a scalar of an array without axes
    return np.ascontiguousarray(np.moveaxis(taken, range(axis, axis + lead), range(lead))).reshape(
        places.shape[:lead] + items.shape[:axis] + places.shape[lead:] + items.shape[axis + 1 :]
    )
