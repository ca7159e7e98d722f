"""Compiled functions: the steps that compute the outputs, and the states of the generators."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...drawing.position import SharedPosition
from ...state import State, check_state, counter_of, fold_in, key_of, make_state
from ..shared import check_int
from .graph import Apply, Input, Result, check_value


def root_state(bits: Any, name: str) -> State:
    """The root of a seed, an int in [0, 2**64) or a list or tuple of them. The generator of op i starts at
    fold_in(root, i)."""
    first, *rest = bits if isinstance(bits, (list, tuple)) and bits else [bits]
    root = make_state(key=check_int(first, name, 0, 1 << 64))
    for item in rest:
        root = fold_in(root, check_int(item, name, 0, 1 << 64))
    return root


@dataclass(frozen=True)
class Rng:
    """The identity of one op's generator, `index` of its owner. Two Rngs are equal if they belong to the same op of the
    same owner, also after pickling. It is an index, as Container of this module shows. getstate returns the state under
    `name`, such as "99/normal_0"."""

    owner: str
    name: str
    index: int


@dataclass(unsafe_hash=True, repr=False)
class Container:
    """Access to one generator's state in one function. Containers are equal if they access the same state.

    >>> from dmlrand.compat.theano import MetaRandom, function
    >>> v = MetaRandom(metaseed=7).uniform(shape=3)
    >>> function([], v).state[v.rng].value[:4]
    array([0, 0, 0, 0], dtype=uint32)
    """

    _states: States
    _rng: Rng

    @property
    def value(self) -> State:
        """The state of six words: read as a fresh uint32 array of shape (6,), set to any state."""
        return self._states._place[self._rng].copy()

    @value.setter
    def value(self, state: Any) -> None:
        self._states.update({self._rng: state})

    def __repr__(self) -> str:
        return _describe(self._rng, self.value)


def _describe(rng: Rng, words: State) -> str:
    return f"Container({rng.name!r}, counter={counter_of(words):#x}, key={key_of(words):#x})"


class States(SharedPosition[dict[Rng, State]], Mapping[Rng, Container]):
    """A function's generators: `states[v.rng]` is a Container. It can be set to a state of six words or a Container.
    All states are one position, so a reader sees all changes of a call or none."""

    def _named(self, owner: str | None) -> dict[str, Rng]:
        """The generators of one owner, by its identity, in the order of creation. None: of all owners."""
        rngs = sorted((rng for rng in self if owner in (None, rng.owner)), key=lambda rng: rng.index)
        names = [rng.name for rng in rngs]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ValueError(
                f"the generators of a function must have different names to be saved together; got {twice[0]!r} twice. "
                "Give each MetaRandom its own name: MetaRandom(metaseed, name='second')."
            )
        return dict(zip(names, rngs))

    def read(self, owner: str | None = None) -> dict[str, State]:
        """New arrays of the states of one owner's generators, or of all, by name."""
        states = self._place
        return {name: states[rng].copy() for name, rng in self._named(owner).items()}

    def update(self, states: Mapping[Rng, Any]) -> None:
        """Set all of these states, or none if one of them is wrong."""
        new = {}
        for rng, state in states.items():
            given = state.value if isinstance(state, Container) else state
            new[rng] = np.array(check_state(given, f"state[{rng.name!r}]")).reshape(6)
        self._draw(lambda old: (None, old | new))

    def seed(self, owner: str, bits: Any, name: str) -> None:
        """Set one owner's generators to the states at which they start under a seed."""
        root = root_state(bits, name)
        self.update({rng: fold_in(root, rng.index) for rng in self._named(owner).values()})

    def write(self, owner: str | None, states: Any, holder: str) -> None:
        """Set the states of these generators to those of a mapping that read(owner) returned, or set none and raise."""
        wanted = self._named(owner)
        if not isinstance(states, Mapping):
            raise TypeError(f"state must map names to states, as getstate returns; got {type(states).__name__}.")
        if wanted.keys() != states.keys():
            rule = f"state must have exactly the generators of {holder} in this function: {_format_names(wanted)}"
            raise ValueError(f"{rule}; got {_format_names(states)}. Pass what getstate returned for the same ops.")
        self.update({rng: states[name] for name, rng in wanted.items()})

    def __getitem__(self, rng: Rng) -> Container:
        if not isinstance(rng, Rng):
            raise TypeError(f"state must be indexed by the .rng of a random result; got {type(rng).__name__}.")
        if rng not in self._place:
            held = _format_names(each.name for each in self)
            raise KeyError(f"the function has no generator {rng.name!r} of that owner; its generators are {held}.")
        return Container(self, rng)

    def __setitem__(self, rng: Rng, state: Any) -> None:
        self[rng].value = state

    def __iter__(self) -> Iterator[Rng]:
        return iter(self._place)

    def __len__(self) -> int:
        return len(self._place)

    __eq__, __hash__ = object.__eq__, object.__hash__  # Mapping.__eq__ would compare contents

    def __repr__(self) -> str:
        return f"States({', '.join(_describe(rng, words) for rng, words in self._place.items())})"


