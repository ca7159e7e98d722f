"""Wrong values that a generator may use for one of the four constants: typing errors, and other constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...philox import M0, M1, MASK32, W0, W1
from .inputs import bytes_swapped
from .variants import FaultModel, Rounds

# Values that are taken for one another: those of Philox4x32, Philox2x32 and Philox4x64, whose upper half of 64 bits
# may be confused with the lower one; and one that a port had.
OTHER_CONSTANTS = (
    *(0, 1, M0, M1, W0, W1, 0xD256D193, 0xCD9E8D7C),
    *(0xD2E7470E, 0xE14C6C93, 0xCA5A8263, 0x95121157, 0x9E3779B9, 0x7F4A7C15, 0xBB67AE85, 0x84CAA73B),
)
CONSTANTS = {
    "M0": (M0, "the multiplier of counter word 0"),
    "M1": (M1, "the multiplier of counter word 2"),
    "W0": (W0, "the step of key word 0"),
    "W1": (W1, "the step of key word 1"),
}


def constant_faults(base: FaultModel) -> Iterator[tuple[Rounds, Callable[[int], FaultModel]]]:
    """For each constant that a fault leaves right: the rounds with all wrong values, in an array of shape (values, 1),
    and the model of both faults by the number of the value."""
    rounds = base.variant.rounds
    for place, (right, _) in enumerate(CONSTANTS.values()):
        if (*rounds.multipliers, *rounds.key_steps)[place] == right:
            yield _with_constant(rounds, place, likely_values(right)), partial(_model, base, place)


def _model(base: FaultModel, place: int, number: int) -> FaultModel:
    name, (right, use) = [*CONSTANTS.items()][place]
    value = int(likely_values(right)[number, 0])
    was, should = (f"{word:#010x} ({word})" for word in (value, right))
    text = f"The generator uses {was} as {name}, {use}: use {should}."
    variant = base.variant._replace(rounds=_with_constant(base.variant.rounds, place, value))
    name = f"wrong-{name.lower()}\n{base.name}"
    return FaultModel(name.strip(), variant, f"{text}\n{base.explanation}".strip())


def _with_constant(rounds: Rounds, place: int, value: Any) -> Rounds:
    used: list[Any] = [*rounds.multipliers, *rounds.key_steps]
    used[place] = value
    return rounds._replace(multipliers=(used[0], used[1]), key_steps=(used[2], used[3]))


@cache
def likely_values(right: int) -> NDArray[np.uint64]:
    """The values that are searched in place of a constant: an array of shape (values, 1).

    One digit differs, is missing, is added or doubled, or two digits have changed places, in hexadecimal or decimal
    notation; or it is another constant.
    """
    made = {bytes_swapped(right), *OTHER_CONSTANTS, *_edited(f"{right:08x}", 16), *_edited(str(right), 10)}
    return np.array(sorted({value & MASK32 for value in made} - {right}), np.uint64)[:, None]


def _edited(text: str, base: int) -> Iterator[int]:
    digits = "0123456789abcdef"[:base]
    for place, digit in product(range(len(text) + 1), ("", *digits)):
        yield int(text[:place] + digit + text[place + 1 :], base)
        yield int(text[:place] + digit + text[place:], base)
    for one, other in combinations(range(len(text)), 2):
        yield int(text[:one] + text[other] + text[one + 1 : other] + text[one] + text[other + 1 :], base)
