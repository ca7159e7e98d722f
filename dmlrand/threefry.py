"""Threefry2x32-20 in plain Python: the constants, the rounds, the hash.

Source: Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC'11.

This is the definition that the kernels are read against, and built from. A counter and a key are two words each.
Words are Python ints, uint64 arrays of values below 2**32, or anything else with these operators.
"""

from collections.abc import Iterator
from typing import Any

Pair = tuple[Any, Any]

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))  # of four rounds in turn
PARITY = 0x1BD11BDA  # makes the third key word of two
MASK32 = 0xFFFFFFFF


def add(pair: Pair, other: Pair) -> Pair:
    """Both words' sums, modulo 2**32."""
    return (pair[0] + other[0]) & MASK32, (pair[1] + other[1]) & MASK32


def apply_round(pair: Pair, rotation: int) -> Pair:
    """One of the 20 rounds: an addition, a rotation, an exclusive or."""
    x0, x1 = pair
    x0 = (x0 + x1) & MASK32
    return x0, ((x1 << rotation | x1 >> 32 - rotation) & MASK32) ^ x0


def schedule(key: Pair) -> Iterator[tuple[tuple[int, ...], Pair]]:
    """For each four rounds: their rotations, and the words added after them."""
    words = (*key, key[0] ^ key[1] ^ PARITY)
    for step in range(1, 6):
        yield ROTATIONS[(step - 1) % 2], (words[step % 3], (words[(step + 1) % 3] + step) & MASK32)


def block(counter: Pair, key: Pair) -> Pair:
    """The two words of one counter and key.

    >>> [hex(word) for word in block((0, 0), (0, 0))]
    ['0x6b200159', '0x99ba4efe']
    """
    pair = add(counter, key)
    for rotations, words in schedule(key):
        for rotation in rotations:
            pair = apply_round(pair, rotation)
        pair = add(pair, words)
    return pair
