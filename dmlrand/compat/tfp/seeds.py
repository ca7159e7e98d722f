"""Seeds of TensorFlow Probability: ints, pairs of ints, and new seeds from them."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.integers import check_int
from ...arrays.interchange import package_of
from ...messages import format_value
from ...philox import MASK32
from .. import tensorflow
from ..tensorflow.arguments import as_numpy, check_pair, int_vector

Seed = NDArray[np.int32]

INT32_MIN, INT32_MAX = -(1 << 31), (1 << 31) - 1
SALT_MODULUS = (1 << 31) - 1
_JAX = ("jax", "jaxlib")


def sanitize_seed(seed: Any, salt: str | None = None, name: str | None = None) -> Seed:
    """A seed of any kind as a stateless seed: `tfp.random.sanitize_seed`.

    Parameters
    ----------
    seed : int, None, two ints, or a function of no arguments that returns one of these
        An int is an op seed: a pair is drawn statefully, another pair at each call, and the same pairs again after
        tensorflow.set_seed. None draws a pair without an op seed. Two ints (a list, a tuple or an integer array that
        is not uint32) are the seed itself, as int32. A tensor must be int32. Keys of JAX, which are arrays of uint32,
        are refused: TFP on JAX makes other children of them.
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
        raise TypeError(f"salt must be a str or None; got {format_value(salt)}.")
    if is_stateful_seed(seed):
        if salt is not None and seed is not None:
            seed = salt_number(str((seed, salt)))
        return tensorflow.uniform([2], minval=INT32_MIN, maxval=INT32_MAX, dtype=np.int32, seed=seed)
    return _read_pair(seed) if salt is None else fold_in(seed, salt_number(salt))


def fold_in(seed: Any, salt: Any) -> Seed:
    """A new stateless seed from a stateless seed and a number: `samplers.fold_in`.

    Parameters
    ----------
    seed : two ints in [-2**31, 2**31)
    salt : int of any size, or an integer array of rank 0
        The low 32 bits of an int are xored into the first number of the seed, and the next 32 bits into the second. An
        array or a tensor is the data of tensorflow.fold_in.

    Returns
    -------
    array of shape (2,): int32 if salt is an int, else of salt's type

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.

    Examples
    --------
    >>> fold_in([1, 2], 3 + (4 << 32))
    array([2, 6], dtype=int32)
    >>> fold_in([1, 2], np.array(3, np.int32))
    array([1105988140,          3], dtype=int32)
    """
    pair = _read_pair(seed, salted=True)
    if not isinstance(salt, int):
        return tensorflow.fold_in(pair, salt)
    number = check_int(salt, "salt")
    return np.asarray(pair ^ np.array([number & MASK32, number >> 32 & MASK32], np.uint32).view(np.int32))


def zeros_seed() -> Seed:
    """The stateless seed of two zeros: `samplers.zeros_seed`.

    >>> zeros_seed()
    array([0, 0], dtype=int32)
    """
    return np.zeros(2, np.int32)


def clone_seed(seed: Any) -> Any:
    """`seed` itself: `samplers.clone_seed`, which makes a copy only in TFP on JAX.

    >>> clone_seed((1, 2))
    (1, 2)
    """
    return seed


def split_seed(seed: Any, n: Any = 2, salt: str | None = None, name: str | None = None) -> list[Seed] | Seed:
    """n new seeds from one: `tfp.random.split_seed`.

    Parameters
    ----------
    seed, salt
        As in sanitize_seed, which is applied first.
    n : int >= 0, or an integer array of rank 0, such as a tensor
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
    n = as_numpy(n, "n")
    stacked = isinstance(n, np.ndarray)
    if stacked:
        if n.ndim or n.dtype.kind not in "iu":
            raise TypeError(f"n must be an int or an integer array of rank 0; got {n.dtype} of shape {n.shape}.")
    elif not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(
            f"n must be an int or an integer array of rank 0; got {format_value(n)}. salt is the argument after it."
        )
    count = check_int(n[()] if stacked else n, "n", 0, 1 << 63)
    seeds = tensorflow.split(sanitize_seed(seed, salt), count)
    return seeds if stacked else list(seeds)


def is_stateful_seed(seed: Any) -> bool:
    """Whether a seed draws statefully: `samplers.is_stateful_seed`. None and ints do, but not bools.

    >>> is_stateful_seed(5), is_stateful_seed((1, 2))
    (True, False)
    """
    return seed is None or (isinstance(seed, int) and not isinstance(seed, bool))


def salt_number(text: str) -> int:
    """sha512 of the text in UTF-8, as a big-endian number, modulo 2**31 - 1."""
    return int(hashlib.sha512(text.encode()).hexdigest(), 16) % SALT_MODULUS


def _read_pair(seed: Any, salted: bool = False) -> Seed:
    """Two ints as int32. Ints beyond int32 wrap, unless the seed is to be salted."""
    numbers = seed if package_of(seed) in _JAX else as_numpy(seed, "seed")
    _refuse_jax(numbers)
    if not isinstance(numbers, (list, tuple, np.ndarray)):
        raise TypeError(
            f"seed must be an int, None or two ints; got {format_value(seed)} of type {type(seed).__name__}. Write "
            "int(seed) for a stateful seed, (first, second) for a stateless one."
        )
    first, second, kind = check_pair(numbers)
    if isinstance(numbers, np.ndarray) and kind != np.int32 and (salted or numbers is not seed):
        which = "if salt is given" if salted else "in a tensor"
        raise TypeError(f"seed must be int32 {which}; got an array of {kind}. Convert it yourself.")
    if salted:
        int_vector(numbers, "seed", INT32_MIN, INT32_MAX + 1)
    return np.array([first & MASK32, second & MASK32], np.uint32).view(np.int32)


def _refuse_jax(seed: Any) -> None:
    """Raise TypeError for JAX's arrays and keys, and for arrays of uint32, which are keys of dmlrand.compat.jax."""
    library = package_of(seed)
    if library in _JAX:
        got = f"a {type(seed).__name__} of {library}"
    elif isinstance(seed, np.ndarray) and seed.dtype == np.uint32:
        got = "an array of uint32, JAX's type of keys"
    else:
        return
    raise TypeError(
        f"seed must not be a key of JAX; got {got}. This module gives the numbers of TFP on TensorFlow. TFP on JAX "
        "makes "
        "other numbers from a key. Split keys with dmlrand.compat.jax.split, or pass two ints for TensorFlow's numbers."
    )
