"""Who does what in `dmlrand bench`: the contests, their entries, and the goals of our own.

Every entry of a contest makes the same bytes of the same type, into memory it was given before where it can.
Peers that are not installed are left out.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from ..distributions import integers, normal, uniform
from ..operator import random_generator, random_window
from ..state import advance_blocks, make_state
from . import peers

Entries = dict[str, Callable[[], Any]]


class Goal(NamedTuple):
    """An entry should be at least `ratio` times as fast as a peer."""

    entry: str
    peer: str
    ratio: float


class Contest(NamedTuple):
    """One piece of work. `prepare` gives the entries, ours first; `bytes` is what one call makes, 0 for no rate."""

    group: str
    title: str
    bytes: int
    prepare: Callable[[], Entries]
    goals: tuple[Goal, ...] = ()


STATE = make_state(counter=(1 << 64) - 12345, key=0x0123456789ABCDEF)
OURS, MEMSET = "dmlrand", "memset"
KIB, MIB = 1 << 10, 1 << 20

# What the processor allows, rounded down to what a shared machine shows.
BIT_GOALS = {
    1 * MIB: (Goal(OURS, peers.NUMPY_PHILOX, 8), Goal(OURS, peers.NUMPY_PCG64, 4.5)),
    64 * MIB: (Goal(OURS, peers.NUMPY_PHILOX, 7.5), Goal(OURS, MEMSET, 0.6)),
    1024 * MIB: (Goal(OURS, MEMSET, 0.75),),
}

UNIFORM_GOALS = {
    "float32": (Goal(OURS, peers.NUMPY_PHILOX, 7.5), Goal(OURS, peers.OPENVINO, 1.6)),
    "float64": (Goal(OURS, peers.NUMPY_PHILOX, 5.5),),
    "float16": (),
}
GENERATOR_GOALS = {"random": 0.9, "standard_normal": 1.0}
KEY_GOALS = {  # over jitted JAX, by function and its argument after the key
    ("bits", (MIB // 4,)): 10,
    ("bits", (8,)): 5,
    ("uniform", (16,)): 5,
    ("normal", (16,)): 5,
    ("split", 2): 5,
    ("fold_in", 3): 5,
}
NORMAL_GOALS = {
    "float32": (Goal(OURS, peers.NUMPY_PHILOX, 14),),
    "float64": (Goal(OURS, peers.NUMPY_PHILOX, 7.5),),
}


def contests(groups: Sequence[str] | None = None) -> list[Contest]:
    """All contests, or those of some groups."""
    every = list(_all())
    known = {contest.group: None for contest in every}
    unknown = [group for group in groups or () if group not in known]
    if unknown:
        raise ValueError(f"--only must name groups of contests ({', '.join(known)}); got {', '.join(unknown)}.")
    return [contest for contest in every if groups is None or contest.group in groups]


def _all() -> Iterator[Contest]:
    for size in (4 * KIB, 64 * KIB, MIB, 64 * MIB, 1024 * MIB):
        yield _bits(size)
    for kind in UNIFORM_GOALS:
        yield _uniforms(kind)
    yield _integers()
    for kind in NORMAL_GOALS:
        yield _normals(kind)
    for method, goal in GENERATOR_GOALS.items():
        yield _generator(method, goal)
    for (name, argument), goal in KEY_GOALS.items():
        yield _keys(name, argument, goal)
    yield _windows()
    yield _strides()
    for size in (16 * MIB, 64 * MIB):
        yield _threads(size)
    for words in (8, 64):
        yield _small_calls(words)
    yield _start_up()


def _bits(size: int) -> Contest:
    def prepare() -> Entries:
        out = np.empty(size // 4, np.uint32)
        entries: Entries = {
            OURS: lambda: random_generator(STATE, out=out),
            MEMSET: lambda: out.fill(0),
        }
        if size <= 64 * MIB:  # the slow ones would take minutes beyond
            entries["dmlrand, new array"] = lambda: random_generator(STATE, out.shape)
            entries |= peers.words(size // 4)
        return entries

    return Contest("bits", f"bits, {_size(size)}, one thread", size, prepare, BIT_GOALS.get(size, ()))


def _uniforms(kind: str) -> Contest:
    def prepare() -> Entries:
        out = np.empty(MIB // np.dtype(kind).itemsize, kind)
        entries: Entries = {OURS: lambda: uniform(STATE, dtype=kind, out=out)}
        return entries | peers.uniforms(out)

    return Contest("numbers", f"uniform {kind}, 1 MiB, one thread", MIB, prepare, UNIFORM_GOALS[kind])


def _integers() -> Contest:
    def prepare() -> Entries:
        out = np.empty(MIB // 4, np.int32)
        entries: Entries = {OURS: lambda: integers(STATE, low=-1000, high=999_999, out=out)}
        return entries | peers.integers(out.size, -1000, 999_999)

    goals = (Goal(OURS, peers.NUMPY_PHILOX, 7),)
    return Contest("numbers", "int32 in a range of 1,000,999, 1 MiB, one thread", MIB, prepare, goals)


def _normals(kind: str) -> Contest:
    def prepare() -> Entries:
        out = np.empty(MIB // np.dtype(kind).itemsize, kind)
        entries: Entries = {OURS: lambda: normal(STATE, dtype=kind, out=out)}
        return entries | peers.normals(out)

    return Contest("normals", f"normal {kind}, 1 MiB, one thread", MIB, prepare, NORMAL_GOALS[kind])


def _generator(method: str, goal: float) -> Contest:
    def prepare() -> Entries:
        from ..bit_generator import PhiloxBitGenerator

        generators = {OURS: PhiloxBitGenerator(STATE), peers.NUMPY_PHILOX: np.random.Philox(1)}
        out = np.empty(MIB // 8)
        return {name: partial(getattr(np.random.Generator(bits), method), out=out) for name, bits in generators.items()}

    goals = (Goal(OURS, peers.NUMPY_PHILOX, goal),)
    return Contest("generator", f"numpy Generator.{method} over a bit generator, 1 MiB", MIB, prepare, goals)


def _keys(name: str, argument: Any, goal: float) -> Contest:
    def prepare() -> Entries:
        from ..compat import jax

        return {OURS: partial(getattr(jax, name), jax.key(1), argument)} | peers.jax_draw(name, argument)

    size = MIB if argument == (MIB // 4,) else 0
    return Contest("keys", f"JAX's {name}(key, {argument})", size, prepare, (Goal(OURS, peers.jitted(name), goal),))


def _windows() -> Contest:
    def prepare() -> Entries:
        out = np.empty(1 << 18, np.uint32)
        entries: Entries = {"contiguous": lambda: random_generator(STATE, out=out)}
        for length in (1024, 64):
            target = out.reshape(-1, length)
            shape, window = (len(target), length + 37), np.s_[:, 5 : 5 + length]
            entries[f"rows of {length}"] = partial(random_window, STATE, shape, window, out=target)
        return entries

    goals = (Goal("rows of 1024", "contiguous", 0.6), Goal("rows of 64", "contiguous", 0.2))
    return Contest("windows", "windows, 1 MiB", MIB, prepare, goals)


def _strides() -> Contest:
    def prepare() -> Entries:
        ready = np.ones((1 << 10, 1 << 8), np.uint32)
        entries: Entries = {}
        for name, out in {
            "every second": np.empty((1 << 10, 1 << 9), np.uint32)[:, ::2],
            "every sixteenth": np.empty((1 << 10, 1 << 12), np.uint32)[:, ::16],
            "reversed": np.empty((1 << 10, 1 << 8), np.uint32)[::-1, ::-1],
            "transposed": np.empty((1 << 8, 1 << 10), np.uint32).T,
        }.items():
            entries[name] = partial(random_generator, STATE, out=out)
            entries[f"{name}, copyto"] = partial(np.copyto, out, ready)
        return entries

    names = ("every second", "every sixteenth", "reversed", "transposed")
    goals = tuple(Goal(name, f"{name}, copyto", 0.6) for name in names)
    return Contest("strides", "strided out, 1 MiB of words", MIB, prepare, goals)


def _threads(size: int) -> Contest:
    def prepare() -> Entries:
        out = np.empty(size // 4, np.uint32)
        return {
            "2 threads": lambda: random_generator(STATE, out=out, threads=2),
            "1 thread": lambda: random_generator(STATE, out=out),
            MEMSET: lambda: out.fill(0),
        }

    return Contest("threads", f"bits, {_size(size)}, threads", size, prepare, (Goal("2 threads", "1 thread", 1.4),))


def _small_calls(words: int) -> Contest:
    def prepare() -> Entries:
        generator = np.random.Generator(np.random.Philox(1))
        entries: Entries = {
            OURS: lambda: random_generator(STATE, (words,)),
            "numpy Generator.random(8)": lambda: generator.random(8),
            "numpy random_raw": lambda: generator.bit_generator.random_raw(words),
            "advance_blocks": lambda: advance_blocks(STATE, 2),
        }
        return entries | peers.small_calls(words)

    goals = (Goal(OURS, "numpy Generator.random(8)", 0.5), Goal(OURS, peers.JAX, 4))
    return Contest("small", f"one call, {words} words, new array and state", 0, prepare, goals)


_START_UPS = {
    "import dmlrand, state arithmetic": "import dmlrand; dmlrand.advance_blocks(dmlrand.make_state(1, 2), 3)",
    "import numpy": "import numpy",
    "first values, warm cache": "import dmlrand; dmlrand.random_generator(dmlrand.make_state(1, 2), (8,))",
    "first values, cold": "import dmlrand; dmlrand.random_generator(dmlrand.make_state(1, 2), (8,))",
    "import numba": "import numba",
}


def _start_up() -> Contest:
    def prepare() -> Entries:
        return {name: partial(_process, code, "cold" in name) for name, code in _START_UPS.items()}

    names = list(_START_UPS)
    goals = (Goal(names[0], names[1], 1 / 1.25), Goal(names[2], names[4], 1 / 2), Goal(names[3], names[4], 1 / 5))
    return Contest("start-up", "start-up, whole processes", 0, prepare, goals)


def _process(code: str, cold: bool) -> None:
    """Run code in a Python of its own; cold: with an empty cache, so that every kernel is compiled."""
    with TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache} if cold else None
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def _size(size: int) -> str:
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"
