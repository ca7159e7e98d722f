"""Generators and their states: what a compiled function owns, and what its caller reads and sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ...arrays.integers import check_int
from ...position import Locked
from ...state import State, check_state, counter_of, fold_in, key_of, make_state


@dataclass(frozen=True)
class Rng:
    """The identity of one op's generator. Its state is in the functions that hold it, one in each.

    Rngs are equal when they are of the same MetaRandom or RandomState and the same op of it; pickling keeps that.

    Attributes
    ----------
    owner : str
        Tells one MetaRandom or RandomState from all others, those of equal name and seed too.
    name : str
        "OWNER'S NAME/DISTRIBUTION_INDEX", under which getstate gives the state.
    index : int
        The op's place in its owner's order of creation, from 0.
    """

    owner: str
    name: str
    index: int


def root_state(bits: Any, name: str) -> State:
    """The state that an owner's generators are folded from: specs/theano.md, clause 2.1."""
    first, *rest = bits if isinstance(bits, (list, tuple)) and bits else [bits]
    root = make_state(key=check_int(first, name, 0, 1 << 64))
    for item in rest:
        root = fold_in(root, check_int(item, name, 0, 1 << 64))
    return root


class Container:
    """The place of one generator's state in one function. Two places are equal only if they are the same place.

    `value` reads the state, a fresh uint32 array of shape (6,), and sets it.

    >>> from dmlrand.compat.theano import MetaRandom, function
    >>> v = MetaRandom(metaseed=7).uniform(shape=3)
    >>> fn = function([], v)
    >>> place, first = fn.state[v.rng], fn()
    >>> place.value[:4].tolist()
    [1, 0, 0, 0]
    >>> place.value = [0, 0, 0, 0, *place.value[4:]]
    >>> bool((fn() == first).all())
    True
    """

    def __init__(self, states: States, rng: Rng) -> None:
        self._states, self._rng = states, rng

    @property
    def value(self) -> State:
        """The state of six words: read as a fresh uint32 array of shape (6,), set to any state.

        Setting raises TypeError or ValueError for what is no state of six words; nothing is changed then.
        """
        return self._states.read([self._rng])[self._rng.name]

    @value.setter
    def value(self, state: Any) -> None:
        self._states[self._rng] = state

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Container) and self._states is other._states and self._rng == other._rng

    def __hash__(self) -> int:
        return hash((id(self._states), self._rng))

    def __repr__(self) -> str:
        state = self.value
        return f"Container({self._rng.name!r}, counter={counter_of(state):#x}, key={key_of(state):#x})"


class States(Locked, Mapping[Rng, Container]):
    """A function's generators: `states[v.rng]` is a Container; assigned to, it takes six words or a Container.

    Safe to share between threads. Every change replaces the whole mapping of words at once, so a reader sees all
    of a call's changes or none, and no lock is needed to read.
    """

    def __init__(self, words: Mapping[Rng, State]) -> None:
        super().__init__()
        self._words = dict(words)

    @contextmanager
    def changing(self) -> Iterator[dict[Rng, State]]:
        """A draft of the words, which takes effect when the block ends and is dropped if the block raises."""
        with self._lock:
            draft = dict(self._words)
            yield draft
            self._words = draft

    def read(self, rngs: Iterable[Rng]) -> dict[str, State]:
        """Fresh copies of the states of `rngs`, by name."""
        words = self._words
        return {rng.name: words[rng].copy() for rng in rngs}

    def write(self, rngs: Iterable[Rng], states: Any, holder: str) -> None:
        """Set the states of `rngs` to those of a mapping that read(rngs) gave, or set none and raise."""
        wanted = {rng.name: rng for rng in rngs}
        if not isinstance(states, Mapping):
            raise TypeError(
                f"state must be a mapping of names to states, as getstate returns; got {type(states).__name__}."
            )
        missing = [name for name in wanted if name not in states]
        foreign = [name for name in states if name not in wanted]
        if missing or foreign:
            problems = [f"lacks {_listed(missing)}"] * bool(missing) + [f"holds {_listed(foreign)}"] * bool(foreign)
            raise ValueError(
                f"state must hold the generators of {holder} in this function, {_listed(wanted)}; "
                f"the one given {' and '.join(problems)}. Pass what getstate returned for the same ops."
            )
        new = {rng: check_words(states[name], f"state[{name!r}]") for name, rng in wanted.items()}
        with self.changing() as draft:
            draft.update(new)

    def __getitem__(self, rng: Rng) -> Container:
        self._check(rng)
        return Container(self, rng)

    def __setitem__(self, rng: Rng, state: Any) -> None:
        self._check(rng)
        new = check_words(state.value if isinstance(state, Container) else state, f"state[{rng.name!r}]")
        with self.changing() as draft:
            draft[rng] = new

    def __iter__(self) -> Iterator[Rng]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)

    def __eq__(self, other: object) -> bool:  # a Mapping's would compare contents, and containers are places
        return self is other

    __hash__ = object.__hash__

    def _check(self, rng: Any) -> None:
        if not isinstance(rng, Rng):
            raise TypeError(
                f"state must be indexed by a generator, the .rng of a random result; got {type(rng).__name__}."
            )
        if rng not in self._words:
            held = _listed(each.name for each in self._words)
            raise KeyError(f"this function does not draw from that {rng.name!r}; its generators are {held}.")


class HoldsStates(Protocol):
    """The part of a compiled Function that randoms.py uses: compiled.py imports randoms.py, not the other way round."""

    @property
    def state(self) -> States:
        """The function's generators."""


def check_words(state: Any, name: str) -> State:
    """A state as a fresh array of shape (6,), read-only because calls keep it."""
    words = np.array(check_state(state, name)).reshape(6)
    words.flags.writeable = False
    return words


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
