"""TFP's samplers: the names of `tensorflow_probability.python.internal.samplers`, without gamma and poisson."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...arrays.number_types import FLOATS, INTEGERS
from ...messages import format_value
from .. import tensorflow
from ..tensorflow import draws
from ..tensorflow.arguments import as_numpy, read_dtype
from ..tensorflow.seeds import state_of_seed
from .seeds import clone_seed, fold_in, is_stateful_seed, sanitize_seed, split_seed, zeros_seed

Array = NDArray[Any]

__all__ = [
    "categorical",
    "clone_seed",
    "fold_in",
    "is_stateful_seed",
    "normal",
    "sanitize_seed",
    "shuffle",
    "split_seed",
    "uniform",
    "zeros_seed",
]


def categorical(
    logits: Any, num_samples: int, dtype: DTypeLike | None = None, seed: Any = None, name: str | None = None
) -> Array:
    """Class numbers: `samplers.categorical`. For any seed those of stateless_categorical at sanitize_seed(seed).

    seed is as in sanitize_seed. The other arguments, the result and the errors are those of
    tensorflow.stateless_categorical. An error does not advance the op of a stateful seed.

    >>> categorical([[0.0, 1.0]], 4, seed=(1, 2))
    array([[1, 1, 0, 1]])
    """
    draw = draws.categorical(logits, num_samples, dtype)  # raises before the op of a stateful seed moves
    return draw.values(state_of_seed(sanitize_seed(seed)))


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = np.float32,
    seed: Any = None,
    name: str | None = None,
) -> Array:
    """Normals: `samplers.normal`. A pair draws as tensorflow.stateless_normal, an int or None as tensorflow.normal.

    Unlike the other samplers here, normal uses an int seed directly: no pair is drawn from it first. seed is as in
    sanitize_seed. The other arguments, the result and the errors are those of stateless_normal. An error does
    not advance the op of a stateful seed.

    >>> normal([3], seed=(1, 2)).shape
    (3,)
    """
    if is_stateful_seed(seed):
        return tensorflow.normal(shape, mean, stddev, dtype, seed)
    return tensorflow.stateless_normal(shape, sanitize_seed(seed), mean, stddev, dtype)


def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Array:
    """`value` shuffled along its first axis: `samplers.shuffle`, the stable order of float32 stateless uniforms.

    Large shuffles often have ties, because the uniforms have 23 bits. Tied rows keep their order. TensorFlow's
    stateless_shuffle gives another permutation.

    Parameters
    ----------
    value : array_like of rank 1 or more
        Never modified.
    seed : int, None or two ints
        As in sanitize_seed.
    name : ignored

    Returns
    -------
    new array of the shape and type of value

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above. The op of a stateful seed stays where it was.

    Examples
    --------
    >>> shuffle([10, 20, 30, 40], seed=(1, 2)).tolist()
    [40, 20, 10, 30]
    """
    rows = np.asarray(as_numpy(value, "value"))
    if rows.ndim == 0:
        raise ValueError(f"value must have at least one axis; got the scalar {format_value(value)}.")
    keys = tensorflow.stateless_uniform([len(rows)], sanitize_seed(seed))
    return np.asarray(rows[np.argsort(keys, kind="stable")])


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: DTypeLike = np.float32,
    seed: Any = None,
    name: str | None = None,
) -> Array:
    """Uniform numbers: `samplers.uniform`. For any seed they are those of stateless_uniform at sanitize_seed(seed).

    seed is as in sanitize_seed. The other arguments, the result and the errors are those of
    tensorflow.stateless_uniform. An error does not advance the op of a stateful seed.

    >>> uniform([2], seed=(1, 2)).tolist()
    [0.8440604209899902, 0.19204533100128174]
    """
    kind = read_dtype(dtype, FLOATS + INTEGERS)
    draw = draws.uniform(shape, minval, maxval, kind)  # raises before the op of a stateful seed moves
    return draw.values(state_of_seed(sanitize_seed(seed)))
