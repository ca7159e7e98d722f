"""Compiled functions: a graph as a flat program, and the states of its generators."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...state import State
from .graph import Apply, Constant, Input, Result, check_value, in_order
from .randoms import Draw, MetaRandom, RandomState, start_states
from .states import Rng, States

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Step:
    """One result of the graph: `compute` of the values in `slots`, with the state of `rng` before them if it draws."""

    name: str
    compute: Callable[..., Any]
    slots: tuple[int, ...]
    options: tuple[Any, ...]
    rng: Rng | None


@dataclass(frozen=True, eq=False)
class Program:
    """A graph in order. Values have slots: first the arguments, then the constants, then one for each step.

    It holds no Results, which keeps pickles small and flat however deep the graph is.
    """

    arguments: tuple[str, ...]
    constants: tuple[Any, ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    bare: bool
    random_states: dict[str, str]  # of the inputs: name to identity

    def run(self, arguments: Sequence[Any], words: dict[Rng, State]) -> list[Array]:
        """The outputs; `words` moves on to the states after them."""
        values = [*arguments, *self.constants]
        for step in self.steps:
            inputs = [values[slot] for slot in step.slots]
            try:
                if step.rng is None:
                    values.append(step.compute(*inputs))
                else:
                    value, after = step.compute(words[step.rng], *inputs, *step.options)
                    after.flags.writeable = False
                    words[step.rng] = after
                    values.append(value)
            except Exception as error:
                error.add_note(f"while computing {step.name!r}; no state of the function has changed")
                raise
        return [self._own(values[slot], slot, self.outputs[:place]) for place, slot in enumerate(self.outputs)]

    def _own(self, value: Any, slot: int, before: Sequence[int]) -> Array:
        """An output as an array that shares memory with no argument, constant or other output."""
        shared = slot < len(self.arguments) + len(self.constants) or slot in before
        return np.array(value) if shared else np.asarray(value)


class Function:
    """A compiled graph with generators of its own: call it with one value for each Input. Made by `function`.

    Safe to share between threads: calls take turns, and no two draw the same words. A call that raises changes no
    state. Copies and pickles start with the states of their moment and go on by themselves; a process made by fork
    is such a copy too, so re-seed one of the two.

    `state[v.rng]` is the Container of v's generator. Where a RandomState named "r" was among the inputs, `fn.r` reads
    its states by name, as getstate does, and `fn.r = ...` takes such states, or a seed.
    """

    __slots__ = ("_program", "_state")
    _program: Program
    _state: States

    def __init__(self, program: Program, state: States) -> None:
        object.__setattr__(self, "_program", program)
        object.__setattr__(self, "_state", state)

    @property
    def state(self) -> States:
        """The generators: a mapping of Rng to Container."""
        return self._state

    def __call__(self, *arguments: Any) -> Any:
        """The outputs as numpy arrays of their own: a list of them, or one alone where one Result was compiled.

        Raises
        ------
        TypeError, ValueError
            Too few or many arguments, one that is no real array, or what the graph refuses to compute; every state
            is as before, and a note names the result that was being computed.
        """
        names = self._program.arguments
        if len(arguments) != len(names):
            expected = f"{len(names)} arguments" if len(names) != 1 else "1 argument"
            listed = f" ({', '.join(names)})" if names else ""
            raise TypeError(f"the function takes {expected}{listed}; got {len(arguments)}.")
        values = [check_value(value, f"argument {name!r}") for value, name in zip(arguments, names)]
        with self._state.changing() as words:
            outputs = self._program.run(values, words)
        return outputs[0] if self._program.bare else outputs

    def getstate(self) -> dict[str, State]:
        """The states of all generators, of whatever owner, as save_checkpoint takes them: names to arrays of six words.

        Raises ValueError where two generators have one name.
        """
        names = [rng.name for rng in self._state]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ValueError(
                f"the generators of a function must have different names to be saved together; got {twice[0]!r} twice. "
                "Give each MetaRandom a name of its own: MetaRandom(metaseed, name='second')."
            )
        return self._state.read(self._state)

    def setstate(self, state: Any) -> None:
        """Put all generators back to what getstate gave. Raises as MetaRandom.setstate does, changing nothing."""
        self.getstate()  # refuses equal names
        self._state.write(self._state, state, "all owners")

    def __getattr__(self, name: str) -> dict[str, State]:
        return self._state.read(self._rngs_of(name))

    def __setattr__(self, name: str, value: Any) -> None:
        rngs = self._rngs_of(name)
        if isinstance(value, Mapping):
            self._state.write(rngs, value, f"RandomState {name!r}")
            return
        starts = start_states(rngs, value, f"the seed of RandomState {name!r}")
        with self._state.changing() as words:
            words.update(starts)

    def _rngs_of(self, name: str) -> list[Rng]:
        known = self._program.random_states
        if name not in known:
            raise AttributeError(
                f"the function has no RandomState {name!r}; its inputs gave seeds to {', '.join(known) or 'none'}."
            )
        return sorted((rng for rng in self._state if rng.owner == known[name]), key=lambda rng: rng.index)

    def __copy__(self) -> Function:
        return Function(self._program, copy.copy(self._state))

    def __reduce__(self) -> Any:
        return Function, (self._program, self._state)

    def __repr__(self) -> str:
        return f"<Function of ({', '.join(self._program.arguments)}) drawing from {[rng.name for rng in self._state]}>"


def function(inputs: Any, outputs: Any) -> Function:
    """Compile a graph to a callable with states of its own.

    Parameters
    ----------
    inputs : list of Input, and of pairs (RandomState, seed)
        The function takes one argument for each Input, in this order. A seed is an int in [0, 2**64) or a list or
        tuple of such. MetaRandoms need not be given: they know their metaseed.
    outputs : Result, or list of Results
        A list makes the function return a list. What no output needs is not drawn.

    Returns
    -------
    Function

    Raises
    ------
    TypeError, ValueError
        inputs or outputs are none of these; an input that the outputs need, or the seed of a RandomState, is
        missing; something is given twice; the graph has a cycle.

    Examples
    --------
    >>> from dmlrand.compat.theano import MetaRandom
    >>> r, n = MetaRandom(5), Input("n")
    >>> rows = r.integers(low=1, high=n)
    >>> fn = function([n], [rows, r.uniform(shape=(rows, 2)) * 10])
    >>> sizes, values = fn(4)
    >>> values.shape == (sizes, 2)
    True
    """
    arguments, seeds = _read_inputs(inputs)
    bare = isinstance(outputs, Result)
    wanted: list[Result] = [outputs] if bare else _read_outputs(outputs)
    ordered = in_order(wanted)
    constants = [result for result in ordered if isinstance(result, Constant)]
    applies = [result for result in ordered if isinstance(result, Apply)]
    for result in ordered:
        if isinstance(result, Input) and result not in arguments:
            raise ValueError(f"inputs must hold every Input of the graph; got none for {result.name!r}. Add it.")
    slots = {result: slot for slot, result in enumerate([*arguments, *constants, *applies])}
    program = Program(
        arguments=tuple(each.name for each in arguments),
        constants=tuple(each.value for each in constants),
        steps=tuple(_step(each, slots) for each in applies),
        outputs=tuple(slots[each] for each in wanted),
        bare=bare,
        random_states={each.name: each.identity for each in seeds},
    )
    return Function(program, States(_starts([each for each in applies if isinstance(each, Draw)], seeds)))


def _step(result: Apply, slots: dict[Result, int]) -> Step:
    options, rng = (result.options, result.rng) if isinstance(result, Draw) else ((), None)
    return Step(result.name, result.compute, tuple(slots[each] for each in result.inputs), options, rng)


def _starts(drawn: Sequence[Draw], seeds: dict[RandomState, Any]) -> dict[Rng, State]:
    """The state at which each generator starts, in order of creation for each owner."""
    starts: dict[Rng, State] = {}
    for draw in drawn:
        if draw.rng in starts:
            raise ValueError(
                f"the graph must hold each random result once; got two of generator {draw.rng.name!r}. "
                "One was unpickled beside the other: compile with the results of one MetaRandom."
            )
        seed = _seed_of(draw, seeds)
        starts |= start_states([draw.rng], seed, f"the seed of {draw.owner.name!r}")
    return starts


def _seed_of(draw: Draw, seeds: dict[RandomState, Any]) -> Any:
    if isinstance(draw.owner, MetaRandom):
        return draw.owner.metaseed
    for owner, seed in seeds.items():
        if owner.identity == draw.rng.owner:
            return seed
    raise ValueError(
        f"inputs must give the seed of RandomState {draw.owner.name!r}, from which the outputs draw; got none. "
        f"Add the pair ({draw.owner.name}, seed)."
    )


def _read_inputs(inputs: Any) -> tuple[list[Input], dict[RandomState, Any]]:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"inputs must be a list; got {type(inputs).__name__}.")
    arguments: list[Input] = []
    seeds: dict[RandomState, Any] = {}
    for place, item in enumerate(inputs):
        if isinstance(item, Input):
            if item in arguments:
                raise ValueError(f"inputs must hold each Input once; got {item.name!r} twice.")
            arguments.append(item)
        elif isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], RandomState):
            _add_seed(seeds, *item)
        else:
            raise TypeError(f"inputs[{place}] must be an Input or a pair (RandomState, seed); got {item!r}.")
    return arguments, seeds


def _add_seed(seeds: dict[RandomState, Any], owner: RandomState, seed: Any) -> None:
    if owner.name in [each.name for each in seeds]:
        raise ValueError(f"inputs must hold RandomStates of different names; got {owner.name!r} twice.")
    if hasattr(Function, owner.name):
        raise ValueError(f"a RandomState among inputs must not be named {owner.name!r}, which Functions have already.")
    start_states([], seed, f"the seed of RandomState {owner.name!r}")
    seeds[owner] = seed


def _read_outputs(outputs: Any) -> list[Result]:
    if not isinstance(outputs, (list, tuple)):
        raise TypeError(f"outputs must be a Result or a list of Results; got {type(outputs).__name__}.")
    for place, item in enumerate(outputs):
        if not isinstance(item, Result):
            raise TypeError(f"outputs[{place}] must be a symbolic result; got {item!r}.")
    return list(outputs)
