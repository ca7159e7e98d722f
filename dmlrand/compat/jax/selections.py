"""Selections by a key: categories, elements of an array, and random orders: specs/jax.md, clauses 12, 14 and 15."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np

from .. import subnormals
from ..shared import Array, check_int, format_value
from . import arguments
from .arguments import DEFAULTS, INTEGERS, Config, KeyArray
from .integers import integers_between
from .keys import Keys, PRNGKey as PRNGKey, read_options  # PRNGKey: for the examples
from .reals import Call, log, shape_of

__all__ = ["categorical", "choice", "permutation"]

SCAN_BLOCK = 16  # elements of a block of XLA's running sums


def categorical(
    key: KeyArray, logits: Any, axis: int = -1, shape: Any = None, replace: bool = True, mode: str | None = None,
    **options: Unpack[Config],
) -> Array:  # fmt: skip
    """Categories with probabilities proportional to exp(logits), as int32, or as int64 with x64 and replacement. The
    draw has the type of logits. shape is new axes, then the axes of logits without `axis`. mode is that of gumbel.

    >>> categorical(PRNGKey(0), [0.1, 2.0, 0.3], shape=(8,))
    array([1, 1, 1, 1, 1, 1, 1, 0], dtype=int32)
    """
    keys, x64 = read_options(key, options)
    array = subnormals.flush(arguments.as_reals(logits, "logits", x64))
    if array.ndim == 0:
        raise ValueError(f"logits must have an axis of categories; got the scalar {logits!r}.")
    axis = arguments.check_axis(axis, array.ndim) - array.ndim  # negative, since new axes come in front
    batch = array.shape[:axis] + array.shape[array.ndim + axis + 1 :]
    sizes = shape_of(shape, {"logits without axis": batch})
    count = array.shape[axis]
    if count == 0:
        raise ValueError(f"logits must have at least one category; got shape {array.shape}.")
    if arguments.check_flag(replace, "replace"):
        place = len(sizes) + 1 + axis
        noise = Call(keys, (*sizes[:place], count, *sizes[place:]), array.dtype).gumbels(mode)
        return np.asarray((noise + array).argmax(axis)).astype(DEFAULTS[INTEGERS][x64])
    front = sizes[: len(sizes) - len(batch)]
    draws = math.prod(front)
    if draws > count or sizes != front + batch:
        rule = f"shape without replacement must be at most {count} draws, one for each category, in front of {batch}"
        raise ValueError(f"{rule}; got {sizes}.")
    noisy = Call(keys, array.shape, array.dtype).gumbels(mode) + array
    order = np.argsort(-np.moveaxis(noisy, axis, -1), kind="stable")  # equal numbers keep their order
    drawn = np.moveaxis(order[..., :draws], -1, len(keys.lead))
    return np.ascontiguousarray(drawn).reshape(keys.lead + sizes).astype(np.int32)


def choice(
    key: KeyArray, a: Any, shape: Any = (), replace: bool = True, p: Any = None, axis: int = 0, mode: str | None = None,
    **options: Unpack[Config],
) -> Array:  # fmt: skip
    """Elements drawn from an array along `axis`. An int a stands for 0, 1, ..., a - 1. p holds a weight for each
    element, float32 or float64, of any sum. mode is that of gumbel, for draws with p and without replacement.

    >>> choice(PRNGKey(0), 10, (4,), replace=False)
    array([0, 1, 8, 5], dtype=int32)
    """
    keys, x64 = read_options(key, options)
    a, kind = arguments.as_numpy(a), DEFAULTS[INTEGERS][x64]
    items = isinstance(a, np.ndarray)
    axis = arguments.check_axis(axis, a.ndim if items else 1)
    count = a.shape[axis] if items else read_count(a, "a", x64)
    sizes = arguments.check_shape(shape)
    replace = arguments.check_flag(replace, "replace")
    weights = None if p is None else _read_weights(p, count, x64)
    draws = math.prod(sizes)
    if draws == 0:
        return np.zeros(keys.lead + sizes, a.dtype if items else kind)
    if count == 0:
        raise ValueError("a must hold an element to draw from; got none.")
    if draws > count and not replace:
        raise ValueError(f"shape without replacement must be at most {count} draws, the elements of a; got {draws}.")
    if weights is not None and replace:
        sums = running_sums(weights)
        total, fractions = sums[-1], 1 - Call(keys, sizes, sums.dtype).unit_uniforms()
        marks = subnormals.multiply(total, fractions) if subnormals.possible(total) else total * fractions
        places = np.asarray(np.searchsorted(sums, marks))
    elif weights is not None:
        noisy = Call(keys, weights.shape, weights.dtype).gumbels(mode) + log(weights)
        places = np.argsort(-noisy, kind="stable")[..., :draws]
    elif replace:
        places = integers_between(Call(keys, sizes, kind), 0, count)
    else:
        places = _shuffle(keys, np.arange(count, dtype=kind), 0)[..., :draws]
    places = places.astype(kind, copy=False).reshape(keys.lead + sizes)
    return take_elements(a, places, axis, len(keys.lead)) if items else places


def running_sums(values: Array) -> Array:
    """Sums of the first 1, 2, ... values, added in XLA's order: in blocks of 16 values, and in the same way over the
    blocks."""
    if values.size <= SCAN_BLOCK:
        return np.cumsum(values, dtype=values.dtype)
    blocks = np.zeros((-(-values.size // SCAN_BLOCK), SCAN_BLOCK), values.dtype)
    blocks.reshape(-1)[: values.size] = values
    sums = np.cumsum(blocks, axis=1, dtype=values.dtype)
    sums[1:] += running_sums(sums[:, -1])[:-1, None]
    return sums.reshape(-1)[: values.size]


def _read_weights(p: Any, count: int, x64: bool) -> Array:
    weights = subnormals.flush(arguments.as_reals(p, "p", x64))
    if weights.dtype.name not in ("float32", "float64"):
        raise TypeError(f"p must be float32 or float64; got {weights.dtype}. Convert it: p.astype(numpy.float32).")
    if weights.shape != (count,):
        raise ValueError(f"p must have a weight for each of the {count} elements; got shape {weights.shape}.")
    if count and not (weights.min() >= 0 and 0 < weights.max() < np.inf):  # nan fails too
        raise ValueError(f"p must hold finite weights of at least 0, not all 0 or subnormal; got {format_value(p)}.")
    return weights


def permutation(key: KeyArray, x: Any, axis: int = 0, independent: bool = False, **options: Unpack[Config]) -> Array:
    """The elements of an array in a random order along an axis, or with `independent` in an order for each line along
    it. An int x stands for 0, 1, ..., x - 1.

    >>> permutation(PRNGKey(0), 5)
    array([0, 1, 4, 3, 2], dtype=int32)
    """
    keys, x64 = read_options(key, options)
    x = arguments.as_numpy(x)
    if not isinstance(x, np.ndarray):
        x = np.arange(read_count(x, "x", x64), dtype=DEFAULTS[INTEGERS][x64])
    axis = arguments.check_axis(axis, x.ndim)
    if arguments.check_flag(independent, "independent") or x.ndim == 1:
        return _shuffle(keys, x, axis)
    order = _shuffle(keys, np.arange(x.shape[axis]), 0)
    return take_elements(x, order, axis, len(keys.lead))


def _shuffle(keys: Keys, items: Array, axis: int) -> Array:
    """The items in the order of each key along an axis, with the keys' leading axes in front."""
    # Elements with equal words keep their order, so JAX sorts again with new words until such cases are unlikely.
    rounds = math.ceil(3 * math.log(max(1, items.size)) / math.log((1 << 32) - 1))
    shape = items.shape
    axis += len(keys.lead)
    items = np.broadcast_to(items, keys.lead + shape) if keys.lead else items
    for _ in range(rounds):
        keys, drawn = keys.children()
        order = drawn.bits(32, shape).argsort(axis, kind="stable")
        items = items[order] if items.ndim == 1 else np.take_along_axis(items, order, axis)
    return items.copy() if rounds == 0 else items


def read_count(value: Any, name: str, x64: bool) -> int:
    """The argument that stands for 0, 1, ..., value - 1, as an int."""
    if not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an array of one axis or more, or an int; got {type(value).__name__}.")
    return check_int(value, name, 0, 1 << 63 if x64 else 1 << 31)


def take_elements(items: Array, places: Array, axis: int, lead: int) -> Array:
    """items[places] along an axis. The first `lead` axes of places, which are the keys', come first in the result."""
    taken = items.take(places, axis)
    if lead == 0:
        return np.asarray(taken)  # numpy makes a scalar of an array without axes
    return np.ascontiguousarray(np.moveaxis(taken, range(axis, axis + lead), range(lead)))
