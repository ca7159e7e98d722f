"""tf.random's stateless samplers: numbers that are functions of a seed. The shuffles are in shuffles.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...arrays.number_types import FLOATS, INTEGERS
from . import numbers
from .algorithms import check_algorithm
from .arguments import read_dtype
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

    A real is u * (maxval - minval) + minval, each operation rounded to the type. u is a fraction of 23 random bits for
    float32, 52 for float64, 10 for float16 and 7 for bfloat16. The sum can round up to maxval. An integer of a range is
    a word modulo the width of the range, plus minval. It is slightly biased unless the width is a power of two.

    Parameters
    ----------
    shape : sequence or vector of ints >= 0
        [] gives one number, as an array of rank 0.
    seed : two ints in [-2**63, 2**63)
    minval, maxval : numbers of the type, minval < maxval
        Reals: also arrays that broadcast with shape; maxval None means 1. Integers: both in the range of the type, so
        the highest number of the type is never drawn; or both None for the full range. Unsigned types: both None.
    dtype : float16, bfloat16 (with ml_dtypes), float32, float64, int32, int64, uint32 or uint64
    name : ignored
    alg : "philox" or "auto_select"

    Returns
    -------
    array of dtype, in shape (broadcast with minval and maxval)

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above. TensorFlow accepts reals with minval >= maxval, and infinite bounds.

    Examples
    --------
    >>> stateless_uniform([2], seed=[1, 2]).tolist()
    [0.8440604209899902, 0.19204533100128174]
    >>> stateless_uniform([2], seed=[1, 2], minval=None, maxval=None, dtype="int32")
    array([1105988140, 1738052849], dtype=int32)
    """
    check_algorithm(alg)
    kind = read_dtype(dtype, FLOATS + INTEGERS)
    return numbers.uniform(shape, minval, maxval, kind).values(state_of_seed(seed))


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

    The bits are the same on every machine. TensorFlow's bits depend on the logarithm and sine of its C library. Both
    are within 4 ulp of each other where abs(x) > 1e-3 (specs/tensorflow.md, clause 12).

    Parameters
    ----------
    shape : sequence or vector of ints >= 0
    seed : two ints in [-2**63, 2**63)
    mean, stddev : finite numbers of the type, or arrays that broadcast with shape
        stddev may be negative, as in TensorFlow.
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
    return numbers.normal(shape, mean, stddev, kind).values(state_of_seed(seed))


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = np.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Array:
    """Normals less than 2 stddev from the mean: `tf.random.stateless_truncated_normal`. Others are drawn again.

    Arguments, result and errors are those of stateless_normal. If only the last bit of a normal decides whether it is
    below 2, this function can accept it where TensorFlow rejects it, or the reverse. Up to 4 values then differ. This
    happens at most about once in 10**7 normals (specs/tensorflow.md, clause 14).

    Examples
    --------
    >>> values = stateless_truncated_normal([1000], seed=[1, 2])
    >>> bool((abs(values) < 2).all())
    True
    """
    check_algorithm(alg)
    kind = read_dtype(dtype, FLOATS)
    return numbers.truncated_normal(shape, mean, stddev, kind).values(state_of_seed(seed))


def stateless_categorical(
    logits: Any, num_samples: int, seed: Any, dtype: DTypeLike | None = np.int64, name: str | None = None
) -> Array:
    """Class numbers, one row of samples for each row of logits: `tf.random.stateless_categorical`.

    A sample is the first class whose running sum of exp(logit - largest logit), in float64, exceeds u * total. u is a
    fraction of 52 random bits. Samples take their words row by row.

    Parameters
    ----------
    logits : array_like of shape (batch, classes), float16, bfloat16, float32 or float64
        Unnormalized log-probabilities. A sequence has the type of its first number: float32 for Python's numbers. Its
        finite numbers must be within the range of that type. A class whose logit is infinite or NaN is never drawn,
        +inf included. A row without a finite logit gives the class number `classes`, which does not exist.
    num_samples : int >= 0
    seed : two ints in [-2**63, 2**63)
    dtype : int32 or int64
        None means int64.
    name : ignored

    Returns
    -------
    array of dtype, of shape (batch, num_samples)

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.

    Notes
    -----
    Trap: TensorFlow divides large batches among threads, and each piece skips ahead in the stream. Its result then
    depends on the number of threads. This function gives the result of one thread.

    Examples
    --------
    >>> stateless_categorical([[0.0, 1.0]], 4, seed=[1, 2])
    array([[1, 1, 0, 1]])
    """
    return numbers.categorical(logits, num_samples, dtype).values(state_of_seed(seed))
