"""tf.random's stateful samplers: ops, each with its own stream, and the functions that draw from ops when run eagerly.
Eager calls share a cache of op objects, keyed by the seeds among others. set_seed empties the cache. Besides the global
Generator, it is dmlrand's only state of the process."""

from __future__ import annotations

import random
from collections.abc import Callable
from inspect import cleandoc
from typing import Any, ClassVar

import numpy as np

from ...drawing.interchange import as_array
from ...drawing.position import Locked
from ...philox import MASK64
from ...state import make_state, seed_state
from ..shared import FLOATS, StatePosition, check_int, format_choices
from . import arguments, draws
from .arguments import HIGH64, LOW64, SIGNED, Array, format_bounds, is_int64_shape, read_dtype
from .draws import Draw

__all__ = [
    "DirectMLRandomStandardNormal", "Multinomial", "RandomGamma", "RandomPoissonV2", "RandomShuffle",
    "RandomStandardNormal", "RandomUniform", "RandomUniformInt", "TruncatedNormal", "categorical", "gamma", "get_seed",
    "normal", "poisson", "set_seed", "shuffle", "truncated_normal", "uniform",
]  # fmt: skip

DEFAULT_GLOBAL_SEED = 87654321  # used with an op seed while no global seed is set
SEED_MODULUS = (1 << 31) - 1


class Op(StatePosition):
    """One object stands for one op of a graph. Its stream starts at key `seed` and counter 2**64 * `seed2`, or at a
    state from the operating system's entropy if both are 0. get_seed gives the two. The attribute `state` reads and
    sets the state that the next call draws from, as dmlrand's six words."""

    _sampler: ClassVar[Callable[..., Draw]]
    _types: ClassVar[tuple[str, ...]] = FLOATS
    _default: ClassVar[Any] = np.float32

    def __init_subclass__(
        cls, sampler: Any = None, types: tuple[str, ...] = FLOATS, default: Any = np.float32, example: str = "([3])"
    ) -> None:
        """An op that draws by `sampler`, of one of the `types`. `example` holds the arguments of a call."""
        if sampler:
            cls._sampler, cls._types, cls._default = sampler, types, default
            first = f"The op {cls.__name__}. dtype is {format_choices(types)}."
            cls.__doc__ = f"{first}\n\n{cleandoc(Op.__doc__ or '')}\n\n>>> _ = {cls.__name__}(seed=1, seed2=2){example}"

    def __init__(self, dtype: Any = ..., seed: int = 0, seed2: int = 0) -> None:
        self.dtype = read_dtype(self._default if dtype is ... else dtype, self._types)
        key = check_int(seed, "seed", LOW64, HIGH64)
        start = check_int(seed2, "seed2", LOW64, HIGH64)
        self._start = make_state(counter=(start & MASK64) << 64, key=key & MASK64) if key or start else seed_state()
        super().__init__(self._start)

    def __call__(self, *arguments: Any, **options: Any) -> Array:
        """The next values: the arguments are those of the stateful function, without dtype and seed."""
        return self._draw(type(self)._sampler(*arguments, **options, dtype=self.dtype).values_and_next_state)

    def restart(self) -> None:
        """Go back to the start, as every op of a traced tf.function does when tf.random.set_seed is called."""
        self._move_to(self._start)


def bounded_integers(shape: Any, minval: Any, maxval: Any, dtype: Any) -> Draw:
    """Integers of a range. The stateful samplers do not draw the full range of a type."""
    if minval is None or maxval is None:
        raise ValueError(
            f"minval and maxval must both be given for {dtype}; got {format_bounds(minval, maxval)}. Only "
            "stateless_uniform and Generator draw the full range."
        )
    return draws.uniform(shape, minval, maxval, dtype)


class RandomUniform(Op, sampler=draws.uniform): ...


class RandomUniformInt(Op, sampler=bounded_integers, types=SIGNED, default=np.int32, example="([3], 0, 9)"): ...


class RandomStandardNormal(Op, sampler=draws.normal): ...


class DirectMLRandomStandardNormal(Op, sampler=draws.directml_normal, types=("float32",)): ...


class TruncatedNormal(Op, sampler=draws.truncated_normal): ...


class Multinomial(Op, sampler=draws.categorical, types=SIGNED, default=np.int64, example="([[0.0, 1.0]], 3)"): ...


class RandomGamma(Op, sampler=draws.gammas, types=draws.REALS, example="([3], [1.0, 2.0])"): ...


class RandomPoissonV2(
    Op, sampler=draws.poissons, types=SIGNED + draws.REALS, default=np.int64, example="([3], [1.0, 2.0])"
): ...


class RandomShuffle(Op):
    """The op RandomShuffle. A call takes a value, as shuffle of this module. The seeds are those of RandomUniform."""

    _sampler = draws.shuffled

    def __init__(self, seed: int = 0, seed2: int = 0) -> None:
        super().__init__(np.float32, seed, seed2)


