"""The measurement of a case. In each round every run is timed once, and the medians over the rounds are compared.

So a slow moment of a shared machine affects all runs. Only ratios of medians are meaningful on another machine.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any, NamedTuple

from .case import Case, Goal

TURN_SECONDS = 0.02  # the time of a run in one round: long enough for the resolution of the clock
NOISE_SPREAD = 0.25  # a figure with a larger spread is marked as noise


class Timing(NamedTuple):
    """The seconds of one call of a run: the median over the rounds, and half the interquartile range relative to it."""

    seconds: float
    spread: float


class Result(NamedTuple):
    """A case's timings by run, in the order of the case."""

    case: Case
    timings: dict[str, Timing]


def measure(case: Case, rounds: int) -> Result:
    """Time every run of one case."""
    runs = case.prepare()
    timers = {name: _timer(function, case) for name, function in runs.items()}
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, timer in timers.items():
            seconds[name].append(timer())
    return Result(case, {name: _summary(times) for name, times in seconds.items()})


def ratio(goal: Goal, result: Result) -> float | None:
    """The speed of the goal's run relative to the slowest reference. None if one of the runs was not measured."""
    timings = result.timings
    if not {goal.run, *goal.references} <= timings.keys():
        return None
    return max(timings[name].seconds for name in goal.references) / timings[goal.run].seconds


def goal_met(goal: Goal, result: Result) -> bool:
    """Whether the result meets the goal. A goal whose runs were not all measured counts as met."""
    achieved = ratio(goal, result)
    return achieved is None or achieved >= goal.ratio


def _timer(function: Callable[[], Any], case: Case) -> Callable[[], float]:
    """A function that times the calls of one round, and returns the seconds of one call."""
    if case.self_timed:
        function()  # fills the caches
        return function
    calls = _calls_in_a_turn(function, case.clock)
    return lambda: _time(function, calls, case.clock)


def _time(function: Callable[[], Any], calls: int, clock: Callable[[], float]) -> float:
    start = clock()
    for _ in range(calls):
        function()
    return (clock() - start) / calls


def _calls_in_a_turn(function: Callable[[], Any], clock: Callable[[], float]) -> int:
    """How many calls take TURN_SECONDS. The calls that find this number also compile the kernels."""
    function()
    calls = 1
    while (elapsed := _time(function, calls, clock) * calls) < TURN_SECONDS / 4:
        calls *= 4
    return max(1, round(calls * TURN_SECONDS / elapsed))


def _summary(times: list[float]) -> Timing:
    median = statistics.median(times)
    low, _, high = statistics.quantiles(times, n=4, method="inclusive") if len(times) > 1 else (median,) * 3
    return Timing(median, (high - low) / median / 2)
