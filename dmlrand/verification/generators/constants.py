"""Wrong values that a generator may use for one of the four constants: typing errors, and other constants.

The probability that a block of four words fits by chance is 2**-128 for each value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...philox import M0, M1, MASK32, W0, W1
from .inputs import bytes_swapped
from .variants import FaultModel, Rounds, WordVariant

# Values that are taken for one another: those of Philox4x32, Philox2x32 and Philox4x64, whose upper half of 64 bits
# may be confused with the lower one.
OTHER_CONSTANTS = (
    *(0, 1, M0, M1, W0, W1, 0xD256D193),
    *(0xD2E7470E, 0xE14C6C93, 0xCA5A8263, 0x95121157, 0x9E3779B9, 0x7F4A7C15, 0xBB67AE85, 0x84CAA73B),
)
CONSTANTS = {
    "M0": (M0, "the multiplier of counter word 0"),
    "M1": (M1, "the multiplier of counter word 2"),
    "W0": (W0, "the step of key word 0"),
    "W1": (W1, "the step of key word 1"),
}
Array = NDArray[np.uint64]


def with_constants(rounds: Rounds, wrong: Mapping[str, Any]) -> Rounds:
    """The rounds with other values of the named constants. Arrays of values make arrays of words."""
    m0, m1, w0, w1 = (wrong.get(name, right) for name, (right, _) in CONSTANTS.items())
    return rounds._replace(multipliers=(m0, m1), key_steps=(w0, w1))


def constant_model(name: str, wrong: int, rounds: Rounds) -> FaultModel[WordVariant]:
    """The model of a generator of these rounds that uses a wrong value of one constant."""
    right, use = CONSTANTS[name]
    was, should = (f"{value:#010x} ({value})" for value in (wrong, right))
    explanation = f"The generator uses {was} as {name}, {use}: use {should}."
    variant = WordVariant(rounds=with_constants(rounds, {name: wrong}))
    return FaultModel(f"wrong-{name.lower()}", variant, explanation)


@cache
def likely_values(right: int, digits: int) -> NDArray[np.uint64]:
    """The values that are searched in place of a constant: an array of shape (values, 1).

    Up to so many digits differ, or a digit is missing, added or doubled, or two digits have changed places, in
    hexadecimal notation and, for two digits, in decimal notation; or it is another constant.
    """
    made = {bytes_swapped(right), *OTHER_CONSTANTS, *_edited(f"{right:08x}", 16, digits)}
    if digits > 1:
        made |= {*_edited(str(right), 10, digits)}
    return np.array(sorted({value & MASK32 for value in made} - {right}), np.uint64)[:, None]


def _edited(text: str, base: int, most: int) -> Iterator[int]:
    """The values of notations with up to `most` other digits, or one digit more or fewer, or two exchanged."""
    digits = "0123456789abcdef"[:base]
    changes = [dict(zip(places, chosen)) for places in combinations(range(len(text)), most)
               for chosen in product(digits, repeat=most)]  # fmt: skip
    changes += [{one: text[other], other: text[one]} for one, other in combinations(range(len(text)), 2)]
    for change in changes:
        yield int("".join(change.get(place, digit) for place, digit in enumerate(text)), base)
    for place, digit in product(range(len(text) + 1), ("", *digits)):
        yield int(text[:place] + digit + text[place + (not digit) :], base)
