"""Other generators that are taken for Philox4x32-10, with its counter and key, or seeded by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count, islice
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32, W0
from .hashes import GOLDEN, HASHES, PCG_OUTPUT, PCG_STEP, SPLITMIX_64, Hash, hash_words, in_steps, rotated, splitmix
from .variants import Words6

Words = NDArray[np.uint32]
OfSeed = tuple[int, Callable[[int], Iterable[int]]]  # the size of the numbers in bits, and the numbers
PCG_FACTOR, PCG_ADDEND = 6364136223846793005, 1442695040888963407
XORSHIFT_32 = "x ^ x << 13; x ^ x >> 17; x ^ x << 5"


# Generators of a counter and a key


def _philox_of_two(bits: int, factor: int, step: int, counter: int, key: int, size: int) -> Iterator[int]:
    mask = (1 << bits) - 1
    for number in count(counter):
        low, high, word = number & mask, number >> bits & mask, key & mask
        for _ in range(10):
            product = low * factor
            low, high, word = product >> bits ^ word ^ high, product & mask, word + step & mask
        yield from (low, high)


ROTATIONS: dict[tuple[int, int], list[tuple[int, ...]]] = {
    (2, 32): [(13,), (15,), (26,), (6,), (17,), (29,), (16,), (24,)],
    (4, 32): [(10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20)],
    (2, 64): [(16,), (42,), (12,), (31,), (16,), (32,), (24,), (21,)],
    (4, 64): [(14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32)],
}
PARITY = {32: 0x1BD11BDA, 64: 0x1BD11BDAA9FC1A22}


def _threefry(words: int, bits: int, rounds: int, counter: int, key: int, size: int, step: int = 1) -> Iterator[int]:
    """Threefry of 2 or 4 words, of 32 or 64 bits. The counter grows by `step` from block to block."""
    mask = (1 << bits) - 1
    schedule = [*(key >> bits * i & mask for i in range(words)), PARITY[bits]]
    for word in schedule[:-1]:
        schedule[-1] ^= word
    for number in count(counter, step):
        x = [(number >> bits * i & mask) + schedule[i] & mask for i in range(words)]
        for turn in range(rounds):
            for half, places in enumerate(ROTATIONS[words, bits][turn % 8]):
                a = 2 * half
                b = a + 1 if words == 2 or turn % 2 == 0 else 3 - a
                x[a] = x[a] + x[b] & mask
                x[b] = rotated(x[b], places, bits) ^ x[a]
            if turn % 4 == 3:
                added = turn // 4 + 1
                x = [word + schedule[(added + i) % (words + 1)] & mask for i, word in enumerate(x)]
                x[-1] = x[-1] + added & mask
        yield from x


def _jax_old_layout(counter: int, key: int, size: int) -> Iterator[int]:
    """Each block gives one word of each half of `size` words."""
    return _threefry(2, 32, 20, (size + 1 >> 1) << 32, _reversed(key), size, (1 << 32) + 1)


def _reversed(key: int) -> int:
    return key >> 32 | (key & MASK32) << 32


def _squirrel(factor: int, steps: str, counter: int, key: int, size: int) -> Words:
    """Noise of an index: steps of hashes.in_steps."""
    index = np.arange(64, dtype=np.uint64) + (counter & MASK32)
    return hash_words(in_steps(steps), index * factor + (key & MASK32) & MASK32)


# Generators of a seed


def _recurrence(bits: int, start: str, step: str, output: str = "x", size: int = 32) -> OfSeed:
    """Each number of `size` bits is made by `output` of a state of `bits` bits, and each state by `step` of the last.

    These are steps of `in_steps`. `start` is the state before the first one, which it makes of the seed s.
    """
    first, following, number = eval(f"lambda s: {start}"), in_steps(step, bits), in_steps(output, size)
    return size, lambda seed: map(number, _iterated(following, first(seed)))


def _iterated(following: Callable[[Any], Any], x: Any) -> Iterator[Any]:
    while True:
        x = following(x)
        yield x


def _linear(factor: int, addend: int, bits: int = 32, start: str = "s", shift: int = 0, size: int = 32) -> OfSeed:
    """A linear congruential generator, whose states are shifted."""
    return _recurrence(bits, start, f"x * {factor} + {addend}", f"x >> {shift}", size)


def _minstd(factor: int) -> OfSeed:
    return _recurrence(31, "s % 0x7fffffff or 1", f"x * {factor} % 0x7fffffff")


def _pcg32(sequence: int | None, start: str = "{} + s") -> OfSeed:
    """O'Neill's pcg32: state 0, a step, the seed added, a step."""
    addend = PCG_ADDEND if sequence is None else sequence << 1 | 1
    output = "rotated((x >> 18 ^ x) >> 27 & 0xffffffff, 32 - (x >> 59))"
    return _recurrence(64, start.format(addend), f"x * {PCG_FACTOR} + {addend}", output)


def _xorwow(seed: int) -> Iterator[int]:
    """XORWOW as cuRAND seeds it, subsequence 0."""
    s0, s1 = (seed & MASK32) ^ 0xAAD26B49, (seed >> 32) ^ 0xF7DCEFDD
    t0, t1 = s0 * 1099087573 & MASK32, s1 * 2591861531 & MASK32
    v = [123456789 + t0 & MASK32, 362436069 ^ t0, 521288629 + t1 & MASK32, 88675123 ^ t1, 5783321 + t0 & MASK32]
    for d in count(6615241 + t1 + t0 + 362437, 362437):
        t = v[0] ^ v[0] >> 2
        v = [*v[1:], (v[4] ^ v[4] << 4 & MASK32) ^ (t ^ t << 1 & MASK32)]
        yield v[4] + d & MASK32


def _xorshift_128(place: int | None, seed: int) -> Iterator[int]:
    """Marsaglia's xorshift128 with his words, one of which is the seed."""
    words = [123456789, 362436069, 521288629, 88675123]
    if place is not None:
        words[place] = seed & MASK32 or 1
    x, y, z, w = words
    while True:
        t = x ^ x << 11 & MASK32
        x, y, z, w = y, z, w, w ^ w >> 19 ^ t ^ t >> 8
        yield w


