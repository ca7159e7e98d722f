"""tf.random.stateless_uniform, stateless_normal, stateless_truncated_normal: numbers that are functions of a seed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...arrays.number_types import FLOATS, INTEGERS
from . import sampling
from .arguments import check_algorithm, check_sizes, read_dtype
from .seeds import state_of_seed

Array = NDArray[Any]


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: DTypeLike = np.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Array:
    """Uniform numbers in [minval, maxval): `tf.random.stateless_uniform`.

    Reals are u * (maxval - minval) + minval, each operation rounded to the type, with u of 23 random bits for
    float32, 52 for float64, 10 for float16, 7 for bfloat16. maxval itself can come out by rounding. Integers of a
    range are the words modulo its width, plus minval: slightly biased unless the width is a power of two.

    Parameters
    ----------
    shape : sequence or vector of ints >= 0
        [] gives one number, as an array of rank 0.
    seed : two ints in [-2**63, 2**63)
    minval, maxval : numbers of the type, minval < maxval
        Reals: also arrays that broadcast with shape; maxval None is 1. Integers: both in the type, so that
        its highest number is never drawn, or both None for the full range. Unsigned types: both None.
    dtype : float16, bfloat16 (with ml_dtypes), float32, float64, int32, int64, uint32 or uint64
    name : ignored
    alg : "philox" or "auto_select"

    Returns
    -------
    array of dtype, in shape (broadcast with minval and maxval)

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above. TensorFlow itself takes reals with minval >= maxval, and infinite ones.

    Examples
    --------
    >>> stateless_uniform([2], seed=[1, 2]).tolist()
    [0.8440604209899902, 0.19204533100128174]
    >>> stateless_uniform([2], seed=[1, 2], minval=None, maxval=None, dtype="int32")
    array([1105988140, 1738052849], dtype=int32)
    """
    check_algorithm(alg)
    kind = read_dtype(dtype, FLOATS + INTEGERS)
    return sampling.uniform(check_sizes(shape), minval, maxval, kind)(state_of_seed(seed))


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = np.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Array:
    """Normally distributed numbers: `tf.random.stateless_normal`.

    TensorFlow's own bits depend on the logarithm and sine of its C library; ours are the same on every machine,
    within 4 ulp of them where abs(x) > 1e-3 (specs/tensorflow.md, clause 12).

    Parameters
    ----------
    shape : sequence or vector of ints >= 0
    seed : two ints in [-2**63, 2**63)
    mean, stddev : finite numbers of the type, or arrays that broadcast with shape
        As in TensorFlow stddev may be negative.
    dtype : float16, bfloat16 (with ml_dtypes), float32 or float64
    name : ignored
    alg : "philox" or "auto_select"

    Returns
    -------
    array of dtype, in shape (broadcast with mean and stddev)

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.

    Examples
    --------
    >>> [round(x, 3) for x in stateless_normal([2], seed=[1, 2]).tolist()]
    [0.544, 0.207]
    """
    check_algorithm(alg)
    kind = read_dtype(dtype, FLOATS)
    return sampling.normal(check_sizes(shape), mean, stddev, kind)(state_of_seed(seed))


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = np.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Array:
    """Normals, redrawn where they lie 2 or more stddev from the mean: `tf.random.stateless_truncated_normal`.

    A normal whose last bit decides on which side of 2 it lies can be kept here and redrawn by TensorFlow, or the
    reverse (at most about 1 in 10**7): up to 4 values then differ (specs/tensorflow.md, clause 14).

    Parameters
    ----------
    shape, seed, mean, stddev, dtype, name, alg
        As in stateless_normal.

    Returns
    -------
    array of dtype, in shape (broadcast with mean and stddev)

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule.

    Examples
    --------
    >>> values = stateless_truncated_normal([1000], seed=[1, 2])
    >>> bool((abs(values) < 2).all())
    True
    """
    check_algorithm(alg)
    kind = read_dtype(dtype, FLOATS)
    return sampling.truncated_normal(check_sizes(shape), mean, stddev, kind)(state_of_seed(seed))
