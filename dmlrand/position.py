"""Positions that threads share: a lock makes a draw and the advance past its words one step.

In a forked child every object gets a new lock. The new lock of a Stream warns when the child first draws from it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from .messages import format_value, level_of_user

Place = TypeVar("Place")
Values = TypeVar("Values")


class Locked:
    """An object with its own lock, `_lock`. Copies, unpickled objects and forked children have a new, free lock."""

    def __init__(self) -> None:
        self._lock: Any = Lock()
        _LIVING[id(self)] = self

    def _lock_in_forked_child(self) -> Any:
        return Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.copy().items() if name != "_lock"}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        self.__dict__.update(attributes)
        Locked.__init__(self)


_LIVING: WeakValueDictionary[int, Locked] = WeakValueDictionary()  # by id, because a Stream has no hash


def _renew_locks() -> None:
    """Give every object a free lock in a forked child, where the thread that held the old lock does not exist."""
    for each in _LIVING.values():
        each._lock = each._lock_in_forked_child()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew_locks)


class WarningLock:
    """A lock that warns when it is first acquired, and then lets a plain lock take its place in its owner.

    So the warning costs nothing where no process was forked.
    """

    def __init__(self, owner: Locked, message: str) -> None:
        self._owner = owner
        self._message = message
        self.plain = Lock()

    def __enter__(self) -> None:
        if self._owner._lock is self:
            self._owner._lock = self.plain
            import warnings  # here, because forked children are rare

            warnings.warn(self._message, RuntimeWarning, stacklevel=level_of_user())
        self.plain.acquire()

    def __exit__(self, *exception: object) -> None:
        self.plain.release()


class SharedPosition(Locked, Generic[Place]):
    """A position that threads share. Every draw replaces it by the position after the words that were read.

    It is stored in one object, `_place`, which is replaced as a whole and never modified. So reading it needs no lock,
    and a child that was forked during a draw finds the position before that draw.
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


def check_state_dict(state_dict: Any, names: tuple[str, str], remedy: str) -> list[Any]:
    """The values of a saved position, which is a mapping with two names."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"state_dict must be a mapping; got {format_value(state_dict)}. {remedy}")
    if state_dict.keys() != set(names):
        keys = " and ".join(map(repr, names))
        raise ValueError(f"state_dict must have the keys {keys} and no other; got {format_value(state_dict)}. {remedy}")
    return [state_dict[name] for name in names]