def xoshiro(bits: int, output: str, *s: int) -> Iterator[int]:
    """xoshiro128 or xoshiro256, of a state of four words."""
    mask, (shift, turn, places) = (1 << bits) - 1, (9, 11, 7) if bits == 32 else (17, 45, 23)
    while True:
        added = s[0] + s[3] & mask
        made = {"**": rotated(s[1] * 5 & mask, 7, bits) * 9, "+": added, "++": rotated(added, places, bits) + s[0]}
        yield made[output] & mask
        c, d = s[2] ^ s[0], s[3] ^ s[1]
        s = s[0] ^ d, s[1] ^ c, c ^ s[1] << shift & mask, rotated(d, turn, bits)


def _seeded_xoshiro(bits: int, output: str, seed: int) -> Iterator[int]:
    """xoshiro with a state that is filled by SplitMix64."""
    made = [splitmix(seed + i * GOLDEN) for i in range(4)]
    halves = [word >> shift & MASK32 for word in made for shift in (0, 32)]
    return xoshiro(bits, output, *(made if bits == 64 else halves[:4]))


def _glibc(seed: int) -> Iterator[int]:
    """rand() of glibc after srand(seed)."""
    first = seed & MASK32 or 1
    r = [first - (first >> 31 << 32)]
    for _ in range(30):
        r.append(int(np.fmod(16807 * r[-1], 0x7FFFFFFF)) % 0x7FFFFFFF)
    r += r[:3]
    for i in count(34):
        r.append(r[i - 31] + r[i - 3] & MASK32)
        if i >= 344:
            yield r[i] >> 1


