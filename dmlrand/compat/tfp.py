"""TensorFlow Probability's seeds and samplers (0.25, on TensorFlow), bit for bit, without either.

One rule stands behind all of them: a seed that is an int or None draws statefully, from the op seed's kernel that
dmlrand.compat.tensorflow.set_seed purges; a seed that is a pair of ints draws statelessly. The rules and the
traps are in specs/tfp.md. Not for cryptography.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..arrays.integers import check_int
from ..arrays.number_types import FLOATS, INTEGERS
from . import tensorflow
from .tensorflow import sampling
from .tensorflow.arguments import check_sizes, read_dtype
from .tensorflow.categories import categorical_draw
from .tensorflow.seeds import state_of_seed

Array = NDArray[Any]
Seed = NDArray[np.int32]

INT32 = np.iinfo(np.int32)
SALT_MODULUS = (1 << 31) - 1

__all__ = ["categorical", "normal", "sanitize_seed", "shuffle", "split_seed", "uniform"]


def sanitize_seed(seed: Any, salt: str | None = None, name: str | None = None) -> Seed:
    """A seed of any flavour as a stateless one: `tfp.random.sanitize_seed`.

    Parameters
    ----------
    seed : int, None, two ints, or a function of no arguments that returns one of these
        An int is an op seed: a pair is drawn statefully, another one at each call, and the same ones again after
        tensorflow.set_seed. None draws a pair with no op seed. Two ints (list, tuple or integer array, but of
        uint32) are the seed itself, as int32. Keys of JAX, which are arrays of uint32, are refused: TFP on JAX
        makes other children of them.
    salt : str or None
        Two ints: the first is xored with sha512(salt) modulo 2**31 - 1, the second is not. An int: becomes the op
        seed sha512(str((seed, salt))) modulo 2**31 - 1. None: no effect.
    name : ignored

    Returns
    -------
    int32 array of shape (2,)

    Raises
    ------
    TypeError, ValueError
        seed is none of these, or salt no str; or a salted pair is beyond int32.

    Notes
    -----
    Trap: without a salt, pairs beyond int32 wrap modulo 2**32, as long as they are within int64.

    Examples
    --------
    >>> sanitize_seed((1, 2))
    array([1, 2], dtype=int32)
    >>> sanitize_seed((1, 2), salt="x")
    array([1694992580,          2], dtype=int32)
    """
    if callable(seed):
        seed = seed()
    if salt is not None and not isinstance(salt, str):
        raise TypeError(f"salt must be a str or None; got {salt!r}.")
    if is_stateful(seed):
        if salt is not None and seed is not None:
            seed = _digest(str((seed, salt)))
        return tensorflow.uniform([2], minval=int(INT32.min), maxval=int(INT32.max), dtype=np.int32, seed=seed)
    return _pair(seed, salt)


def split_seed(seed: Any, n: Any = 2, salt: str | None = None, name: str | None = None) -> list[Seed] | Seed:
    """n new seeds from one: `tfp.random.split_seed`.

    Parameters
    ----------
    seed, salt
        As in sanitize_seed, which they go through first.
    n : int >= 0, or an integer array of rank 0
    name : ignored

    Returns
    -------
    list of n int32 arrays of shape (2,) where n is an int; one int32 array of shape (n, 2) where it is an array

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.

    Examples
    --------
    >>> split_seed((1, 2))
    [array([1105988140, 1738052849], dtype=int32), array([-335576002,  370444179], dtype=int32)]
    >>> split_seed((1, 2), n=np.array(3)).shape
    (3, 2)
    """
    stacked = isinstance(n, np.ndarray)
    if stacked:
        if n.ndim or n.dtype.kind not in "iu":
            raise TypeError(f"n must be an int or an integer array of rank 0; got {n.dtype} of shape {n.shape}.")
    elif not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"n must be an int or an integer array of rank 0; got {n!r}. salt is the argument after it.")
    count = check_int(n[()] if stacked else n, "n", 0, 1 << 63)
    seeds = tensorflow.split(sanitize_seed(seed, salt), count)
    return seeds if stacked else list(seeds)


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = np.float32,
    seed: Any = None,
    name: str | None = None,
) -> Array:
    """Normals: `samplers.normal`. An int or None draws as tensorflow.normal, a pair as stateless_normal.

    Other arguments, result and errors are those of these two. Unlike the other samplers here it uses an int seed
    as it is: no pair is drawn from it first.

    Parameters
    ----------
    shape : sequence or vector of ints >= 0
    mean, stddev : finite numbers of the type, or arrays that broadcast with shape
    dtype : float16, bfloat16 (with ml_dtypes), float32 or float64
    seed : int, None or two ints
        As in sanitize_seed.
    name : ignored

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above; a stateful seed has not moved.

    Examples
    --------
    >>> normal([3], seed=(1, 2)).shape
    (3,)
    """
    if is_stateful(seed):
        return tensorflow.normal(shape, mean, stddev, dtype, seed)
    return tensorflow.stateless_normal(shape, sanitize_seed(seed), mean, stddev, dtype)


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: DTypeLike = np.float32,
    seed: Any = None,
    name: str | None = None,
) -> Array:
    """Uniform numbers: `samplers.uniform`, which is stateless_uniform at sanitize_seed(seed), for any seed.

    Parameters
    ----------
    shape, minval, maxval, dtype
        As in tensorflow.stateless_uniform.
    seed : int, None or two ints
        As in sanitize_seed.
    name : ignored

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule; a stateful seed has not moved.

    Examples
    --------
    >>> uniform([2], seed=(1, 2)).tolist()
    [0.8440604209899902, 0.19204533100128174]
    """
    kind = read_dtype(dtype, FLOATS + INTEGERS)
    draw = sampling.uniform(check_sizes(shape), minval, maxval, kind)  # refuses before a stateful seed moves
    return draw(state_of_seed(sanitize_seed(seed)))


def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Array:
    """`value` shuffled along its first axis: `samplers.shuffle`, the stable order of float32 stateless uniforms.

    Ties are common in large shuffles (23 bits); tied rows keep their order. Not the shuffle of TensorFlow.

    Parameters
    ----------
    value : array_like of rank 1 or more
        Never modified.
    seed : int, None or two ints
        As in sanitize_seed.
    name : ignored

    Returns
    -------
    array of the shape and type of value, fresh

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above; a stateful seed has not moved.

    Examples
    --------
    >>> shuffle([10, 20, 30, 40], seed=(1, 2)).tolist()
    [40, 20, 10, 30]
    """
    rows = np.asarray(value)
    if rows.ndim == 0:
        raise ValueError(f"value must have at least one axis; got the scalar {value!r}.")
    keys = tensorflow.stateless_uniform([len(rows)], sanitize_seed(seed))
    return np.asarray(rows[np.argsort(keys, kind="stable")])


def categorical(
    logits: Any, num_samples: int, dtype: DTypeLike | None = None, seed: Any = None, name: str | None = None
) -> Array:
    """Class numbers: `samplers.categorical`, which is stateless_categorical at sanitize_seed(seed), for any seed.

    Parameters
    ----------
    logits, num_samples, dtype
        As in tensorflow.stateless_categorical.
    seed : int, None or two ints
        As in sanitize_seed.
    name : ignored

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule; a stateful seed has not moved.

    Examples
    --------
    >>> categorical([[0.0, 1.0]], 4, seed=(1, 2))
    array([[1, 1, 0, 1]])
    """
    draw = categorical_draw(logits, num_samples, dtype)  # refuses before a stateful seed moves
    return draw(state_of_seed(sanitize_seed(seed)))


def is_stateful(seed: Any) -> bool:
    """Whether a seed draws statefully."""
    return seed is None or (isinstance(seed, int) and not isinstance(seed, bool))


def _digest(text: str) -> int:
    return int(hashlib.sha512(text.encode()).hexdigest(), 16) % SALT_MODULUS


def _refuse_jax(seed: Any) -> None:
    """Refuse JAX's arrays and keys, and the uint32 arrays that dmlrand.compat.jax has for keys."""
    library = type(seed).__module__.partition(".")[0]
    if library in ("jax", "jaxlib"):
        got = f"a {type(seed).__name__} of {library}"
    elif isinstance(seed, np.ndarray) and seed.dtype == np.uint32:
        got = "an array of uint32, JAX's type of keys"
    else:
        return
    raise TypeError(
        f"seed must be no key of JAX; got {got}. TFP on JAX makes other numbers and children of a key than TFP on "
        "TensorFlow, whose are made here. Split keys with dmlrand.compat.jax.split, or pass two ints for TensorFlow's."
    )


