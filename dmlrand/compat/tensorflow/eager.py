"""tf.random.set_seed, and uniform, normal, truncated_normal, categorical and shuffle called eagerly.

Eager calls share a cache of op objects, keyed by the seeds among others. set_seed empties the cache. This is the only
state of the process in dmlrand (specs/tensorflow.md, section 5).
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...arrays.integers import check_int
from ...arrays.number_types import FLOATS
from ...position import Locked
from . import numbers
from .arguments import SIGNED, as_numpy, converted_type, is_int64_shape, read_dtype, read_logits
from .numbers import Draw
from .ops import (
    Multinomial,
    Op,
    RandomShuffle,
    RandomStandardNormal,
    RandomUniform,
    RandomUniformInt,
    TruncatedNormal,
    check_both_given,
)

Array = NDArray[Any]

DEFAULT_GLOBAL_SEED = 87654321  # used with an op seed while no global seed is set
SEED_MODULUS = (1 << 31) - 1


class _EagerContext(Locked):
    """What set_seed sets: the global seed, the op seeds drawn from it, and the ops cached so far."""

    def __init__(self) -> None:
        super().__init__()
        self.set_seed(None)

    def set_seed(self, seed: int | None) -> None:
        with self._lock:
            self._global_seed = seed
            self._op_seeds = random.Random(seed)
            self._ops: dict[tuple[Any, ...], Op] = {}

    def get_seed(self, op_seed: int | None) -> tuple[int | None, int | None]:
        with self._lock:
            if self._global_seed is None:
                if op_seed is None:
                    return None, None
                seeds = DEFAULT_GLOBAL_SEED, op_seed % SEED_MODULUS
            else:
                if op_seed is None:
                    op_seed = self._op_seeds.randint(0, SEED_MODULUS)
                seeds = self._global_seed % SEED_MODULUS, op_seed % SEED_MODULUS
        return (0, SEED_MODULUS) if seeds == (0, 0) else seeds

    def draw(self, op_type: type[Op], seed: Any, draw: Draw, *attributes: Any) -> Array:
        """Draw from the cached op that has these attributes, such as types. All other arguments have been checked."""
        pair = self.get_seed(None if seed is None else check_int(seed, "seed"))
        key = (op_type, *pair, *attributes)
        with self._lock:
            op = self._ops.get(key)
            if op is None:
                op = self._ops[key] = op_type(seed=pair[0] or 0, seed2=pair[1] or 0)
        return op.draw_values(draw)


_context = _EagerContext()


def set_seed(seed: int | None) -> None:
    """Set the global seed of the stateful samplers of this process, and forget the states of all of them.

    Parameters
    ----------
    seed : int or None
        Taken modulo 2**31 - 1 where it becomes a key. None removes the global seed, as at the start of the process.

    Raises
    ------
    TypeError
        seed is not an integer. (TensorFlow also accepts floats.)

    Examples
    --------
    >>> set_seed(123)
    >>> first = uniform([3], seed=234)
    >>> bool((first == uniform([3], seed=234)).any())
    False
    >>> set_seed(123)
    >>> bool((first == uniform([3], seed=234)).all())
    True
    """
    _context.set_seed(None if seed is None else check_int(seed, "seed"))


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds of an op, from the global seed and an op seed: `tf.compat.v1.get_seed`.

    Parameters
    ----------
    op_seed : int or None
        Taken modulo 2**31 - 1. None draws the next of the op seeds that belong to the global seed.

    Returns
    -------
    (seed, seed2)
        (None, None) with neither seed: the op then starts at a state from the operating system's entropy. (0, 0)
        becomes (0, 2**31 - 1).

    Raises
    ------
    TypeError
        op_seed is neither an int nor None.

    Examples
    --------
    >>> set_seed(123)
    >>> get_seed(234)
    (123, 234)
    """
    return _context.get_seed(None if op_seed is None else check_int(op_seed, "op_seed"))


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: DTypeLike = np.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Array:
    """The next numbers in [minval, maxval) of the op that `seed` names: `tf.random.uniform`, called eagerly.

    Parameters
    ----------
    shape, minval, maxval, name
        As in stateless_uniform. Integers need both bounds.
    dtype : float16, bfloat16 (with ml_dtypes), float32, float64, int32 or int64
        Each type has an op of its own, which starts at the beginning of its stream.
    seed : int or None
        The op seed. None, after set_seed: the next of the op seeds that belong to the global seed.

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule. Neither numbers nor an op seed were drawn.

    Examples
    --------
    >>> set_seed(5)
    >>> uniform([2], seed=3).tolist()
    [0.2886784076690674, 0.6889241933822632]
    """
    kind = read_dtype(dtype, FLOATS + SIGNED)
    if kind.kind == "i":
        check_both_given(minval, maxval, kind)
    op_type = RandomUniformInt if kind.kind == "i" else RandomUniform
    return _context.draw(op_type, seed, numbers.uniform(shape, minval, maxval, kind), kind, is_int64_shape(shape))


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = np.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Array:
    """The next normals of the op that `seed` names: `tf.random.normal`, called eagerly.

    seed and errors are those of uniform, the other arguments those of stateless_normal.

    >>> set_seed(123)
    >>> bool((normal([3], seed=234) != normal([3], seed=234)).all())
    True
    """
    kind = read_dtype(dtype, FLOATS)
    draw = numbers.normal(shape, mean, stddev, kind)
    return _context.draw(RandomStandardNormal, seed, draw, kind, is_int64_shape(shape))


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = np.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Array:
    """The next truncated normals of the op that `seed` names: `tf.random.truncated_normal`, called eagerly.

    seed and errors are those of uniform, the other arguments those of stateless_truncated_normal.

    >>> set_seed(123)
    >>> truncated_normal([3], seed=234).shape
    (3,)
    """
    kind = read_dtype(dtype, FLOATS)
    draw = numbers.truncated_normal(shape, mean, stddev, kind)
    return _context.draw(TruncatedNormal, seed, draw, kind, is_int64_shape(shape))


def categorical(
    logits: Any, num_samples: int, dtype: DTypeLike | None = None, seed: int | None = None, name: str | None = None
) -> Array:
    """The next class numbers of the op that `seed` names: `tf.random.categorical`, called eagerly.

    seed and errors are those of uniform, the other arguments and the result those of stateless_categorical. Each type
    of logits and each dtype has an op of its own.

    >>> set_seed(123)
    >>> categorical([[0.0, 1.0]], 4, seed=234)
    array([[0, 1, 0, 1]])
    """
    rows = read_logits(logits)
    kind = read_dtype(np.int64 if dtype is None else dtype, SIGNED)
    return _context.draw(Multinomial, seed, numbers.categorical(rows, num_samples, kind), rows.dtype, kind)


def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Array:
    """`value` shuffled along its first axis by the op that `seed` names: `tf.random.shuffle`, called eagerly.

    seed and errors are those of uniform, value and the result those of stateless_shuffle. Each type of values has an op
    of its own. Sequences have the types that TensorFlow gives them: int32 for ints if all fit, else int64.

    >>> set_seed(123)
    >>> shuffle([1, 2, 3, 4], seed=234).tolist()
    [3, 1, 4, 2]
    """
    rows = np.asarray(as_numpy(value, "value"))
    return _context.draw(RandomShuffle, seed, numbers.shuffled(rows), converted_type(value, rows))
