"""MetaRandom and RandomState: makers of random ops, and of the states that compiled functions hold for them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...arrays.integers import check_int
from ...arrays.tensor import check_sizes
from ...position import Locked
from ...state import State, fold_in, make_state
from . import draws
from .graph import Apply, Constant, Result, as_result
from .states import HoldsStates, Rng, check_words, root_state


class Draw(Apply):
    """A random result: `compute(state, shape, *parameters, *options)`, with `rng` telling whose state."""

    def __init__(
        self,
        rng: Rng,
        owner: RandomOps,
        compute: Callable[..., Any],
        inputs: Sequence[Result],
        options: tuple[Any, ...],
    ) -> None:
        super().__init__(rng.name, compute, inputs)
        self.rng, self.owner, self.options = rng, owner, options


class RandomOps(Locked):
    """The distributions, and the states of all of an owner's ops in a function. See MetaRandom and RandomState.

    Every distribution takes `shape`: an int, a symbolic result, or a sequence of these; () is a scalar. Parameters
    may be numbers, arrays that broadcast to the shape, or symbolic results of either.

    What breaks a rule is a TypeError or ValueError: at once where all parameters are numbers or arrays, else when the
    compiled function is called.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise TypeError(f"name must be a str that is not empty; got {name!r} of type {type(name).__name__}.")
        super().__init__()
        self.name = name
        self.identity = str(uuid.uuid4())  # an identity, never a source of numbers
        self._results: list[Draw] = []

    def uniform(self, shape: Any = (), low: Any = 0.0, high: Any = 1.0, dtype: Any = "float32") -> Draw:
        """Reals in [low, high), as dmlrand.uniform draws them (which tells where rounding may touch high).

        low < high everywhere, both and their difference finite in dtype: float16, bfloat16, float32 or float64.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> function([], MetaRandom(7).uniform(shape=(2, 3), low=[0, 5, 9], high=10))().shape
        (2, 3)
        """
        return self._new(draws.uniform, shape, {"low": low, "high": high}, draws.check_float(dtype))

    def normal(self, shape: Any = (), mean: Any = 0.0, std: Any = 1.0, dtype: Any = "float32") -> Draw:
        """Normal reals, as dmlrand.normal draws them.

        mean and std are finite in dtype: float16, bfloat16, float32 or float64; std is at least 0.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> function([], MetaRandom(7).normal(shape=3, mean=5, std=0))().tolist()
        [5.0, 5.0, 5.0]
        """
        return self._new(draws.normal, shape, {"mean": mean, "std": std}, draws.check_float(dtype))

    def bernoulli(self, shape: Any = (), p: Any = 0.5) -> Draw:
        """1 with the chance p in [0, 1], else 0, as int64.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> function([], MetaRandom(7).bernoulli(shape=2, p=[0, 1]))().tolist()
        [0, 1]
        """
        return self._new(draws.bernoulli, shape, {"p": p})

    def integers(self, shape: Any = (), low: Any = 0, high: Any = 2, dtype: Any = "int32") -> Draw:
        """Integers in [low, high), both scalars, as dmlrand.integers draws them.

        low < high, within dtype: int32, uint32, int64 or uint64; high may be one above its largest.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> function([], MetaRandom(7).integers(shape=2, low=-3, high=-2))().tolist()
        [-3, -3]
        """
        return self._new(draws.integers, shape, {"low": low, "high": high}, draws.check_integer(dtype))

    def permutation(self, shape: Any = (), n: Any = 1) -> Draw:
        """`shape` many permutations of 0, .., n - 1, along a last axis of n >= 0 elements, as int64.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> sorted(function([], MetaRandom(7).permutation(n=4))().tolist())
        [0, 1, 2, 3]
        """
        return self._new(draws.permutation, shape, {"n": n})

    def choice(self, shape: Any = (), a: Any = 2, p: Any = None) -> Draw:
        """Items of the vector a, or of 0, .., a - 1, drawn with replacement; p gives their chances.

        a is an int of at least 1 or a vector of at least one item; p has one chance in [0, 1] for each, and they sum
        to 1 within 1e-6.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> function([], MetaRandom(7).choice(shape=2, a=[10, 20], p=[0, 1]))().tolist()
        [20, 20]
        """
        return self._new(draws.choice, shape, {"a": a} if p is None else {"a": a, "p": p})

    def multinomial(self, shape: Any = (), n: Any = 1, pvals: Any = (0.5, 0.5)) -> Draw:
        """How many of n trials fall in each category of chances pvals, along a last axis, as int64.

        n is at least 0; pvals is a vector of at least one chance in [0, 1], and they sum to 1 within 1e-6.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> function([], MetaRandom(7).multinomial(n=9, pvals=[0, 1]))().tolist()
        [0, 9]
        """
        return self._new(draws.multinomial, shape, {"n": n, "pvals": pvals})

    def __contains__(self, result: object) -> bool:
        return isinstance(result, Draw) and result.rng.owner == self.identity

    def results(self) -> Iterator[Draw]:
        """Every result that the distributions returned, in the order of creation."""
        return iter(tuple(self._results))

    def seed(self, fn: HoldsStates, bits: Any) -> None:
        """Set the states of this owner's ops in `fn`, and no others, by bits alone; all of them independent.

        Parameters
        ----------
        fn : Function
            If it draws from none of the ops, nothing happens.
        bits : int in [0, 2**64), or a list or tuple of such
            `bits` given as metaseed makes the same states: specs/theano.md, section 2.

        Raises
        ------
        TypeError, ValueError
            bits is none of these; nothing was changed.
        """
        starts = start_states(self.members(fn), bits, "bits")
        with fn.state.changing() as draft:
            draft.update(starts)

    def getstate(self, fn: HoldsStates) -> dict[str, State]:
        """The states of this owner's ops in `fn`, as save_checkpoint takes them: names to arrays of six words.

        The arrays are fresh, of uint32 and shape (6,). Empty if fn draws from none of them.
        """
        members = self.members(fn)
        return fn.state.read(members)

    def setstate(self, fn: HoldsStates, state: Any) -> None:
        """Put this owner's ops in `fn` back to what getstate, or load_checkpoint(path).states, gave.

        Raises
        ------
        TypeError, ValueError
            state is no mapping, lacks one of the ops, holds another, or holds something that is no state of six
            words; nothing was changed.
        """
        members = self.members(fn)
        fn.state.write(members, state, repr(self))

    def members(self, fn: HoldsStates) -> list[Rng]:
        """The generators of this owner's ops that `fn` holds, in the order of creation."""
        states = getattr(fn, "state", None)
        if not hasattr(states, "changing"):
            raise TypeError(
                f"fn must be a compiled function; got {type(fn).__name__}. function(inputs, outputs) makes one."
            )
        return sorted((rng for rng in fn.state if rng.owner == self.identity), key=lambda rng: rng.index)

    def __copy__(self) -> RandomOps:
        return self  # a copy would give the same generators to other ops

    def __deepcopy__(self, memo: Any) -> RandomOps:
        return self

    def _new(self, compute: Callable[..., Any], shape: Any, parameters: dict[str, Any], *options: Any) -> Draw:
        sizes = _as_shape(shape)
        values = [as_result(value, name) for name, value in parameters.items()]
        if all(isinstance(value, Constant) for value in values):
            _rehearse(compute, values, options)
        with self._lock:  # two threads that make ops of one owner get two indices
            index = len(self._results)
            rng = Rng(self.identity, f"{self.name}/{compute.__name__}_{index}", index)
            result = Draw(rng, self, compute, [sizes, *values], options)
            self._results.append(result)
        return result


