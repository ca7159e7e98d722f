"""Wrong values that a generator may use for one of the four constants: typing errors, and other constants.

The probability that a block of four words fits by chance is 2**-128 for each value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...philox import M0, M1, MASK32, W0, W1
from .fault_models import FaultModel
from .readings import bytes_swapped
from .variants import Rounds, WordVariant

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


def searched_values(likely: Callable[[int], NDArray[np.uint64]] | None = None) -> Iterator[tuple[str, Array]]:
    """The name of each constant, and the values to search: an array of shape (values, 1)."""
    for name, (right, _) in CONSTANTS.items():
        yield name, (likely or likely_values)(right).reshape(-1, 1)


def with_constants(rounds: Rounds, wrong: Mapping[str, Any]) -> Rounds:
    """The rounds with other values of the named constants. Arrays of values make arrays of words."""
    m0, m1, w0, w1 = (wrong.get(name, right) for name, (right, _) in CONSTANTS.items())
    return rounds._replace(multipliers=(m0, m1), key_steps=(w0, w1))


def constant_model(name: str, wrong: int) -> FaultModel[WordVariant]:
    """The model of a generator that uses a wrong value of one constant."""
    right, use = CONSTANTS[name]
    explanation = f"The generator uses {_notations(wrong)} as {name}, {use}: use {_notations(right)}."
    rounds = with_constants(Rounds(), {name: wrong})
    return FaultModel(f"wrong-{name.lower()}", WordVariant(rounds=rounds), explanation)


def _notations(value: int) -> str:
    return f"{value:#010x} ({value})"


@cache
def likely_values(right: int) -> NDArray[np.uint64]:
    """The values that are searched in place of a constant, in ascending order.

    One or two digits differ, or a digit is missing, added or doubled, or two digits have changed places, in hexadecimal
    or decimal notation; up to three bits differ; the bytes are in another order; or it is another constant.
    """
    made = {*_edited(f"{right:08x}", 16, 2), *_edited(str(right), 10, 2)}
    for bits in (1, 2, 3):
        made.update(right ^ sum(1 << bit for bit in chosen) for chosen in combinations(range(32), bits))
    made.add(bytes_swapped(right))
    return _sorted(made, right)


@cache
def mistyped_values(right: int) -> NDArray[np.uint64]:
    """The values with one typing error in hexadecimal notation, or with reversed bytes, and the other constants."""
    return _sorted({*_edited(f"{right:08x}", 16, 1), bytes_swapped(right)}, right)


def _sorted(made: set[int], right: int) -> NDArray[np.uint64]:
    return np.array(sorted({value & MASK32 for value in made.union(OTHER_CONSTANTS)} - {right}), np.uint64)


def _edited(text: str, base: int, most: int) -> Iterator[int]:
    """The values of notations with up to `most` other digits, or one digit more or fewer, or two exchanged."""
    digits = "0123456789abcdef"[:base]
    for places, chosen in product(combinations(range(len(text)), most), product(digits, repeat=most)):
        other = dict(zip(places, chosen))
        yield int("".join(other.get(place, digit) for place, digit in enumerate(text)), base)
    for first, second in combinations(range(len(text)), 2):
        other = {first: text[second], second: text[first]}
        yield int("".join(other.get(place, digit) for place, digit in enumerate(text)), base)
    for place, digit in product(range(len(text) + 1), ("", *digits)):
        yield int(text[:place] + digit + text[place + (not digit) :], base)
