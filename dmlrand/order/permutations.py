"""Random orders: permutation, and choice and shuffle, which select items by one. Clauses: specs/permutations.md.

A function whose name ends in `_from` is for Stream too. It begins at any lane of the first block of a state, a writable
array of shape (6,), and returns how many words it read in place of the new state.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..distributions import integers
from ..drawing.arguments import check_bool, check_int
from ..drawing.interchange import as_array
from ..drawing.messages import format_value
from ..drawing.plan import WORDS, Array, Outputs, draw
from ..drawing.window import whole_region, window_region
from ..state import State, StateLike, advance_blocks, blocks_for, check_state

Order = NDArray[np.int64]
Selected = tuple[Array, int]  # values, and the number of words read

SORT_MAX_ITEMS = 1 << 16  # up to this many items, an order is made by sorting
MAX_ITEMS = 1 << 62
MAX_SELECTED = 1 << 60  # items of 8 bytes that numpy can index
KEY_WORDS = 4  # of a larger order


def permutation(
    state: StateLike, n: int, *, window: Any = None, positions: Any = None, inverse: bool = False
) -> Outputs[NDArray[np.int64]]:
    """A random order of the items 0 to n - 1, or any part of it, and the state after it.

    Up to 65,536 items, the order is that of 64-bit draws: the item with the smallest draw comes first. Beyond that, a
    Feistel network of 10 rounds, whose round function is a Philox block, gives any element of the order without the
    rest. The values are int64. The counter advances by ceil(n / 2) blocks for up to 65,536 items and by 1 block for
    more, for any part. Clauses: specs/permutations.md. Not for cryptography.

    Parameters
    ----------
    state : as in random_generator
    n : int in [0, 2**62]
        The number of items.
    window : int, slice of positive step, or Ellipsis, optional
        Make only these elements of the order: for an int, an array of rank 0. Beyond 65,536 items, time and memory are
        proportional to the window.
    positions : array_like of ints in [0, n), optional
        Make only the elements at these positions, in the shape of the array, instead of a window.
    inverse : bool
        Make the inverse order: element i is the position of item i.

    Raises
    ------
    IndexError
        The window is an int outside [-n, n), or a position is outside [0, n).

    Examples
    --------
    >>> from dmlrand import make_state
    >>> permutation(make_state(key=42), 6).values
    array([2, 1, 3, 0, 4, 5])
    >>> permutation(make_state(key=42), 10**12, window=slice(10**11, 10**11 + 3)).values
    array([897043498320, 869137531169, 993443701162])
    >>> permutation(make_state(key=42), 10**12, positions=[869137531169], inverse=True).values
    array([100000000001])
    """
    return _with_state(state, order_from, n, window, positions, inverse)


def choice(state: StateLike, items: Any, k: int, replace: bool = False) -> Outputs[Array]:
    """k of the items, selected at random, and the state after the selection.

    Without replacement they are the first k items of permutation(state, n), where n is the number of items. With
    replacement they are the items at the indices integers(state, k, 0, n, int64). The new state is that of the same
    call. The values are a new array: int64 if items is an int, else of the dtype of items.

    Parameters
    ----------
    state : as in random_generator
    items : int in [0, 2**62], or array_like of one axis or more
        An int n stands for the items 0 to n - 1. An array has one item for each index of its first axis. A list becomes
        the array that numpy makes of it. For other lists, select indices: `[items[i] for i in choice(state, n, k)[0]]`.
    k : int >= 0
        How many items to select. Without replacement, at most n.
    replace : bool
        Whether an item may be selected more than once.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> choice(make_state(key=42), 10**9, 3).values
    array([588277745, 469793722, 461493964])
    >>> choice(make_state(key=42), ["red", "green", "blue"], 5, replace=True).values.tolist()
    ['red', 'green', 'red', 'green', 'red']
    """
    return _with_state(state, choice_from, items, k, replace)


def shuffle(state: StateLike, items: Any) -> Outputs[Array]:
    """A copy of an array in a random order along its first axis: items[order], with permutation(state, len(items)).

    The state is that of the permutation. items is array_like of one axis or more, as in choice. It is not modified,
    unlike the argument of numpy's shuffle.

    >>> from dmlrand import make_state
    >>> shuffle(make_state(key=42), [[1, 2], [3, 4], [5, 6]]).values.tolist()
    [[5, 6], [3, 4], [1, 2]]
    """
    return _with_state(state, shuffle_from, items)


def _with_state(state: StateLike, select: Callable[..., Selected], *arguments: Any) -> Outputs[Array]:
    """The values that a `_from` function selects, and the state after the words that it read."""
    checked = check_state(state)
    values, words = select(np.array(checked).reshape(6), 0, *arguments)
    return Outputs(values, advance_blocks(checked, blocks_for(words)))


def order_from(
    state: State, lane: int, n: Any, window: Any = None, positions: Any = None, inverse: Any = False
) -> Selected:
    count = check_int(n, "n", 0, MAX_ITEMS + 1)
    if positions is None:
        places = _places_in_window(count, window)
    elif window is None:
        places = _check_positions(positions, count)
    else:
        raise TypeError("window and positions must not both be given. Leave window out.")
    return _order(state, lane, count, places, check_bool(inverse, "inverse"))


def choice_from(state: State, lane: int, items: Any, k: Any, replace: Any) -> Selected:
    array = None if hasattr(items, "__index__") and np.ndim(items) == 0 else _check_items(items, "an int, or an array")
    n = check_int(items, "items", 0, MAX_ITEMS + 1) if array is None else len(array)
    count = check_int(k, "k", 0, MAX_SELECTED)
    if check_bool(replace, "replace"):
        if count and not n:
            raise ValueError(f"items must not be empty if k is above 0; got no items and k {count}.")
        order: Order = integers(state, count, 0, max(n, 1), np.int64, lane=lane).values
        words = 2 * count
    else:
        if count > n:
            raise ValueError(
                f"k must be at most the number of items, {n}, without replacement; got {count}. "
                "Pass replace=True to select items more than once."
            )
        order, words = order_from(state, lane, n, slice(0, count))
    return order if array is None else array[order], words


def shuffle_from(state: State, lane: int, items: Any) -> Selected:
    array = _check_items(items, "an array")
    order, words = order_from(state, lane, len(array))
    return array[order], words


def _check_items(items: Any, allowed: str) -> Array:
    """`items` as an array of one axis or more. `allowed` says in the error what the argument may be."""
    array = items if isinstance(items, np.ndarray) else as_array(items, "items")  # subclasses of ndarray stay
    if array.ndim == 0:
        raise TypeError(
            f"items must be {allowed} of one axis or more; got {format_value(items)} of type {type(items).__name__}. "
            "permutation(state, n) orders the numbers 0 to n - 1."
        )
    return array


def _places_in_window(n: int, window: Any) -> Order:
    """The positions that a window of n items selects, a new array of rank 0 or 1."""
    offset, sizes, strides = whole_region((n,)) if window is None else window_region((n,), window)
    if prod(sizes) >= MAX_SELECTED:
        raise ValueError(
            f"window must select fewer than 2**60 of the {n} items; got {format_value(window)}. Pass a smaller one."
        )
    (step,) = strides or (1,)
    return (offset + np.arange(prod(sizes), dtype=np.int64) * step).reshape(sizes)


def _check_positions(positions: Any, n: int) -> Order:
    """The positions as a new array."""
    array = as_array(positions, "positions")
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"positions must be ints in [0, n); got {format_value(positions)}. Pass an array of ints.")
    if array.size and not (0 <= array.min() and array.max() < n):
        wrong = array[(array < 0) | (array >= n)][0]
        raise IndexError(f"positions must be in [0, n) for n = {n}; got {wrong}. Count from 0.")
    return np.array(array, np.int64, order="C")


def _order(state: State, lane: int, n: int, places: Order, inverse: bool) -> Selected:
    """The items at these positions of an order of n items, or the positions of these items, and the words read.

    It may write to `places`.
    """
    flat = places.reshape(-1)
    if n <= SORT_MAX_ITEMS:
        order = sorting_order(integers(state, n, 0, 1 << 64, np.uint64, lane=lane).values)
        return (order.argsort() if inverse else order)[flat].reshape(places.shape), 2 * n
    key = draw(state, WORDS, KEY_WORDS, lane=lane).values
    kernels.permute.run(key, *sides(n), n, inverse, flat)
    return places, KEY_WORDS


def sorting_order(draws: NDArray[np.uint64]) -> Order:
    """The indices of the draws from the smallest draw on. Equal draws keep their order."""
    order = draws.argsort()  # several times as fast as a stable sort
    ordered = draws[order]
    if (ordered[1:] == ordered[:-1]).any():
        order = draws.argsort(kind="stable")
    return order.astype(np.int64, copy=False)


def sides(n: int) -> tuple[int, int]:
    """The rows and the columns of the Feistel network for n items, n at least 1.

    A round moves the items of one column in a cycle. A cycle of odd length is an even permutation, so with odd numbers
    of rows and columns every order would be even: rows is even.

    With ten rounds, the total variation distance of the difference of two items' results from uniform is less than
    columns**-4, at most 2**-32. Few items would need more rounds, so they are sorted. (Patarin, Generic Attacks on
    Feistel Schemes, ASIACRYPT 2001, counts such pairs.)
    """
    rows = isqrt(n - 1) + 1
    rows += rows % 2
    return rows, -(-n // rows)
