"""Measure dmlrand beside the limits of the processor and beside other packages: python tests/bench/run.py --help.

bench_cases.py lists the cases, measurement.py measures them in one process, tables.py shows the results.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench_case import Case, NotMeasured
from bench_cases import cases
from measurement import Result, goal_met, measure, ratio
from tables import LEGEND, goals_table, table, warnings

from dmlrand import __version__, kernels
from dmlrand.cli.bench import processor

ROUNDS = 100
# pip's names of the packages that are measured, and of those that compile the kernels.
PACKAGES = (
    *("numpy", "numba", "llvmlite", "randomgen", "mkl_random", "torch", "jax", "tensorflow", "tensorflow-cpu"),
    *("openvino", "numba-cuda", "wgpu"),
)


def measure_all(
    cases: Iterable[Case],
    rounds: int = ROUNDS,
    goals: bool = False,
    report: Callable[[str], object] = print,
) -> list[Result]:
    """Measure the cases with the compiled kernels, and report a table after each case.

    With `goals`, a case that misses a goal is measured a second time, because a shared machine is slow at times. The
    turns of both measurements then count. A case that this machine cannot measure has no result.
    """
    # A process begins with kernels in numpy. The environment variable DMLRAND_KERNELS=numpy keeps them, to measure
    # them.
    kernels.forced = kernels.forced or "numba"
    results = []
    for case in cases:
        try:
            result = measure(case, rounds)
        except NotMeasured as reason:
            report(f"\n{case.title}: not measured, {reason}")
            continue
        if goals and not all(goal_met(goal, result) for goal in case.goals):
            report(f"\n{case.title}: a goal was missed. The case is measured again, and all turns count.")
            result = measure(case, rounds, before=result)
        report(table(result))
        results.append(result)
    return results


def machine() -> str:
    """The processor, the system, the date and the versions, for the heading."""
    named = ", ".join(f"{package} {number}" for package, number in versions().items())
    return f"{processor()}, {platform.system()}, {date.today().isoformat()}\n{named}"


def versions() -> dict[str, str]:
    """The versions of Python, of dmlrand, and of the packages that take part and are installed."""
    found = {"Python": platform.python_version(), "dmlrand": __version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="GROUP,..", help="only these groups of cases")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"turns of each run, 1 ms each (default {ROUNDS})")
    parser.add_argument("--goals", action="store_true", help="show the goals, and whether they are met")
    parser.add_argument("--json", metavar="FILE", help="also write the results as JSON")
    options = parser.parse_args()
    chosen = cases(options.only.split(",") if options.only is not None else None)
    print(f"{machine()}\n\n{LEGEND}")
    results = measure_all(chosen, options.rounds, options.goals, report=partial(print, flush=True))
    if options.goals:
        print(goals_table(results))
    for line in (*warnings(results), *(f"without vector code, and so slower: {slow}" for slow in kernels.replaced())):
        print(f"\n{line}")
    if options.json is not None:
        write_json(options.json, results)


def write_json(path: str, results: Sequence[Result]) -> None:
    """Write the results for programs to read, with the wall, thread and process seconds of each turn's call."""
    document = {
        "machine": machine().splitlines()[0],
        "versions": versions(),
        "warnings": warnings(results),
        "cases": [
            {
                "group": result.case.group,
                "title": result.case.title,
                "bytes": result.case.bytes,
                "measurements": result.measurements,
                "runs": {name: timing._asdict() for name, timing in result.timings.items()},
                "goals": [{**goal._asdict(), "achieved": ratio(goal, result)} for goal in result.case.goals],
            }
            for result in results
        ],
    }
    Path(path).write_text(json.dumps(document) + "\n", "utf-8")


if __name__ == "__main__":
    main()
