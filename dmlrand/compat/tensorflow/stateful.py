"""tf.random's stateful samplers: ops, each with its own stream, and the functions that draw from ops when run eagerly.

Eager calls share a cache of op objects, keyed by the seeds among others. set_seed empties the cache. The cache is the
only state of the process in dmlrand, besides the global Generator (specs/tensorflow.md, section 5).
"""

from __future__ import annotations

import random
from typing import Any, ClassVar

import numpy as np

from ...arrays.integers import check_int
from ...arrays.number_types import FLOATS
from ...position import Locked, StatePosition
from ...state import make_state, seed_state
from . import arguments, draws
from .arguments import FLOAT32, HIGH64, INT32, INT64, LOW64, SIGNED, Array, check_both_given, is_int64_shape, read_dtype
from .draws import Draw
from .seeds import MASK64

DEFAULT_GLOBAL_SEED = 87654321  # used with an op seed while no global seed is set
SEED_MODULUS = (1 << 31) - 1


class Op(StatePosition):
    """A stream that starts at key `seed` and counter 2**64 * `seed2`. Each value moves it by 256 blocks."""

    _types: ClassVar[tuple[str, ...]] = FLOATS

    def __init__(self, dtype: Any = FLOAT32, seed: int = 0, seed2: int = 0) -> None:
        self.dtype = read_dtype(dtype, self._types)
        key = check_int(seed, "seed", LOW64, HIGH64)
        start = check_int(seed2, "seed2", LOW64, HIGH64)
        self._start = make_state(counter=(start & MASK64) << 64, key=key & MASK64) if key or start else seed_state()
        super().__init__(self._start)

    def restart(self) -> None:
        """Go back to the start, as every op of a traced tf.function does when tf.random.set_seed is called."""
        self._move_to(self._start)

    def draw_values(self, draw: Draw) -> Array:
        """The values of a draw from the current state, which moves by 256 blocks for each value of the draw's sizes."""
        return self._draw(draw.values_and_next_state)


class RandomUniform(Op):
    """The op of stateful uniform reals: `tf.raw_ops.RandomUniform`. One object stands for one op of a graph.

    A call scales the next values to [minval, maxval) as uniform does. dtype is a type of reals. seed and seed2 are ints
    in [-2**63, 2**63): get_seed(op_seed) gives both. Both 0: the op starts at a state from the operating system's
    entropy. The attribute `state` reads and sets the state that the next call draws from, as dmlrand's six words.
    Threads may share an op: a draw and its step are one operation. A copy, an unpickled op or a forked child continues
    from the same state on its own. All of this holds for the other ops too.

    >>> first, second = (RandomUniform("float32", 87654321, 234) for _ in range(2))
    >>> bool((first([3]) == second([3])).all())
    True
    """

    def __call__(self, shape: Any, minval: Any = 0, maxval: Any = None) -> Array:
        return self.draw_values(draws.uniform(shape, minval, maxval, self.dtype))


class RandomUniformInt(Op):
    """The op of stateful integers in [minval, maxval): `tf.raw_ops.RandomUniformInt`. dtype is int32 or int64.

    >>> RandomUniformInt("int32", 1, 2)([4], minval=0, maxval=10).shape
    (4,)
    """

    _types = SIGNED

    def __init__(self, dtype: Any = INT32, seed: int = 0, seed2: int = 0) -> None:
        super().__init__(dtype, seed, seed2)

    def __call__(self, shape: Any, minval: Any, maxval: Any) -> Array:
        check_both_given(minval, maxval, self.dtype)
        return self.draw_values(draws.uniform(shape, minval, maxval, self.dtype))


class RandomStandardNormal(Op):
    """The op of stateful normals: `tf.raw_ops.RandomStandardNormal`. A call scales them as normal does.

    >>> RandomStandardNormal("float32", 1, 2)([4]).shape
    (4,)
    """

    def __call__(self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0) -> Array:
        return self.draw_values(draws.normal(shape, mean, stddev, self.dtype))


class TruncatedNormal(Op):
    """The op of stateful truncated normals: `tf.raw_ops.TruncatedNormal`. A call scales them as truncated_normal does.

    >>> bool((abs(TruncatedNormal("float32", 1, 2)([100])) < 2).all())
    True
    """

    def __call__(self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0) -> Array:
        return self.draw_values(draws.truncated_normal(shape, mean, stddev, self.dtype))


