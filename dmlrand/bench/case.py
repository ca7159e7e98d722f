"""What `dmlrand bench` measures: a case is one piece of work, and its runs are the ways to do that work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..state import make_state

Runs = dict[str, Callable[[], Any]]

STATE = make_state(counter=(1 << 64) - 12345, key=0x0123456789ABCDEF)


class Goal(NamedTuple):
    """A run should be at least `ratio` times as fast as the slowest of the references, which are runs of its case."""

    run: str
    references: tuple[str, ...]
    ratio: float


class Case(NamedTuple):
    """One piece of work. `prepare` makes the runs; the first one is what the others are shown relative to.

    `bytes` is what one call of a run makes, 0 where time counts and not a rate. With `self_timed` each call returns the
    seconds that it took.
    """

    group: str
    title: str
    bytes: int
    prepare: Callable[[], Runs]
    goals: tuple[Goal, ...] = ()
    self_timed: bool = False