class MetaRandom(RandomOps):
    """Makes random ops whose streams a metaseed decides: each op's generator is its own in every compiled function.

    Op number i of a MetaRandom starts, in every function, at fold_in(seed_state(metaseed), i): whatever else the
    graph holds, and however often it is compiled.

    Parameters
    ----------
    metaseed : int in [0, 2**64), or a list or tuple of such
        New functions are as if `seed(fn, metaseed)` had been called on them.
    name : str, optional
        Begins the names of the states; the metaseed's digits if not given. Two MetaRandoms of one function should
        have different names, or their states cannot be saved under one roof.

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.

    Examples
    --------
    >>> from dmlrand.compat.theano import function
    >>> r = MetaRandom(metaseed=872364)
    >>> u, v = r.uniform(shape=(3, 4)), r.uniform(shape=(2,), low=-1.0, high=0.0)
    >>> fn_v, fn_uv = function([], v), function([], [u, v])
    >>> bool((fn_v() == fn_uv()[1]).all())
    True
    >>> saved = r.getstate(fn_v)
    >>> values = fn_v()
    >>> r.setstate(fn_v, saved)
    >>> bool((fn_v() == values).all())
    True
    """

    def __init__(self, metaseed: Any = 0, name: str | None = None) -> None:
        root_state(metaseed, "metaseed")
        self.metaseed = list(map(int, metaseed)) if isinstance(metaseed, (list, tuple)) else int(metaseed)
        digits = self.metaseed if isinstance(self.metaseed, list) else [self.metaseed]
        super().__init__("-".join(map(str, digits)) if name is None else name)

    def __repr__(self) -> str:
        return f"MetaRandom(metaseed={self.metaseed!r}, name={self.name!r})"


