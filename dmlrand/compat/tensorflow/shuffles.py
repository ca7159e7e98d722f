"""Permutations: stateless_shuffle, and index_shuffle, which finds one position of a permutation without making it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.integers import check_int
from ...arrays.number_types import INTEGERS
from ...operator import random_generator
from .arguments import HIGH64, LOW64, check_algorithm, int_vector, smallest_int
from .seeds import state_of_seed

Array = NDArray[Any]

# Of Beaulieu et al., "The SIMON and SPECK Families of Lightweight Block Ciphers", 2013: the bit sequence z of the key
# schedule (only its lowest bit is used in 4 rounds), and the constant that it is mixed with.
SIMON_Z0 = 0x7369F885192C0EF5
SIMON_C = 0xFFFFFFFC
PADDING_KEY = 498247692  # TensorFlow puts it before the seed pair: the first of three round keys
MIN_BLOCK_BITS = 16


def stateless_shuffle(value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None) -> Array:
    """`value` shuffled along its first axis: `tf.random.experimental.stateless_shuffle`.

    A forward Fisher-Yates: for i = 0, 1, .. row i is swapped with row i + (word i modulo the rows left).

    Parameters
    ----------
    value : array_like of any type
        Never modified. A scalar is its own shuffle.
    seed : two ints in [-2**63, 2**63)
    alg : "philox" or "auto_select"
    name : ignored

    Returns
    -------
    array in the shape and type of value

    Raises
    ------
    TypeError, ValueError
        seed or alg breaks a rule.

    Examples
    --------
    >>> stateless_shuffle([[1, 2], [3, 4], [5, 6]], seed=[8, 9]).tolist()
    [[5, 6], [1, 2], [3, 4]]
    """
    check_algorithm(alg)
    state = state_of_seed(seed)
    rows = np.asarray(value)
    if rows.ndim == 0 or len(rows) < 2:
        return rows.copy()
    left = np.arange(len(rows), 1, -1)
    swaps = np.arange(len(rows) - 1) + random_generator(state, len(rows) - 1).values % left
    order = list(range(len(rows)))
    for i, other in enumerate(swaps.tolist()):
        order[i], order[other] = order[other], order[i]
    return np.asarray(rows[order])


def index_shuffle(index: Any, seed: Any, max_index: Any) -> Any:
    """Where `index` goes in a permutation of 0, .., max_index: `tf.random.experimental.index_shuffle`.

    A small block cipher of 4 rounds in the manner of Simon, walked until it falls into the range.

    Parameters
    ----------
    index : int in [0, max_index], or a vector of them
        Python ints count as int32 where they fit, else as int64; numpy ints as int32, int64, uint32 or uint64.
    seed : two ints in [-2**63, 2**64), or an array of shape (n, 2) with one pair for each index
        Only the lower 32 bits of each are used.
    max_index : int >= 0, or a vector of them

    Returns
    -------
    numpy integer of index's type, or where any argument is a vector, an array of shape (n,)

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above, or two vectors differ in length.

    Notes
    -----
    Trap: where max_index is 2**k with an even k of at least 16, indices 0 and max_index go to the same place, as
    TensorFlow's block is then a bit too small.

    Examples
    --------
    >>> index_shuffle([0, 1, 2, 3], seed=[5, 9], max_index=3)
    array([2, 0, 1, 3], dtype=int32)
    """
    indices, kind = _numbers(index, "index", 0)
    tops, _ = _numbers(max_index, "max_index", 0)
    pairs = _seed_pairs(seed)
    lengths = {len(column) for column in (indices, tops, pairs)} - {1}
    if len(lengths) > 1:
        raise ValueError(
            "index, seed and max_index must each be one, or as many as the others; "
            f"got {len(indices)}, {len(pairs)} and {len(tops)}."
        )
    n = lengths.pop() if lengths else 1
    places: dict[tuple[int, tuple[int, int]], list[int]] = {}  # of each permutation, the elements that ask for it
    for i in range(n):
        place, top = indices[i % len(indices)], tops[i % len(tops)]
        if place > top:
            raise ValueError(f"index must be at most max_index; got index {place} and max_index {top}.")
        places.setdefault((top, pairs[i % len(pairs)]), []).append(i)
    results = np.empty(n, kind)
    for (top, pair), elements in places.items():
        results[elements] = permute([indices[i % len(indices)] for i in elements], top, pair)
    return results if np.ndim(index) or np.ndim(max_index) or np.ndim(seed) == 2 else results[0]


def permute(indices: list[int], top: int, pair: tuple[int, int]) -> list[int]:
    """Where the cipher of a seed takes each index, walking on while it lies above `top`."""
    # TensorFlow's ceil(log2(max_index)), in float64: a bit short where max_index is a power of two.
    bits = max(math.ceil(math.log2(top)) if top else 0, MIN_BLOCK_BITS)
    half = (bits + 1) // 2
    if half == 8:  # small ranges make long walks: 65536 / (top + 1) steps, for which the whole cipher is made once
        table = _table(pair)
        results = []
        for place in indices:
            place = table[place & 0xFFFF]
            while place > top:
                place = table[place]
            results.append(place)
        return results
    places = encrypt(np.array(indices, np.uint64), half, pair)
    while (beyond := places > top).any():
        places[beyond] = encrypt(places[beyond], half, pair)
    return list(places.tolist())


@lru_cache(maxsize=8)
def _table(pair: tuple[int, int]) -> list[int]:
    return list(encrypt(np.arange(1 << 16, dtype=np.uint64), 8, pair).tolist())


def encrypt(values: NDArray[np.uint64], half: int, pair: tuple[int, int]) -> NDArray[np.uint64]:
    """4 rounds of Simon on blocks of 2 * half bits, half at most 32; higher bits of values and seeds are lost."""
    mask = (1 << half) - 1

    def left(x: Any, by: int) -> Any:
        return (x << by | x >> (half - by)) & mask

    def right(x: int, by: int) -> int:
        return (x >> by | x << (half - by)) & mask

    def mix(x: Any) -> Any:
        return left(x, 1) & left(x, 8) ^ left(x, 2)

    keys = [key & mask for key in (PADDING_KEY, *pair)]
    keys.append(SIMON_C & mask ^ SIMON_Z0 & 1 ^ keys[0] ^ right(keys[2], 3) ^ right(keys[2], 4))
    high, low = values >> half & mask, values & mask
    for first, second in (keys[:2], keys[2:]):
        high = high ^ mix(low) ^ first
        low = low ^ mix(high) ^ second
    return np.asarray(high << half | low, np.uint64)


def _numbers(value: Any, name: str, low: int) -> tuple[list[int], np.dtype[Any]]:
    """An int or a vector of them, and the type TensorFlow converts it to."""
    if np.ndim(value) > 1:
        raise ValueError(f"{name} must be an int or a vector of ints; got shape {list(np.shape(value))}.")
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.name not in INTEGERS:
            raise TypeError(f"{name} must be {', '.join(INTEGERS)} or Python ints; got {value.dtype}.")
        return int_vector(np.atleast_1d(value), name, low, 1 << 64)
    if isinstance(value, (list, tuple)):
        return int_vector(value, name, low, HIGH64)
    number = check_int(value, name, low, HIGH64)
    return [number], smallest_int([number])


def _seed_pairs(seed: Any) -> list[tuple[int, int]]:
    """One seed pair, or each of several."""
    sizes = np.shape(seed)
    if len(sizes) not in (1, 2) or sizes[-1] != 2:
        raise ValueError(f"seed must have shape [2] or [n, 2]; got shape {list(sizes)}.")
    rows = seed if len(sizes) == 2 else [seed]
    pairs = [int_vector(row, "seed", LOW64, 1 << 64)[0] for row in rows]
    return [(first, second) for first, second in pairs]
