"""Other generators that are taken for Philox4x32-10, seeded by the key."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32, W0
from .keys import GOLDEN, splitmix
from .variants import Words6

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
    for number in range(counter, counter + count // 2):
        low, high, word = number & MASK32, number >> 32 & MASK32, key & MASK32
        for _ in range(10):
            product = low * 0xD256D193
            low, high, word = product >> 32 ^ word ^ high, product & MASK32, word + W0 & MASK32
        made += [low, high]
    return made


ROTATIONS: dict[tuple[int, int], list[tuple[int, ...]]] = {
    (2, 32): [(13,), (15,), (26,), (6,), (17,), (29,), (16,), (24,)],
    (4, 32): [(10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20)],
    (2, 64): [(16,), (42,), (12,), (31,), (16,), (32,), (24,), (21,)],
    (4, 64): [(14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32)],
}
PARITY = {32: 0x1BD11BDA, 64: 0x1BD11BDAA9FC1A22}


def _threefry(words: int, bits: int, rounds: int, counter: int, key: int, count: int, step: int = 1) -> Any:
    """Threefry of 2 or 4 words, of 32 or 64 bits. The counter grows by `step` from block to block."""
    mask = (1 << bits) - 1
    schedule = [*(key >> bits * i & mask for i in range(words)), PARITY[bits]]
    for word in schedule[:-1]:
        schedule[-1] ^= word
    made: list[int] = []
    for number in range(counter, counter + 32 * count // (bits * words) * step, step):
        x = [(number >> bits * i & mask) + schedule[i] & mask for i in range(words)]
        for step in range(rounds):
            for half, turn in enumerate(ROTATIONS[words, bits][step % 8]):
                a = 2 * half
                b = a + 1 if words == 2 or step % 2 == 0 else 3 - a
                x[a] = x[a] + x[b] & mask
                x[b] = (x[b] << turn | x[b] >> bits - turn) & mask ^ x[a]
            if step % 4 == 3:
                turn = step // 4 + 1
                x = [word + schedule[(turn + i) % (words + 1)] & mask for i, word in enumerate(x)]
                x[-1] = x[-1] + turn & mask
        made += x
    return np.array(made, f"u{bits // 8}")


def _threefry_of_reversed_key(counter: int, key: int, count: int, step: int = 1) -> Any:
    return _threefry(2, 32, 20, counter, key >> 32 | (key & MASK32) << 32, count, step)


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
    return made


def _squirrel(numbers: tuple[int, int, int], shifts: tuple[int, int, int], counter: int, seed: int, count: int) -> Any:
    """Noise of an index. A negative shift is one to the left."""
    x = (np.arange(count, dtype=np.uint64) + (counter & MASK32)) * numbers[0] + (seed & MASK32) & MASK32
    for shift, add, factor in zip(shifts, (numbers[1], 0, 0), (1, numbers[2], 1)):
        x = ((x ^ (x << -shift if shift < 0 else x >> shift) & MASK32) + add) * factor & MASK32
    return x.astype(np.uint32)


def _xorshift(counter: int, seed: int, count: int) -> Any:
    """Marsaglia's xorshift of 32 bits."""
    x, made = seed & MASK32 or 1, []
    for _ in range(count):
        x ^= x << 13 & MASK32
        x ^= x >> 17
        x ^= x << 5 & MASK32
        made.append(x)
    return made


def _linear(factor: int, addend: int, shift: int, bits: int, counter: int, seed: int, count: int) -> Any:
    """A linear congruential generator modulo 2**bits, whose numbers are shifted."""
    x, made = seed % (1 << bits), []
    for _ in range(count):
        x = (x * factor + addend) % (1 << bits)
        made.append(x >> shift)
    return made


def _pcg_hash(numbers: Any) -> Any:
    """PCG's RXS-M-XS of 32 bits, as in Jarzynski and Olano, "Hash Functions for GPU Rendering"."""
    x = numbers.astype(np.uint64) * 747796405 + 2891336453 & MASK32
    x = (x >> (x >> 28) + 4 ^ x) * 277803737 & MASK32
    return (x >> 22 ^ x).astype(np.uint32)


