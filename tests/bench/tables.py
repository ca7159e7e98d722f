"""The results of the benchmark as text: tables in Markdown, as in specs/performance.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench_case import OTHER, Goal
from measurement import AGREEMENT, BUSY, Result, Timing, goal_met, ratio, relative_to, slowest_reference

LEGEND = """\
A figure is the 10th percentile of many turns of 1 ms. Calls above 2 ms in one thread are measured in processor time.
relative: to the first run of dmlrand. Runs with a new array for each call: to the first such run of dmlrand.
waited: the share of the time without a processor. threads: that worked, on average.
alone: without stores to memory. memset: a fill with zeros."""
AGAIN = "the machine was busy: measure again"


def table(result: Result) -> str:
    """The result of a case: a row for each run."""
    case, timings = result.case, result.timings
    rows = []
    for name, timing in timings.items():
        speed = timings[relative_to(name, result)].seconds / timing.seconds
        relative = f"{speed if case.bytes else 1 / speed:.2f}"
        array = "new" if timing.new_array else ""
        figures = dict.fromkeys((format_figure(timing, result), format_seconds(timing.seconds)))  # without bytes, one
        rows.append((name, timing.kind, array, *figures, relative, f"{timing.waited:.0%}", f"{timing.threads:.1f}"))
    figures_heads, better = (("rate", "time"), "higher") if case.bytes else (("time",), "lower")
    heads = ("run", "kind", "array", *figures_heads, "relative", "waited", "threads")
    times = f", measured {result.measurements} times" if result.measurements > 1 else ""
    lines = [f"\n### {case.title}: {better} is better{times}\n", *_markdown(heads, rows, 3)]
    return "\n".join(lines + ([f"\n{AGAIN}"] if was_busy(result) else []))


def goals_table(results: Sequence[Result]) -> str:
    """How many goals are met, and a row for each goal whose runs were measured."""
    rows = []
    for result in results:
        for goal in result.case.goals:
            reference, achieved = slowest_reference(goal, result), ratio(goal, result)
            if reference is not None and achieved is not None:
                figures = (format_figure(result.timings[name], result) for name in (goal.run, reference))
                ours, other = (f"{name}: {figure}" for name, figure in zip((goal.run, reference), figures))
                verdict = "met" if goal_met(goal, result) else "MISSED"
                rows.append((result.case.title, ours, other, *_as_ratio(achieved, goal, result), verdict))
    met = sum(row[-1] == "met" for row in rows)
    heads = ("case", "run", "compared with", "ratio", "goal", "")
    return "\n".join([f"\n### {met} of {len(rows)} goals met\n", *_markdown(heads, rows, 3)])


def _as_ratio(achieved: float, goal: Goal, result: Result) -> tuple[str, str]:
    """A ratio and its goal: of speeds, or of times where the case has no rates."""
    if result.case.bytes:
        return f"{achieved:.3g}", f"at least {goal.ratio:.3g}"
    return f"{1 / achieved:.3g}", f"at most {1 / goal.ratio:.3g}"


def warnings(results: Sequence[Result]) -> list[str]:
    """What makes the results doubtful: a busy machine, or a processor whose speed changed."""
    busy = [result for result in results if was_busy(result)]
    lines = [f"In {len(busy)} of {len(results)} cases {AGAIN}."] if busy else []
    rates = {
        result.case.title: 4 * timing.rounds_of / timing.seconds / 1e9
        for result in results
        for timing in result.timings.values()
        if 4 * timing.rounds_of >= 1 << 20  # in a shorter run the call itself takes part of the time
    }
    if rates:
        low, high = (choose(rates, key=rates.__getitem__) for choose in (min, max))
        if rates[high] > AGREEMENT * rates[low]:
            lines.append(
                f"The rounds alone computed {rates[low]:.3g} GB/s of words in '{low}' and {rates[high]:.3g} in "
                f"'{high}'. "
                "The processor did not have one speed: measure again."
            )
    return lines


def was_busy(result: Result) -> bool:
    """Whether a run of dmlrand or of a limit waited. Other packages also wait for threads of their own."""
    return any(timing.waited > BUSY for timing in result.timings.values() if timing.kind != OTHER)


def _markdown(heads: Sequence[str], rows: Iterable[Sequence[str]], left: int) -> list[str]:
    """A table of Markdown whose columns are aligned, the first `left` to the left."""
    lines = [heads, *rows]
    widths = [max(3, *(len(line[column]) for line in lines)) for column in range(len(heads))]
    sides = ["<" if column < left else ">" for column in range(len(heads))]
    text = ["| " + " | ".join(f"{cell:{s}{w}}" for cell, s, w in zip(line, sides, widths)) + " |" for line in lines]
    rule = "|" + "|".join("-" * (width + 1) + (":" if side == ">" else "-") for side, width in zip(sides, widths)) + "|"
    return [text[0], rule, *text[1:]]


def format_figure(timing: Timing, result: Result) -> str:
    if result.case.bytes:
        return f"{result.case.bytes / timing.seconds / 1e9:.3g} GB/s"
    return format_seconds(timing.seconds)


def format_seconds(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
