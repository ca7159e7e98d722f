"""The table of `dmlrand bench`: the speed of some calls beside NumPy's, and beside a fill with zeros."""

from __future__ import annotations

import platform
import timeit
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from typing import Any

import numpy as np

from .. import __version__, kernels
from ..distributions import bernoulli, exponential, integers, normal, uniform
from ..drawing.arguments import check_int
from ..operator import random_generator
from ..order.permutations import permutation
from ..state import make_state
from ..stream import Stream

STATE = make_state(counter=1 << 64, key=42)
BYTES = 1 << 20
TURN_SECONDS = 1e-3  # a scheduler leaves most turns of 1 ms alone, so their 10th percentile does not move with its load
Call = Callable[[], Any]


def print_table(rounds: int) -> None:
    """Print one row for each call."""
    check_int(rounds, "--rounds", 1)
    kernels.forced = kernels.forced or "numba"  # a short process would draw with numpy
    print(f"{processor()}, {date.today().isoformat()}, dmlrand {__version__}, NumPy {np.__version__}\n")
    print(f"{'one thread':<40}{'dmlrand':>12}{'NumPy':>12}{'times as fast':>15}")
    for size, title, ours, numpys in _calls():
        own, other = _seconds([ours, numpys], rounds)
        print(f"{title:<40}{_figure(size, own):>12}{_figure(size, other):>12}{other / own:>15.2f}", flush=True)
    for slow in kernels.replaced():
        print(f"\nwithout vector code, and so slower: {slow}")


def _calls() -> Iterator[tuple[int, str, Call, Call]]:
    """Calls of dmlrand beside NumPy's: the bytes that each makes, or 0 for a small call; and what it is."""
    numpys = np.random.default_rng(42)
    stream = Stream(STATE)
    words, single, double = (np.empty(BYTES // np.dtype(kind).itemsize, kind) for kind in ("u4", "f4", "f8"))
    count = words.size
    fill = partial(random_generator, STATE, out=words)
    yield BYTES, "words, 1 MiB; NumPy fills with zeros", fill, partial(words.fill, 0)
    for title, ours, theirs in (
        ("words", partial(random_generator, STATE, count), partial(numpys.integers, 1 << 32, size=count, dtype="u4")),
        ("int32 in [-1000, 1000)", partial(integers, STATE, count, -1000, 1000),
         partial(numpys.integers, -1000, 1000, count, np.int32)),
        ("uniform float32", partial(uniform, STATE, out=single), partial(numpys.random, out=single, dtype="f4")),
        ("uniform float64", partial(uniform, STATE, out=double, dtype="f8"), partial(numpys.random, out=double)),
        ("normal float32", partial(normal, STATE, out=single), partial(numpys.standard_normal, out=single, dtype="f4")),
        ("normal float64", partial(normal, STATE, out=double, dtype="f8"), partial(numpys.standard_normal, out=double)),
        ("exponential float32", partial(exponential, STATE, out=single),
         partial(numpys.standard_exponential, out=single, dtype="f4")),
    ):  # fmt: skip
        yield BYTES, f"{title}, 1 MiB", ours, theirs
    yield count, "bernoulli(0.3), 262,144", partial(bernoulli, STATE, count, 0.3), lambda: numpys.random(count) < 0.3
    yield 8 * count, "permutation of 262,144", partial(permutation, STATE, count), (
        partial(numpys.permutation, count)
    )  # fmt: skip
    yield 0, "8 words; 8 float64 of NumPy", partial(random_generator, STATE, 8), partial(numpys.random, 8)
    yield 0, "8 uniform float32", partial(uniform, STATE, 8), partial(numpys.random, 8, "f4")
    yield 0, "8 normal float32 of a Stream", partial(stream.normal, 8), partial(numpys.standard_normal, 8, "f4")


def _seconds(calls: list[Call], rounds: int) -> list[float]:
    """The seconds of each call: the 10th percentile over turns of about 1 ms, which the calls take in turn."""
    timers = [timeit.Timer(call) for call in calls]
    for timer in timers:
        timer.timeit(1)  # compiles kernels
    counts = [max(1, round(10 * TURN_SECONDS / timer.timeit(10))) for timer in timers]
    turns = [[timer.timeit(count) / count for timer, count in zip(timers, counts)] for _ in range(rounds)]
    return [sorted(each)[(rounds - 1) // 10] for each in zip(*turns)]


def _figure(size: int, seconds: float) -> str:
    return f"{size / seconds / 1e9:.3g} GB/s" if size else f"{seconds * 1e6:.3g} us"


def processor() -> str:
    """The processor's name, as the system gives it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
