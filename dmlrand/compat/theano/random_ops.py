"""MetaRandom and RandomState: they make random ops, and seed, read and set the ops' states in compiled functions."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...drawing.number_rules import normal_rule, uniform_rule
from ...drawing.number_types import FLOATS, check_dtype
from ...drawing.plan import BoundRule, Outputs, draw
from ...drawing.position import Locked
from ...state import State, make_state
from ..shared import Array, Shape, check_bounds, check_broadcast, check_int, check_reals, format_value, round_reals
from .compiled_function import Function, RandomResult, Rng, States, root_state
from .graph import Constant, Symbolic, as_result, read_shape


def uniform(state: State, shape: Shape, low: Any, high: Any, dtype: Any) -> Outputs[Any]:
    bottom, top = _reals(low, "low", shape, dtype), _reals(high, "high", shape, dtype)
    check_bounds(bottom, top, dtype, low=low, high=high)
    if bottom.ndim == top.ndim == 0:
        return _draw(uniform_rule, state, shape, bottom[()], top[()], dtype)
    unit, after = _draw(uniform_rule, state, shape, 0.0, 1.0, dtype)
    return Outputs(np.asarray(unit * (top - bottom) + bottom), after)


def normal(state: State, shape: Shape, mean: Any, std: Any, dtype: Any) -> Outputs[Any]:
    centre, scale = _reals(mean, "mean", shape, dtype), _reals(std, "std", shape, dtype)
    if not np.all(scale >= 0):
        raise ValueError(
            f"std must be at least 0; got {format_value(std)}. Its absolute value gives the same distribution."
        )
    if centre.ndim == scale.ndim == 0:
        return _draw(normal_rule, state, shape, centre[()], scale[()], dtype)
    standard, after = _draw(normal_rule, state, shape, 0.0, 1.0, dtype)
    return Outputs(np.asarray(standard * scale + centre), after)


def bernoulli(state: State, shape: Shape, p: Any) -> Outputs[Any]:
    probability = _probability(p, shape)
    unit, after = _unit(state, shape)
    return Outputs((unit < probability).astype(np.int64), after)


def binomial(state: State, shape: Shape, n: Any, p: Any) -> Outputs[Any]:
    """How many of n uniform numbers are below p."""
    probability = _probability(p, shape)
    unit, after = _unit(state, (*shape, check_int(n, "n", 0)))
    return Outputs(np.asarray((unit < probability[..., None]).sum(-1), np.int64), after)


def _draw(
    make_rule: Callable[..., BoundRule], state: State, shape: Shape, low: Any, high: Any, dtype: Any
) -> Outputs[Any]:
    """A draw of dmlrand.distributions, which have no shape (): a scalar is a draw of shape (1,)."""
    values, after = draw(state, make_rule(low, high, dtype), shape or (1,))
    return Outputs(values.reshape(shape), after)


def _unit(state: State, shape: Shape) -> Outputs[Any]:
    # float64, because the 23 bits of float32 are too few for small probabilities
    return _draw(uniform_rule, state, shape, 0.0, 1.0, np.float64)


def _probability(p: Any, shape: Shape) -> Array:
    probability = _reals(p, "p", shape, np.dtype(np.float64))
    if not np.all((probability >= 0) & (probability <= 1)):
        raise ValueError(f"p must be in [0, 1]; got {format_value(p)}.")
    return probability


def _reals(value: Any, name: str, shape: Shape, dtype: Any) -> Array:
    """`value` in the type to draw, finite, and of a shape that fits in `shape`."""
    numbers = check_reals(value, name, kinds="biuf").astype(np.float64)
    rounded = round_reals(numbers, name, np.dtype(dtype), value)
    check_broadcast(shape, rounded.shape, name)
    return rounded


class RandomOps(Symbolic, Locked):
    """An owner of random ops: makes them, and seeds, reads and sets their states in compiled functions. Every
    distribution takes `shape`: an int, a symbolic result, or a sequence of these; () is a scalar. Parameters are
    numbers, arrays that broadcast to the shape, or symbolic results. Wrong numbers are refused at once if all
    parameters are numbers, others by the call of the compiled function."""

    root: State | None = None  # of the metaseed

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise TypeError(f"name must be a non-empty str; got {format_value(name)} of type {type(name).__name__}.")
        super().__init__()
        self.name = name
        self.identity = str(uuid.uuid4())  # only an identity: no random number depends on it
        self._results: list[RandomResult] = []

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r})"

    def uniform(self, shape: Any = (), low: Any = 0.0, high: Any = 1.0, dtype: Any = "float32") -> RandomResult:
        """Reals in [low, high), as dmlrand.uniform draws them: its page says where rounding may give high itself."""
        return self._new(uniform, shape, low=low, high=high, dtype=Constant(check_dtype(dtype, FLOATS)))

    def normal(self, shape: Any = (), mean: Any = 0.0, std: Any = 1.0, dtype: Any = "float32") -> RandomResult:
        return self._new(normal, shape, mean=mean, std=std, dtype=Constant(check_dtype(dtype, FLOATS)))

    def bernoulli(self, shape: Any = (), p: Any = 0.5) -> RandomResult:
        """1 with probability p, otherwise 0, as int64."""
        return self._new(bernoulli, shape, p=p)

    def binomial(self, shape: Any = (), n: Any = 1, p: Any = 0.5) -> RandomResult:
        """How many of n trials succeed, as int64. n is a scalar. The memory grows with n."""
        return self._new(binomial, shape, n=n, p=p)

    def _new(self, compute: Callable[..., Any], shape: Any, **parameters: Any) -> RandomResult:
        """The result of a new op. Parameters are passed to `compute` in the order in which they are given."""
        sizes = read_shape(shape)
        values = [as_result(value, name) for name, value in parameters.items()]
        known = [value.value for value in values if isinstance(value, Constant)]
        if len(known) == len(values) and not any(map(np.ndim, known)):
            compute(make_state(), (0,), *known)  # of no elements: raises what a draw with these numbers would raise
        with self._lock:  # ops that two threads make get different indexes
            index = len(self._results)
            rng = Rng(self.identity, f"{self.name}/{compute.__name__}_{index}", index)
            result = RandomResult(rng, self.root, compute, [sizes, *values])
            self._results.append(result)
        return result

    def __contains__(self, result: object) -> bool:
        return isinstance(result, RandomResult) and result.rng.owner == self.identity

    def results(self) -> Iterator[RandomResult]:
        """Every result that the distributions returned, in the order of creation."""
        return iter(tuple(self._results))

    def seed(self, fn: Function, bits: Any) -> None:
        """Set the states of this owner's ops in `fn` to those of a new function whose owner has the metaseed `bits`."""
        _states_of(fn).seed(self.identity, bits, "bits")

    def getstate(self, fn: Function) -> dict[str, State]:
        """The states of this owner's ops in `fn`: names to new arrays of six words, as save_checkpoint takes them."""
        return _states_of(fn).read(self.identity)

    def setstate(self, fn: Function, state: Any = None, *, rstates: Any = None) -> None:
        """Set this owner's ops in `fn` to what getstate returned, or to load_checkpoint(path).states. The proposal
        calls the second argument state or rstates."""
        if state is not None and rstates is not None:
            raise TypeError("exactly one of state and rstates must be given; got both. They are names of one argument.")
        _states_of(fn).write(self.identity, state if rstates is None else rstates, repr(self))


