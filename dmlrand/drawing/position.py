"""Positions that threads share: a lock makes a draw and the advance past its words one step."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Generic, TypeVar

from .messages import format_value, level_of_user

Place = TypeVar("Place")
Values = TypeVar("Values")

process = object()  # a forked child has another one


def _begin_process() -> None:
    global process
    process = object()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_begin_process)


class Locked:
    """An object with its own lock, `_lock`. Copies, unpickled objects and forked children have a new, free lock."""

    _warning_after_fork = ""

    def __init__(self) -> None:
        self._locks = {process: Lock()}  # a child forked during a draw must not wait for a thread of its parent

    @property
    def _lock(self) -> Any:
        if process not in self._locks and self._add_lock() and self._warning_after_fork:
            import warnings  # here, because forked children are rare

            warnings.warn(self._warning_after_fork, RuntimeWarning, stacklevel=level_of_user())
        return self._locks[process]

    def _add_lock(self) -> bool:
        """Add the lock of this process, if it has none. True if this call added it."""
        lock = Lock()
        return self._locks.setdefault(process, lock) is lock

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.copy().items() if name != "_locks"}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        self.__dict__.update(attributes)
        Locked.__init__(self)


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


def check_state_dict(state_dict: Any, names: tuple[str, ...], remedy: str, name: str = "state_dict") -> list[Any]:
    """The values of a saved position, which is a mapping with these names."""
    if not isinstance(state_dict, Mapping) or state_dict.keys() != set(names):
        keys = ", ".join(map(repr, names))
        raise TypeError(
            f"{name} must be a mapping with the keys {keys} and no other; got {format_value(state_dict)}. {remedy}"
        )
    return [state_dict[each] for each in names]
