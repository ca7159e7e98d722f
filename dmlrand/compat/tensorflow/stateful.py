"""Stateful samplers: op objects that each own a stream, and tf.random.set_seed, uniform, normal, truncated_normal.

In a graph every op has a kernel with a state of its own: make one op object for it. Eager calls share a cache of
kernels, keyed by the seeds among others and purged by set_seed: call the functions. This is the one place of
dmlrand with state of the process; specs/tensorflow.md, section 5.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...arrays.integers import check_int
from ...arrays.number_types import FLOATS
from ...position import Locked, StatePosition
from ...state import make_state, seed_state
from . import sampling
from .arguments import LOW64, SIGNED, Sizes, check_sizes, read_dtype
from .sampling import Draw

Array = NDArray[Any]

DEFAULT_GLOBAL_SEED = 87654321  # beside an op seed, while set_seed was not called
SEED_MODULUS = (1 << 31) - 1


class _Op(StatePosition):
    """An op's kernel: key `seed`, counter 2**64 * `seed2`, and 256 blocks further for each value it gave."""

    _types: tuple[str, ...] = FLOATS

    def __init__(self, dtype: DTypeLike = np.float32, seed: int = 0, seed2: int = 0) -> None:
        self.dtype = read_dtype(dtype, self._types)
        key = check_int(seed, "seed", LOW64, -LOW64)
        start = check_int(seed2, "seed2", LOW64, -LOW64)
        if key == start == 0:
            self._start = seed_state()
        else:
            self._start = make_state(counter=start % (1 << 64) << 64, key=key % (1 << 64))
        super().__init__(self._start)

    def restart(self) -> None:
        """Go back to the start, as every op of a traced tf.function does when tf.random.set_seed is called."""
        self._move_to(self._start)

    def _draw_values(self, draw: Draw, sizes: Sizes) -> Array:
        return self._draw(sampling.draw_and_skip(draw, sizes))


class RandomUniform(_Op):
    """The op of stateful uniform reals in [0, 1): `tf.raw_ops.RandomUniform`, one object for one op of a graph.

    Parameters
    ----------
    dtype : float16, bfloat16 (with ml_dtypes), float32 or float64
    seed, seed2 : ints in [-2**63, 2**63)
        get_seed(op_seed) gives both. Both 0: a state from the operating system's entropy.

    Attributes
    ----------
    state : uint32 array of shape (6,)
        What the next call draws from, as dmlrand's six words. Each reading gives a new array; set it to any state.

    Notes
    -----
    Safe to share between threads: a draw and its step are one. Pickles and copies with its state; so does a forked
    child. All of this holds for the other ops, too.

    Examples
    --------
    >>> first, second = (RandomUniform("float32", 87654321, 234) for _ in range(2))
    >>> bool((first([3]) == second([3])).all())
    True
    """

    def __call__(self, shape: Any, minval: Any = 0, maxval: Any = None) -> Array:
        """The next values, scaled to [minval, maxval) as tf.random.uniform does."""
        sizes = check_sizes(shape)
        return self._draw_values(sampling.uniform(sizes, minval, maxval, self.dtype), sizes)


class RandomUniformInt(_Op):
    """The op of stateful integers: `tf.raw_ops.RandomUniformInt`. Types int32 and int64; seeds as RandomUniform's.

    >>> RandomUniformInt("int32", 1, 2)([4], minval=0, maxval=10).shape
    (4,)
    """

    _types = SIGNED

    def __init__(self, dtype: DTypeLike = np.int32, seed: int = 0, seed2: int = 0) -> None:
        super().__init__(dtype, seed, seed2)

    def __call__(self, shape: Any, minval: Any, maxval: Any) -> Array:
        """The next integers in [minval, maxval), both in the range of the type."""
        check_given(minval, maxval, self.dtype)
        sizes = check_sizes(shape)
        return self._draw_values(sampling.uniform(sizes, minval, maxval, self.dtype), sizes)


class RandomStandardNormal(_Op):
    """The op of stateful normals: `tf.raw_ops.RandomStandardNormal`. Types and seeds as RandomUniform's.

    >>> RandomStandardNormal("float32", 1, 2)([4]).shape
    (4,)
    """

    def __call__(self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0) -> Array:
        """The next values, scaled as tf.random.normal does."""
        sizes = check_sizes(shape)
        return self._draw_values(sampling.normal(sizes, mean, stddev, self.dtype), sizes)


class TruncatedNormal(_Op):
    """The op of stateful truncated normals: `tf.raw_ops.TruncatedNormal`. Types and seeds as RandomUniform's.

    >>> bool((abs(TruncatedNormal("float32", 1, 2)([100])) < 2).all())
    True
    """

    def __call__(self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0) -> Array:
        """The next values, scaled as tf.random.truncated_normal does."""
        sizes = check_sizes(shape)
        return self._draw_values(sampling.truncated_normal(sizes, mean, stddev, self.dtype), sizes)