def _states_of(fn: Any) -> States:
    if not isinstance(fn, Function):
        raise TypeError(f"fn must be a Function; got {type(fn).__name__}. function(inputs, outputs) makes one.")
    return fn.state


class MetaRandom(RandomOps):
    """Makes random ops whose streams depend on a metaseed, as function of this module shows. In every function, op
    number i of a MetaRandom starts at fold_in(seed_state(metaseed), i). Other draws of the function do not change that.
    `metaseed` is an int in [0, 2**64), or a list or tuple of such ints. `name` is the first part of the names of the
    states, by default the metaseed's digits."""

    def __init__(self, metaseed: Any = 0, name: str | None = None) -> None:
        self.root, self.metaseed = root_state(metaseed, "metaseed"), metaseed
        digits = metaseed if isinstance(metaseed, (list, tuple)) else [metaseed]
        super().__init__("-".join(map(str, digits)) if name is None else name)

    def __repr__(self) -> str:
        return f"MetaRandom(metaseed={self.metaseed!r}, name={self.name!r})"


class RandomState(RandomOps):
    """Makes random ops that get their seed when a function is compiled. The proposal calls it "potential other syntax".
    `name` is the function's attribute that reads and sets the states.

    >>> from dmlrand.compat.theano import function
    >>> r = RandomState(name="r")
    >>> fn = function([(r, 872364)], r.normal(shape=2))
    >>> fn.r = 872364
    """
