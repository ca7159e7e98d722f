"""tf.random's stateless samplers: numbers that are functions of a seed. The package's docstring has the arguments."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import draws
from .arguments import AUTO, LOW64, Array, as_numpy, read_ints, typed_ints
from .draws import Draw
from .seeds import state_of_seed

__all__ = [
    "index_shuffle", "stateless_binomial", "stateless_categorical", "stateless_gamma", "stateless_normal",
    "stateless_poisson", "stateless_shuffle", "stateless_truncated_normal", "stateless_uniform",
]  # fmt: skip

# The constant of the key schedule and the bit z that 4 rounds mix with it, from Beaulieu et al., "The SIMON and SPECK
# Families of Lightweight Block Ciphers", 2013.
SIMON_C, SIMON_Z = 0xFFFFFFFC, 1
PADDING_KEY = 498247692  # the first of three round keys; TensorFlow puts it before the seed pair
MIN_BLOCK_BITS = 16


def stateless_uniform(
    shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = np.float32, name: Any = None,
    alg: Any = AUTO, *, jit_compile: bool = False,
) -> Array:  # fmt: skip
    """Uniform numbers in [minval, maxval), or of the full range of an integer type if both bounds are None. TensorFlow
    also accepts minval >= maxval, and infinite bounds. Trap: a real can be rounded up to maxval.

    >>> stateless_uniform([2], seed=[1, 2], minval=None, maxval=None, dtype="int32")
    array([1105988140, 1738052849], dtype=int32)
    """
    draw = draws.uniform(shape, minval, maxval, dtype, jit_compile)
    return draw.values(state_of_seed(seed, alg, jit_compile))


def stateless_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, name: Any = None,
    alg: Any = AUTO, *, jit_compile: bool = False,
) -> Array:  # fmt: skip
    """Normals, as stateless_uniform of this module. TensorFlow's last bits depend on its C library, these do not."""
    return _drawn(draws.normal(shape, mean, stddev, dtype, jit_compile), seed, alg)


def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, name: Any = None,
    alg: Any = AUTO, *, jit_compile: bool = False,
) -> Array:  # fmt: skip
    """Normals less than 2 stddev from the mean, as stateless_normal of this module. At most once in 10**7, up to 4 of
    them differ from TensorFlow's."""
    return _drawn(draws.truncated_normal(shape, mean, stddev, dtype, jit_compile), seed, alg)


def stateless_categorical(logits: Any, num_samples: int, seed: Any, dtype: Any = np.int64, name: Any = None) -> Array:
    """Class numbers, one row of samples for each row of logits, as TensorFlow draws them with one thread. Trap: a class
    whose logit is infinite or NaN is never drawn. A row without a finite logit gives the number of classes.

    >>> stateless_categorical([[0.0, 1.0]], 4, seed=[1, 2])
    array([[1, 1, 0, 1]])
    """
    return _drawn(draws.categorical(logits, num_samples, dtype), seed)


def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = np.int32, name: Any = None
) -> Array:
    """How many of `counts` trials succeed, drawn as stateless_poisson of this module. Trap: counts and probs are
    rounded to float32."""
    return _drawn(draws.binomial(shape, counts, probs, output_dtype), seed)


def stateless_poisson(shape: Any, seed: Any, lam: Any, dtype: Any = np.int32, name: Any = None) -> Array:
    """Poisson numbers of the rates `lam`, in [0, 2**31]. (TensorFlow accepts larger rates.) shape ends with lam's.

    >>> stateless_poisson([4], seed=[1, 2], lam=3.5)
    array([6, 5, 4, 6], dtype=int32)
    """
    return _drawn(draws.poisson(shape, lam, dtype), seed)


def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = np.float32, name: Any = None
) -> Array:
    """Gamma numbers of shape `alpha` and rate `beta` (None: 1), drawn as stateless_poisson of this module. The last 5
    bits of float64 are the C library's."""
    return _drawn(draws.gamma(shape, alpha, beta, dtype), seed)