class _EagerContext(Locked):
    """What set_seed sets: the global seed, the op seeds drawn from it, and the ops cached so far."""

    global_seed: int | None
    op_seeds: random.Random
    ops: dict[tuple[Any, ...], Op]


_context = _EagerContext()


def set_seed(seed: int | None) -> None:
    """Set the process's global seed, an int or None, as get_seed of this module reads it. All ops are forgotten."""
    number = None if seed is None else check_int(seed, "seed")
    with _context._lock:
        _context.global_seed, _context.op_seeds, _context.ops = number, random.Random(number), {}


set_seed(None)


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """(seed, seed2) of an op: `tf.compat.v1.get_seed`. None draws the next op seed of the global seed.

    >>> set_seed(123)
    >>> get_seed(234)
    (123, 234)
    """
    number = None if op_seed is None else check_int(op_seed, "op_seed")
    with _context._lock:
        seed = _context.global_seed
        if number is None and seed is not None:
            number = _context.op_seeds.randint(0, SEED_MODULUS)
    if number is None:
        return None, None
    seeds = (DEFAULT_GLOBAL_SEED if seed is None else seed) % SEED_MODULUS, number % SEED_MODULUS
    return (0, SEED_MODULUS) if seeds == (0, 0) else seeds


def _drawn(op_type: type[Op], seed: Any, dtype: Any, arguments: Any, attribute: Any = None) -> Array:
    """Draw from the cached op of the type, dtype and further attribute. `arguments` are those of a call of it."""
    # Fast path: uniform has read the dtype, and the sampler checks it.
    kind = dtype if isinstance(dtype, np.dtype) and dtype.isnative else read_dtype(dtype, op_type._types)
    draw = op_type._sampler(*arguments, kind)  # checks them before an op seed is drawn
    pair = get_seed(None if seed is None else check_int(seed, "seed"))
    key = (op_type, *pair, kind, attribute)
    with _context._lock:
        op = _context.ops.get(key)
        if op is None:
            op = _context.ops[key] = op_type(seed=pair[0] or 0, seed2=pair[1] or 0)
    return op._draw(draw.values_and_next_state)


def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = np.float32, seed: int | None = None, name: Any = None
) -> Array:
    """The next uniform numbers of an op, run eagerly. Integers need both bounds; unsigned types are refused.

    >>> set_seed(5)
    >>> uniform([2], seed=3).tolist()
    [0.2886784076690674, 0.6889241933822632]
    """
    kind = read_dtype(dtype, FLOATS + SIGNED)
    op_type = RandomUniformInt if kind.kind == "i" else RandomUniform
    return _drawn(op_type, seed, kind, (shape, minval, maxval), is_int64_shape(shape))


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, seed: int | None = None, name: Any = None
) -> Array:
    """The next normals of an op, run eagerly, as uniform of this module."""
    return _drawn(RandomStandardNormal, seed, dtype, (shape, mean, stddev), is_int64_shape(shape))


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, seed: int | None = None, name: Any = None
) -> Array:
    """The next truncated normals of an op, run eagerly, as uniform of this module."""
    return _drawn(TruncatedNormal, seed, dtype, (shape, mean, stddev), is_int64_shape(shape))


def categorical(logits: Any, num_samples: int, dtype: Any = None, seed: int | None = None, name: Any = None) -> Array:
    """The next class numbers of an op, run eagerly, as uniform of this module. Each type of logits has its own op."""
    rows = arguments.read_logits(logits)
    return _drawn(Multinomial, seed, np.int64 if dtype is None else dtype, (rows, num_samples), rows.dtype)


def shuffle(value: Any, seed: int | None = None, name: Any = None) -> Array:
    """`value` shuffled along its first axis by an op, as uniform of this module. Each type of values has its own op."""
    rows = as_array(value, "value")
    return _drawn(RandomShuffle, seed, np.float32, (rows,), arguments.converted_type(value, rows))


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = np.float32, seed: int | None = None, name: Any = None
) -> Array:
    """The next gamma numbers of an op, as uniform of this module. The shape is `shape`, then that of the parameters."""
    return _drawn(RandomGamma, seed, dtype, (shape, alpha, beta))


def poisson(shape: Any, lam: Any, dtype: Any = np.float32, seed: int | None = None, name: Any = None) -> Array:
    """The next Poisson numbers of an op, as uniform of this module. The result has `shape`, then that of lam. Trap:
    each type of rates has its own op, but Python's numbers and NumPy's arrays of all types share one."""
    rates_type = None if isinstance(lam, (int, float, np.ndarray)) else draws.type_of(lam, "lam")
    return _drawn(RandomPoissonV2, seed, dtype, (shape, lam), rates_type)
