"""TensorFlow Probability's seeds and samplers (0.25, on TensorFlow), bit for bit, without either. Arguments and errors
are those of dmlrand.compat.tensorflow. An int or None is a stateful seed: it draws from the ops that set_seed resets. A
pair of ints is a stateless seed. Not for cryptography."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..drawing.imports import lazy_attributes
from ..drawing.interchange import as_array, package_of
from ..philox import MASK32
from . import tensorflow
from .shared import FLOATS, check_int, format_value
from .tensorflow import draws
from .tensorflow.arguments import SIGNED, Array, as_numpy, check_pair, read_dtype, read_ints
from .tensorflow.seeds import state_of_seed

Seed = NDArray[np.int32]

INT32_MIN, INT32_MAX = -(1 << 31), (1 << 31) - 1
SALT_MODULUS = (1 << 31) - 1

_NO_PATH = "Leave it out: its functions are functions of this module."
_OF_C_LIBRARY = "Its bits depend on the C library and on Eigen's vector code: specs/tfp.md says what to write."
_ABSENT = {
    **dict.fromkeys(("random", "samplers", "util"), _NO_PATH),
    **dict.fromkeys(("rayleigh", "spherical_uniform"), _OF_C_LIBRARY),
    **dict.fromkeys(("distributions", "mcmc", "substrates"), "specs/tfp.md says what to write."),
    "clone_seed": "Use the seed itself.",
    "zeros_seed": "Write numpy.zeros(2, numpy.int32).",
}
if not TYPE_CHECKING:  # type checkers would take every misspelt name for a lazy one
    __getattr__, __dir__ = lazy_attributes(__name__, {}, _ABSENT)
    __all__ = [
        "SeedStream", "categorical", "fold_in", "gamma", "is_stateful_seed", "normal", "poisson", "rademacher",
        "sanitize_seed", "shuffle", "split_seed", "uniform",
    ]  # fmt: skip


def sanitize_seed(seed: Any, salt: str | None = None, name: Any = None) -> Seed:
    """A seed of any kind as a stateless seed, int32 of shape (2,). seed is an int, None, two ints, or a function that
    returns one of these. Trap: without a salt, ints beyond int32 wrap. Keys of JAX are refused.

    >>> sanitize_seed((1, 2), salt="x")
    array([1694992580,          2], dtype=int32)
    """
    if callable(seed):
        seed = seed()
    if salt is not None and not isinstance(salt, str):
        raise TypeError(f"salt must be a str or None; got {format_value(salt)}.")
    if is_stateful_seed(seed):
        if salt is not None and seed is not None:
            seed = sha512(str((seed, salt))) % SALT_MODULUS
        return tensorflow.uniform([2], minval=INT32_MIN, maxval=INT32_MAX, dtype=np.int32, seed=seed)
    return _read_pair(seed) if salt is None else fold_in(seed, sha512(salt) % SALT_MODULUS)


def fold_in(seed: Any, salt: Any) -> Seed:
    """A new seed from two ints in [-2**31, 2**31) and a number: an int is xored into the seed, an array of rank 0 is
    the data of tensorflow.fold_in.

    >>> fold_in([1, 2], 3 + (4 << 32)), fold_in([1, 2], np.array(3, np.int32))
    (array([2, 6], dtype=int32), array([1105988140,          3], dtype=int32))
    """
    pair = _read_pair(seed, salted=True)
    if not isinstance(salt, int):
        return tensorflow.fold_in(pair, salt)
    number = check_int(salt, "salt")
    return np.asarray(pair ^ np.array([number & MASK32, number >> 32 & MASK32], np.uint32).view(np.int32))


def split_seed(seed: Any, n: Any = 2, salt: str | None = None, name: Any = None) -> list[Seed] | Seed:
    """n new seeds of sanitize_seed(seed, salt): a list of n arrays of shape (2,), or one array of shape (n, 2) if n is
    an array of rank 0.

    >>> split_seed((1, 2))
    [array([1105988140, 1738052849], dtype=int32), array([-335576002,  370444179], dtype=int32)]
    """
    count = check_int(as_numpy(n, "n"), "n", 0, 1 << 63)  # raises before the op of a stateful seed moves
    seeds = tensorflow.split(sanitize_seed(seed, salt), count)
    return list(seeds) if isinstance(n, int) else seeds


def is_stateful_seed(seed: Any) -> bool:
    """Whether a seed, as sanitize_seed of this module takes it, draws statefully: None and ints do, but not bools."""
    return seed is None or (isinstance(seed, int) and not isinstance(seed, bool))


def sha512(text: str) -> int:
    return int(hashlib.sha512(text.encode()).hexdigest(), 16)


class SeedStream:
    """Stateful seeds from one seed and a salt: `tfp.util.SeedStream`. Each call returns sha512(str((seed, count,
    salt))) as an int, or None if the seed is None. Arrays are refused. Not for several threads at once.

    >>> SeedStream(5, salt="layer")() % 2**32
    4110656856
    """

    def __init__(self, seed: Any, salt: Any) -> None:
        if isinstance(as_numpy(seed, "seed"), np.ndarray):
            raise TypeError(f"seed must not be an array or a tensor; got {format_value(seed)}. Pass an int or None.")
        self.original_seed: Any = seed.original_seed if isinstance(seed, SeedStream) else seed
        self.salt = salt
        self._count = 0

    def __call__(self) -> int | None:
        self._count += 1
        if self.original_seed is None:
            return None
        return sha512(str((self.original_seed, self._count, self.salt)))


def categorical(logits: Any, num_samples: int, dtype: Any = None, seed: Any = None, name: Any = None) -> Array:
    """Class numbers of stateless_categorical, seeded as uniform of this module."""
    return _drawn(draws.categorical(logits, num_samples, dtype), seed)


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = np.float32, seed: Any = None, name: Any = None
) -> Array:
    """Gamma numbers of stateless_gamma with the shape of tensorflow.gamma, seeded as uniform of this module."""
    return _drawn(draws.gammas(shape, alpha, beta, dtype), seed)


def poisson(shape: Any, lam: Any, dtype: Any = np.float32, seed: Any = None, name: Any = None) -> Array:
    """Poisson numbers of stateless_poisson with the shape of tensorflow.poisson, seeded as uniform of this module."""
    return _drawn(draws.poissons(shape, lam, dtype), seed)


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, seed: Any = None, name: Any = None
) -> Array:
    """Normals, drawn as uniform of this module, but a stateful seed is the op seed of tensorflow.normal itself."""
    if is_stateful_seed(seed):
        return tensorflow.normal(shape, mean, stddev, dtype, seed)
    return tensorflow.stateless_normal(shape, sanitize_seed(seed), mean, stddev, dtype)


def shuffle(value: Any, seed: Any = None, name: Any = None) -> Array:
    """`value` shuffled along its first axis: the stable order of float32 uniforms. stateless_shuffle gives another
    order.

    >>> shuffle([10, 20, 30, 40], seed=(1, 2)).tolist()
    [40, 20, 10, 30]
    """
    rows = as_array(value, "value")
    if rows.ndim == 0:
        raise ValueError(f"value must have at least one axis; got the scalar {format_value(value)}.")
    keys = tensorflow.stateless_uniform([len(rows)], sanitize_seed(seed))
    return np.asarray(rows[np.argsort(keys, kind="stable")])


def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = np.float32, seed: Any = None, name: Any = None
) -> Array:
    """Numbers of stateless_uniform at sanitize_seed(seed): `samplers.uniform`.

    >>> uniform([2], seed=(1, 2)).tolist()
    [0.8440604209899902, 0.19204533100128174]
    """
    return _drawn(draws.uniform(shape, minval, maxval, dtype), seed)


def rademacher(shape: Any, dtype: Any = np.float32, seed: Any = None, name: Any = None) -> Array:
    """Numbers -1 and 1, each equally likely, of a type of reals, int32 or int64, drawn as uniform of this module."""
    kind = read_dtype(dtype, FLOATS + SIGNED)
    bits = uniform(shape, 0, 2, np.int32 if kind == np.int32 else np.int64, seed)
    return np.asarray(2 * bits - 1, kind)


def _drawn(draw: draws.Draw, seed: Any) -> Array:
    """The values of a draw, whose arguments were checked before the op of a stateful seed moves."""
    return draw.values(state_of_seed(sanitize_seed(seed)))


def _read_pair(seed: Any, salted: bool = False) -> Seed:
    """Two ints as int32. Ints beyond int32 wrap, unless the seed is to be salted."""
    if package_of(seed) in ("jax", "jaxlib") or getattr(seed, "dtype", None) == np.uint32:
        raise TypeError(
            f"seed must not be a key of JAX, nor an array of uint32, their type; got {format_value(seed)}. TFP on JAX "
            "makes other numbers from a key than TFP on TensorFlow. Split keys with dmlrand.compat.jax.split, or pass "
            "two ints for TensorFlow's numbers."
        )
    numbers = as_numpy(seed, "seed")
    if not isinstance(numbers, (list, tuple, np.ndarray)):
        raise TypeError(
            f"seed must be an int, None or two ints; got {format_value(seed)} of type {type(seed).__name__}. Write "
            "int(seed) for a stateful seed, (first, second) for a stateless one."
        )
    first, second, kind = check_pair(numbers)
    if salted:
        read_ints(numbers, "seed", INT32_MIN, INT32_MAX + 1)
        if isinstance(numbers, np.ndarray) and kind != np.int32:
            raise TypeError(f"seed must be int32 if salt is given; got an array of {kind}. Convert it yourself.")
    return np.array([first & MASK32, second & MASK32], np.uint32).view(np.int32)
