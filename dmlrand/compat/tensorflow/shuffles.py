"""Permutations: stateless_shuffle, and index_shuffle, which computes single positions of a permutation."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.integers import check_int
from ...arrays.number_types import INTEGERS
from . import numbers
from .algorithms import check_algorithm
from .arguments import HIGH64, LOW64, as_numpy, int_vector, smallest_int
from .seeds import state_of_seed

Array = NDArray[Any]

# The bit sequence z of the key schedule (4 rounds use its lowest bit only) and the constant it is mixed with, from
# Beaulieu et al., "The SIMON and SPECK Families of Lightweight Block Ciphers", 2013.
SIMON_Z0 = 0x7369F885192C0EF5
SIMON_C = 0xFFFFFFFC
PADDING_KEY = 498247692  # the first of three round keys; TensorFlow puts it before the seed pair
MIN_BLOCK_BITS = 16


def stateless_shuffle(value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None) -> Array:
    """`value` shuffled along its first axis: `tf.random.experimental.stateless_shuffle`.

    A forward Fisher-Yates shuffle: for i = 0, 1, .., row i is swapped with row i + (word i modulo (n - i)), where n is
    the number of rows.

    Parameters
    ----------
    value : array_like of any type
        Never modified. A scalar is returned as it is.
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
    return numbers.shuffled(value).values(state_of_seed(seed))


def index_shuffle(index: Any, seed: Any, max_index: Any) -> Any:
    """The position of `index` in a permutation of 0, .., max_index: `tf.random.experimental.index_shuffle`.

    A small block cipher of 4 rounds, similar to Simon, is applied until the result is at most max_index.

    Parameters
    ----------
    index : int in [0, max_index], or a vector of them
        Python ints are int32 if they fit, else int64. numpy ints must be int32, int64, uint32 or uint64.
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
    Trap: if max_index is 2**k with an even k of at least 16, indices 0 and max_index have the same position, because
    TensorFlow's block is one bit too small.

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
            "index, seed and max_index must each be one value, or have the length of the others; "
            f"got lengths {len(indices)}, {len(pairs)} and {len(tops)}."
        )
    n = lengths.pop() if lengths else 1
    elements_of: dict[tuple[int, tuple[int, int]], list[int]] = {}  # the elements of each permutation
    for i in range(n):
        place, top = indices[i % len(indices)], tops[i % len(tops)]
        if place > top:
            raise ValueError(f"index must be at most max_index; got index {place} and max_index {top}.")
        elements_of.setdefault((top, pairs[i % len(pairs)]), []).append(i)
    results = np.empty(n, kind)
    for (top, pair), elements in elements_of.items():
        results[elements] = permute([indices[i % len(indices)] for i in elements], top, pair)
    return results if np.ndim(index) or np.ndim(max_index) or np.ndim(seed) == 2 else results[0]


def permute(indices: list[int], top: int, pair: tuple[int, int]) -> list[int]:
    """The cipher of a seed, applied to each index until the result is at most `top`."""
    # TensorFlow's ceil(log2(max_index)), in float64. One bit is missing if max_index is a power of two.
    bits = max(math.ceil(math.log2(top)) if top else 0, MIN_BLOCK_BITS)
    half = (bits + 1) // 2
    if half == 8:  # a small range takes about 65536 / (top + 1) applications, so the whole cipher is computed once
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
    """4 rounds of Simon on blocks of 2 * half bits, half at most 32. Higher bits of values and seeds are ignored."""
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
    value = as_numpy(value, name)
    if np.ndim(value) > 1:
        raise ValueError(f"{name} must be an int or a vector of ints; got shape {list(np.shape(value))}.")
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.name not in INTEGERS:
            raise TypeError(
                f"{name} must be {', '.join(INTEGERS)} or Python ints; got {value.dtype}. "
                f"Convert it: {name}.astype(numpy.int64)."
            )
        return int_vector(np.atleast_1d(value), name, low, 1 << 64)
    if isinstance(value, (list, tuple)):
        return int_vector(value, name, low, HIGH64)
    number = check_int(value, name, low, HIGH64)
    return [number], smallest_int([number])


def _seed_pairs(seed: Any) -> list[tuple[int, int]]:
    """A list of the seed pairs: of one pair, or of each row of several."""
    sizes = np.shape(seed)
    if len(sizes) not in (1, 2) or sizes[-1] != 2:
        raise ValueError(f"seed must have shape [2] or [n, 2]; got shape {list(sizes)}.")
    rows = as_numpy(seed, "seed") if len(sizes) == 2 else [seed]
    pairs = [int_vector(row, "seed", LOW64, 1 << 64)[0] for row in rows]
    return [(first, second) for first, second in pairs]
