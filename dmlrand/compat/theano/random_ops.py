"""MetaRandom and RandomState: they make random ops, and seed, read and set the ops' states in compiled functions."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...messages import format_value
from ...position import Locked
from ...state import State, make_state
from .arguments import read_shape
from .compiled_function import Function
from .distributions import Distributions, RandomResult
from .graph import Constant, Result, as_result
from .seeds import root_state
from .states import Rng


class RandomOps(Distributions, Locked):
    """An owner of random ops: makes them, and seeds, reads and sets their states in compiled functions."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise TypeError(
                f"name must be a str that is not empty; got {format_value(name)} of type {type(name).__name__}."
            )
        super().__init__()
        self.name = name
        self.identity = str(uuid.uuid4())  # only an identity: no random number depends on it
        self._results: list[RandomResult] = []

    def __contains__(self, result: object) -> bool:
        return isinstance(result, RandomResult) and result.rng.owner == self.identity

    def results(self) -> Iterator[RandomResult]:
        """Every result that the distributions returned, in the order of creation."""
        return iter(tuple(self._results))

    def seed(self, fn: Function, bits: Any) -> None:
        """Set the states of this owner's ops in `fn`, and no others. The new states depend on `bits` only.

        The ops become independent of each other. The states are those of a new function whose owner has the metaseed
        `bits`: specs/theano.md, section 2.

        Parameters
        ----------
        fn : Function
            If it holds none of the ops, nothing changes.
        bits : int in [0, 2**64), or a list or tuple of such ints
        """
        rngs = self._rngs_in(fn)
        fn.state.seed(rngs, bits, "bits")

    def getstate(self, fn: Function) -> dict[str, State]:
        """The states of this owner's ops in `fn`: names to arrays of six words, as save_checkpoint takes them.

        The arrays are new, of uint32 and shape (6,). If fn holds none of the ops, the mapping is empty.
        """
        rngs = self._rngs_in(fn)
        return fn.state.read(rngs)

    def setstate(self, fn: Function, state: Any = None, *, rstates: Any = None) -> None:
        """Set this owner's ops in `fn` to what getstate returned, or to load_checkpoint(path).states.

        The proposal has two names for the second argument, state and rstates. Give one of them.

        Raises
        ------
        TypeError, ValueError
            state is not a mapping, its names are not exactly those of the ops, or a value is not a state of six words.
            No state changes.
        """
        if state is not None and rstates is not None:
            raise TypeError("exactly one of state and rstates must be given; got both. They are names of one argument.")
        rngs = self._rngs_in(fn)
        fn.state.write(rngs, state if rstates is None else rstates, repr(self))

    def _rngs_in(self, fn: Function) -> list[Rng]:
        """The generators of this owner's ops that `fn` holds, in the order of creation."""
        if not isinstance(fn, Function):
            raise TypeError(
                f"fn must be a compiled function; got {type(fn).__name__}. function(inputs, outputs) makes one."
            )
        return fn.state.of_owner(self.identity)

    def __copy__(self) -> RandomOps:
        return self  # ops of a copy would use the same generators

    def __deepcopy__(self, memo: Any) -> RandomOps:
        return self

    def _new(self, compute: Callable[..., Any], shape: Any, **parameters: Any) -> RandomResult:
        """The result of a new op. Parameters are passed to `compute` in the order in which they are given."""
        sizes = read_shape(shape)
        values = [as_result(value, name) for name, value in parameters.items()]
        if all(isinstance(value, Constant) for value in values):
            _check_parameters(compute, values)
        with self._lock:  # ops that two threads make get different indexes
            index = len(self._results)
            rng = Rng(self.identity, f"{self.name}/{compute.__name__}_{index}", index)
            result = RandomResult(rng, self, compute, [sizes, *values])
            self._results.append(result)
        return result


class MetaRandom(RandomOps):
    """Makes random ops whose streams depend on a metaseed. Every compiled function has its own generator for each op.

    In every function, op number i of a MetaRandom starts at fold_in(seed_state(metaseed), i). Neither the other ops of
    the graph nor the number of compilations matter.

    Parameters
    ----------
    metaseed : int in [0, 2**64), or a list or tuple of such ints
        A new function has the states that `seed(fn, metaseed)` sets.
    name : str, optional
        The first part of the names of the states. By default the metaseed's digits. MetaRandoms of one function need
        different names if their states are saved together.

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
    """Makes random ops that get their seed when a function is compiled. The proposal calls it "potential other syntax".

    Parameters
    ----------
    name : str, a Python identifier
        The function's attribute that reads and sets the states: `fn.r = 872364`.

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
            raise ValueError(
                "name must be a Python identifier, because it becomes a function's attribute; got "
                f"{format_value(name)}."
            )

    def __repr__(self) -> str:
        return f"RandomState(name={self.name!r})"


def _check_parameters(compute: Callable[..., Any], values: Sequence[Result]) -> None:
    """Raise the error that a draw with these known parameters would raise. To find it, draw zero numbers with them."""
    parameters = [value.value for value in values if isinstance(value, Constant)]
    try:
        sizes = np.broadcast_shapes(*map(np.shape, parameters))
    except ValueError:
        return  # raised at the first call, which knows the shape
    if len(sizes) < 7:  # of 8 axes, one makes the draw empty, and some distributions add another
        compute(make_state(), (0, *sizes), *parameters)
