"""What the benchmark measures, and how: many short turns of each run, and an estimate that other work does not move.

A system's scheduler takes the processor from a thread for some milliseconds at a time. Turns of 1 ms therefore either
keep the processor or lose it, and most keep it. The 10th percentile of their times is the time of turns that kept it.
Longer turns would all lose the same share, and their median would be wrong by this share. So cases whose calls take
longer than that are measured in processor time.
"""

import random
import time
from collections.abc import Callable
from typing import NamedTuple

from dmlrand.state import make_state

OURS, LIMIT, OTHER = "dmlrand", "limit", "other"  # the kinds of a run
STATE = make_state(counter=(1 << 64) - 12345, key=0x0123456789ABCDEF)

TURN_SECONDS = 1e-3
LONG_CALL_SECONDS = 2e-3  # below the least slice of Linux' scheduler, 3 ms
PAUSE_SECONDS = 1e-3  # before each turn: threads of some packages go on spinning after their call
RUN_SECONDS = 1.0  # a run whose turns take more time than this together has fewer of them,
ENOUGH_ROUNDS = 15  # but this many
PERCENTILE = 10


class NotMeasured(Exception):
    """A case cannot be measured on this machine. The text says why."""


class Run(NamedTuple):
    """One way to do the work of a case. `new_array` says that each call allocates its output."""

    call: Callable
    kind: str = OURS
    new_array: bool = False


class Goal(NamedTuple):
    """A run should be at least `ratio` times as fast as the slowest of the references, other runs of the case."""

    run: str
    references: tuple
    ratio: float


class Case(NamedTuple):
    """One piece of work. `prepare` returns its runs by name, or raises NotMeasured where it cannot be done.

    `bytes` is the size of the numbers that one call of a run makes. With 0, tables show times and no rates.
    """

    group: str
    title: str
    bytes: int
    prepare: Callable
    goals: tuple = ()
    clock: Callable = time.perf_counter


class Result(NamedTuple):
    """A case, its runs by name, and the seconds of one call of each."""

    case: Case
    runs: dict
    seconds: dict

    def ratio(self, goal):
        """The speed of the goal's run relative to the slowest reference. None if a run was not measured."""
        if not {goal.run, *goal.references} <= self.seconds.keys():
            return None
        return max(self.seconds[name] for name in goal.references) / self.seconds[goal.run]


def measure(case, rounds):
    """Time every run of one case.

    In each round the runs take turns in another order, so that none always follows the same one.
    """
    runs = case.prepare()
    samples = {name: [] for name in runs}
    turns = {name: turn_of(run.call, case.clock) for name, run in runs.items()}
    left = dict.fromkeys(runs, RUN_SECONDS)
    order = random.Random(0)
    for number in range(rounds):
        for name in order.sample(list(runs), len(runs)):
            if number < ENOUGH_ROUNDS or left[name] > 0:
                time.sleep(PAUSE_SECONDS)
                start = case.clock()
                samples[name].append(turns[name]())
                left[name] -= case.clock() - start
    return Result(case, runs, {name: percentile(times) for name, times in samples.items()})


def turn_of(call, clock):
    """A function that does one turn of a run. The first call, which is not timed, also compiles kernels."""
    call()
    calls = 1
    while (elapsed := seconds_of(call, calls, clock) * calls) < TURN_SECONDS / 4:
        calls *= 4
    calls = max(1, round(calls * TURN_SECONDS / elapsed))

    def turn():
        if elapsed < LONG_CALL_SECONDS:
            call()  # fills the caches
        return seconds_of(call, calls, clock)

    return turn


def seconds_of(call, calls, clock):
    """The seconds of one call, of several in a row."""
    start = clock()
    for _ in range(calls):
        call()
    return (clock() - start) / calls


def percentile(times):
    return sorted(times)[(len(times) - 1) * PERCENTILE // 100]
