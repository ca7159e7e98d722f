"""Wrong values that a generator may use for one of the four constants: typing errors, and other constants."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...philox import M0, M1, MASK32, W0, W1
from ..dump import Hypothesis
from ..report.result import Finding
from .inputs import bytes_swapped

# Values that are taken for one another: those of Philox4x32, Philox2x32 and Philox4x64, whose upper half of 64 bits
# may be confused with the lower one; and one that a port had.
OTHER_CONSTANTS = (
    *(0, 1, M0, M1, W0, W1, 0xD256D193, 0xCD9E8D7C),
    *(0xD2E7470E, 0xE14C6C93, 0xCA5A8263, 0x95121157, 0x9E3779B9, 0x7F4A7C15, 0xBB67AE85, 0x84CAA73B),
)
CONSTANTS = {
    "m0": (M0, "the multiplier of counter word 0"),
    "m1": (M1, "the multiplier of counter word 2"),
    "w0": (W0, "the step of key word 0"),
    "w1": (W1, "the step of key word 1"),
}


def constant_faults(base: Hypothesis) -> Iterator[Hypothesis]:
    """A fault and one wrong constant that the fault leaves right: all values at once, of which with_value takes one."""
    for name, (right, _) in CONSTANTS.items():
        if getattr(base.variant, name) == right:
            yield _with_constant(base, name, likely_values(right))


def with_value(fault: Hypothesis, number: int) -> Hypothesis:
    """The fault with the value of this number for the constant that has many. The fault itself if none has."""
    for name, (right, use) in CONSTANTS.items():
        values = getattr(fault.variant, name)
        if isinstance(values, np.ndarray):
            value = int(values[number, 0])
            was, should = (f"{word:#010x} ({word})" for word in (value, right))
            text = f"The generator uses {was} as {name.upper()}, {use}: use {should}."
            wrong = Finding(f"wrong-{name}", text)
            return _with_constant(fault, name, value)._replace(faults=(wrong, *fault.faults))
    return fault


def _with_constant(fault: Hypothesis, name: str, value: Any) -> Hypothesis:
    changed: dict[str, Any] = {name: value}
    return fault._replace(variant=fault.variant._replace(**changed))


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