def _pair(seed: Any, salt: str | None) -> Seed:
    _refuse_jax(seed)
    if not isinstance(seed, (list, tuple, np.ndarray)):
        raise TypeError(
            f"seed must be an int, None or two ints; got {seed!r} of type {type(seed).__name__}. "
            "Write int(seed) for a stateful seed, (first, second) for a stateless one."
        )
    if np.shape(seed) != (2,):
        raise ValueError(f"seed must have shape [2]; got shape {list(np.shape(seed))}. Pass two ints, such as (1, 2).")
    if isinstance(seed, np.ndarray) and seed.dtype.kind not in "iu":
        raise TypeError(f"seed must hold integers; got an array of {seed.dtype}. Convert it yourself.")
    low, high = -(1 << 63), 1 << 63
    if salt is not None:
        if isinstance(seed, np.ndarray) and seed.dtype != np.int32:
            raise TypeError(f"seed must be int32 where salt is given; got an array of {seed.dtype}.")
        low, high = int(INT32.min), int(INT32.max) + 1
    numbers = [check_int(number, f"seed[{i}]", low, high) for i, number in enumerate(seed)]
    pair = np.array([number & 0xFFFFFFFF for number in numbers], np.uint32).view(np.int32)
    if salt is not None:
        pair[0] ^= _digest(salt)
    return pair