class RandomState(RandomOps):
    """Makes random ops that are seeded where they are compiled: the proposal's potential other syntax.

    Parameters
    ----------
    name : str, a Python identifier
        Under this name a function reads and sets the states: `fn.r = 872364`.

    Examples
    --------
    >>> from dmlrand.compat.theano import function
    >>> r = RandomState(name="r")
    >>> fn = function([(r, 872364)], r.normal(shape=2))
    >>> first = fn()
    >>> fn.r = 872364
    >>> bool((fn() == first).all())
    True
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        if not name.isidentifier():
            raise ValueError(f"name must be a Python identifier, for functions have it as attribute; got {name!r}.")

    def __repr__(self) -> str:
        return f"RandomState(name={self.name!r})"


def start_states(rngs: Sequence[Rng], bits: Any, name: str) -> dict[Rng, State]:
    """The states at which generators of one owner start under a seed."""
    root = root_state(bits, name)
    return {rng: check_words(fold_in(root, rng.index), name) for rng in rngs}


def _as_shape(shape: Any) -> Result:
    """A result whose value is a tuple of sizes. What is known already is checked already."""
    if isinstance(shape, Result):
        return Apply("shape", _sizes_of_one, [shape])
    if not isinstance(shape, (tuple, list)):
        return Constant(check_sizes(shape), "shape")
    if not any(isinstance(item, Result) for item in shape):
        return Constant(check_sizes(shape) if shape else (), "shape")
    known = check_sizes([0 if isinstance(item, Result) else item for item in shape])
    items = [item if isinstance(item, Result) else Constant(size) for item, size in zip(shape, known)]
    return Apply("shape", _sizes_of_many, items)


def _sizes_of_one(value: Any) -> tuple[int, ...]:
    if np.ndim(value) > 1:
        raise ValueError(f"shape must be an integer or a vector of integers; got an array of shape {np.shape(value)}.")
    items = list(value) if np.ndim(value) else [value]
    return check_sizes(items) if items else ()


def _sizes_of_many(*values: Any) -> tuple[int, ...]:
    return tuple(check_int(value, f"shape[{axis}]", 0) for axis, value in enumerate(values))


def _rehearse(compute: Callable[..., Any], values: Sequence[Result], options: tuple[Any, ...]) -> None:
    """Draw no numbers with these parameters, to hear now, not at the first call, if they are refused."""
    parameters = [value.value for value in values if isinstance(value, Constant)]
    try:
        sizes = np.broadcast_shapes(*[np.shape(value) for value in parameters])
    except ValueError:
        return  # refused at the first call, which knows the shape they should have had
    if len(sizes) < 7:  # an axis to make the draw empty, and one that some distributions add
        compute(make_state(), (0, *sizes), *parameters, *options)