def _hash_of_index(made: Hash, join: Callable[[Any, int], Any], seed: int) -> Words:
    return hash_words(made, join(np.arange(64, dtype=np.uint64), seed & MASK32) & np.uint64(MASK32))


def _tea(rounds: int, seed: int) -> Iterator[int]:
    """The first word of the Tiny Encryption Algorithm, with the key of NVIDIA's examples."""
    for number in count():
        v, w = number, seed & MASK32
        for total in (step * W0 & MASK32 for step in range(1, rounds + 1)):
            v = v + ((w << 4) + 0xA341316C ^ w + total ^ (w >> 5) + 0xC8013EA4) & MASK32
            w = w + ((v << 4) + 0xAD90777D ^ v + total ^ (v >> 5) + 0x7E95761E) & MASK32
        yield v


def _jax(seed: int) -> Iterator[int]:
    """jax.random.bits: the xor of both words of Threefry2x32-20 of each index."""
    words = _threefry(2, 32, 20, 0, _reversed(seed), 0, 1 << 32)
    return (word ^ next(words) for word in words)


# fmt: off
# From a counter, a key and the number of elements to words of 32 or 64 bits.
OF_COUNTER_AND_KEY: dict[str, tuple[int, Callable[[int, int, int], Iterable[int]]]] = {
    "Philox2x32-10": (32, partial(_philox_of_two, 32, 0xD256D193, W0)),
    "Philox2x64-10": (64, partial(_philox_of_two, 64, 0xD2B74407B1CE6E93, GOLDEN)),
    "Philox4x64-10":  # NumPy increments the counter before the first block
        (64, lambda c, k, n: np.random.Philox(counter=(c - 1) % (1 << 256), key=k).random_raw(64)),
    "NumPy's Philox (4x64-10), which counts before the first block,":
        (64, lambda c, k, n: np.random.Philox(counter=c, key=k).random_raw(64)),
    "Threefry2x32-20": (32, partial(_threefry, 2, 32, 20)),
    "Threefry2x32-20 with the key's words reversed":
        (32, lambda c, k, n: _threefry(2, 32, 20, 0, _reversed(k), n)),
    "Threefry4x32-20": (32, partial(_threefry, 4, 32, 20)),
    "Threefry2x64-20": (64, partial(_threefry, 2, 64, 20)),
    "Threefry4x64-20": (64, partial(_threefry, 4, 64, 20)),
    "Threefry2x32-13": (32, partial(_threefry, 2, 32, 13)),
    "Threefry4x32-12": (32, partial(_threefry, 4, 32, 12)),
    "JAX (jax.random.bits, Threefry, old layout)": (32, _jax_old_layout),
    "Squirrel3 noise":
        (32, partial(_squirrel, 0xB5297A4D, "(x ^ x >> 8) + 0x68E31DA4; (x ^ x << 8) * 0x1B56C4E9; x ^ x >> 8")),
    "Squirrel5 noise":
        (32, partial(_squirrel, 0xD2A80A3F, "(x ^ x >> 9) + 0xA884F197; (x ^ x >> 11) * 0x6C736F4B; x ^ x >> 13")),
}
# From a seed to words of 32 or 64 bits.
OF_SEED: dict[str, OfSeed] = {
    "NumPy's Philox (4x64-10) with the key": (64, lambda s: np.random.Philox(key=s).random_raw(64)),
    "NumPy's Philox (4x64-10)": (64, lambda s: np.random.Philox(s).random_raw(64)),
    "NumPy's PCG64 (default_rng)": (64, lambda s: np.random.PCG64(s).random_raw(64)),
    "NumPy's PCG64DXSM": (64, lambda s: np.random.PCG64DXSM(s).random_raw(64)),
    "NumPy's SFC64": (64, lambda s: np.random.SFC64(s).random_raw(64)),
    "MT19937 (RandomState)": (32, lambda s: np.random.RandomState(s & MASK32).randint(0, 1 << 32, 64, np.uint32)),
    "MT19937 with NumPy's seed sequence": (32, lambda s: np.random.MT19937(s).random_raw(64)),
    "MT19937 as Python's random.Random(seed).getrandbits(32)":
        (32, lambda s: np.frombuffer(Random(s).randbytes(256), "<u4")),
    "JAX (jax.random.bits, Threefry)": (32, _jax),
    "XORWOW as cuRAND seeds it": (32, _xorwow),
    "xorshift of 32 bits (13, 17, 5)": _recurrence(32, "s & 0xffffffff or 1", XORSHIFT_32),
    "xorshift of 32 bits (13, 17, 5) from Wang's hash of the seed on":
        _recurrence(32, """HASHES["Wang's hash"](s & 0xffffffff) or 1""", XORSHIFT_32),
    "xorshift of 64 bits (13, 7, 17)": _recurrence(64, "s or 1", "x ^ x << 13; x ^ x >> 7; x ^ x << 17", "x", 64),
    "xorshift64*":
        _recurrence(64, "s or 1", "x ^ x >> 12; x ^ x << 25; x ^ x >> 27", "x * 0x2545F4914F6CDD1D", 64),
    **{f"xorshift128 (Marsaglia) with the seed as its word {word}": (32, partial(_xorshift_128, place))
       for place, word in enumerate("xyzw")},
    "xorshift128 (Marsaglia) with its own seed": (32, partial(_xorshift_128, None)),
    **{f"xoshiro{4 * bits}{output}": (bits, partial(_seeded_xoshiro, bits, output))
       for bits in (32, 64) for output in ("+", "++", "**")},
    "the linear generator x * 1664525 + 1013904223 modulo 2**32": _linear(1664525, 1013904223),
    "the linear generator x * 22695477 + 1 modulo 2**32": _linear(22695477, 1),
    "the linear generator x * 1103515245 + 12345 modulo 2**31": _linear(1103515245, 12345, 31),
    "the linear generator x * 214013 + 2531011 modulo 2**32": _linear(214013, 2531011),
    f"the linear generator x * {PCG_FACTOR} + {PCG_ADDEND} modulo 2**64": _linear(PCG_FACTOR, PCG_ADDEND, 64, size=64),
    "the linear generator x * 134775813 + 1 modulo 2**32": _linear(134775813, 1),
    "the linear generator x * 69069 + 1 modulo 2**32": _linear(69069, 1),
    "rand() of Visual C++": _linear(214013, 2531011, shift=16, size=15),
    "rand() of the C standard's example": _linear(1103515245, 12345, shift=16, size=15),
    "rand() of Borland C++": _linear(22695477, 1, shift=16, size=15),
    "newlib's rand()": _linear(PCG_FACTOR, 1, 64, shift=32, size=31),
    "musl's rand()": _linear(PCG_FACTOR, 1, 64, "(s & 0xffffffff) - 1", 33),
    "RANDU, x * 65539 modulo 2**31": _linear(65539, 0, 31),
    "MINSTD, x * 48271 modulo 2**31 - 1": _minstd(48271),
    "MINSTD, x * 16807 modulo 2**31 - 1": _minstd(16807),
    "java.util.Random.nextInt()": _linear(0x5DEECE66D, 11, 48, "s ^ 0x5DEECE66D", 16),
    "mrand48() after srand48(seed)": _linear(0x5DEECE66D, 11, 48, "(s << 16) + 0x330E", 16),
    "lrand48() after srand48(seed)": _linear(0x5DEECE66D, 11, 48, "(s << 16) + 0x330E", 17),
    "glibc's rand() after srand(seed)": (32, _glibc),
    "PCG32 of 32 bits of state (RXS-M-XS)": _recurrence(32, "s", PCG_STEP, PCG_OUTPUT),
    "PCG32 of 32 bits of state (RXS-M-XS, a number before each step)":
        _recurrence(32, f"(s - 2891336453) * {pow(747796405, -1, 1 << 32)} & 0xffffffff", PCG_STEP, PCG_OUTPUT),
    **{f"TEA of {rounds} rounds of the number and the seed": (32, partial(_tea, rounds)) for rounds in (4, 8, 16, 32)},
    "PCG32": _pcg32(None),
    **{f"PCG32 with sequence {sequence}": _pcg32(sequence) for sequence in (54, 1, 0)},
    **{f"PCG32 with sequence {sequence:#x}": _pcg32(sequence) for sequence in (0xDA3E39CB94B95BDB, 0xA02BDBF7BB3C0A7)},
    "PCG32 with the seed as its state": _pcg32(None, f"(s - {{}}) * {pow(PCG_FACTOR, -1, 1 << 64)}"),
    "Mulberry32": _recurrence(32, "s", "x + 0x6D2B79F5",
                              "(x ^ x >> 15) * (x | 1); x ^ x + (x ^ x >> 7) * (x | 61); x ^ x >> 14"),
    "SplitMix64": _recurrence(64, "s", "x + GOLDEN", SPLITMIX_64, 64),
    "SplitMix32": (32, lambda s: (HASHES["SplitMix32's hash"](x & MASK32) for x in count(s + W0, W0))),
}
for _name, _hash in HASHES.items():
    OF_SEED[f"{_name} of the seed, again and again"] = 32, partial(_iterated, _hash)
    for _text, _join in (
        ("{} of the numbers from the seed on", lambda i, s: i + s),
        ("{} of the number xor the seed", lambda i, s: i ^ s),
        ("{} of the numbers from the hash of the seed on", lambda i, s, h=_hash: i + h(s)),
        ("{} of the number xor the hash of the seed", lambda i, s, h=_hash: i ^ h(s)),
        ("{} of the seed xor the hash of the number", lambda i, s, h=_hash: h(i) ^ s),
        ("{} of the seed plus the hash of the number", lambda i, s, h=_hash: h(i) + s),
    ):
        OF_SEED[_text.format(_name)] = 32, partial(_hash_of_index, _hash, _join)
