"""tf.random's stateless samplers: numbers that are functions of a seed. The package's docstring has the arguments that
most of them share."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.integers import check_int
from ...arrays.number_types import INTEGERS
from . import arguments, draws
from .arguments import AUTO, FLOAT32, HIGH64, INT32, INT64, LOW64, Array, as_numpy, int_vector
from .seeds import state_of_seed

__all__ = [
    "index_shuffle", "stateless_binomial", "stateless_categorical", "stateless_gamma", "stateless_normal",
    "stateless_poisson", "stateless_shuffle", "stateless_truncated_normal", "stateless_uniform",
]  # fmt: skip

# The bit sequence z of the key schedule (4 rounds use its lowest bit only) and the constant it is mixed with, from
# Beaulieu et al., "The SIMON and SPECK Families of Lightweight Block Ciphers", 2013.
SIMON_Z0 = 0x7369F885192C0EF5
SIMON_C = 0xFFFFFFFC
PADDING_KEY = 498247692  # the first of three round keys; TensorFlow puts it before the seed pair
MIN_BLOCK_BITS = 16


def stateless_uniform(
    shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = FLOAT32, name: Any = None, alg: Any = AUTO
) -> Array:
    """Uniform numbers in [minval, maxval): `tf.random.stateless_uniform`.

    A real is u * (maxval - minval) + minval, each operation rounded to the type. u is a fraction of 23 random bits for
    float32, 52 for float64, 10 for float16 and 7 for bfloat16. The sum can round up to maxval. An integer of a range is
    a word modulo the width of the range, plus minval. It is slightly biased unless the width is a power of two.

    minval < maxval are numbers of dtype, a type of reals, int32, int64, uint32 or uint64. Reals: also arrays that
    broadcast with shape; maxval None means 1. TensorFlow also accepts minval >= maxval, and infinite bounds. Integers:
    both in the range of the type, so the highest number of the type is never drawn; or both None for the full range.
    Unsigned types: both None.

    >>> stateless_uniform([2], seed=[1, 2]).tolist()
    [0.8440604209899902, 0.19204533100128174]
    >>> stateless_uniform([2], seed=[1, 2], minval=None, maxval=None, dtype="int32")
    array([1105988140, 1738052849], dtype=int32)
    """
    return draws.uniform(shape, minval, maxval, dtype).values(state_of_seed(seed, alg))


def stateless_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = FLOAT32, name: Any = None, alg: Any = AUTO
) -> Array:
    """Normally distributed numbers: `tf.random.stateless_normal`.

    The bits are the same on every machine. TensorFlow's bits depend on the logarithm and sine of its C library. Both
    are within 4 ulp of each other where abs(x) > 1e-3 (specs/tensorflow.md, clause 12).

    mean and stddev are finite numbers of dtype, a type of reals, or arrays that broadcast with shape. stddev may be
    negative, as in TensorFlow.

    >>> [round(x, 3) for x in stateless_normal([2], seed=[1, 2]).tolist()]
    [0.544, 0.207]
    """
    return draws.normal(shape, mean, stddev, dtype).values(state_of_seed(seed, alg))


def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = FLOAT32, name: Any = None, alg: Any = AUTO
) -> Array:
    """Normals less than 2 stddev from the mean: `tf.random.stateless_truncated_normal`. Others are drawn again.

    The arguments are those of stateless_normal. If only the last bit of a normal decides whether it is
    below 2, this function can accept it where TensorFlow rejects it, or the reverse. Up to 4 values then differ. This
    happens at most about once in 10**7 normals (specs/tensorflow.md, clause 14).

    >>> values = stateless_truncated_normal([1000], seed=[1, 2])
    >>> bool((abs(values) < 2).all())
    True
    """
    return draws.truncated_normal(shape, mean, stddev, dtype).values(state_of_seed(seed, alg))


def stateless_categorical(logits: Any, num_samples: int, seed: Any, dtype: Any = INT64, name: Any = None) -> Array:
    """Class numbers, one row of samples for each row of logits: `tf.random.stateless_categorical`.

    A sample is the first class whose running sum of exp(logit - largest logit), in float64, exceeds u * total. u is a
    fraction of 52 random bits. Samples take their words row by row. Trap: TensorFlow divides large batches among
    threads, and its result then depends on their number. This function gives the result of one thread.

    logits, of shape (batch, classes) and a type of reals, are unnormalized log-probabilities. A sequence has the type
    of its first number: float32 for Python's numbers. Its finite numbers must be within the range of that type. A class
    whose logit is infinite or NaN is never drawn, +inf included. A row without a finite logit gives the class number
    `classes`, which does not exist. dtype is int32 or int64, which None means too. The result has shape (batch,
    num_samples).

    >>> stateless_categorical([[0.0, 1.0]], 4, seed=[1, 2])
    array([[1, 1, 0, 1]])
    """
    return draws.categorical(logits, num_samples, dtype).values(state_of_seed(seed))


def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = INT32, name: Any = None
) -> Array:
    """How many of `counts` trials succeed: `tf.random.stateless_binomial`.

    counts and probs are finite numbers, or arrays that broadcast with each other: the numbers of trials, and the
    probability of success. shape must end with the shape of both. Both are rounded to float32, also float64 arrays,
    unless probs is a tensor of another real type. A count or probability below 0 gives 0. A probability above 1 gives
    the count itself. output_dtype is int32, int64, float16, float32 or float64, and must hold every result.

    >>> stateless_binomial([4], seed=[1, 2], counts=10, probs=0.5)
    array([6, 6, 7, 7], dtype=int32)
    """
    kind = arguments.read_dtype(arguments.tensor_type([probs]) or FLOAT32, draws.REALS)
    return draws.binomial(shape, counts, probs, kind, output_dtype, "output_dtype").values(state_of_seed(seed))


def stateless_poisson(shape: Any, seed: Any, lam: Any, dtype: Any = INT32, name: Any = None) -> Array:
    """Poisson numbers of the rates `lam`: `tf.random.stateless_poisson`.

    lam is a number in [0, 2**31], or an array of numbers. Python's floats are rounded to float32. shape must end with
    the shape of lam. dtype is int32, int64, float16, float32 or float64, and must hold every result. (TensorFlow
    accepts larger rates, and loops for ever for NaN.)

    >>> stateless_poisson([4], seed=[1, 2], lam=3.5)
    array([6, 5, 4, 6], dtype=int32)
    """
    return draws.poisson(shape, lam, dtype).values(state_of_seed(seed))


def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = FLOAT32, name: Any = None
) -> Array:
    """Gamma numbers of shape `alpha` and rate `beta`: `tf.random.stateless_gamma`.

    alpha and beta are positive finite numbers of the type, or arrays that broadcast with each other. beta None means 1.
    shape must end with the shape of both. dtype is float16, float32 or float64. The numbers are made in float64 and
    then rounded; none is below the least normal number of the type. The last 5 bits of float64 numbers depend on the C
    library of the machine, as in TensorFlow (specs/tensorflow.md, clause 43).

    >>> stateless_gamma([2], seed=[1, 2], alpha=3.0).tolist()
    [4.068119525909424, 2.989063262939453]
    """
    return draws.gamma(shape, alpha, beta, dtype).values(state_of_seed(seed))


def stateless_shuffle(value: Any, seed: Any, alg: Any = AUTO, name: Any = None) -> Array:
    """`value` shuffled along its first axis: `tf.random.experimental.stateless_shuffle`.

    A forward Fisher-Yates shuffle: for i = 0, 1, .., row i is swapped with row i + (word i modulo (n - i)), where n is
    the number of rows. `value`, an array_like of any type, is never modified. A scalar is returned as it is.

    >>> stateless_shuffle([[1, 2], [3, 4], [5, 6]], seed=[8, 9]).tolist()
    [[5, 6], [1, 2], [3, 4]]
    """
    return draws.shuffled(value).values(state_of_seed(seed, alg))


def index_shuffle(index: Any, seed: Any, max_index: Any) -> Any:
    """The position of `index` in a permutation of 0, .., max_index: `tf.random.experimental.index_shuffle`.

    A small block cipher of 4 rounds, similar to Simon, is applied until the result is at most max_index. The result is
    a NumPy integer of index's type. If any argument is a vector, it is an array of shape (n,): vectors have one length.
    Trap: if max_index is 2**k with an even k of at least 16, indices 0 and max_index have the same position, because
    TensorFlow's block is one bit too small.

    index is an int in [0, max_index], or a vector of them. Python ints are int32 if they fit, else int64. numpy ints
    must be int32, int64, uint32 or uint64. seed is two ints in [-2**63, 2**64), of which only the lower 32 bits are
    used, or an array of shape (n, 2) with one pair for each index. max_index is an int >= 0, or a vector of them.

    >>> index_shuffle([0, 1, 2, 3], seed=[5, 9], max_index=3)
    array([2, 0, 1, 3], dtype=int32)
    """
    indices, kind = _numbers(index, "index")
    tops, _ = _numbers(max_index, "max_index")
    pairs = _seed_pairs(seed)
    lengths = [len(indices), len(pairs), len(tops)]
    n = next((length for length in lengths if length != 1), 1)
    if {*lengths} - {1, n}:
        raise ValueError(
            "index, seed and max_index must each be one value, or have the length of the others; "
            f"got lengths {lengths[0]}, {lengths[1]} and {lengths[2]}."
        )
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
    """The cipher of a seed, applied to each index until the result is at most `top`."""
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
    keys.append(SIMON_C & mask ^ SIMON_Z0 & 1 ^ keys[0] ^ rotate(keys[2], half - 3) ^ rotate(keys[2], half - 4))
    high, low = values >> half & mask, values & mask
    for first, second in (keys[:2], keys[2:]):
        high = high ^ mix(low) ^ first
        low = low ^ mix(high) ^ second
    return np.asarray(high << half | low, np.uint64)


def _numbers(value: Any, name: str) -> tuple[list[int], np.dtype[Any]]:
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
        return int_vector(np.atleast_1d(value), name, 0, 1 << 64)
    if isinstance(value, (list, tuple)):
        return int_vector(value, name, 0, HIGH64)
    number = check_int(value, name, 0, HIGH64)
    return [number], arguments.smallest_int([number])


def _seed_pairs(seed: Any) -> list[tuple[int, int]]:
    """A list of the seed pairs: of one pair, or of each row of several."""
    sizes = np.shape(seed)
    if len(sizes) not in (1, 2) or sizes[-1] != 2:
        raise ValueError(f"seed must have shape [2] or [n, 2]; got shape {list(sizes)}.")
    rows = as_numpy(seed, "seed") if len(sizes) == 2 else [seed]
    return [(first, second) for first, second in (int_vector(row, "seed", LOW64, 1 << 64)[0] for row in rows)]