class Multinomial(Op):
    """The op of stateful class numbers: `tf.raw_ops.Multinomial`. dtype is int32 or int64.

    Each call advances by 512 blocks for each sample, with the number of samples of a row rounded up to a multiple of 4.

    >>> Multinomial("int64", 1, 2)([[0.0, 1.0]], 3).shape
    (1, 3)
    """

    _types = SIGNED

    def __init__(self, dtype: Any = INT64, seed: int = 0, seed2: int = 0) -> None:
        super().__init__(dtype, seed, seed2)

    def __call__(self, logits: Any, num_samples: int) -> Array:
        return self.draw_values(draws.categorical(logits, num_samples, self.dtype))


class RandomShuffle(Op):
    """The op of stateful shuffles: `tf.raw_ops.RandomShuffle`. A call shuffles as stateless_shuffle does.

    Each call advances by one block for 4 swaps. Values of less than 2 elements are not shuffled, and draw nothing.

    >>> RandomShuffle(1, 2)([1, 2, 3]).shape
    (3,)
    """

    def __init__(self, seed: int = 0, seed2: int = 0) -> None:
        super().__init__(FLOAT32, seed, seed2)

    def __call__(self, value: Any) -> Array:
        return self.draw_values(draws.shuffled(value))


class RandomGamma(Op):
    """The op of stateful gamma numbers: `tf.raw_ops.RandomGamma`. A call divides them by beta as gamma does.

    >>> RandomGamma("float32", 1, 2)([4], [1.0, 2.0]).shape
    (4, 2)
    """

    _types = draws.REALS

    def __call__(self, shape: Any, alpha: Any, beta: Any = None) -> Array:
        return self.draw_values(draws.gamma(shape, alpha, beta, self.dtype, whole=False))