class _EagerContext(Locked):
    """What set_seed sets: the global seed, the seeds drawn for ops without one, and the kernels cached so far."""

    def __init__(self) -> None:
        super().__init__()
        self.set_seed(None)

    def set_seed(self, seed: int | None) -> None:
        with self._lock:
            self._global_seed = seed
            self._op_seeds = random.Random(seed)
            self._kernels: dict[tuple[Any, ...], _Op] = {}

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

    def draw(self, op: type[_Op], kind: np.dtype[Any], seed: Any, shape: Any, draw: Draw) -> Array:
        """An eager call: a draw by the cached kernel of its attributes."""
        pair = self.get_seed(None if seed is None else check_int(seed, "seed"))
        # The type of a shape given as an array is an attribute of the op too: a kernel of its own.
        wide = isinstance(shape, np.ndarray) and shape.dtype.kind in "iu" and shape.dtype.name != "int32"
        key = (op, kind, *pair, wide)
        with self._lock:
            kernel = self._kernels.get(key)
            if kernel is None:
                kernel = self._kernels[key] = op(kind, pair[0] or 0, pair[1] or 0)
        return kernel._draw_values(draw, check_sizes(shape))


_context = _EagerContext()


def set_seed(seed: int | None) -> None:
    """Set the global seed of the stateful samplers of this process, and forget all their states.

    Parameters
    ----------
    seed : int, taken modulo 2**31 - 1 where it becomes a key, or None
        None takes the global seed away, as it was at the start of the process.

    Raises
    ------
    TypeError
        seed is no integer. (TensorFlow also takes floats.)

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
    if isinstance(seed, np.ndarray) and seed.ndim == 0:
        seed = seed[()]
    _context.set_seed(None if seed is None else check_int(seed, "seed"))


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds of an op's kernel, from the global seed and an op seed: `tf.compat.v1.get_seed`.

    Parameters
    ----------
    op_seed : int, taken modulo 2**31 - 1, or None
        None draws the next of the op seeds that belong to the global seed.

    Returns
    -------
    (seed, seed2)
        (None, None) with neither seed: the op then starts anywhere. (0, 0) becomes (0, 2**31 - 1).

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
    """The next numbers in [minval, maxval) of the op seed's kernel: `tf.random.uniform`, called eagerly.

    Parameters
    ----------
    shape, minval, maxval, name
        As in stateless_uniform; integers need both bounds.
    dtype : float16, bfloat16 (with ml_dtypes), float32, float64, int32 or int64
        Each type has a kernel of its own, and starts its stream anew.
    seed : int or None
        The op seed. None, where set_seed was called, gives this call the next of the global seed's op seeds.

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule; nothing was drawn, no op seed either.

    Examples
    --------
    >>> set_seed(5)
    >>> uniform([2], seed=3).tolist()
    [0.2886784076690674, 0.6889241933822632]
    """
    kind = read_dtype(dtype, FLOATS + SIGNED)
    if kind.kind == "i":
        check_given(minval, maxval, kind)
    op = RandomUniformInt if kind.kind == "i" else RandomUniform
    draw = sampling.uniform(check_sizes(shape), minval, maxval, kind)
    return _context.draw(op, kind, seed, shape, draw)


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = np.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Array:
    """The next normals of the op seed's kernel: `tf.random.normal`, called eagerly.

    Parameters
    ----------
    shape, mean, stddev, dtype, name
        As in stateless_normal.
    seed : int or None
        As in uniform.

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule; nothing was drawn, no op seed either.

    Examples
    --------
    >>> set_seed(123)
    >>> bool((normal([3], seed=234) != normal([3], seed=234)).all())
    True
    """
    kind = read_dtype(dtype, FLOATS)
    draw = sampling.normal(check_sizes(shape), mean, stddev, kind)
    return _context.draw(RandomStandardNormal, kind, seed, shape, draw)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = np.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Array:
    """The next truncated normals of the op seed's kernel: `tf.random.truncated_normal`, called eagerly.

    Parameters
    ----------
    shape, mean, stddev, dtype, name
        As in stateless_truncated_normal.
    seed : int or None
        As in uniform.

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule; nothing was drawn, no op seed either.

    Examples
    --------
    >>> set_seed(123)
    >>> truncated_normal([3], seed=234).shape
    (3,)
    """
    kind = read_dtype(dtype, FLOATS)
    draw = sampling.truncated_normal(check_sizes(shape), mean, stddev, kind)
    return _context.draw(TruncatedNormal, kind, seed, shape, draw)


def check_given(minval: Any, maxval: Any, kind: np.dtype[Any]) -> None:
    """Stateful integers have no full range."""
    if minval is None or maxval is None:
        raise ValueError(
            f"minval and maxval must both be given for {kind}; got minval {minval!r} and maxval {maxval!r}. "
            "Only stateless_uniform and Generator draw the full range."
        )
