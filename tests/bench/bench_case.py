"""What the benchmark measures. A case is one piece of work. Its runs are different ways to do that work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from dmlrand.state import make_state

OURS, LIMIT, OTHER = "dmlrand", "limit", "other"  # the kinds of a run

STATE = make_state(counter=(1 << 64) - 12345, key=0x0123456789ABCDEF)


class NotMeasured(Exception):
    """A case cannot be measured on this machine. The text says why."""


class Run(NamedTuple):
    """One way to do the work of a case.

    `new_array` says that each call allocates its output. Such a run is compared with a run of dmlrand that allocates
    too. `rounds_of` is the number of words whose Philox rounds a call computes, if it does nothing else.
    """

    call: Callable[[], Any]
    kind: str = OURS
    new_array: bool = False
    rounds_of: int = 0


Runs = dict[str, Run]


class Clocks(NamedTuple):
    """The wall time, and the processor time of the calling thread and of the whole process, each in seconds."""

    wall: Callable[[], float]
    thread: Callable[[], float]
    process: Callable[[], float]


WALL_CLOCKS = Clocks(*[time.perf_counter] * 3)
# Windows counts processor time in steps of 15.6 ms, longer than a turn of a run.
CLOCKS = Clocks(time.perf_counter, time.thread_time, time.process_time) if sys.platform != "win32" else WALL_CLOCKS
PROCESSOR_TIME = "processor time" if sys.platform != "win32" else "wall time"


class Goal(NamedTuple):
    """A run should be at least `ratio` times as fast as the slowest of the references, other runs of the case."""

    run: str
    references: tuple[str, ...]
    ratio: float


class Case(NamedTuple):
    """One piece of work. `prepare` returns the runs by name. `prepare` raises NotMeasured where it cannot be done.

    `bytes` is the size of the numbers that one call of a run makes. With 0, tables show times and no rates. With
    `processor_time` every figure is a processor time, of all threads of a run.
    """

    group: str
    title: str
    bytes: int
    prepare: Callable[[], Runs]
    goals: tuple[Goal, ...] = ()
    clocks: Clocks = CLOCKS
    processor_time: bool = False
