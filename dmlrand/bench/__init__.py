"""Speed beside the peers that are installed: same work, one process, interleaved.

A contest is a piece of work that several entries do in turn, round after round, so that a slow moment of a
shared machine falls on all of them. Medians over the rounds are compared, as ratios; the absolute figures belong to
one machine and one moment. `contests` says who does what.
"""

from __future__ import annotations

import json
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple

from ..checks import check_int
from ..durable import replacing
from .contests import Contest, Goal

ROUNDS = 15
ROUND_SECONDS = 0.02  # what one entry runs for in one round, so that the clock's grain does not count


class Timing(NamedTuple):
    """One entry's seconds per call: median over the rounds, and the middle half's width as a share of it."""

    seconds: float
    spread: float


class Result(NamedTuple):
    """One contest's timings, by entry name, in the order of the contest."""

    contest: Contest
    timings: dict[str, Timing]


def run(contests: Iterable[Contest], rounds: int = ROUNDS, report: Callable[[str], object] = print) -> list[Result]:
    """Hold the contests and report a table of each as it ends. A missed goal is tried once more: machines are noisy."""
    check_int(rounds, "rounds", 1)
    results = []
    for contest in contests:
        result = hold(contest, rounds)
        if any(not goal_met(goal, result) for goal in contest.goals):
            again = hold(contest, rounds)
            if sum(goal_met(goal, again) for goal in contest.goals) > sum(goal_met(g, result) for g in contest.goals):
                result = again
        report(table(result))
        results.append(result)
    return results


def hold(contest: Contest, rounds: int) -> Result:
    """Time every entry of one contest."""
    entries = contest.prepare()
    calls = {name: _calls_per_round(function) for name, function in entries.items()}
    seconds: dict[str, list[float]] = {name: [] for name in entries}
    for _ in range(rounds):
        for name, function in entries.items():
            seconds[name].append(_time(function, calls[name]))
    return Result(contest, {name: _summary(times) for name, times in seconds.items()})


def goal_met(goal: Goal, result: Result) -> bool:
    """Whether a goal holds in a result; one whose entry or peer is not installed asks nothing."""
    achieved = ratio(goal, result)
    return achieved is None or achieved >= goal.ratio


def ratio(goal: Goal, result: Result) -> float | None:
    """How many times as fast as the goal's peer its entry was, for the same work; None if either was not there."""
    timings = result.timings
    if goal.entry not in timings or goal.peer not in timings:
        return None
    return timings[goal.peer].seconds / timings[goal.entry].seconds


def table(result: Result) -> str:
    """A contest's result for people: first entry first, each with its speed and the first entry's lead over it."""
    contest, timings = result
    lines = [f"\n{contest.title}"]
    ours = next(iter(timings.values())).seconds
    for name, timing in timings.items():
        speed = f"{contest.bytes / timing.seconds / 1e9:9.2f} GB/s" if contest.bytes else ""
        lines.append(
            f"  {name:<34}{_seconds(timing.seconds):>11}  ±{timing.spread:4.0%}{speed}  {timing.seconds / ours:7.2f}x"
        )
    for goal in contest.goals:
        achieved = ratio(goal, result)
        if achieved is not None:
            verdict = "met" if achieved >= goal.ratio else "MISSED"
            lines.append(f"  goal: {goal.entry} >= {goal.ratio:.3g}x {goal.peer}: {achieved:.2f}x, {verdict}")
    return "\n".join(lines)


def machine() -> str:
    """The processor, the system and the day, for the head of a table."""
    return f"{_processor()}, {platform.system()}, Python {platform.python_version()}, {date.today().isoformat()}"


def write_json(path: str, results: Sequence[Result]) -> None:
    """The results for machines."""
    document = {
        "machine": machine(),
        "contests": [
            {
                "title": contest.title,
                "bytes": contest.bytes,
                "seconds": {name: timing.seconds for name, timing in timings.items()},
                "spread": {name: timing.spread for name, timing in timings.items()},
                "goals": [
                    {**goal._asdict(), "achieved": ratio(goal, Result(contest, timings))} for goal in contest.goals
                ],
            }
            for contest, timings in results
        ],
    }
    with replacing(path) as file:
        file.write((json.dumps(document, indent=2) + "\n").encode())


def _time(function: Callable[[], Any], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        function()
    return (time.perf_counter() - start) / calls


def _calls_per_round(function: Callable[[], Any]) -> int:
    """Enough calls to fill a round; the calls made to find out warm the entry up."""
    function()
    calls = 1
    while (elapsed := _time(function, calls) * calls) < ROUND_SECONDS / 4:
        calls *= 4
    return max(1, round(calls * ROUND_SECONDS / elapsed))


def _summary(times: list[float]) -> Timing:
    median = statistics.median(times)
    low, _, high = statistics.quantiles(times, n=4) if len(times) > 1 else (median,) * 3
    return Timing(median, (high - low) / median / 2)


def _seconds(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
