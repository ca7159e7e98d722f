"""Selections by a key: true or false, categories, and elements of an array."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.arguments import check_broadcast, check_choice
from ...arrays.tensor import Shape
from ...messages import format_value
from .. import subnormals
from .arguments import as_reals, check_axis, check_flag, check_shape, default_int
from .continuous import MODES, gumbels, two_uniforms
from .elementary import log
from .integers import randints
from .jax_arrays import KeyArray, as_numpy
from .keys import Keys, read_keys, stretch, take_place
from .permutations import order_of, read_count, take_elements
from .reals import fill_uniform, format_of, uniforms

Array = NDArray[Any]

SCAN_BLOCK = 16  # elements of a block of XLA's running sums


def bernoulli(
    key: KeyArray,
    p: Any = 0.5,
    shape: Any = None,
    mode: str = "low",
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> NDArray[np.bool_]:
    """True with probability p.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg" and "unsafe_rbg"; or typed keys of JAX
    p : real in [0, 1], or array of reals that broadcasts to shape
        The draw has the type of p. Without x64 float64 and Python's floats count as float32.
    shape : int or sequence of ints >= 0
        The default is the shape of p.
    mode : "low" or "high"
        "high" draws two uniform reals for each result, so that small p are met more exactly.

    Returns
    -------
    bool array. Its shape is the leading axes of key, then `shape`.

    Raises
    ------
    ValueError
        p is outside [0, 1], which JAX takes.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> bernoulli(PRNGKey(0), 0.5, (4,))
    array([False, False,  True,  True])
    """
    keys = read_keys(key, impl, partitionable)
    chances = subnormals.flush(as_reals(p, "p", x64))
    if not bool(((chances >= 0) & (chances <= 1)).all()):
        raise ValueError(f"p must be in [0, 1]; got {format_value(p)}.")
    sizes = chances.shape if shape is None else check_shape(shape)
    check_broadcast(sizes, chances.shape, "p")
    if check_choice(mode, "mode", MODES) == "high":
        return _bernoulli_high(keys, sizes, chances)
    form = format_of(chances.dtype)
    out = np.empty(keys.lead + sizes, np.bool_)
    flat = out.reshape(-1)
    (limits,) = stretch(out.shape, chances.astype(form.work))
    low, high = form.unit_bounds()
    for place, bits in keys.pieces(form.width, sizes):
        values = fill_uniform(bits, chances.dtype, low, high, np.empty(bits.size, form.work))
        np.less(values, take_place(limits, place), out=flat[place])
    return out


def _bernoulli_high(keys: Keys, shape: Shape, chances: Array) -> NDArray[np.bool_]:
    high, low = two_uniforms(keys, shape, chances.dtype)
    unit = chances.dtype.type(2.0 ** -format_of(chances.dtype).fraction)
    return np.asarray(low * unit < chances - high)


def categorical(
    key: KeyArray,
    logits: Any,
    axis: int = -1,
    shape: Any = None,
    replace: bool = True,
    mode: str | None = None,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Categories with probabilities proportional to exp(logits).

    The category drawn is the place where logits + Gumbel noise is greatest.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg" and "unsafe_rbg"; or typed keys of JAX
    logits : array of reals
        The draw has the type of logits. Without x64 float64 and Python's floats count as float32.
    axis : int
        The axis of logits along which the categories lie.
    shape : sequence of ints >= 0
        New axes, then the axes of logits without `axis`. The default adds no axes.
    replace : bool
        Whether a category may come again along the new axes.
    mode : "low" or "high"
        As in gumbel.

    Returns
    -------
    int32 array. Its shape is the leading axes of key, then `shape`. With x64 and replacement it is int64.

    Raises
    ------
    ValueError
        There is no category, or replace is False and there are too few categories.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> categorical(PRNGKey(0), [0.1, 2.0, 0.3], shape=(8,))
    array([1, 1, 1, 1, 1, 1, 1, 0], dtype=int32)
    """
    keys = read_keys(key, impl, partitionable)
    array = subnormals.flush(as_reals(logits, "logits", x64))
    if array.ndim == 0:
        raise ValueError(f"logits must have an axis of categories; got the scalar {logits!r}.")
    axis = check_axis(axis, array.ndim) - array.ndim  # negative, since new axes come in front
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
        noise = gumbels(keys, front + tuple(stretched), array.dtype, mode)
        return np.asarray((noise + array).argmax(axis)).astype(default_int(x64))
    draws = math.prod(front)
    if draws > count or sizes != front + batch:
        raise ValueError(
            f"shape without replacement must be at most {count} draws, one for each category, in front of {batch}; "
            f"got {sizes}."
        )
    noisy = gumbels(keys, array.shape, array.dtype, mode) + array
    drawn = np.moveaxis(greatest(np.moveaxis(noisy, axis, -1), draws), -1, len(keys.lead))
    return np.ascontiguousarray(drawn).reshape(keys.lead + sizes).astype(np.int32)