def stateless_shuffle(value: Any, seed: Any, alg: Any = AUTO, name: Any = None) -> Array:
    """`value`, an array_like of any type, shuffled along its first axis: `tf.random.experimental.stateless_shuffle`.

    >>> stateless_shuffle([[1, 2], [3, 4], [5, 6]], seed=[8, 9]).tolist()
    [[5, 6], [1, 2], [3, 4]]
    """
    return _drawn(draws.shuffled(value), seed, alg)


def _drawn(draw: Draw, seed: Any, alg: Any = AUTO) -> Array:
    return draw.values(state_of_seed(seed, alg))


# index_shuffle: a permutation by a small block cipher, similar to Simon


def index_shuffle(index: Any, seed: Any, max_index: Any) -> Any:
    """The position of `index` in a permutation of 0, .., max_index. Each argument is one value (seed: two ints) or a
    vector (seed: n rows). Trap: if max_index is 2**k with an even k >= 16, indices 0 and max_index have the same
    position.

    >>> index_shuffle([0, 1, 2, 3], seed=[5, 9], max_index=3)
    array([2, 0, 1, 3], dtype=int32)
    """
    indices, kind = typed_ints(index, "index", 0, 1)
    tops, _ = typed_ints(max_index, "max_index", 0, 1)
    pairs = _seed_pairs(seed)
    lengths = [len(indices), len(pairs), len(tops)]
    n = next((length for length in lengths if length != 1), 1)
    if {*lengths} - {1, n}:
        rule = "index, seed and max_index must each be one value, or have the length of the others"
        raise ValueError(f"{rule}; got lengths {lengths[0]}, {lengths[1]} and {lengths[2]}.")
    elements_of: dict[tuple[int, tuple[int, int]], list[int]] = {}  # the elements of each permutation
    for i in range(n):
        place, pair, top = indices[i % len(indices)], pairs[i % len(pairs)], tops[i % len(tops)]
        if place > top:
            raise ValueError(f"index must be at most max_index; got index {place} and max_index {top}.")
        elements_of.setdefault((top, pair), []).append(i)
    results = np.empty(n, kind)
    for (top, pair), elements in elements_of.items():
        results[elements] = permute([indices[i % len(indices)] for i in elements], top, pair)
    return results if np.ndim(index) or np.ndim(max_index) or np.ndim(seed) == 2 else results[0]


def permute(indices: list[int], top: int, pair: tuple[int, int]) -> list[int]:
    """A block cipher similar to Simon, applied to each index until the result is at most `top`."""
    # TensorFlow's ceil(log2(max_index)), in float64. One bit is missing if max_index is a power of two.
    bits = max(math.ceil(math.log2(top)) if top else 0, MIN_BLOCK_BITS)
    half = (bits + 1) // 2
    if half == 8:  # a small range takes about 65536 / (top + 1) applications, so the whole cipher is computed once
        table = _table(pair)
        results = [table[place & 0xFFFF] for place in indices]
        for i, place in enumerate(results):
            while place > top:
                results[i] = place = table[place]
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

    def rotate(x: Any, by: int) -> Any:
        return (x << by | x >> (half - by)) & mask

    def mix(x: Any) -> Any:
        return rotate(x, 1) & rotate(x, 8) ^ rotate(x, 2)

    keys = [key & mask for key in (PADDING_KEY, *pair)]
    keys.append(SIMON_C & mask ^ SIMON_Z ^ keys[0] ^ rotate(keys[2], half - 3) ^ rotate(keys[2], half - 4))
    high, low = values >> half & mask, values & mask
    for first, second in (keys[:2], keys[2:]):
        high = high ^ mix(low) ^ first
        low = low ^ mix(high) ^ second
    return np.asarray(high << half | low, np.uint64)


def _seed_pairs(seed: Any) -> list[tuple[int, int]]:
    """A list of the seed pairs: of one pair, or of each row of several."""
    sizes = np.shape(seed)
    if len(sizes) not in (1, 2) or sizes[-1] != 2:
        raise ValueError(f"seed must have shape [2] or [n, 2]; got shape {list(sizes)}.")
    rows = as_numpy(seed, "seed") if len(sizes) == 2 else [seed]
    return [(first, second) for first, second in (read_ints(row, "seed", LOW64, 1 << 64)[0] for row in rows)]
