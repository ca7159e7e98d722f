"""`dmlrand bench`: the speed of dmlrand compared with the limits of the processor and with other packages.

cases.py lists the cases, measurement.py measures them in one process, tables.py shows the results.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version

from .. import __version__, kernels
from ..arrays.integers import check_int
from ..files import replacing
from .case import Case, NotMeasured
from .measurement import Result, goal_met, measure, ratio
from .tables import table, warnings

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
    check_int(rounds, "rounds", 1)
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
    return f"{_processor()}, {platform.system()}, {date.today().isoformat()}\n{named}"


def versions() -> dict[str, str]:
    """The versions of Python, of dmlrand, and of the packages that take part and are installed."""
    found = {"Python": platform.python_version(), "dmlrand": __version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


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
    with replacing(path) as file:
        file.write((json.dumps(document) + "\n").encode())


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