def greatest(values: Array, count: int) -> Array:
    """The indexes of the `count` greatest values along the last axis, greatest first. Equal values keep their order."""
    return np.argsort(-values, axis=-1, kind="stable")[..., :count]


def choice(
    key: KeyArray,
    a: Any,
    shape: Any = (),
    replace: bool = True,
    p: Any = None,
    axis: int = 0,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Elements drawn from an array.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg" and "unsafe_rbg"; or typed keys of JAX
    a : array of one axis or more, or int >= 0, which stands for 0, 1, ..., a - 1
    shape : int or sequence of ints >= 0
    replace : bool
        Whether an element may come again.
    p : float32 or float64 array of one axis, optional
        A weight for each element: at least 0, and not all 0. Without x64 float64 and Python's floats count as float32.
    axis : int
        The axis of a to draw from.

    Returns
    -------
    array of the dtype of a. For an int it is int32, and int64 with x64. Its shape is the leading axes of key, then the
    axes of a, with `shape` in place of `axis`.

    Raises
    ------
    ValueError
        There are too few elements.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> choice(PRNGKey(0), 10, (4,), replace=False)
    array([0, 1, 8, 5], dtype=int32)
    """
    a = as_numpy(a)
    items = isinstance(a, np.ndarray) and a.ndim > 0
    axis = check_axis(axis, a.ndim if items else 1)
    keys, kind = read_keys(key, impl, partitionable), default_int(x64)
    count = a.shape[axis] if items else read_count(a, "a", x64)
    sizes = check_shape(shape)
    replace = check_flag(replace, "replace")
    weights = None if p is None else _read_weights(p, count, x64)
    draws = math.prod(sizes)
    if draws == 0:
        return np.zeros(keys.lead + sizes, a.dtype if items else kind)
    if count == 0:
        raise ValueError("a must hold an element to draw from; got none.")
    if draws > count and not replace:
        raise ValueError(f"shape without replacement must be at most {count} draws, the elements of a; got {draws}.")
    if weights is not None:
        places = (_weighted if replace else _weighted_once)(keys, weights, sizes).astype(kind, copy=False)
    elif replace:
        places = randints(keys, sizes, kind, 0, count)
    else:
        places = order_of(keys, count, kind)[..., :draws].reshape(keys.lead + sizes)
    return take_elements(a, places, axis, len(keys.lead)) if items else places


def _weighted(keys: Keys, weights: Array, shape: Shape) -> Array:
    """Indexes drawn with replacement, by weight."""
    sums = running_sums(weights)
    total = sums[-1]
    fractions = 1 - uniforms(keys, shape, sums.dtype, *format_of(sums.dtype).unit_bounds())
    marks = subnormals.multiply(total, fractions) if subnormals.possible(total) else total * fractions
    return np.asarray(np.searchsorted(sums, marks))


def _weighted_once(keys: Keys, weights: Array, shape: Shape) -> Array:
    """Indexes drawn without replacement, by weight."""
    noisy = gumbels(keys, weights.shape, weights.dtype) + log(weights)
    return greatest(noisy, math.prod(shape)).reshape(keys.lead + shape)


def running_sums(values: Array) -> Array:
    """Sums of the first 1, 2, ... values, added in XLA's order.

    XLA adds within blocks of 16 values. The running sums of the blocks' sums, made in the same way, are then added.
    """
    if values.size <= SCAN_BLOCK:
        return np.cumsum(values, dtype=values.dtype)
    blocks = np.zeros((-(-values.size // SCAN_BLOCK), SCAN_BLOCK), values.dtype)
    blocks.reshape(-1)[: values.size] = values
    sums = np.cumsum(blocks, axis=1, dtype=values.dtype)
    sums[1:] += running_sums(sums[:, -1])[:-1, None]
    return sums.reshape(-1)[: values.size]


def _read_weights(p: Any, count: int, x64: bool) -> Array:
    weights = subnormals.flush(as_reals(p, "p", x64))
    if weights.dtype.name not in ("float32", "float64"):
        raise TypeError(f"p must be float32 or float64; got {weights.dtype}. Convert it: p.astype(numpy.float32).")
    if weights.shape != (count,):
        raise ValueError(f"p must have a weight for each of the {count} elements; got shape {weights.shape}.")
    if count and not (weights.min() >= 0 and 0 < weights.max() < np.inf):  # nan fails too
        raise ValueError(f"p must hold finite weights of at least 0, not all 0 or subnormal; got {format_value(p)}.")
    return weights
