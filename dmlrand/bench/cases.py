"""The cases of `dmlrand bench`, with their goals. start_up.py has those of whole processes.

Every run of a case makes the same number of bytes of the same type, into memory that it was given before where it can.
Other packages that are not installed have no run.

Speed goals are relative to what the processor can do (limits.py), since processors differ: one multiplies 512 bits in a
cycle, another needs two. Goals relative to NumPy and JAX are those that every processor measured so far meets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distributions import integers, normal, uniform
from ..operator import random_generator, random_window
from ..state import advance_blocks
from . import limits, start_up
from . import reference_packages as packages
from .case import STATE, Case, Goal, Runs
from .limits import CONVERSION, MEMSET, ROUNDS

OURS = "dmlrand"
KIB, MIB = 1 << 10, 1 << 20

BIT_GOALS = {
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
    "float16": (),
}
NORMAL_GOALS = {kind: (Goal(OURS, (CONVERSION,), 0.8),) for kind in ("float32", "float64")}
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
    """All cases, or those of some groups."""
    every = list(_all())
    known = {case.group: None for case in every}
    unknown = [group for group in groups or () if group not in known]
    if unknown:
        raise ValueError(f"--only must name groups of cases ({', '.join(known)}); got {', '.join(unknown)}.")
    return [case for case in every if groups is None or case.group in groups]


def _all() -> Iterator[Case]:
    for size in (4 * KIB, 64 * KIB, MIB, 64 * MIB, 1024 * MIB):
        yield _bits(size)
    for kind in UNIFORM_GOALS:
        yield _uniforms(kind)
    yield _integers()
    for kind in NORMAL_GOALS:
        yield _normals(kind)
    for method, goal in GENERATOR_GOALS.items():
        yield _generator(method, goal)
    yield _large_bits_of_a_key()
    for name, argument, goal in SMALL_KEYS:
        yield _small_draw_of_a_key(name, argument, goal)
    yield _windows()
    yield _strides()
    for size in (16 * MIB, 64 * MIB):
        yield _threads(size)
    for words in (8, 64):
        yield _small_calls(words)
    yield from start_up.cases()


def _bits(size: int) -> Case:
    def prepare() -> Runs:
        out = np.empty(size // 4, np.uint32)
        runs: Runs = {
            OURS: lambda: random_generator(STATE, out=out),
            **limits.philox_rounds(out.size),
            **limits.memset(out),
        }
        if size <= 64 * MIB:  # the slow ones would take minutes beyond
            runs["dmlrand, new array"] = lambda: random_generator(STATE, out.shape)
            runs |= packages.words(size // 4)
        return runs

    return Case("bits", f"bits, {_size(size)}, one thread", size, prepare, BIT_GOALS.get(size, ()))


def _uniforms(kind: str) -> Case:
    def prepare() -> Runs:
        out = np.empty(MIB // np.dtype(kind).itemsize, kind)
        runs: Runs = {OURS: lambda: uniform(STATE, dtype=kind, out=out)}
        return runs | _limits("uniform", out) | packages.uniforms(out)

    return Case("numbers", f"uniform {kind}, 1 MiB, one thread", MIB, prepare, UNIFORM_GOALS[kind])


def _limits(distribution: str, out: NDArray[Any]) -> Runs:
    words = out.size * (2 if out.dtype == np.float64 else 1)
    return limits.philox_rounds(words) | limits.conversions(distribution, out.dtype.name, words)


def _integers() -> Case:
    def prepare() -> Runs:
        out = np.empty(MIB // 4, np.int32)
        runs: Runs = {OURS: lambda: integers(STATE, low=-1000, high=999_999, out=out)}
        return runs | limits.philox_rounds(out.size) | packages.integers(out.size, -1000, 999_999)

    goals = (Goal(OURS, (packages.NUMPY_PHILOX,), 7),)
    return Case("numbers", "int32 in a range of 1,000,999, 1 MiB, one thread", MIB, prepare, goals)


def _normals(kind: str) -> Case:
    def prepare() -> Runs:
        out = np.empty(MIB // np.dtype(kind).itemsize, kind)
        runs: Runs = {OURS: lambda: normal(STATE, dtype=kind, out=out)}
        return runs | _limits("normal", out) | packages.normals(out)

    return Case("normals", f"normal {kind}, 1 MiB, one thread", MIB, prepare, NORMAL_GOALS[kind])


def _generator(method: str, goal: float) -> Case:
    def prepare() -> Runs:
        from ..bit_generator import PhiloxBitGenerator

        generators = {OURS: PhiloxBitGenerator(STATE), packages.NUMPY_PHILOX: np.random.Philox(1)}
        out = np.empty(MIB // 8)
        return {name: partial(getattr(np.random.Generator(bits), method), out=out) for name, bits in generators.items()}

    goals = (Goal(OURS, (packages.NUMPY_PHILOX,), goal),)
    return Case("generator", f"numpy Generator.{method} over a bit generator, 1 MiB", MIB, prepare, goals)


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
        runs: Runs = {"contiguous": lambda: random_generator(STATE, out=out)}
        for length in (1024, 64):
            target = out.reshape(-1, length)
            shape, window = (len(target), length + 37), np.s_[:, 5 : 5 + length]
            runs[f"rows of {length}"] = partial(random_window, STATE, shape, window, out=target)
        return runs

    goals = (Goal("rows of 1024", ("contiguous",), 0.6), Goal("rows of 64", ("contiguous",), 0.2))
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
            "2 threads": lambda: random_generator(STATE, out=out, threads=2),
            "1 thread": lambda: random_generator(STATE, out=out),
            **limits.memset(out),
        }

    return Case("threads", f"bits, {_size(size)}, threads", size, prepare, (Goal("2 threads", ("1 thread",), 1.4),))


def _small_calls(words: int) -> Case:
    def prepare() -> Runs:
        generator = np.random.Generator(np.random.Philox(1))
        runs: Runs = {
            OURS: lambda: random_generator(STATE, (words,)),
            "numpy Generator.random(8)": lambda: generator.random(8),
            "numpy random_raw": lambda: generator.bit_generator.random_raw(words),
            "advance_blocks": lambda: advance_blocks(STATE, 2),
        }
        return runs | packages.small_calls(words)

    goals = (Goal(OURS, ("numpy Generator.random(8)",), 0.5), Goal(OURS, (packages.JAX,), 4))
    return Case("small", f"one call, {words} words, new array and state", 0, prepare, goals)


def _size(size: int) -> str:
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"
