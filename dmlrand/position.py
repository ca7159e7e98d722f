"""Position: a place in a stream that threads can share. A lock makes a draw and the advance past its words one step.

Stream, OpenVINO's RandomUniform, and TensorFlow's Generator and stateful ops draw from a Position.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from .state import State, StateLike, check_state

Place = TypeVar("Place")
Values = TypeVar("Values")


class Locked:
    """An object with its own lock, `_lock`. Copies, unpickled objects and forked children have a new, free lock."""

    def __init__(self) -> None:
        self._lock = Lock()
        _LIVING[id(self)] = self

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.copy().items() if name != "_lock"}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        self.__dict__.update(attributes)
        Locked.__init__(self)


_LIVING: WeakValueDictionary[int, Locked] = WeakValueDictionary()  # by id, because a Stream has no hash


def _renew_locks() -> None:
    """Give every object a free lock in a forked child, where the thread that held the old lock does not exist."""
    for each in _LIVING.values():
        each._lock = Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew_locks)


class Position(Locked, Generic[Place]):
    """A place in a stream. Every draw replaces it by the place after the words that were read.

    The place is replaced as a whole and never modified. So reading it needs no lock, and a child that was forked during
    a draw finds the place before that draw.
    """

    def __init__(self, place: Place) -> None:
        super().__init__()
        self._place = place

    def _draw(self, make: Callable[[Place], tuple[Values, Place]]) -> Values:
        """Call `make` with the place. It returns values and the next place. If it raises, the place does not change."""
        with self._lock:
            values, self._place = make(self._place)
        return values

    def _move_to(self, place: Place) -> None:
        """Go to a place. If another thread is drawing, wait for the end of that draw."""
        self._draw(lambda _: (None, place))


class StatePosition(Position["State"]):
    """A Position whose place is a state of six words.

    >>> position = StatePosition(np.array([0, 0, 0, 0, 42, 0], np.uint32))
    >>> position.state = [7, 0, 0, 0, 42, 0]
    >>> position.state
    array([ 7,  0,  0,  0, 42,  0], dtype=uint32)
    """

    @property
    def state(self) -> State:
        """The state that the next draw begins with: a new uint32 array of shape (6,).

        Set it to any state (a uint32 array of sizes {1, .., 1, 6}, or six ints) to begin the next draw there.
        """
        return self._place.copy()

    @state.setter
    def state(self, state: StateLike) -> None:
        self._move_to(np.array(check_state(state)).reshape(6))
