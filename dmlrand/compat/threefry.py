"""Threefry2x32-20 in plain Python: the constants, the rounds, the hash.

Source: Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC'11.

The kernels are built from this definition and tested against it. A counter and a key have two words each. A word is a
Python int, a uint64 array of values below 2**32, or any object with the same operators.
"""

from collections.abc import Iterator
from typing import Any

Pair = tuple[Any, Any]

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))  # of rounds 0 to 3, 4 to 7; then again from the start
PARITY = 0x1BD11BDA  # the third key word is the exclusive or of this and the two words of the key
MASK32 = 0xFFFFFFFF


def add(pair: Pair, other: Pair) -> Pair:
    return (pair[0] + other[0]) & MASK32, (pair[1] + other[1]) & MASK32


def apply_round(pair: Pair, rotation: int) -> Pair:
    """One of the 20 rounds: an addition, a rotation, an exclusive or."""
    x0, x1 = pair
    x0 = (x0 + x1) & MASK32
    return x0, ((x1 << rotation | x1 >> 32 - rotation) & MASK32) ^ x0


def schedule(key: Pair) -> Iterator[tuple[tuple[int, ...], Pair]]:
    """For each group of four rounds: the rotations, and the words that are added after the rounds."""
    words = (*key, key[0] ^ key[1] ^ PARITY)
    for step in range(1, 6):
        yield ROTATIONS[(step - 1) % 2], (words[step % 3], (words[(step + 1) % 3] + step) & MASK32)


def block(counter: Pair, key: Pair) -> Pair:
    """The two output words of a counter and a key.

    >>> [hex(word) for word in block((0, 0), (0, 0))]
    ['0x6b200159', '0x99ba4efe']
    """
    pair = add(counter, key)
    for rotations, words in schedule(key):
        for rotation in rotations:
            pair = apply_round(pair, rotation)
        pair = add(pair, words)
    return pair
