"""Find the wrong value that a generator uses for one of the four constants.

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

    def variant(self, value: int | NDArray[np.uint64]) -> WordVariant:
        """The variant that uses another value; an array of values makes an array of each word."""
        given = [value if other is self else other.value for other in CONSTANTS]
        return WordVariant(rounds=Rounds(multipliers=(given[0], given[1]), key_steps=(given[2], given[3])))


CONSTANTS = (
    Constant("M0", M0, "the multiplier of counter word 0"),
    Constant("M1", M1, "the multiplier of counter word 2"),
    Constant("W0", W0, "the step of key word 0"),
    Constant("W1", W1, "the step of key word 1"),
)


def wrong_constants(state: Words6, gives: Gives) -> Iterator[FaultModel[WordVariant]]:
    """The models of a generator that uses one wrong constant, and makes the first block of a dump."""
    for constant in CONSTANTS:
        values = likely_values(constant.value)
        for value in values[gives(constant.variant(values).rounds.blocks(state))].tolist():
            used, right = _both_notations(value), _both_notations(constant.value)
            explanation = f"The generator uses {used} as {constant.name}, {constant.purpose}: use {right}."
            yield FaultModel(f"wrong-{constant.name.lower()}", constant.variant(value), explanation)


def two_wrong_constants(state: Words6, gives: Gives) -> Iterator[FaultModel[WordVariant]]:
    """The models of a generator that uses two constants with one typing error each, and makes a dump's first block."""
    given = {constant.name: constant.value for constant in CONSTANTS}
    for one, other in combinations(CONSTANTS, 2):
        first, second = (mistyped_values(constant.value) for constant in (one, other))
        used: dict[str, int | NDArray[np.uint64]] = {**given, one.name: np.repeat(first, second.size)}
        used[other.name] = np.tile(second, first.size)
        for number in np.flatnonzero(gives(_rounds(used).blocks(state))).tolist():
            values = {**given, one.name: int(used[one.name][number]), other.name: int(used[other.name][number])}  # type: ignore[index]
            explanation = "The generator uses " + " and ".join(
                f"{_both_notations(values[constant.name])} as {constant.name}" for constant in (one, other)
            )
            right = " and ".join(_both_notations(constant.value) for constant in (one, other))
            name = f"wrong-{one.name.lower()}+wrong-{other.name.lower()}"
            yield FaultModel(name, WordVariant(rounds=_rounds(values)), f"{explanation}: use {right}.")


def _rounds(given: dict[str, Any]) -> Rounds:
    return Rounds(multipliers=(given["M0"], given["M1"]), key_steps=(given["W0"], given["W1"]))


@cache
def mistyped_values(right: int) -> NDArray[np.uint64]:
    """The values with one typing error in hexadecimal notation, and the other constants."""
    text = f"{right:08x}"
    made = {*OTHER_CONSTANTS}
    for place in range(len(text) + 1):
        made.update(int(text[:place] + digit + text[place:], 16) for digit in "0123456789abcdef")
        made.add(int(text[:place] + text[place + 1 :], 16))
        made.update(int(text[:place] + digit + text[place + 1 :], 16) for digit in "0123456789abcdef")
        made.add(int(text[:place] + text[place + 1 : place + 2] + text[place : place + 1] + text[place + 2 :], 16))
    return np.array(sorted({value & MASK32 for value in made} - {right}), np.uint64)


def _both_notations(value: int) -> str:
    return f"{value:#010x} ({value})"


@cache
def likely_values(right: int) -> NDArray[np.uint64]:
    """The values that are searched in place of a constant, in ascending order.

    One or two digits differ, or a digit is missing, added or doubled, or two digits have changed places, in hexadecimal
    or decimal notation; up to three bits differ; the bytes are in another order; only the low or high bits are there;
    the value was rounded to float32; or it is another constant.
    """
    made = {*OTHER_CONSTANTS, *_edited_digits(f"{right:08x}", 16), *_edited_digits(str(right), 10)}
    for bits in (1, 2, 3):
        made.update(right ^ sum(1 << bit for bit in chosen) for chosen in combinations(range(32), bits))
    for shift in range(1, 32):
        made.update((right >> shift, right << shift, right & (1 << shift) - 1, right >> shift << shift))
        made.update((right >> shift | right << 32 - shift, right - shift, right + shift))
    made.add(int.from_bytes(right.to_bytes(4, "big"), "little"))
    made.update(int(np.float32(value)) for value in (right, right - (1 << 32)))
    return np.array(sorted({value & MASK32 for value in made} - {right}), np.uint64)


def _edited_digits(text: str, base: int) -> Iterator[int]:
    """The values of notations with one or two other digits, or one digit more or fewer, or two exchanged."""
    digits = "0123456789abcdef"[:base]
    for first, second in combinations(range(len(text)), 2):
        before, between, after = text[:first], text[first + 1 : second], text[second + 1 :]
        for one, other in product(digits, digits):
            yield int(before + one + between + other + after, base)
        yield int(before + text[second] + between + text[first] + after, base)
    for place in range(len(text) + 1):
        yield int(text[:place] + text[place + 1 :], base)
        for digit in digits:
            yield int(text[:place] + digit + text[place:], base)