def _format_names(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


class RandomResult(Apply):
    """A random result: `compute(state, shape, *parameters)`. `rng` is the generator that draws it. `root` is that of
    its owner's metaseed, None for a RandomState."""

    def __init__(self, rng: Rng, root: State | None, compute: Callable[..., Any], inputs: Sequence[Result]) -> None:
        super().__init__(rng.name, compute, inputs)
        self.rng, self.root = rng, root


class Program(NamedTuple):
    """A graph to compute. `steps` has every result after its inputs, so that pickling the results one after the other
    does not recurse, however deep the graph is."""

    arguments: list[Input]
    constants: dict[Result, Any]
    steps: list[Apply]
    outputs: list[Result]
    returns_list: bool
    random_states: dict[str, str]  # the RandomStates in the inputs: name to identity

    def run(self, arguments: Sequence[Any], states: dict[Rng, State]) -> tuple[list[NDArray[Any]], dict[Rng, State]]:
        """The outputs, and the states after the call."""
        values, states = self.constants | dict(zip(self.arguments, arguments)), states.copy()
        for result in self.steps:
            inputs = [values[each] for each in result.inputs]
            try:
                if isinstance(result, RandomResult):
                    values[result], states[result.rng] = result.compute(states[result.rng], *inputs)
                else:
                    values[result] = result.compute(*inputs)
            except Exception as error:
                error.add_note(f"while computing {result.name!r}; no state of the function has changed")
                raise
        # An output shares no memory with an argument, a constant or an earlier output.
        new = [isinstance(each, Apply) and each not in self.outputs[:i] for i, each in enumerate(self.outputs)]
        return [np.array(values[each], copy=not is_new or None) for each, is_new in zip(self.outputs, new)], states


class Function:
    """A compiled graph with its own generators, as function of this module returns it. Call it with one value for each
    Input. Threads may share a function: one call runs at a time. A call that raises changes no state. A copy, an
    unpickled function or a forked child starts with the same states and then moves independently.

    `state[v.rng]` is the Container of v's generator. If a RandomState named "r" was among the inputs, `fn.r` reads its
    states by name, as getstate does. Set `fn.r` to such states or to a seed."""

    __slots__ = ("_program", "state")
    _program: Program
    state: States

    def __init__(self, program: Program, state: States) -> None:
        object.__setattr__(self, "_program", program)
        object.__setattr__(self, "state", state)

    def __call__(self, *arguments: Any) -> Any:
        """The outputs as new numpy arrays: a list, or one array if one Result was compiled without a list. Arguments
        are real numbers or arrays of them. A note on an error names the result that cannot be computed."""
        names = [each.name for each in self._program.arguments]
        if len(arguments) != len(names):
            rule = f"the function must be called with one value for each of its inputs, which are ({', '.join(names)})"
            raise TypeError(f"{rule}; got {len(arguments)}.")
        values = [check_value(value, f"argument {name!r}") for value, name in zip(arguments, names)]
        outputs = self.state._draw(lambda states: self._program.run(values, states))
        return outputs if self._program.returns_list else outputs[0]

    def getstate(self) -> dict[str, State]:
        """The states of all generators of all owners: names to arrays of six words, as save_checkpoint takes them."""
        return self.state.read()

    def setstate(self, state: Any) -> None:
        """Set all generators to what getstate returned. Raises as MetaRandom.setstate does."""
        self.state.write(None, state, "all owners")

    def __getattr__(self, name: str) -> dict[str, State]:
        return self.state.read(self._identity_of(name))

    def __setattr__(self, name: str, value: Any) -> None:
        identity, owner = self._identity_of(name), f"RandomState {name!r}"
        if isinstance(value, Mapping):
            self.state.write(identity, value, owner)
        else:
            self.state.seed(identity, value, f"the seed of {owner}")

    def _identity_of(self, name: str) -> str:
        known = self._program.random_states
        if name not in known:
            raise AttributeError(
                f"the function has no RandomState {name!r}; the RandomStates in its inputs are: "
                f"{', '.join(known) or 'none'}."
            )
        return known[name]

    def __reduce__(self) -> Any:
        return Function, (self._program, copy.copy(self.state))
