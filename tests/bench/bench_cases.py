"""The cases of run.py, with their goals. start_up.py has the cases that start processes, cuda_cases.py and
webgpu_cases.py those of devices.

All runs of a case make the same number of bytes of the same type, and write to preallocated memory where they can.
Where other packages make a new array in each call, a run of dmlrand does so too.

From 1 MiB on, goals are relative to the limits of the processor (limits.py), because processors differ: some multiply
vectors of 512 bits in one cycle, others in two. Small calls and batches have goals relative to NumPy and JAX.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any

import cuda_cases
import limits
import numpy as np
import reference_packages as packages
import start_up
import webgpu_cases
from bench_case import LIMIT, OTHER, OURS, PROCESSOR_TIME, STATE, Case, Goal, Run, Runs
from limits import CONVERSION, MEMSET, ROUNDS
from numpy.typing import NDArray

from dmlrand import batch
from dmlrand.distributions import integers, normal, uniform
from dmlrand.operator import random_generator, random_window
from dmlrand.state import advance_blocks, split
from dmlrand.stream import Stream

NEW_ARRAY, OPERATOR = "dmlrand, new array", "dmlrand's operator, new array"
CONTIGUOUS, LOOP = "contiguous", "loop over random_generator"
ONE_THREAD, TWO_THREADS = "1 thread", "2 threads"
KIB, MIB = 1 << 10, 1 << 20

NUMBER_GOALS = {  # of uniform numbers and normals, relative to a limit
    "uniform": Goal(OURS, (ROUNDS,), 0.8),
    "normal": Goal(OURS, (CONVERSION,), 0.85),
}
GENERATOR_GOALS = {"random": 0.9, "standard_normal": 1.0}
# Small draws of a JAX key: function, argument, and the goal relative to the same function of JAX, jitted.
SMALL_KEYS = (
    ("bits", (8,), 1),
    ("uniform", (16,), 0.3),
    ("normal", (16,), 0.4),
    ("split", 2, 1.5),
    ("fold_in", 3, 1.5),
)


def cases(groups: Sequence[str] | None = None) -> list[Case]:
    """All cases, or the cases of some groups."""
    every = list(_all())
    known = {case.group: None for case in every}
    unknown = [group for group in groups or () if group not in known]
    if unknown:
        similar = get_close_matches(unknown[0], list(known), 1)
        remedy = f" Did you mean {similar[0]!r}?" if similar else ""
        got = ", ".join(map(repr, unknown))
        raise ValueError(f"--only must name groups of cases ({', '.join(known)}); got {got}.{remedy}")
    return [case for case in every if groups is None or case.group in groups]


def _all() -> Iterator[Case]:
    for size in (4 * KIB, 64 * KIB, MIB, 64 * MIB, 1024 * MIB):
        yield _bits(size)
    for dtype in ("float32", "float64", "float16"):
        yield _reals("numbers", uniform, dtype)
    yield _integers()
    for dtype in ("float32", "float64"):
        yield _reals("normals", normal, dtype)
    for method, least in GENERATOR_GOALS.items():
        yield _generator(method, least)
    for size in (MIB, 64 * MIB):
        yield _words_of_curand(size)
    yield _large_bits_of_a_key()
    for name, argument, least in SMALL_KEYS:
        yield _small_draw_of_a_key(name, argument, least)
    yield _windows()
    yield _strided_windows()
    yield _strides()
    for size in (16 * MIB, 64 * MIB):
        yield _threads("bits", random_generator, size, "uint32", Goal(TWO_THREADS, (ONE_THREAD,), 1.4))
    for dtype in ("float16", "float64"):
        goal = Goal(TWO_THREADS, (packages.OPENVINO,), 1.2)
        yield _threads(f"uniform {dtype}", uniform, 64 * MIB, dtype, goal)
    yield _small_calls()
    yield _short_rows()
    yield _long_rows()
    yield from start_up.cases()
    yield from cuda_cases.cases()
    yield from webgpu_cases.cases()


def _bits(size: int) -> Case:
    def prepare() -> Runs:
        out = np.empty(size // 4, np.uint32)
        runs: Runs = {OURS: Run(lambda: random_generator(STATE, out=out))}
        if size <= 64 * MIB:  # with more bytes, slow packages would take minutes
            runs[NEW_ARRAY] = Run(lambda: random_generator(STATE, out.shape), new_array=True)
            runs |= packages.words(size // 4)
        return runs | limits.philox_rounds(out.size) | limits.memset(out)

    goal = Goal(OURS, (ROUNDS, MEMSET), 0.95) if size >= MIB else Goal(OURS, (NEW_ARRAY,), 0.95)
    return Case("bits", f"bits, {_size(size)}", size, prepare, (goal,))


def _numbers(draw: Callable[..., Any], out: NDArray[Any], *parameters: Any) -> Runs:
    """The runs of dmlrand that make numbers of one type, with a given and with a new array."""
    return {
        OURS: Run(lambda: draw(STATE, None, *parameters, dtype=out.dtype, out=out)),
        NEW_ARRAY: Run(lambda: draw(STATE, out.shape, *parameters, dtype=out.dtype), new_array=True),
    }


def _reals(group: str, draw: Callable[..., Any], dtype: str) -> Case:
    """The case of uniform numbers or of normals, relative to a limit."""
    name = draw.__name__
    others: Callable[..., Runs] = getattr(packages, f"{name}s")
    converted: Callable[..., Runs] = getattr(limits, f"{name}s")

    def prepare() -> Runs:
        out = np.empty(MIB // np.dtype(dtype).itemsize, dtype)
        words = out.size * (2 if dtype == "float64" else 1)
        return _numbers(draw, out) | others(out) | limits.philox_rounds(words) | converted(dtype, words)

    return Case(group, f"{name} {dtype}, 1 MiB", MIB, prepare, (NUMBER_GOALS[name],))


def _integers() -> Case:
    bounds = -1000, 999_999

    def prepare() -> Runs:
        out = np.empty(MIB // 4, np.int32)
        limit = limits.philox_rounds(out.size) | limits.integers(out.size, *bounds)
        return _numbers(integers, out, *bounds) | packages.integers(out.size, *bounds) | limit

    return Case("numbers", "int32 in a range of 1,000,999, 1 MiB", MIB, prepare, (Goal(OURS, (CONVERSION,), 0.85),))


def _generator(method: str, goal: float) -> Case:
    def prepare() -> Runs:
        from dmlrand.bit_generator import PhiloxBitGenerator

        out = np.empty(MIB // 8)
        ours, numpys = (np.random.Generator(bits) for bits in (PhiloxBitGenerator(STATE), np.random.Philox(1)))
        return {
            OURS: Run(partial(getattr(ours, method), out=out)),
            packages.NUMPY_PHILOX: Run(partial(getattr(numpys, method), out=out), OTHER),
        }

    goals = (Goal(OURS, (packages.NUMPY_PHILOX,), goal),)
    return Case("generator", f"numpy Generator.{method} over a bit generator, 1 MiB", MIB, prepare, goals)


def _words_of_curand(size: int) -> Case:
    count = size // 4

    def prepare() -> Runs:
        from dmlrand.compat.curand import Generator

        return {
            OURS: Run(partial(Generator(1).generate, count), new_array=True),
            OPERATOR: Run(lambda: random_generator(STATE, count), new_array=True),
        }

    return Case("curand", f"cuRAND's words, {_size(size)}", size, prepare, (Goal(OURS, (OPERATOR,), 0.4),))


def _large_bits_of_a_key() -> Case:
    count = MIB // 4

    def prepare() -> Runs:
        from dmlrand.compat import jax

        runs: Runs = {OURS: Run(partial(jax.bits, jax.key(1), (count,)), new_array=True)}
        return runs | packages.jax_draw("bits", (count,)) | limits.threefry_rounds(count)

    return Case("keys", "JAX's bits of a key, 1 MiB", MIB, prepare, (Goal(OURS, (ROUNDS,), 0.85),))


def _small_draw_of_a_key(name: str, argument: Any, goal: float) -> Case:
    def prepare() -> Runs:
        from dmlrand.compat import jax

        ours = Run(partial(getattr(jax, name), jax.key(1), argument), new_array=True)
        return {OURS: ours} | packages.jax_draw(name, argument)

    goals = (Goal(OURS, (packages.jitted(name),), goal),)
    return Case("keys", f"JAX's {name}(key, {argument})", 0, prepare, goals)


def _windows() -> Case:
    def prepare() -> Runs:
        out = np.empty(1 << 18, np.uint32)
        runs: Runs = {CONTIGUOUS: Run(lambda: random_generator(STATE, out=out))}
        for length in (1024, 64):
            target = out.reshape(-1, length)
            shape, window = (len(target), length + 37), np.s_[:, 5 : 5 + length]
            runs[f"rows of {length}"] = Run(partial(random_window, STATE, shape, window, out=target))
        return runs

    goals = (Goal("rows of 1024", (CONTIGUOUS,), 0.6), Goal("rows of 64", (CONTIGUOUS,), 0.2))
    return Case("windows", "windows, 1 MiB", MIB, prepare, goals)


def _strided_windows() -> Case:
    shape, window = (512, 1024), np.s_[:, ::2]

    def prepare() -> Runs:
        words, reals, whole = (np.empty((512, 512), dtype) for dtype in ("uint32", "float32", "int32"))
        return {
            "words": Run(lambda: random_window(STATE, shape, window, out=words)),
            "uniform float32": Run(lambda: uniform(STATE, shape, window=window, out=reals)),
            "int32 below 100": Run(lambda: integers(STATE, shape, 0, 100, window=window, out=whole)),
        }

    goals = tuple(Goal(run, ("words",), 0.5) for run in ("uniform float32", "int32 below 100"))
    return Case("windows", "every second column, 1 MiB", MIB, prepare, goals)


def _strides() -> Case:
    def prepare() -> Runs:
        ready = np.ones((1 << 10, 1 << 8), np.uint32)
        runs: Runs = {}
        for name, out in {
            "every second": np.empty((1 << 10, 1 << 9), np.uint32)[:, ::2],
            "every sixteenth": np.empty((1 << 10, 1 << 12), np.uint32)[:, ::16],
            "reversed": np.empty((1 << 10, 1 << 8), np.uint32)[::-1, ::-1],
            "transposed": np.empty((1 << 8, 1 << 10), np.uint32).T,
        }.items():
            runs[name] = Run(partial(random_generator, STATE, out=out))
            runs[f"{name}, copyto"] = Run(partial(np.copyto, out, ready), LIMIT)
        return runs

    names = ("every second", "every sixteenth", "reversed", "transposed")
    goals = tuple(Goal(name, (f"{name}, copyto",), 0.6) for name in names)
    return Case("strides", "strided out, 1 MiB of words", MIB, prepare, goals)


def _threads(name: str, draw: Callable[..., Any], size: int, dtype: str, goal: Goal) -> Case:
    def prepare() -> Runs:
        out = np.empty(size // np.dtype(dtype).itemsize, dtype)
        given = {"out": out} if draw is random_generator else {"out": out, "dtype": dtype}
        runs: Runs = {
            TWO_THREADS: Run(partial(draw, STATE, **given, threads=2)),
            ONE_THREAD: Run(partial(draw, STATE, **given)),
        }
        return runs | (limits.memset(out) if draw is random_generator else packages.openvino_uniforms(out))

    return Case("threads", f"{name}, {_size(size)}, threads", size, prepare, (goal,))


def _small_calls() -> Case:
    stream = Stream(STATE)
    # Each call, and the most that its time may be relative to NumPy's call.
    ours: dict[str, tuple[Callable[[], Any], float]] = {
        "random_generator(state, 8)": (lambda: random_generator(STATE, 8), 1.6),
        "random_generator(state, (8,))": (lambda: random_generator(STATE, (8,)), 1.6),
        "random_generator(state, 8, threads=2)": (lambda: random_generator(STATE, 8, threads=2), 1.6),
        "uniform(state, 8)": (lambda: uniform(STATE, 8), 2),
        "integers(state, 8, 0, 100)": (lambda: integers(STATE, 8, 0, 100), 2),
        "normal(state, 8)": (lambda: normal(STATE, 8), 2.5),
        "Stream.words(8)": (lambda: stream.words(8), 4),
        "Stream.uniform(8)": (lambda: stream.uniform(8), 4),
    }
    references = {"uniform": packages.NUMPY_FLOATS, "Stream.uniform": packages.NUMPY_FLOATS}
    references["normal"] = packages.NUMPY_NORMALS

    def prepare() -> Runs:
        runs: Runs = {name: Run(call, new_array=True) for name, (call, _) in ours.items()}
        runs["advance_blocks(state, 2)"] = Run(lambda: advance_blocks(STATE, 2), new_array=True)
        return runs | packages.small_calls(8)

    goals = [
        Goal(name, (references.get(name.partition("(")[0], packages.NUMPY_DOUBLES),), 1 / most)
        for name, (_, most) in ours.items()
    ]
    goals.append(Goal("random_generator(state, 8)", (packages.JAX,), 4))
    return Case("small", "one call for 8 numbers, new array and state", 0, prepare, tuple(goals))


def _short_rows() -> Case:
    count, length = 100_000, 8

    def prepare() -> Runs:
        states, out = split(STATE, count), np.empty((count, length), np.uint32)
        after = np.empty_like(states)

        def loop() -> None:
            for row in range(count):
                out[row], after[row] = random_generator(states[row], length)

        runs = _rows(states, out)
        runs[NEW_ARRAY] = Run(lambda: batch.random_generator(states, length), new_array=True)
        runs[LOOP] = Run(loop)
        return runs | packages.jax_rows(count, length)

    goals = (Goal(OURS, (LOOP,), 100), Goal(NEW_ARRAY, (packages.JAX_ROWS,), 8))
    title = f"rows of {length} words of {count:,} states, {PROCESSOR_TIME}"
    return Case("batch", title, 4 * count * length, prepare, goals, processor_time=True)  # JAX uses several threads


def _long_rows() -> Case:
    count, length = 4096, 256

    def prepare() -> Runs:
        return _rows(split(STATE, count), np.empty((count, length), np.uint32))

    goals = (Goal(OURS, (CONTIGUOUS,), 0.85),)
    return Case("batch", f"rows of {length} words of {count:,} states", 4 * count * length, prepare, goals)


def _rows(states: NDArray[np.uint32], out: NDArray[np.uint32]) -> Runs:
    return {
        OURS: Run(lambda: batch.random_generator(states, out=out)),
        CONTIGUOUS: Run(lambda: random_generator(STATE, out=out)),
    }


def _size(size: int) -> str:
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"
