"""The cases of the group start-up: whole processes, from the start of Python to its end.

They are measured in processor time. Wall time would mostly measure other work on the machine, for which a process
waits. On Windows only the wall time is available.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from bench_case import OTHER, PROCESSOR_TIME, WALL_CLOCKS, Case, Clocks, Goal, Run, Runs

from dmlrand import kernels
from dmlrand.checkpoint import save_checkpoint
from dmlrand.state import make_state

CLOCKS = WALL_CLOCKS
if sys.platform != "win32":
    import resource

    def _children() -> float:
        """The processor seconds of all processes that this process started and that have ended."""
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    CLOCKS = Clocks(WALL_CLOCKS.wall, _children, _children)


PROCESS_LIMIT_SECONDS = 300  # a process that takes longer hangs

FIRST_WORDS = "import dmlrand; dmlrand.random_generator(dmlrand.make_state(key=1), 1000)"
ONE_GIB = """
import numpy, dmlrand
out, state = numpy.empty(1 << 14, numpy.uint32), dmlrand.make_state(key=1)
for _ in range(1 << 14):
    state = dmlrand.random_generator(state, out=out).state
"""

NUMPY, NUMBA = "import numpy", "import numba"
ARITHMETIC, FIRST = "import dmlrand, state arithmetic", "first 1,000 words"
RUN, SHOW = "dmlrand run --shape 8", "dmlrand state show"
WARM, COLD = "compiled kernels, 1,000 words", "the same, nothing cached"
DEFAULT, COMPILED = "by default", "compiled kernels from the start"


def cases() -> Iterator[Case]:
    short = (Goal(ARITHMETIC, (NUMPY,), 1 / 1.25), Goal(FIRST, (NUMPY,), 1 / 1.6))
    commands = (Goal(RUN, (NUMPY,), 1 / 2.5), Goal(SHOW, (NUMPY,), 1 / 2.5))
    compiled = (Goal(WARM, (NUMBA,), 1 / 2), Goal(COLD, (NUMBA,), 1 / 5))
    goals = short + commands + compiled
    yield _case(f"a process that does little, {PROCESSOR_TIME}", _small_processes, goals)
    long = (Goal(DEFAULT, (COMPILED,), 0.98),)
    yield _case(f"a process that draws 1 GiB, 64 KiB a call, {PROCESSOR_TIME}", _long_processes, long)


def _case(title: str, prepare: Callable[[], Runs], goals: tuple[Goal, ...]) -> Case:
    return Case("start-up", title, 0, prepare, goals, CLOCKS, processor_time=True)


def _small_processes() -> Runs:
    arithmetic = "import dmlrand; dmlrand.advance_blocks(dmlrand.make_state(counter=1, key=2), 3)"
    run = ("-m", "dmlrand", "run", "--shape", "8", "--output", "values.npy", "--state", "state.json", "--seed", "1")
    return {
        NUMPY: Run(partial(_start, "-c", NUMPY), OTHER),
        ARITHMETIC: Run(partial(_start, "-c", arithmetic)),
        FIRST: Run(partial(_start, "-c", FIRST_WORDS)),
        RUN: Run(partial(_start, *run)),
        SHOW: Run(_start_show),
        NUMBA: Run(partial(_start, "-c", NUMBA), OTHER),
        WARM: Run(partial(_start, "-c", FIRST_WORDS, choice="numba")),
        COLD: Run(partial(_start, "-c", FIRST_WORDS, choice="numba", NUMBA_CACHE_DIR="cache")),
    }


def _long_processes() -> Runs:
    return {
        COMPILED: Run(partial(_start, "-c", ONE_GIB, choice="numba")),
        DEFAULT: Run(partial(_start, "-c", ONE_GIB)),
    }


def _start_show() -> None:
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "state.json")
        save_checkpoint(path, make_state(key=1))
        _start("-m", "dmlrand", "state", "show", path)


def _start(*arguments: str, choice: str = "", **variables: str) -> None:
    """Run Python in an empty folder, with these environment variables.

    The process chooses its kernels as a user's process does, unless `choice` names a kind. The choice of this process
    has no effect.
    """
    root = str(Path(kernels.__file__).parents[2])  # the new process must import the same dmlrand as this one
    paths = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, **variables, "PYTHONPATH": paths, kernels.SETTING: choice}
    with TemporaryDirectory() as folder:
        command = [sys.executable, *arguments]
        subprocess.run(
            command, check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL, timeout=PROCESS_LIMIT_SECONDS
        )
