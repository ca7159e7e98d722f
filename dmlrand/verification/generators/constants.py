"""Find wrong values that a generator uses for one or two of the four constants.

The first block is computed with every value that a typing error, inverted bits or a truncation make of a constant. The
probability that a block of four words fits by chance is 2**-128 for each value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...philox import M0, M1, MASK32, W0, W1, Words4
from .fault_models import FaultModel
from .variants import Rounds, Words6, WordVariant

# Values that are taken for one another: those of Philox4x32, Philox2x32 and Philox4x64, whose upper half of 64 bits
# may be confused with the lower one.
OTHER_CONSTANTS = (
    *(0, 1, M0, M1, W0, W1, 0xD256D193),
    *(0xD2E7470E, 0xE14C6C93, 0xCA5A8263, 0x95121157, 0x9E3779B9, 0x7F4A7C15, 0xBB67AE85, 0x84CAA73B),
)
Gives = Callable[[Words4], NDArray[np.bool_]]  # whether blocks, an array of each word, begin a dump


class Constant(NamedTuple):
    """One of the four constants, and what it is for."""

    name: str
    value: int
    purpose: str


CONSTANTS = (
    Constant("M0", M0, "the multiplier of counter word 0"),
    Constant("M1", M1, "the multiplier of counter word 2"),
    Constant("W0", W0, "the step of key word 0"),
    Constant("W1", W1, "the step of key word 1"),
)


def wrong_constants(state: Words6, gives: Gives, count: int) -> Iterator[FaultModel[WordVariant]]:
    """The models of a generator that uses `count` wrong constants, and makes the first block of a dump."""
    for chosen in combinations(CONSTANTS, count):
        searched = [
            likely_values(constant.value) if count == 1 else mistyped_values(constant.value) for constant in chosen
        ]
        values = [grid.ravel() for grid in np.meshgrid(*searched, indexing="ij")]
        for number in np.flatnonzero(gives(_rounds(chosen, values).blocks(state))).tolist():
            used = [int(each[number]) for each in values]
            wrong = " and ".join(f"{_notations(v)} as {c.name}, {c.purpose}" for c, v in zip(chosen, used))
            right = " and ".join(_notations(constant.value) for constant in chosen)
            name = "+".join(f"wrong-{constant.name.lower()}" for constant in chosen)
            explanation = f"The generator uses {wrong}: use {right}."
            yield FaultModel(name, WordVariant(rounds=_rounds(chosen, used)), explanation)


def _rounds(wrong: tuple[Constant, ...], values: list[Any]) -> Rounds:
    """Rounds with other values of some constants. Arrays of values make an array of each word."""
    m0, m1, w0, w1 = (dict(zip(wrong, values)).get(constant, constant.value) for constant in CONSTANTS)
    return Rounds(multipliers=(m0, m1), key_steps=(w0, w1))


def _notations(value: int) -> str:
    return f"{value:#010x} ({value})"


@cache
def likely_values(right: int) -> NDArray[np.uint64]:
    """The values that are searched in place of a constant, in ascending order.

    One or two digits differ, or a digit is missing, added or doubled, or two digits have changed places, in hexadecimal
    or decimal notation; up to three bits differ; the bytes are in another order; only the low or high bits are there;
    the value was rounded to float32; or it is another constant.
    """
    made = {*_edited(f"{right:08x}", 16, 2), *_edited(str(right), 10, 2)}
    for bits in (1, 2, 3):
        made.update(right ^ sum(1 << bit for bit in chosen) for chosen in combinations(range(32), bits))
    for shift in range(1, 32):
        made.update((right >> shift, right << shift, right & (1 << shift) - 1, right >> shift << shift))
        made.update((right >> shift | right << 32 - shift, right - shift, right + shift))
    made.add(int.from_bytes(right.to_bytes(4, "big"), "little"))
    made.update(int(np.float32(value)) for value in (right, right - (1 << 32)))
    return _sorted(made, right)


@cache
def mistyped_values(right: int) -> NDArray[np.uint64]:
    """The values with one typing error in hexadecimal notation, and the other constants."""
    return _sorted(set(_edited(f"{right:08x}", 16, 1)), right)


def _sorted(made: set[int], right: int) -> NDArray[np.uint64]:
    return np.array(sorted({value & MASK32 for value in made.union(OTHER_CONSTANTS)} - {right}), np.uint64)


def _edited(text: str, base: int, most: int) -> Iterator[int]:
    """The values of notations with up to `most` other digits, or one digit more or fewer, or two exchanged."""
    digits = "0123456789abcdef"[:base]
    for places in combinations(range(len(text)), most):
        for chosen in product(digits, repeat=most):
            other = dict(zip(places, chosen))
            yield int("".join(other.get(place, digit) for place, digit in enumerate(text)), base)
    for first, second in combinations(range(len(text)), 2):
        yield int(text[:first] + text[second] + text[first + 1 : second] + text[first] + text[second + 1 :], base)
    for place in range(len(text) + 1):
        yield int(text[:place] + text[place + 1 :], base)
        yield from (int(text[:place] + digit + text[place:], base) for digit in digits)
