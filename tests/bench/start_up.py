"""The cases of the group start-up: whole processes, from the start of Python to its end, in processor time."""

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from measurement import OTHER, Case, Goal, Run

from dmlrand import kernels

PROCESS_LIMIT_SECONDS = 300  # a process that takes longer hangs
ARITHMETIC = "import dmlrand; dmlrand.advance_blocks(dmlrand.make_state(counter=1, key=2), 3)"
RUN = "run --shape 8 --seed 1 --output v.npy --state s.json"
FIRST_WORDS = "import dmlrand; dmlrand.random_generator(dmlrand.make_state(key=1), 1000)"
ONE_GIB = """
import numpy, dmlrand
out, state = numpy.empty(1 << 14, numpy.uint32), dmlrand.make_state(key=1)
for _ in range(1 << 14):
    state = dmlrand.random_generator(state, out=out).state
"""
# The runs of processes that do little: Python's arguments, the choice of kernels, and the folder of machine code.
SMALL = {
    "import numpy": (["-c", "import numpy"], "", ""),
    "import numba": (["-c", "import numba"], "", ""),
    "import dmlrand, state arithmetic": (["-c", ARITHMETIC], "", ""),
    "first 1,000 words": (["-c", FIRST_WORDS], "", ""),
    "dmlrand run --shape 8": (["-m", "dmlrand", *RUN.split()], "", ""),
    "compiled kernels, 1,000 words": (["-c", FIRST_WORDS], "numba", ""),
    "the same, nothing cached": (["-c", FIRST_WORDS], "numba", "cache"),
}
SMALL_GOALS = (
    Goal("import dmlrand, state arithmetic", ("import numpy",), 1 / 1.25),
    Goal("first 1,000 words", ("import numpy",), 1 / 1.6),
    Goal("dmlrand run --shape 8", ("import numpy",), 1 / 2.5),
    Goal("compiled kernels, 1,000 words", ("import numba",), 1 / 2),
    Goal("the same, nothing cached", ("import numba",), 1 / 5),
)
LONG = {
    "compiled kernels from the start": (["-c", ONE_GIB], "numba", ""),
    "by default": (["-c", ONE_GIB], "", ""),
}
LONG_GOALS = (Goal("by default", ("compiled kernels from the start",), 0.98),)


def cases():
    yield Case("start-up", "a process that does little", 0, partial(runs_of, SMALL), SMALL_GOALS, of_children)
    yield Case(
        "start-up", "a process that draws 1 GiB, 64 KiB a call", 0, partial(runs_of, LONG), LONG_GOALS, of_children
    )


def runs_of(rows):
    return {
        name: Run(partial(start, *row), *([OTHER] if name in ("import numpy", "import numba") else []))
        for name, row in rows.items()
    }


def of_children():
    """The processor seconds of all processes that this process started and that have ended; on Windows, the time."""
    if sys.platform == "win32":
        return time.perf_counter()
    import resource

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def start(arguments, choice, cache):
    """Run Python in an empty folder. It chooses its kernels as a user's process does, unless `choice` names a kind."""
    root = str(Path(kernels.__file__).parents[2])  # the new process must import the same dmlrand as this one
    paths = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": paths, kernels.SETTING: choice}
    if cache:
        environment["NUMBA_CACHE_DIR"] = cache
    with TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, *arguments],
            check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL, timeout=PROCESS_LIMIT_SECONDS,
        )  # fmt: skip
