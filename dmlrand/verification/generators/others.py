"""Other generators that are taken for Philox4x32-10, with its counter and key, or seeded by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count, islice
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...compat import threefry
from ...philox import MASK32
from .variants import Words6

Words = NDArray[np.uint32]
OfSeed = tuple[int, Callable[[int], Iterable[int]]]  # the size of the numbers in bits, and the numbers


# Generators of a counter and a key


def _philox_of_two(factor: int, step: int, counter: int, key: int) -> Iterator[int]:
    for number in count(counter):
        low, high, word = number & MASK32, number >> 32 & MASK32, key & MASK32
        for _ in range(10):
            product = low * factor
            low, high, word = product >> 32 ^ word ^ high, product & MASK32, word + step & MASK32
        yield from (low, high)


def _threefry(counter: int, key: int) -> Iterator[int]:
    """Threefry2x32-20, both words low first."""
    for number in count(counter):
        yield from threefry.block((number & MASK32, number >> 32 & MASK32), (key & MASK32, key >> 32))


# Generators of a seed


def _jax(seed: int) -> Iterator[int]:
    """jax.random.bits of key(seed): the exclusive or of both words of each block."""
    key = seed >> 32 & MASK32, seed & MASK32
    return (x0 ^ x1 for x0, x1 in (threefry.block((i >> 32, i & MASK32), key) for i in count()))


def _xorwow(seed: int) -> Iterator[int]:
    """XORWOW as cuRAND seeds it, subsequence 0."""
    s0, s1 = (seed & MASK32) ^ 0xAAD26B49, (seed >> 32) ^ 0xF7DCEFDD
    t0, t1 = s0 * 1099087573 & MASK32, s1 * 2591861531 & MASK32
    v = [123456789 + t0 & MASK32, 362436069 ^ t0, 521288629 + t1 & MASK32, 88675123 ^ t1, 5783321 + t0 & MASK32]
    for d in count(6615241 + t1 + t0 + 362437, 362437):
        t = v[0] ^ v[0] >> 2
        v = [*v[1:], (v[4] ^ v[4] << 4 & MASK32) ^ (t ^ t << 1 & MASK32)]
        yield v[4] + d & MASK32


# fmt: off
# From a counter and a key to words of 32 or 64 bits.
OF_COUNTER_AND_KEY: dict[str, tuple[int, Callable[[int, int], Iterable[int]]]] = {
    "Philox2x32-10": (32, partial(_philox_of_two, 0xD256D193, 0x9E3779B9)),
    "Philox4x64-10":  # NumPy increments the counter before the first block
        (64, lambda c, k: np.random.Philox(counter=(c - 1) % (1 << 256), key=k).random_raw(64)),
    "NumPy's Philox (4x64-10), which counts before the first block,":
        (64, lambda c, k: np.random.Philox(counter=c, key=k).random_raw(64)),
    "Threefry2x32-20": (32, _threefry),
}
# From a seed to words of 32 or 64 bits.
OF_SEED: dict[str, OfSeed] = {
    "NumPy's Philox (4x64-10) with the key": (64, lambda s: np.random.Philox(key=s).random_raw(64)),
    "NumPy's Philox (4x64-10)": (64, lambda s: np.random.Philox(s).random_raw(64)),
    "NumPy's PCG64 (default_rng)": (64, lambda s: np.random.PCG64(s).random_raw(64)),
    "MT19937 (RandomState)": (32, lambda s: np.random.RandomState(s & MASK32).randint(0, 1 << 32, 64, np.uint32)),
    "MT19937 with NumPy's seed sequence": (32, lambda s: np.random.MT19937(s).random_raw(64)),
    "MT19937 as Python's random.Random(seed).getrandbits(32)":
        (32, lambda s: np.frombuffer(Random(s).randbytes(256), "<u4")),
    "JAX (jax.random.bits, Threefry)": (32, _jax),
    "XORWOW as cuRAND seeds it": (32, _xorwow),
}
# fmt: on


def first_words(six: Words6, least: int) -> Iterator[tuple[str, Words]]:
    """The first words of each other generator, by what a sentence says."""
    c0, c1, c2, c3, k0, k1 = six
    counter, key = c0 | c1 << 32 | c2 << 64 | c3 << 96, k0 | k1 << 32
    starts = {"the state's counter and key": counter, "counter 0 and the state's key": 0}
    seeds = {"the key": key, "key word 0": k0, "0": 0, "1": 1, "42": 42}
    for name, (bits, of_counter) in OF_COUNTER_AND_KEY.items():
        for start, text in _distinct(starts).items():
            yield from _readings(f"{name} with {text}", bits, of_counter(start, key), least)
    for name, (bits, of_seed) in OF_SEED.items():
        for seed, text in _distinct(seeds).items():
            yield from _readings(f"{name}, where the seed is {text}", bits, of_seed(seed), least)


def _distinct(numbers: dict[str, int]) -> dict[int, str]:
    """Each number once, with the first of its names."""
    return {number: name for name, number in reversed(numbers.items())}


def _readings(name: str, bits: int, numbers: Iterable[Any], least: int) -> Iterator[tuple[str, Words]]:
    """The words of numbers of 32 or 64 bits. One of 64 bits gives two words, or one of its halves."""
    made = np.fromiter(islice(numbers, least), np.uint64)
    if bits <= 32:
        yield name, made.astype(np.uint32)
        return
    words = made.view(np.uint32)
    yield name, words[:least]
    yield f"{name} (the upper half of each number)", words[1::2]
    yield f"{name} (the lower half of each number)", words[::2]
