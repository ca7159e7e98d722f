"""tf.random's stateless samplers: numbers that are functions of a seed. The package's docstring has the arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import draws
from .arguments import AUTO, Array
from .draws import Draw
from .seeds import state_of_seed

__all__ = [
    "stateless_binomial", "stateless_categorical", "stateless_gamma", "stateless_normal", "stateless_poisson",
    "stateless_shuffle", "stateless_truncated_normal", "stateless_uniform",
]  # fmt: skip


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
    """Normals. TensorFlow's last bits depend on its C library, these do not.

    >>> stateless_normal([2], seed=[1, 2]).round(3)
    array([0.544, 0.207], dtype=float32)
    """
    return _drawn(draws.normal(shape, mean, stddev, dtype, jit_compile), seed, alg)


def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, name: Any = None,
    alg: Any = AUTO, *, jit_compile: bool = False,
) -> Array:  # fmt: skip
    """Normals less than 2 stddev from the mean. At most once in 10**7, up to 4 of them differ from TensorFlow's.

    >>> stateless_truncated_normal([2], seed=[1, 2]).shape
    (2,)
    """
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
    """How many of `counts` trials succeed. shape ends with that of the parameters. Trap: they are rounded to float32.

    >>> stateless_binomial([4], seed=[1, 2], counts=10, probs=0.5)
    array([6, 6, 7, 7], dtype=int32)
    """
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
    """Gamma numbers of shape `alpha` and rate `beta` (None: 1). The last 5 bits of float64 are the C library's.

    >>> stateless_gamma([2], seed=[1, 2], alpha=3.0).tolist()
    [4.068119525909424, 2.989063262939453]
    """
    return _drawn(draws.gamma(shape, alpha, beta, dtype), seed)


def stateless_shuffle(value: Any, seed: Any, alg: Any = AUTO, name: Any = None) -> Array:
    """`value`, an array_like of any type, shuffled along its first axis: `tf.random.experimental.stateless_shuffle`.

    >>> stateless_shuffle([[1, 2], [3, 4], [5, 6]], seed=[8, 9]).tolist()
    [[5, 6], [1, 2], [3, 4]]
    """
    return _drawn(draws.shuffled(value), seed, alg)


def _drawn(draw: Draw, seed: Any, alg: Any = AUTO) -> Array:
    return draw.values(state_of_seed(seed, alg))
