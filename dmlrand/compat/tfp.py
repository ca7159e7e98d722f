"""TensorFlow Probability's seeds and samplers (0.25, on TensorFlow), bit for bit, without either.

An int or None is a stateful seed: it draws from the ops that dmlrand.compat.tensorflow.set_seed resets. A pair of ints
is a stateless seed. specs/tfp.md has the rules and the traps. Not for cryptography.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..arrays.integers import check_int
from ..arrays.number_types import FLOATS, INTEGERS
from . import tensorflow
from .tensorflow import numbers
from .tensorflow.arguments import check_pair, int_vector, read_dtype
from .tensorflow.seeds import state_of_seed

Array = NDArray[Any]
Seed = NDArray[np.int32]

INT32_MIN, INT32_MAX = -(1 << 31), (1 << 31) - 1
SALT_MODULUS = (1 << 31) - 1

__all__ = ["categorical", "normal", "sanitize_seed", "shuffle", "split_seed", "uniform"]


def sanitize_seed(seed: Any, salt: str | None = None, name: str | None = None) -> Seed:
    """A seed of any kind as a stateless seed: `tfp.random.sanitize_seed`.

    Parameters
    ----------
    seed : int, None, two ints, or a function of no arguments that returns one of these
        An int is an op seed: a pair is drawn statefully, another pair at each call, and the same pairs again after
        tensorflow.set_seed. None draws a pair without an op seed. Two ints (a list, a tuple or an integer array that
        is not uint32) are the seed itself, as int32. Keys of JAX, which are arrays of uint32, are refused: TFP on JAX
        makes other children of them.
    salt : str or None
        With two ints: sha512(salt) modulo 2**31 - 1 is xored into the first int. With an int: the op seed becomes
        sha512(str((seed, salt))) modulo 2**31 - 1. With None: no effect.
    name : ignored

    Returns
    -------
    int32 array of shape (2,)

    Raises
    ------
    TypeError, ValueError
        seed is none of these, salt is not a str, or a salted pair is beyond int32.

    Notes
    -----
    Trap: without a salt, a pair beyond int32 but within int64 wraps modulo 2**32.

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
            seed = salt_number(str((seed, salt)))
        return tensorflow.uniform([2], minval=INT32_MIN, maxval=INT32_MAX, dtype=np.int32, seed=seed)
    return _read_pair(seed, salt)


def split_seed(seed: Any, n: Any = 2, salt: str | None = None, name: str | None = None) -> list[Seed] | Seed:
    """n new seeds from one: `tfp.random.split_seed`.

    Parameters
    ----------
    seed, salt
        As in sanitize_seed, which is applied first.
    n : int >= 0, or an integer array of rank 0
    name : ignored

    Returns
    -------
    list of n int32 arrays of shape (2,) if n is an int; one int32 array of shape (n, 2) if n is an array

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
    """Normals: `samplers.normal`. A pair draws as tensorflow.stateless_normal, an int or None as tensorflow.normal.

    Unlike the other samplers here, normal uses an int seed directly: no pair is drawn from it first. seed is as in
    sanitize_seed. The other arguments, the result and the errors are those of stateless_normal. An error leaves
    the op of a stateful seed where it was.

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
    """Uniform numbers: `samplers.uniform`. For any seed they are those of stateless_uniform at sanitize_seed(seed).

    seed is as in sanitize_seed. The other arguments, the result and the errors are those of
    tensorflow.stateless_uniform. An error leaves the op of a stateful seed where it was.

    >>> uniform([2], seed=(1, 2)).tolist()
    [0.8440604209899902, 0.19204533100128174]
    """
    kind = read_dtype(dtype, FLOATS + INTEGERS)
    draw = numbers.uniform(shape, minval, maxval, kind)  # raises before the op of a stateful seed moves
    return draw.values(state_of_seed(sanitize_seed(seed)))


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
    rows = np.asarray(value)
    if rows.ndim == 0:
        raise ValueError(f"value must have at least one axis; got the scalar {value!r}.")
    keys = tensorflow.stateless_uniform([len(rows)], sanitize_seed(seed))
    return np.asarray(rows[np.argsort(keys, kind="stable")])


def categorical(
    logits: Any, num_samples: int, dtype: DTypeLike | None = None, seed: Any = None, name: str | None = None
) -> Array:
    """Class numbers: `samplers.categorical`. For any seed those of stateless_categorical at sanitize_seed(seed).

    seed is as in sanitize_seed. The other arguments, the result and the errors are those of
    tensorflow.stateless_categorical. An error leaves the op of a stateful seed where it was.

    >>> categorical([[0.0, 1.0]], 4, seed=(1, 2))
    array([[1, 1, 0, 1]])
    """
    draw = numbers.categorical(logits, num_samples, dtype)  # raises before the op of a stateful seed moves
    return draw.values(state_of_seed(sanitize_seed(seed)))


def is_stateful(seed: Any) -> bool:
    """Whether a seed draws statefully."""
    return seed is None or (isinstance(seed, int) and not isinstance(seed, bool))


def salt_number(text: str) -> int:
    """sha512 of the text in UTF-8, as a big-endian number, modulo 2**31 - 1."""
    return int(hashlib.sha512(text.encode()).hexdigest(), 16) % SALT_MODULUS


def _read_pair(seed: Any, salt: str | None) -> Seed:
    """Two ints as int32, salted."""
    _refuse_jax(seed)
    if not isinstance(seed, (list, tuple, np.ndarray)):
        raise TypeError(
            f"seed must be an int, None or two ints; got {seed!r} of type {type(seed).__name__}. "
            "Write int(seed) for a stateful seed, (first, second) for a stateless one."
        )
    first, second, kind = check_pair(seed)
    pair = np.array([first & 0xFFFFFFFF, second & 0xFFFFFFFF], np.uint32).view(np.int32)
    if salt is not None:
        if isinstance(seed, np.ndarray) and kind != np.int32:
            raise TypeError(f"seed must be int32 if salt is given; got an array of {kind}. Convert it yourself.")
        int_vector(seed, "seed", INT32_MIN, INT32_MAX + 1)
        pair[0] ^= salt_number(salt)
    return pair


def _refuse_jax(seed: Any) -> None:
    """Raise TypeError for JAX's arrays and keys, and for arrays of uint32, which are keys of dmlrand.compat.jax."""
    library = type(seed).__module__.partition(".")[0]
    if library in ("jax", "jaxlib"):
        got = f"a {type(seed).__name__} of {library}"
    elif isinstance(seed, np.ndarray) and seed.dtype == np.uint32:
        got = "an array of uint32, JAX's type of keys"
    else:
        return
    raise TypeError(
        f"seed must not be a key of JAX; got {got}. This module gives the numbers of TFP on TensorFlow. TFP on JAX makes "
        "other numbers from a key. Split keys with dmlrand.compat.jax.split, or pass two ints for TensorFlow's numbers."
    )
