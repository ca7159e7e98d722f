"""The results of `dmlrand bench` as text."""

from __future__ import annotations

from collections.abc import Sequence

from .case import Goal
from .measurement import NOISE_SPREAD, Result, goal_met, ratio

LEGEND = (
    "The runs of a case take turns. Each figure is a median. Relative figures: the first run is 1.\n"
    "Spread: half the interquartile range of a run's times. Above 25 % the figure is noise: measure again.\n"
    '"alone": without stores to memory. memset: a fill with zeros.\n'
    "Processor time: of a whole process. Waiting for a processor or for the disk does not count."
)


def table(result: Result) -> str:
    """The result of a case: a line for each run."""
    case, timings = result
    first = next(iter(timings.values())).seconds
    width = max(len(name) for name in timings) + 2
    rows = []
    for name, (seconds, spread) in timings.items():
        if case.bytes:
            figures = f"{case.bytes / seconds / 1e9:10.3g}{first / seconds:16.2f}"
        else:
            figures = f"{format_seconds(seconds):>10}{seconds / first:16.2f}"
        time = f"{format_seconds(seconds):>14}" if case.bytes else ""
        rows.append(f"  {name:<{width}}{figures}{spread:>8.0%}{time}{'  noise' if spread > NOISE_SPREAD else ''}")
    if case.bytes:
        better, heads = "higher is better", f"{'GB/s':>10}{'relative speed':>16}{'spread':>8}{'time':>14}"
    else:
        better, heads = "lower is better", f"{'time':>10}{'relative time':>16}{'spread':>8}"
    return "\n".join([f"\n{case.title}: {better}", f"  {'run':<{width}}{heads}", *rows])


def goal_lines(result: Result) -> str:
    """Whether each goal of a case is met. Goals whose runs were not measured are left out."""
    lines = []
    for goal in result.case.goals:
        achieved = ratio(goal, result)
        if achieved is not None:
            figure = f"{achieved if result.case.bytes else 1 / achieved:.2f}"
            verdict = "met" if goal_met(goal, result) else "MISSED"
            lines.append(f"  goal: {_describe(goal, result)}: {figure}, {verdict}")
    return "\n".join(lines)


def goal_summary(results: Sequence[Result]) -> str:
    """How many goals are met, and which goals are missed."""
    measured = [(goal, result) for result in results for goal in result.case.goals if ratio(goal, result) is not None]
    missed = [(goal, result) for goal, result in measured if not goal_met(goal, result)]
    lines = [f"\n{len(measured) - len(missed)} of {len(measured)} goals met"]
    if missed:
        lines += ["missed:", *(f"  {result.case.title}: {_describe(goal, result)}" for goal, result in missed)]
    return "\n".join(lines)


def _describe(goal: Goal, result: Result) -> str:
    references = " and ".join(goal.references)
    if len(goal.references) > 1:
        references = f"the slowest of {references}"
    if result.case.bytes:
        return f"{goal.run} at least {goal.ratio:.3g} times the speed of {references}"
    return f"{goal.run} at most {1 / goal.ratio:.3g} times the time of {references}"


def format_seconds(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
