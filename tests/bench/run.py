"""Measure dmlrand beside the limits of the processor and beside other packages: python tests/bench/run.py --help.

bench_cases.py lists the cases, measurement.py measures them in one process, tables.py shows the results.
"""

import argparse
import platform
from datetime import date
from importlib.metadata import PackageNotFoundError, version

from bench_cases import cases
from measurement import NotMeasured, measure
from tables import LEGEND, table

from dmlrand import __version__, kernels
from dmlrand.cli.bench import processor

# pip's names of the packages that are measured, and of those that compile the kernels.
PACKAGES = "numpy numba llvmlite mkl_random torch jax openvino numba-cuda wgpu".split()


def measure_all(cases, rounds=100, report=print):
    """Measure the cases with the compiled kernels, and report a table after each case that can be measured here."""
    # A process begins with kernels in numpy. The environment variable DMLRAND_KERNELS=numpy keeps them.
    kernels.forced = kernels.forced or "numba"
    for case in cases:
        try:
            report(table(measure(case, rounds)))
        except NotMeasured as reason:
            report(f"\n{case.title}: not measured, {reason}")


def machine():
    """The processor, the system, the date and the versions, for the heading."""
    found = [f"Python {platform.python_version()}", f"dmlrand {__version__}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return f"{processor()}, {platform.system()}, {date.today().isoformat()}\n{', '.join(found)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="GROUP,..", help="only these groups of cases")
    parser.add_argument("--rounds", type=int, default=100, help="turns of each run, 1 ms each (default 100)")
    options = parser.parse_args()
    every = list(cases())
    groups = options.only.split(",") if options.only else list(dict.fromkeys(case.group for case in every))
    if unknown := set(groups) - {case.group for case in every}:
        parser.error(f"--only must name groups of cases; got {', '.join(sorted(unknown))}")
    print(f"{machine()}\n\n{LEGEND}")
    measure_all([case for case in every if case.group in groups], options.rounds)
    for slow in kernels.replaced():
        print(f"\nwithout vector code, and so slower: {slow}")


if __name__ == "__main__":
    main()