# fmt: on


def first_words(six: Words6, size: int, least: int) -> Iterator[tuple[str, Words]]:
    """The first words of each other generator, by what a sentence says. `size` is that of the tensor."""
    c0, c1, c2, c3, k0, k1 = six
    counter, key = c0 | c1 << 32 | c2 << 64 | c3 << 96, k0 | k1 << 32
    starts = {"the state's counter and key": counter, "counter 0 and the state's key": 0}
    seeds = {"the key": key, "key word 0": k0, "key word 1": k1, "counter word 0": c0, "0": 0, "1": 1, "42": 42}
    for name, (bits, of_counter) in OF_COUNTER_AND_KEY.items():
        for start, text in _distinct(starts).items():
            yield from _readings(f"{name} with {text}", bits, of_counter(start, key, size), least)
    for name, (bits, of_seed) in OF_SEED.items():
        for seed, text in _distinct(seeds).items():
            yield from _readings(f"{name}, where the seed is {text}", bits, of_seed(seed), least)


def _distinct(numbers: dict[str, int]) -> dict[int, str]:
    """Each number once, with the first of its names."""
    return {number: name for name, number in reversed(numbers.items())}


def _readings(name: str, bits: int, numbers: Iterable[int], least: int) -> Iterator[tuple[str, Words]]:
    """The words of numbers of 32 or 64 bits. One of 64 bits gives two words, or one of its halves."""
    made = np.fromiter(islice(numbers, least), np.uint64)
    if bits <= 32:
        yield name, made.astype(np.uint32)
        return
    words = made.view(np.uint32)
    yield name, words[:least]
    yield f"{name} (the upper half of each number)", words[1::2]
    yield f"{name} (the lower half of each number)", words[::2]
