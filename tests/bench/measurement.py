"""The measurement of a case: many short turns of each run, and an estimate that other work on the machine does not
move.

A system's scheduler takes the processor from a thread for some milliseconds at a time. Turns of 1 ms therefore either
keep the processor or lose it, and most keep it. The 10th percentile of their times is the time of turns that kept it.
Longer turns would all lose the same share: their median would be wrong by this share, and their spread small. A single
call that is longer than that is measured in processor time.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from bench_case import OURS, Case, Clocks, Goal, Run

TURN_SECONDS = 1e-3
LONG_CALL_SECONDS = 2e-3  # below the least slice of Linux' scheduler, 3 ms
# Before each turn. Threads of some packages go on spinning after their call, and take processor time meanwhile.
PAUSE_SECONDS = 1e-3
RUN_SECONDS = 1.0  # a run whose turns take more processor time than this together has fewer of them,
ENOUGH_ROUNDS = 15  # but this many
PERCENTILE = 10
BUSY = 0.1  # a run that waited for a larger share of its time says that the machine did other work
OTHER_THREADS = 0.1  # a run whose other threads worked for a smaller share of its time had one thread
AGREEMENT = 1.1  # rates of `rounds alone` in different cases differ by this factor at most

Sample = tuple[float, float, float]  # the seconds of one call by each of Clocks


class Timing(NamedTuple):
    """What was measured of a run.

    `seconds` of one call: the 10th percentile over the turns, `samples`. `waited`: the share of the wall time for which
    the run had no processor. `threads`: how many worked on average.
    """

    seconds: float
    waited: float
    threads: float
    samples: list[Sample]
    kind: str = OURS
    new_array: bool = False
    rounds_of: int = 0


class Result(NamedTuple):
    """A case's timings by run, in the order of the case, and how often the case was measured."""

    case: Case
    timings: dict[str, Timing]
    measurements: int = 1


def measure(case: Case, rounds: int, before: Result | None = None) -> Result:
    """Time every run of one case. The turns of an earlier measurement of the case count too.

    In each round the runs take turns in another order, so that none always follows the same one.
    """
    runs = case.prepare()
    samples = {name: [*before.timings[name].samples] if before else [] for name in runs}
    turns = {name: _turn(run.call, case.clocks) for name, run in runs.items()}
    left = dict.fromkeys(runs, RUN_SECONDS)
    order = random.Random(0)
    for number in range(rounds):
        for name in order.sample(list(runs), len(runs)):
            if number < ENOUGH_ROUNDS or left[name] > 0:
                time.sleep(PAUSE_SECONDS)
                start = case.clocks.process()
                samples[name].append(turns[name]())
                left[name] -= case.clocks.process() - start
    timings = {name: summary(samples[name], run, case.processor_time) for name, run in runs.items()}
    return Result(case, timings, before.measurements + 1 if before else 1)


def _turn(call: Callable[[], Any], clocks: Clocks) -> Callable[[], Sample]:
    """A function that does one turn of a run. The first call, which is not timed, also compiles kernels."""
    call()
    calls = 1
    while (elapsed := _time(call, calls, clocks)[2] * calls) < TURN_SECONDS / 4:
        calls *= 4
    calls = max(1, round(calls * TURN_SECONDS / elapsed))

    def turn() -> Sample:
        if elapsed < LONG_CALL_SECONDS:
            call()  # fills the caches
        return _time(call, calls, clocks)

    return turn


def _time(call: Callable[[], Any], calls: int, clocks: Clocks) -> Sample:
    process, thread, wall = clocks.process(), clocks.thread(), clocks.wall()
    for _ in range(calls):
        call()
    wall = clocks.wall() - wall
    thread = clocks.thread() - thread
    process = clocks.process() - process
    return wall / calls, thread / calls, process / calls


def summary(samples: list[Sample], run: Run, processor_time: bool = False) -> Timing:
    """What the turns of a run say."""
    # The median, because threads that still spin after another run add to some turns.
    one_thread = statistics.median((process - thread) / wall for wall, thread, process in samples) < OTHER_THREADS
    walls = [wall for wall, _, _ in samples]
    processors = [thread if one_thread else process for _, thread, process in samples]
    share = sum(processors) / sum(walls)
    by_processor = processor_time or (one_thread and _percentile(processors) > LONG_CALL_SECONDS)
    seconds = _percentile(processors if by_processor else walls)
    return Timing(seconds, max(0.0, 1 - share), max(1.0, share), samples, *run[1:])


def _percentile(times: list[float]) -> float:
    return sorted(times)[(len(times) - 1) * PERCENTILE // 100]


def relative_to(name: str, result: Result) -> str:
    """The run of dmlrand that a run is compared with: the first one that allocates its output, or does not, as it
    does."""
    new_array = result.timings[name].new_array
    alike = [other for other, t in result.timings.items() if t.kind == OURS and t.new_array == new_array]
    return next(iter(alike or result.timings))


def slowest_reference(goal: Goal, result: Result) -> str | None:
    """The reference that counts. None if the goal's run or a reference was not measured."""
    if not {goal.run, *goal.references} <= result.timings.keys():
        return None
    return max(goal.references, key=lambda name: result.timings[name].seconds)


def ratio(goal: Goal, result: Result) -> float | None:
    """The speed of the goal's run relative to the slowest reference. None if one of the runs was not measured."""
    reference = slowest_reference(goal, result)
    return None if reference is None else result.timings[reference].seconds / result.timings[goal.run].seconds


def goal_met(goal: Goal, result: Result) -> bool:
    """Whether the result meets the goal. A goal whose runs were not all measured counts as met."""
    achieved = ratio(goal, result)
    return achieved is None or achieved >= goal.ratio