def _jax(counter: int, seed: int, count: int) -> Any:
    from ...compat import jax

    return jax.bits(jax.PRNGKey(seed), (count,))


# fmt: off
ALGORITHMS: dict[str, Make] = {
    "Philox2x32-10": _philox_2x32,
    "Philox4x64-10":  # NumPy increments the counter before the first block
        lambda c, k, n: np.random.Philox(counter=(c - 1) % (1 << 256), key=k).random_raw(n // 2),
    "NumPy's Philox (4x64-10) with the key": lambda c, k, n: np.random.Philox(key=k).random_raw(n // 2),
    "NumPy's Philox (4x64-10) with the seed": lambda c, k, n: np.random.Philox(k).random_raw(n // 2),
    "NumPy's PCG64 (default_rng) with the seed": lambda c, k, n: np.random.PCG64(k).random_raw(n // 2),
    "NumPy's PCG64DXSM with the seed": lambda c, k, n: np.random.PCG64DXSM(k).random_raw(n // 2),
    "NumPy's SFC64 with the seed": lambda c, k, n: np.random.SFC64(k).random_raw(n // 2),
    "MT19937 (RandomState) with the seed":
        lambda c, k, n: np.random.RandomState(k & MASK32).randint(0, 1 << 32, n, np.uint32),
    "MT19937 with NumPy's seed sequence": lambda c, k, n: np.random.MT19937(k).random_raw(n).astype(np.uint32),
    "MT19937 as Python's random.Random(seed).getrandbits(32)":
        lambda c, k, n: np.frombuffer(Random(k).randbytes(4 * n), "<u4"),
    "JAX (jax.random.bits, Threefry) with the seed": _jax,
    "Threefry2x32-20": partial(_threefry, 2, 32, 20),
    "Threefry2x32-20 with the key's words reversed": lambda c, k, n: _threefry_of_reversed_key(0, k, n),
    "Threefry4x32-20": partial(_threefry, 4, 32, 20),
    "Threefry2x64-20": partial(_threefry, 2, 64, 20),
    "Threefry4x64-20": partial(_threefry, 4, 64, 20),
    "Threefry2x32-13": partial(_threefry, 2, 32, 13),
    "Threefry4x32-12": partial(_threefry, 4, 32, 12),
    "XORWOW as cuRAND seeds it": _xorwow,
    "xorshift of 32 bits (13, 17, 5) with the seed": _xorshift,
    "the linear generator x * 1664525 + 1013904223 modulo 2**32": partial(_linear, 1664525, 1013904223, 0, 32),
    "the linear generator x * 22695477 + 1 modulo 2**32": partial(_linear, 22695477, 1, 0, 32),
    "the linear generator x * 1103515245 + 12345 modulo 2**31": partial(_linear, 1103515245, 12345, 0, 31),
    "MINSTD, x * 48271 modulo 2**31 - 1":
        lambda c, k, n: [(k % 0x7FFFFFFF or 1) * pow(48271, i + 1, 0x7FFFFFFF) % 0x7FFFFFFF for i in range(n)],
    "Squirrel3 noise": partial(_squirrel, (0xB5297A4D, 0x68E31DA4, 0x1B56C4E9), (8, -8, 8)),
    "Squirrel5 noise": partial(_squirrel, (0xD2A80A3F, 0xA884F197, 0x6C736F4B), (9, 11, 13)),
    "the PCG hash of the numbers from the seed on":
        lambda c, k, n: _pcg_hash(np.arange(n, dtype=np.uint64) + (c + k & MASK32)),
    "SplitMix64": lambda c, k, n: np.array([splitmix(k + i * GOLDEN) for i in range(n // 2)], np.uint64),
}
# fmt: on


def algorithms(size: int) -> dict[str, Make]:
    """ALGORITHMS, and JAX's old layout, in which each block gives one word of each half of `size` words."""
    first, step = (size + 1 >> 1) << 32, (1 << 32) + 1

    def jax_old_layout(counter: int, seed: int, count: int) -> Any:
        return _threefry_of_reversed_key(first, seed, count, step)

    return ALGORITHMS | {"JAX (jax.random.bits, Threefry, old layout) with the seed": jax_old_layout}
