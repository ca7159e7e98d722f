"""What `dmlrand bench` measures. A case is one piece of work. Its runs are different ways to do that work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from ..state import make_state

Runs = dict[str, Callable[[], Any]]

WALL_CLOCK = time.perf_counter
# Of all threads of this process. Windows counts it in steps of 15.6 ms, nearly a turn of a run.
PROCESSOR_CLOCK = time.process_time if sys.platform != "win32" else WALL_CLOCK
PROCESSOR_TIME = "processor time" if sys.platform != "win32" else "wall time"

STATE = make_state(counter=(1 << 64) - 12345, key=0x0123456789ABCDEF)


class NotMeasured(Exception):
    """A case cannot be measured on this machine. The text says why."""


class Goal(NamedTuple):
    """A run should be at least `ratio` times as fast as the slowest of the references, other runs of the case."""

    run: str
    references: tuple[str, ...]
    ratio: float


class Case(NamedTuple):
    """One piece of work. `prepare` returns the runs by name. Tables show the others relative to the first run.
    `prepare` raises NotMeasured where the work cannot be done.

    `bytes` is the size of the numbers that one call of a run makes. With 0, tables show times and no rates. With
    `self_timed` a run returns the seconds that it took; else `clock` measures them.
    """

    group: str
    title: str
    bytes: int
    prepare: Callable[[], Runs]
    goals: tuple[Goal, ...] = ()
    self_timed: bool = False
    clock: Callable[[], float] = WALL_CLOCK