class RandomPoissonV2(Op):
    """The op of stateful Poisson numbers: `tf.raw_ops.RandomPoissonV2`. dtype is that of poisson.

    >>> RandomPoissonV2("int64", 1, 2)([4], [1.0, 2.0]).shape
    (4, 2)
    """

    _types = SIGNED + draws.REALS

    def __init__(self, dtype: Any = INT64, seed: int = 0, seed2: int = 0) -> None:
        super().__init__(dtype, seed, seed2)

    def __call__(self, shape: Any, rate: Any) -> Array:
        return self.draw_values(draws.poisson(shape, rate, self.dtype, whole=False))


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
            seed = self._global_seed
            if op_seed is None and seed is not None:
                op_seed = self._op_seeds.randint(0, SEED_MODULUS)
        if op_seed is None:
            return None, None
        seeds = (DEFAULT_GLOBAL_SEED if seed is None else seed) % SEED_MODULUS, op_seed % SEED_MODULUS
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

    seed is an int, taken modulo 2**31 - 1 where it becomes a key, or None, which removes the global seed, as at the
    start of the process. (TensorFlow also accepts floats.)

    >>> set_seed(5)
    >>> uniform([2], seed=3).tolist()
    [0.2886784076690674, 0.6889241933822632]
    """
    _context.set_seed(None if seed is None else check_int(seed, "seed"))


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """(seed, seed2) of an op, from the global seed and an op seed: `tf.compat.v1.get_seed`.

    op_seed is taken modulo 2**31 - 1. None draws the next of the op seeds that belong to the global seed. With neither
    seed the result is (None, None): the op then starts at a state from the operating system's entropy. (0, 0) becomes
    (0, 2**31 - 1).

    >>> set_seed(123)
    >>> get_seed(234)
    (123, 234)
    """
    return _context.get_seed(None if op_seed is None else check_int(op_seed, "op_seed"))


def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = FLOAT32, seed: int | None = None, name: Any = None
) -> Array:
    """The next numbers in [minval, maxval) of an op: `tf.random.uniform`, called eagerly.

    seed, the op seed, is an int that names the op. None, after set_seed, is the next of the op seeds that belong to the
    global seed. Each type has its own op, which starts at the beginning of its stream. If an argument breaks a rule,
    neither numbers nor an op seed are drawn. All of this holds for the other stateful functions too. The other
    arguments are those of stateless_uniform, but integers need both bounds, and unsigned types are refused.

    >>> set_seed(5)
    >>> uniform([2], seed=3).tolist()
    [0.2886784076690674, 0.6889241933822632]
    """
    kind = read_dtype(dtype, FLOATS + SIGNED)
    if kind.kind == "i":
        check_both_given(minval, maxval, kind)
    op_type = RandomUniformInt if kind.kind == "i" else RandomUniform
    return _context.draw(op_type, seed, draws.uniform(shape, minval, maxval, kind), kind, is_int64_shape(shape))


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = FLOAT32, seed: int | None = None, name: Any = None
) -> Array:
    """The next normals of an op: `tf.random.normal`, called eagerly. seed as in uniform, the others as in
    stateless_normal.

    >>> normal([3], seed=234).shape
    (3,)
    """
    kind = read_dtype(dtype, FLOATS)
    return _context.draw(
        RandomStandardNormal, seed, draws.normal(shape, mean, stddev, kind), kind, is_int64_shape(shape)
    )


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = FLOAT32, seed: int | None = None, name: Any = None
) -> Array:
    """The next truncated normals of an op: `tf.random.truncated_normal`, called eagerly. The arguments are those of
    normal.

    >>> truncated_normal([3], seed=234).shape
    (3,)
    """
    kind = read_dtype(dtype, FLOATS)
    draw = draws.truncated_normal(shape, mean, stddev, kind)
    return _context.draw(TruncatedNormal, seed, draw, kind, is_int64_shape(shape))


def categorical(logits: Any, num_samples: int, dtype: Any = None, seed: int | None = None, name: Any = None) -> Array:
    """The next class numbers of an op: `tf.random.categorical`, called eagerly.

    seed as in uniform, the others as in stateless_categorical. Each type of logits and each dtype has its own op.

    >>> set_seed(123)
    >>> categorical([[0.0, 1.0]], 4, seed=234)
    array([[0, 1, 0, 1]])
    """
    rows = arguments.read_logits(logits)
    kind = read_dtype(np.int64 if dtype is None else dtype, SIGNED)
    return _context.draw(Multinomial, seed, draws.categorical(rows, num_samples, kind), rows.dtype, kind)


def shuffle(value: Any, seed: int | None = None, name: Any = None) -> Array:
    """`value` shuffled along its first axis by an op: `tf.random.shuffle`, called eagerly.

    seed as in uniform. Each type of values has its own op. Sequences have the types that TensorFlow gives them: int32
    for ints if all fit, else int64.

    >>> set_seed(123)
    >>> shuffle([1, 2, 3, 4], seed=234).tolist()
    [3, 1, 4, 2]
    """
    rows = np.asarray(arguments.as_numpy(value, "value"))
    return _context.draw(RandomShuffle, seed, draws.shuffled(rows), arguments.converted_type(value, rows))


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = FLOAT32, seed: int | None = None, name: Any = None
) -> Array:
    """The next gamma numbers of an op: `tf.random.gamma`, called eagerly.

    seed as in uniform, the others as in stateless_gamma. But shape is that of the samples for each parameter: the
    result has this shape, and after it the shape to which alpha and beta broadcast.

    >>> gamma([3], [1.0, 2.0], seed=234).shape
    (3, 2)
    """
    kind = read_dtype(dtype, draws.REALS)
    return _context.draw(RandomGamma, seed, draws.gamma(shape, alpha, beta, kind, whole=False), kind)


def poisson(shape: Any, lam: Any, dtype: Any = FLOAT32, seed: int | None = None, name: Any = None) -> Array:
    """The next Poisson numbers of an op: `tf.random.poisson`, called eagerly.

    seed as in uniform, the others as in stateless_poisson. But shape is that of the samples for each rate: the result
    has this shape, and after it the shape of lam. Each dtype has its own op. Trap: so has each type of rates, but
    Python's numbers and NumPy's arrays of all types share one op.

    >>> poisson([3], [1.0, 20.0], seed=234).shape
    (3, 2)
    """
    kind = read_dtype(dtype, SIGNED + draws.REALS)
    draw = draws.poisson(shape, lam, kind, whole=False)
    rates_type = None if isinstance(lam, (int, float, np.ndarray)) else draws.type_of(lam, "lam")
    return _context.draw(RandomPoissonV2, seed, draw, rates_type, kind)
