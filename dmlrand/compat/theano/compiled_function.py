"""Compiled functions: the steps that compute the outputs, and the states of the generators."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...state import State
from .graph import check_value
from .states import Rng, States


class Step(NamedTuple):
    """Computes one result from the values in `slots`. A random result also takes the state of `rng`.

    `stores` says whether the state after the draw replaces the state before it.
    """

    name: str
    compute: Callable[..., Any]
    slots: tuple[int, ...]
    rng: Rng | None
    stores: bool


@dataclass(frozen=True, eq=False)
class Program:
    """A graph as a list of steps. Each value has a slot: first the arguments, then the constants, then one per step.

    A Program refers to no Results, so its pickles are small and flat however deep the graph is.
    """

    arguments: tuple[str, ...]
    constants: tuple[Any, ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    returns_list: bool
    random_states: dict[str, str]  # the RandomStates in the inputs: name to identity

    def run(self, arguments: Sequence[Any], words: dict[Rng, State]) -> list[NDArray[Any]]:
        """The outputs. `words` holds the states before the call, and afterwards the states after it."""
        values = [*arguments, *self.constants]
        for name, compute, slots, rng, stores in self.steps:
            inputs = [values[slot] for slot in slots]
            try:
                if rng is None:
                    values.append(compute(*inputs))
                    continue
                value, after = compute(words[rng], *inputs)
            except Exception as error:
                error.add_note(f"while computing {name!r}; no state of the function has changed")
                raise
            values.append(value)
            if stores:
                after.flags.writeable = False
                words[rng] = after
        # An output shares no memory with an argument, a constant or an earlier output.
        first_step = len(arguments) + len(self.constants)
        shared = [slot < first_step or slot in self.outputs[:place] for place, slot in enumerate(self.outputs)]
        return [np.array(values[slot], copy=copied or None) for slot, copied in zip(self.outputs, shared)]


class Function:
    """A compiled graph with its own generators, made by `function`. Call it with one value for each Input.

    Safe to share between threads: one call runs at a time, and no two calls draw the same words. A call that raises
    changes no state. A copy, an unpickled function or a forked child starts with the same states and then moves
    independently. Parent and child draw the same numbers, unless one of them is seeded again.

    `state[v.rng]` is the Container of v's generator. If a RandomState named "r" was among the inputs, `fn.r` reads its
    states by name, as getstate does. Set `fn.r` to such states or to a seed.

    >>> from dmlrand.compat.theano import MetaRandom, function
    >>> r = MetaRandom(99)
    >>> fn = function([], r.uniform(shape=(2,)))
    >>> fn(), fn()
    (array([0.9991207 , 0.37116396], dtype=float32), array([0.6808827, 0.9670789], dtype=float32))
    >>> fn.getstate()
    {'99/uniform_0': array([         2,          0,          0,          0, 1912948008,
           4260611085], dtype=uint32)}
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
        """The outputs as new numpy arrays: a list, or one array if one Result was compiled without a list.

        Arguments are real numbers or arrays of them. If a result cannot be computed from them, a note on the error
        names it.
        """
        names = self._program.arguments
        if len(arguments) != len(names):
            expected = f"{len(names)} arguments" if len(names) != 1 else "1 argument"
            listed = f" ({', '.join(names)})" if names else ""
            raise TypeError(f"the function takes {expected}{listed}; got {len(arguments)}.")
        values = [check_value(value, f"argument {name!r}") for value, name in zip(arguments, names)]
        with self._state.changing() as words:
            outputs = self._program.run(values, words)
        return outputs if self._program.returns_list else outputs[0]

    def getstate(self) -> dict[str, State]:
        """The states of all generators of all owners: names to arrays of six words, as save_checkpoint takes them.

        Raises ValueError if two generators have one name.
        """
        names = [rng.name for rng in self._state]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ValueError(
                f"the generators of a function must have different names to be saved together; got {twice[0]!r} twice. "
                "Give each MetaRandom its own name: MetaRandom(metaseed, name='second')."
            )
        return self._state.read(self._state)

    def setstate(self, state: Any) -> None:
        """Set all generators to what getstate returned. Raises as MetaRandom.setstate does."""
        self.getstate()  # raises if two names are equal
        self._state.write(self._state, state, "all owners")

    def __getattr__(self, name: str) -> dict[str, State]:
        return self._state.read(self._rngs_of(name))

    def __setattr__(self, name: str, value: Any) -> None:
        rngs, owner = self._rngs_of(name), f"RandomState {name!r}"
        if isinstance(value, Mapping):
            self._state.write(rngs, value, owner)
        else:
            self._state.seed(rngs, value, f"the seed of {owner}")

    def _rngs_of(self, name: str) -> list[Rng]:
        known = self._program.random_states
        if name not in known:
            raise AttributeError(
                f"the function has no RandomState {name!r}; the RandomStates in its inputs are: "
                f"{', '.join(known) or 'none'}."
            )
        return self._state.of_owner(known[name])

    def __copy__(self) -> Function:
        return Function(self._program, copy.copy(self._state))

    def __reduce__(self) -> Any:
        return Function, (self._program, self._state)

    def __repr__(self) -> str:
        return f"<Function of ({', '.join(self._program.arguments)}) drawing from {[rng.name for rng in self._state]}>"
