"""Ops of stateful samplers. Each object has its own stream, as each random op of a TensorFlow graph has."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...arrays.integers import check_int
from ...arrays.number_types import FLOATS
from ...messages import format_value
from ...position import StatePosition
from ...state import make_state, seed_state
from . import numbers
from .arguments import HIGH64, LOW64, SIGNED, read_dtype
from .numbers import Draw

Array = NDArray[Any]


class Op(StatePosition):
    """A stream that starts at key `seed` and counter 2**64 * `seed2`. Each value moves it by 256 blocks."""

    _types: ClassVar[tuple[str, ...]] = FLOATS

    def __init__(self, dtype: DTypeLike = np.float32, seed: int = 0, seed2: int = 0) -> None:
        self.dtype = read_dtype(dtype, self._types)
        key = check_int(seed, "seed", LOW64, HIGH64)
        start = check_int(seed2, "seed2", LOW64, HIGH64)
        if key == start == 0:
            self._start = seed_state()
        else:
            self._start = make_state(counter=start % (1 << 64) << 64, key=key % (1 << 64))
        super().__init__(self._start)

    def restart(self) -> None:
        """Go back to the start, as every op of a traced tf.function does when tf.random.set_seed is called."""
        self._move_to(self._start)

    def draw_values(self, draw: Draw) -> Array:
        """The values of a draw from the current state, which moves by 256 blocks for each value of the draw's sizes."""
        return self._draw(draw.values_and_next_state)


class RandomUniform(Op):
    """The op of stateful uniform reals in [0, 1): `tf.raw_ops.RandomUniform`. One object stands for one op of a graph.

    Parameters
    ----------
    dtype : float16, bfloat16 (with ml_dtypes), float32 or float64
    seed, seed2 : ints in [-2**63, 2**63)
        get_seed(op_seed) gives both. Both 0: the op starts at a state from the operating system's entropy.

    Attributes
    ----------
    state : uint32 array of shape (6,)
        The state that the next call draws from, as dmlrand's six words. Each reading gives a new array. Set it to any
        state to draw from there.

    Notes
    -----
    Threads may share an op: a draw and its step are one operation. A copy, an unpickled op or a forked child continues
    from the same state on its own. All of this holds for the other ops too.

    Examples
    --------
    >>> first, second = (RandomUniform("float32", 87654321, 234) for _ in range(2))
    >>> bool((first([3]) == second([3])).all())
    True
    """

    def __call__(self, shape: Any, minval: Any = 0, maxval: Any = None) -> Array:
        """The next values, scaled to [minval, maxval) as tf.random.uniform does."""
        return self.draw_values(numbers.uniform(shape, minval, maxval, self.dtype))


class RandomUniformInt(Op):
    """The op of stateful integers: `tf.raw_ops.RandomUniformInt`. dtype is int32 or int64. Seeds as in RandomUniform.

    >>> RandomUniformInt("int32", 1, 2)([4], minval=0, maxval=10).shape
    (4,)
    """

    _types = SIGNED

    def __init__(self, dtype: DTypeLike = np.int32, seed: int = 0, seed2: int = 0) -> None:
        super().__init__(dtype, seed, seed2)

    def __call__(self, shape: Any, minval: Any, maxval: Any) -> Array:
        """The next integers in [minval, maxval), both in the range of the type."""
        check_both_given(minval, maxval, self.dtype)
        return self.draw_values(numbers.uniform(shape, minval, maxval, self.dtype))


class RandomStandardNormal(Op):
    """The op of stateful normals: `tf.raw_ops.RandomStandardNormal`. dtype and seeds as in RandomUniform.

    >>> RandomStandardNormal("float32", 1, 2)([4]).shape
    (4,)
    """

    def __call__(self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0) -> Array:
        """The next values, scaled as tf.random.normal does."""
        return self.draw_values(numbers.normal(shape, mean, stddev, self.dtype))


class TruncatedNormal(Op):
    """The op of stateful truncated normals: `tf.raw_ops.TruncatedNormal`. dtype and seeds as in RandomUniform.

    >>> bool((abs(TruncatedNormal("float32", 1, 2)([100])) < 2).all())
    True
    """

    def __call__(self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0) -> Array:
        """The next values, scaled as tf.random.truncated_normal does."""
        return self.draw_values(numbers.truncated_normal(shape, mean, stddev, self.dtype))


class Multinomial(Op):
    """The op of stateful class numbers: `tf.raw_ops.Multinomial`. dtype is int32 or int64. Seeds as in RandomUniform.

    Each call advances by 512 blocks for each sample, with the number of samples of a row rounded up to a multiple of 4.

    >>> Multinomial("int64", 1, 2)([[0.0, 1.0]], 3).shape
    (1, 3)
    """

    _types = SIGNED

    def __init__(self, dtype: DTypeLike = np.int64, seed: int = 0, seed2: int = 0) -> None:
        super().__init__(dtype, seed, seed2)

    def __call__(self, logits: Any, num_samples: int) -> Array:
        """The next class numbers, as stateless_categorical draws them."""
        return self.draw_values(numbers.categorical(logits, num_samples, self.dtype))


class RandomShuffle(Op):
    """The op of stateful shuffles: `tf.raw_ops.RandomShuffle`. Seeds as in RandomUniform.

    Each call advances by one block for 4 swaps. Values of less than 2 elements are not shuffled, and draw nothing.

    >>> RandomShuffle(1, 2)([1, 2, 3]).shape
    (3,)
    """

    def __init__(self, seed: int = 0, seed2: int = 0) -> None:
        super().__init__(np.float32, seed, seed2)

    def __call__(self, value: Any) -> Array:
        """`value` in another order along its first axis, as stateless_shuffle shuffles it."""
        return self.draw_values(numbers.shuffled(value))


def check_both_given(minval: Any, maxval: Any, kind: np.dtype[Any]) -> None:
    """Raise ValueError for a missing bound, because stateful samplers do not draw the full range of integers."""
    if minval is None or maxval is None:
        raise ValueError(
            f"minval and maxval must both be given for {kind}; got minval {format_value(minval)} and maxval "
            f"{format_value(maxval)}. Only stateless_uniform and Generator draw the full range."
        )
