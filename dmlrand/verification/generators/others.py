"""Other generators that are taken for Philox4x32-10, seeded by the key, and hashes of a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32, W0
from .variants import Words6

MASK64 = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio, odd
Words = NDArray[np.uint32]
Make = Callable[[int, int, int], Any]  # from a counter, a key and a number of words to words, of 32 or 64 bits


def first_words(make: Make, six: Words6, count: int) -> Words:
    """The first words of another generator: the lower half of one of 64 bits is the first word."""
    c0, c1, c2, c3, k0, k1 = six
    made = np.asarray(make(c0 | c1 << 32 | c2 << 64 | c3 << 96, k0 | k1 << 32, count))
    words: Words = made.view(np.uint32) if made.dtype == np.uint64 else made.astype(np.uint32)
    return words[:count]


def _philox_2x32(counter: int, key: int, count: int) -> Any:
    made = []
    for number in range(count // 2):
        low, high, word = counter + number & MASK32, (counter + number) >> 32 & MASK32, key & MASK32
        for _ in range(10):
            product = low * 0xD256D193
            low, high, word = product >> 32 ^ word ^ high, product & MASK32, word + W0 & MASK32
        made += [low, high]
    return np.array(made, np.uint32)


def _philox_4x64(counter: int, key: int, count: int) -> Any:
    made: list[int] = []
    for number in range(count // 8):
        c, k0, k1 = [counter + number & MASK64, counter >> 64, 0, 0], key, 0
        for _ in range(10):
            a, b = c[0] * 0xD2E7470EE14C6C93, c[2] * 0xCA5A826395121157
            c = [b >> 64 ^ c[1] ^ k0, b & MASK64, a >> 64 ^ c[3] ^ k1, a & MASK64]
            k0, k1 = k0 + GOLDEN & MASK64, k1 + 0xBB67AE8584CAA73B & MASK64
        made += c
    return np.array(made, np.uint64)


ROTATIONS: dict[tuple[int, int], list[tuple[int, ...]]] = {
    (2, 32): [(13,), (15,), (26,), (6,), (17,), (29,), (16,), (24,)],
    (4, 32): [(10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20)],
    (2, 64): [(16,), (42,), (12,), (31,), (16,), (32,), (24,), (21,)],
    (4, 64): [(14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32)],
}


def _threefry(words: int, bits: int, rounds: int = 20, reverses_key: bool = False) -> Make:
    """Threefry of 2 or 4 words, of 32 or 64 bits."""
    mask = (1 << bits) - 1

    def make(counter: int, key: int, count: int) -> Any:
        if reverses_key:  # as jax.random.bits without partitionable, whose counters begin with 0
            counter, key = 0, key >> 32 | (key & MASK32) << 32
        schedule = [*(key >> bits * i & mask for i in range(words)), {32: 0x1BD11BDA, 64: 0x1BD11BDAA9FC1A22}[bits]]
        for i in range(words):
            schedule[-1] ^= schedule[i]
        made: list[int] = []
        while len(made) * bits < 32 * count:
            number = counter + len(made) // words
            x = [(number >> bits * i & mask) + schedule[i] & mask for i in range(words)]
            for step in range(rounds):
                for half, turn in enumerate(ROTATIONS[words, bits][step % 8]):
                    a = 2 * half
                    b = (a + 1 if step % 2 == 0 else 3 - a) if words == 4 else 1
                    x[a] = x[a] + x[b] & mask
                    x[b] = (x[b] << turn | x[b] >> bits - turn) & mask ^ x[a]
                if step % 4 == 3:
                    turn = step // 4 + 1
                    x = [word + schedule[(turn + i) % (words + 1)] & mask for i, word in enumerate(x)]
                    x[-1] = x[-1] + turn & mask
            made += x
        return np.array(made, np.uint32 if bits == 32 else np.uint64)

    return make


def _xorwow(counter: int, seed: int, count: int) -> Any:
    """XORWOW as cuRAND seeds it, subsequence 0."""
    s0, s1 = (seed & MASK32) ^ 0xAAD26B49, (seed >> 32) ^ 0xF7DCEFDD
    t0, t1 = s0 * 1099087573 & MASK32, s1 * 2591861531 & MASK32
    d = 6615241 + t1 + t0 & MASK32
    v = [123456789 + t0 & MASK32, 362436069 ^ t0, 521288629 + t1 & MASK32, 88675123 ^ t1, 5783321 + t0 & MASK32]
    made = []
    for _ in range(count):
        t = v[0] ^ v[0] >> 2
        v = [*v[1:], (v[4] ^ v[4] << 4 & MASK32) ^ (t ^ t << 1 & MASK32)]
        d = d + 362437 & MASK32
        made.append(v[4] + d & MASK32)
    return np.array(made, np.uint32)


def _squirrel(numbers: tuple[int, int, int], shifts: tuple[int, int, int]) -> Make:
    """Noise of an index. A negative shift is one to the left."""

    def make(counter: int, seed: int, count: int) -> Any:
        x = (np.arange(count, dtype=np.uint64) + (counter & MASK32)) * numbers[0] + (seed & MASK32) & MASK32
        for shift, add, factor in zip(shifts, (numbers[1], 0, 0), (1, numbers[2], 1)):
            x = ((x ^ (x << -shift if shift < 0 else x >> shift) & MASK32) + add) * factor & MASK32
        return x.astype(np.uint32)

    return make


def splitmix(number: int) -> int:
    number = number + GOLDEN & MASK64
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    number = (number ^ number >> 27) * 0x94D049BB133111EB & MASK64
    return number ^ number >> 31


def _jax(counter: int, seed: int, count: int) -> Any:
    from ...compat import jax

    return np.asarray(jax.bits(jax.PRNGKey(seed), (count,)))


# fmt: off
ALGORITHMS: dict[str, Make] = {
    "Philox2x32-10": _philox_2x32,
    "Philox4x64-10": _philox_4x64,
    "NumPy's Philox (4x64-10) with the key": lambda c, k, n: np.random.Philox(key=k).random_raw(n // 2),
    "NumPy's Philox (4x64-10) with the seed": lambda c, k, n: np.random.Philox(k).random_raw(n // 2),
    "NumPy's PCG64 (default_rng) with the seed": lambda c, k, n: np.random.PCG64(k).random_raw(n // 2),
    "NumPy's PCG64DXSM with the seed": lambda c, k, n: np.random.PCG64DXSM(k).random_raw(n // 2),
    "NumPy's SFC64 with the seed": lambda c, k, n: np.random.SFC64(k).random_raw(n // 2),
    "MT19937 (RandomState) with the seed":
        lambda c, k, n: np.random.RandomState(k & MASK32).randint(0, 1 << 32, n, np.uint32),
    "MT19937 with NumPy's seed sequence": lambda c, k, n: np.random.MT19937(k).random_raw(n).astype(np.uint32),
    "JAX (jax.random.bits, Threefry) with the seed": _jax,
    "Threefry2x32-20": _threefry(2, 32),
    "Threefry2x32-20 with the key's words reversed": _threefry(2, 32, reverses_key=True),
    "Threefry4x32-20": _threefry(4, 32),
    "Threefry2x64-20": _threefry(2, 64),
    "Threefry4x64-20": _threefry(4, 64),
    "Threefry2x32-13": _threefry(2, 32, 13),
    "Threefry4x32-12": _threefry(4, 32, 12),
    "XORWOW as cuRAND seeds it": _xorwow,
    "Squirrel3 noise": _squirrel((0xB5297A4D, 0x68E31DA4, 0x1B56C4E9), (8, -8, 8)),
    "Squirrel5 noise": _squirrel((0xD2A80A3F, 0xA884F197, 0x6C736F4B), (9, 11, 13)),
    "SplitMix64": lambda c, k, n: np.array([splitmix(k + i * GOLDEN & MASK64) for i in range(n // 2)], np.uint64),
}
# fmt: on


def _murmur(number: int) -> int:
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        number = (number ^ number >> 33) * factor & MASK64
    return number ^ number >> 33


def hashed_keys(key: int) -> Iterator[tuple[str, int]]:
    """Keys that are made of a seed."""
    yield "SplitMix64 of the key", splitmix(key)
    yield "SplitMix64 of the key's lower word", splitmix(key & MASK32)
    yield "the second number of SplitMix64 of the key", splitmix(key + GOLDEN & MASK64)
    yield "SplitMix64 of the key without the first step", splitmix(key - GOLDEN & MASK64)
    yield "MurmurHash3's finalizer of the key", _murmur(key)
    low, high = np.random.SeedSequence(key).generate_state(2).tolist()
    yield "NumPy's SeedSequence of the key", low | high << 32
    yield "the key with its bytes reversed", int.from_bytes(key.to_bytes(8, "little"), "big")
    yield "the key's complement", key ^ MASK64
    yield "the key twice in two words", key & MASK32 | (key & MASK32) << 32
