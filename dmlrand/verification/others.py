"""Other generators that are taken for Philox4x32-10, with its counter and key, or seeded by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compat import threefry
from ..philox import MASK32
from .dump import Dump, elements_of
from .functions.numbers import word_functions
from .generators.variants import Words6, words_of
from .report.result import Finding

MIN_WORDS = 12  # that are compared; three quarters must be in the dump
MIN_KNOWN_BITS = 20  # of an element; the low bits of words of a linear generator are often equal by chance
MAX_WIDTH = 2  # words of an element


def _philox_of_two(counter: int, key: int) -> Iterator[int]:
    for number in count(counter):
        low, high, word = number & MASK32, number >> 32 & MASK32, key & MASK32
        for _ in range(10):
            product = low * 0xD256D193
            low, high, word = product >> 32 ^ word ^ high, product & MASK32, word + 0x9E3779B9 & MASK32
        yield from (low, high)


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
    "Philox2x32-10": (32, _philox_of_two),
    "Threefry2x32-20":
        (32, lambda c, k: (w for i in count(c) for w in threefry.block(words_of(i)[:2], words_of(k)[:2]))),
    "Philox4x64-10":  # NumPy increments the counter before the first block
        (64, lambda c, k: np.random.Philox(counter=(c - 1) % (1 << 256), key=k).random_raw(64)),
    "NumPy's Philox (4x64-10), which counts before the first block,":
        (64, lambda c, k: np.random.Philox(counter=c, key=k).random_raw(64)),
}
# From a seed to words of 32 or 64 bits.
OF_SEED: dict[str, tuple[int, Callable[[int], Iterable[int]]]] = {
    "NumPy's Philox (4x64-10) with the key": (64, lambda s: np.random.Philox(key=s).random_raw(64)),
    "NumPy's Philox (4x64-10)": (64, lambda s: np.random.Philox(s).random_raw(64)),
    "NumPy's PCG64 (default_rng)": (64, lambda s: np.random.PCG64(s).random_raw(64)),
    "MT19937 (RandomState)": (32, lambda s: np.random.RandomState(s & MASK32).randint(0, 1 << 32, 64, np.uint32)),
    "JAX (jax.random.bits, Threefry)": (32, _jax),
    "XORWOW as cuRAND seeds it": (32, _xorwow),
}
# fmt: on


def first_words(six: Words6, least: int) -> Iterator[tuple[str, NDArray[np.uint32]]]:
    """The first words of each other generator, by what a sentence says. A number of 64 bits gives two words, or one
    of its halves."""
    c0, c1, c2, c3, k0, k1 = six
    counter, key = c0 | c1 << 32 | c2 << 64 | c3 << 96, k0 | k1 << 32
    made: list[tuple[str, int, Iterable[Any]]] = []
    for name, (bits, of_counter) in OF_COUNTER_AND_KEY.items():
        for start, text in {0: "counter 0 and the state's key", counter: "the state's counter and key"}.items():
            made.append((f"{name} with {text}", bits, of_counter(start, key)))
    for name, (bits, of_seed) in OF_SEED.items():
        for seed, text in {42: "42", 1: "1", 0: "0", k0: "key word 0", key: "the key"}.items():
            made.append((f"{name}, where the seed is {text}", bits, of_seed(seed)))
    for name, bits, numbers in made:
        listed = np.fromiter(islice(numbers, least), np.uint64)
        if bits == 32:
            yield name, listed.astype(np.uint32)
            continue
        words = listed.view(np.uint32)
        yield name, words[:least]
        yield f"{name} (the upper half of each number)", words[1::2]
        yield f"{name} (the lower half of each number)", words[::2]


def explain_as_other(dump: Dump) -> list[Finding]:
    """Another algorithm of the state or of a seed, and a function of its words, that gives the first elements."""
    if dump.size < MIN_WORDS:
        return []
    names, listed = zip(*first_words(dump.six, MIN_WORDS * MAX_WIDTH))
    words, head = np.stack(listed), dump.head(MIN_WORDS)
    for function in dump.rules or (dump.right, *word_functions()):
        made = elements_of(words[:, : MIN_WORDS * function.width], function)
        same = np.isin(made, head).sum(1)  # in any order: a port may take the upper half of 64 bits first
        i = int(np.argmax(same))
        if same[i] * 4 >= 3 * MIN_WORDS and dump.known_bits(function) >= MIN_KNOWN_BITS:
            what = "" if function is dump.right else f", stored as {function.expression}, where w is such a word"
            sentence = f"The {dump.unit}s are those of {names[i]}{what}: "
            remedy = "use Philox4x32-10 with the state's counter and key."
            return [Finding("another-algorithm", sentence + remedy)]
    return []
