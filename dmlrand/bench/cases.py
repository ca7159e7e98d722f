"""The cases of `dmlrand bench`, with their goals. start_up.py has the cases that start processes, cuda.py those of CUDA devices.

All runs of a case make the same number of bytes of the same type, and write to preallocated memory where they can. A
package that is not installed has no run.

Most goals are relative to the limits of the processor (limits.py), because processors differ: some multiply vectors of
512 bits in one cycle, others in two. The goals relative to NumPy and JAX are met by every processor measured so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import batch
from ..distributions import integers, normal, uniform
from ..operator import random_generator, random_window
from ..state import advance_blocks, split
from ..stream import Stream
from . import cuda, limits, reference_packages as packages, start_up
from .case import PROCESSOR_CLOCK, PROCESSOR_TIME, STATE, Case, Goal, Runs
from .limits import CONVERSION, MEMSET, ROUNDS

OURS, NEW_ARRAY, OPERATOR = "dmlrand", "dmlrand, new array", "dmlrand's operator, new array"
CONTIGUOUS, LOOP = "contiguous", "loop over random_generator"
ONE_THREAD, TWO_THREADS = "1 thread", "2 threads"
KIB, MIB = 1 << 10, 1 << 20

BIT_GOALS = {
    4 * KIB: (Goal(OURS, (NEW_ARRAY,), 0.95),),
    1 * MIB: (
        Goal(OURS, (ROUNDS,), 0.88),
        Goal(OURS, (packages.NUMPY_PHILOX,), 8),
        Goal(OURS, (packages.NUMPY_PCG64,), 4.5),
    ),
    64 * MIB: (Goal(OURS, (ROUNDS, MEMSET), 0.85), Goal(OURS, (packages.NUMPY_PHILOX,), 7.5)),
    1024 * MIB: (Goal(OURS, (ROUNDS, MEMSET), 0.85),),
}
UNIFORM_GOALS = {
    "float32": (Goal(OURS, (ROUNDS,), 0.7), Goal(OURS, (packages.NUMPY_PHILOX,), 7.5)),
    "float64": (Goal(OURS, (ROUNDS,), 0.7), Goal(OURS, (packages.NUMPY_PHILOX,), 5.5)),
    "float16": (Goal(OURS, (packages.OPENVINO,), 1),),
}
THREADED_UNIFORMS = ("float16", "float64")
NORMAL_GOALS = {dtype: (Goal(OURS, (CONVERSION,), 0.8),) for dtype in ("float32", "float64")}
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
    for dtype in UNIFORM_GOALS:
        yield _uniforms(dtype)
    yield _integers()
    for dtype in NORMAL_GOALS:
        yield _normals(dtype)
    for method, goal in GENERATOR_GOALS.items():
        yield _generator(method, goal)
    for size in (MIB, 64 * MIB):
        yield _words_of_curand(size)
    yield _large_bits_of_a_key()
    for name, argument, goal in SMALL_KEYS:
        yield _small_draw_of_a_key(name, argument, goal)
    yield _windows()
    yield _strides()
    for size in (16 * MIB, 64 * MIB):
        yield _threads(size)
    for dtype in THREADED_UNIFORMS:
        yield _threads_of_uniforms(dtype)
    yield _small_calls()
    yield _short_rows()
    yield _long_rows()
    yield from start_up.cases()
    yield from cuda.cases()


def _bits(size: int) -> Case:
    def prepare() -> Runs:
        out = np.empty(size // 4, np.uint32)
        runs: Runs = {
            OURS: lambda: random_generator(STATE, out=out),
            **limits.philox_rounds(out.size),
            **limits.memset(out),
        }
        if size <= 64 * MIB:  # with more bytes, slow packages would take minutes
            runs[NEW_ARRAY] = lambda: random_generator(STATE, out.shape)
            runs |= packages.words(size // 4)
        return runs

    return Case("bits", f"bits, {_size(size)}, one thread", size, prepare, BIT_GOALS.get(size, ()))


def _uniforms(dtype: str) -> Case:
    def prepare() -> Runs:
        out = np.empty(MIB // np.dtype(dtype).itemsize, dtype)
        runs: Runs = {OURS: lambda: uniform(STATE, dtype=dtype, out=out)}
        return runs | _limits(limits.uniforms, out) | packages.uniforms(out)

    return Case("numbers", f"uniform {dtype}, 1 MiB, one thread", MIB, prepare, UNIFORM_GOALS[dtype])


def _limits(conversion: Callable[[str, int], Runs], out: NDArray[Any]) -> Runs:
    words = out.size * (2 if out.dtype == np.float64 else 1)
    return limits.philox_rounds(words) | conversion(out.dtype.name, words)


def _integers() -> Case:
    def prepare() -> Runs:
        out = np.empty(MIB // 4, np.int32)
        runs: Runs = {OURS: lambda: integers(STATE, low=-1000, high=999_999, out=out)}
        return runs | limits.philox_rounds(out.size) | packages.integers(out.size, -1000, 999_999)

    goals = (Goal(OURS, (packages.NUMPY_PHILOX,), 7),)
    return Case("numbers", "int32 in a range of 1,000,999, 1 MiB, one thread", MIB, prepare, goals)


def _normals(dtype: str) -> Case:
    def prepare() -> Runs:
        out = np.empty(MIB // np.dtype(dtype).itemsize, dtype)
        runs: Runs = {OURS: lambda: normal(STATE, dtype=dtype, out=out)}
        return runs | _limits(limits.normals, out) | packages.normals(out)

    return Case("normals", f"normal {dtype}, 1 MiB, one thread", MIB, prepare, NORMAL_GOALS[dtype])


def _generator(method: str, goal: float) -> Case:
    def prepare() -> Runs:
        from ..bit_generator import PhiloxBitGenerator

        generators = {OURS: PhiloxBitGenerator(STATE), packages.NUMPY_PHILOX: np.random.Philox(1)}
        out = np.empty(MIB // 8)
        return {name: partial(getattr(np.random.Generator(bits), method), out=out) for name, bits in generators.items()}

    goals = (Goal(OURS, (packages.NUMPY_PHILOX,), goal),)
    return Case("generator", f"numpy Generator.{method} over a bit generator, 1 MiB", MIB, prepare, goals)


def _words_of_curand(size: int) -> Case:
    count = size // 4

    def prepare() -> Runs:
        from ..compat.curand import Generator

        runs: Runs = {
            OURS: partial(Generator(1).generate, count),
            OPERATOR: lambda: random_generator(STATE, count),
        }
        return runs | packages.curand_words(np.empty(count, np.uint32))

    goals = (Goal(OURS, (OPERATOR,), 0.4), Goal(OURS, (packages.CURAND,), 1))
    return Case("curand", f"cuRAND's words, {_size(size)}, one thread", size, prepare, goals)


def _large_bits_of_a_key() -> Case:
    count = MIB // 4

    def prepare() -> Runs:
        from ..compat import jax

        runs: Runs = {OURS: partial(jax.bits, jax.key(1), (count,))}
        return runs | limits.threefry_rounds(count) | packages.jax_draw("bits", (count,))

    goals = (Goal(OURS, (ROUNDS,), 0.85),)
    return Case("keys", "JAX's bits of a key, 1 MiB, one thread", MIB, prepare, goals)


def _small_draw_of_a_key(name: str, argument: Any, goal: float) -> Case:
    def prepare() -> Runs:
        from ..compat import jax

        return {OURS: partial(getattr(jax, name), jax.key(1), argument)} | packages.jax_draw(name, argument)

    goals = (Goal(OURS, (packages.jitted(name),), goal),)
    return Case("keys", f"JAX's {name}(key, {argument})", 0, prepare, goals)


def _windows() -> Case:
    def prepare() -> Runs:
        out = np.empty(1 << 18, np.uint32)
        runs: Runs = {CONTIGUOUS: lambda: random_generator(STATE, out=out)}
        for length in (1024, 64):
            target = out.reshape(-1, length)
            shape, window = (len(target), length + 37), np.s_[:, 5 : 5 + length]
            runs[f"rows of {length}"] = partial(random_window, STATE, shape, window, out=target)
        return runs

    goals = (Goal("rows of 1024", (CONTIGUOUS,), 0.6), Goal("rows of 64", (CONTIGUOUS,), 0.2))
    return Case("windows", "windows, 1 MiB", MIB, prepare, goals)


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
            runs[name] = partial(random_generator, STATE, out=out)
            runs[f"{name}, copyto"] = partial(np.copyto, out, ready)
        return runs

    names = ("every second", "every sixteenth", "reversed", "transposed")
    goals = tuple(Goal(name, (f"{name}, copyto",), 0.6) for name in names)
    return Case("strides", "strided out, 1 MiB of words", MIB, prepare, goals)


def _threads(size: int) -> Case:
    def prepare() -> Runs:
        out = np.empty(size // 4, np.uint32)
        return {
            TWO_THREADS: lambda: random_generator(STATE, out=out, threads=2),
            ONE_THREAD: lambda: random_generator(STATE, out=out),
            **limits.memset(out),
        }

    return Case("threads", f"bits, {_size(size)}, threads", size, prepare, (Goal(TWO_THREADS, (ONE_THREAD,), 1.4),))


def _threads_of_uniforms(dtype: str) -> Case:
    size = 64 * MIB

    def prepare() -> Runs:
        out = np.empty(size // np.dtype(dtype).itemsize, dtype)
        return {
            TWO_THREADS: lambda: uniform(STATE, dtype=dtype, out=out, threads=2),
            ONE_THREAD: lambda: uniform(STATE, dtype=dtype, out=out),
            **packages.openvino_uniforms(out),
        }

    goals = (Goal(TWO_THREADS, (packages.OPENVINO,), 1.2),)
    return Case("threads", f"uniform {dtype}, {_size(size)}, threads", size, prepare, goals)


def _small_calls() -> Case:
    tuple_call, int_call = "random_generator(state, (8,))", "random_generator(state, 8)"
    threads_call = "random_generator(state, 8, threads=2)"
    uniform_call, integers_call, normal_call = "uniform(state, 8)", "integers(state, 8, 0, 100)", "normal(state, 8)"
    stream_call = "Stream.words(8)"
    numpy_call = "numpy Generator.random(8)"

    def prepare() -> Runs:
        generator = np.random.Generator(np.random.Philox(1))
        runs: Runs = {
            tuple_call: lambda: random_generator(STATE, (8,)),
            int_call: lambda: random_generator(STATE, 8),
            threads_call: lambda: random_generator(STATE, 8, threads=2),
            "random_generator(state, (64,))": lambda: random_generator(STATE, (64,)),
            uniform_call: lambda: uniform(STATE, 8),
            integers_call: lambda: integers(STATE, 8, 0, 100),
            normal_call: lambda: normal(STATE, 8),
            stream_call: partial(Stream(STATE).words, 8),
            "advance_blocks(state, 2)": lambda: advance_blocks(STATE, 2),
            numpy_call: lambda: generator.random(8),
            "numpy random_raw(8)": lambda: generator.bit_generator.random_raw(8),
        }
        return runs | packages.small_calls(8)

    goals = (
        Goal(tuple_call, (numpy_call,), 1 / 1.8),
        Goal(int_call, (numpy_call,), 1 / 1.8),
        Goal(tuple_call, (packages.JAX,), 4),
        Goal(threads_call, (int_call,), 0.95),
        *(Goal(call, (numpy_call,), 1 / 4) for call in (uniform_call, integers_call, normal_call)),
        Goal(stream_call, (numpy_call,), 1 / 5),
    )
    return Case("small", "one call for 8 numbers, new array and state", 0, prepare, goals)


def _short_rows() -> Case:
    count, length = 100_000, 8

    def prepare() -> Runs:
        states, out = split(STATE, count), np.empty((count, length), np.uint32)
        after = np.empty_like(states)

        def loop() -> None:
            for row in range(count):
                out[row], after[row] = random_generator(states[row], length)

        runs: Runs = {
            OURS: lambda: batch.random_generator(states, out=out),
            NEW_ARRAY: lambda: batch.random_generator(states, length),
            LOOP: loop,
            CONTIGUOUS: lambda: random_generator(STATE, out=out),
        }
        return runs | packages.jax_rows(count, length)

    goals = (Goal(OURS, (LOOP,), 100), Goal(OURS, (packages.JAX_ROWS,), 8))
    title = f"rows of {length} words of {count:,} states, {PROCESSOR_TIME}"
    return Case("batch", title, 4 * count * length, prepare, goals, clock=PROCESSOR_CLOCK)  # JAX uses several threads


def _long_rows() -> Case:
    count, length = 4096, 256

    def prepare() -> Runs:
        states, out = split(STATE, count), np.empty((count, length), np.uint32)
        return {
            OURS: lambda: batch.random_generator(states, out=out),
            CONTIGUOUS: lambda: random_generator(STATE, out=out),
        }

    goals = (Goal(OURS, (CONTIGUOUS,), 1 / 1.6),)
    return Case("batch", f"rows of {length} words of {count:,} states", 4 * count * length, prepare, goals)


def _size(size: int) -> str:
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"
