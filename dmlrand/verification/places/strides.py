"""Rules of strides: transposed, padded, tiled or repeated words, and the draws of one file.

A rule is a mixed radix. The flat index p of an element is divided into digits, lowest first, and each digit has a
stride: the element holds word first + digit 0 * stride 0 + digit 1 * stride 1 + ... Digits need not be the tensor's
axes, so tiles have a rule too.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...drawing.tensor import Shape
from ...state import State, counter_of
from ..dump import Dump, Place, Places
from ..generators.inputs import FIRST_BLOCK_SKIPPED
from ..generators.variants import COUNTERS, blocks_between
from ..report.result import Finding
from ..report.segment_text import format_count
from .draws import describe_draws

AXES = "ijklmnop"
MAX_COUNTED = 1 << 22  # elements of which the words of the stream are counted
MIN_DRAW_WORDS = 8
COMPARED = 1 << 12  # elements at the beginning, and in the whole tensor


class Strides(NamedTuple):
    """The words of a dump by digits of the flat index, from element `start` on. Digit d counts from weights[d] on."""

    start: int
    first: int
    weights: tuple[int, ...]
    strides: tuple[int, ...]

    def places(self, index: Places) -> Places:
        """The words of the stream at which elements begin, counted from the state's first word."""
        places = np.full(index.shape, self.first, np.int64)
        rest = index - self.start
        for weight, stride in zip(reversed(self.weights), reversed(self.strides)):
            digit, rest = np.divmod(rest, weight)
            places += digit * stride
        return places


def describe_strides(rule: Strides, dump: Dump, width: int) -> Place:
    """The place of a rule: its name, and a sentence."""
    unit, consecutive = dump.unit, rule.weights == (1,) and rule.strides == (width,)
    if rule.start and consecutive and rule.first == 0:
        text = (
            f"The stream begins at {unit} {rule.start:,}, after {rule.start * dump.bits.itemsize:,} bytes of something "
            "else: skip them if they are a header or old content; or a store index is too high."
        )
        return Place("header-before-words", rule.places, text, is_padding=lambda index: index < rule.start)
    if consecutive and not rule.start:
        start = describe_start(dump.state, rule.first, unit)
        return Place(start.name, rule.places, start.sentence)
    effect = _effect(rule, dump, width)
    place = None if rule.start else _by_axes(rule, dump.shape, width, effect)
    draws = _draws(rule, unit, width) if effect else None
    if place is not None and draws is not None:
        text = f"Or each row is a draw: {draws.explanation[0].lower()}{draws.explanation[1:]}"
        place = place._replace(explanation=f"{place.explanation} {text}")
    place = place or draws or _by_digits(rule, dump, width, effect)
    return place._replace(**_padding(rule, dump, width))


def _effect(rule: Strides, dump: Dump, width: int) -> str:
    """What happens to the words of the stream: they repeat, or some are missing. Empty if neither happens."""
    if dump.size > MAX_COUNTED:
        return ""
    places = rule.places(np.arange(rule.start, dump.size, dtype=np.int64))
    distinct = np.unique(places)
    missing = (int(distinct[-1] - (distinct[0] if rule.start else 0)) // width + 1) - distinct.size
    effects = [f"{dump.unit}s repeat"] * (distinct.size < places.size)
    return " and ".join(effects + [f"{missing:,} {dump.unit}s of the stream are missing"] * (missing > 0))


def describe_start(state: State, first: int, unit: str) -> Finding:
    """The name and the explanation of a stream that begins at word `first`, which is any int."""
    if first == 4:
        return FIRST_BLOCK_SKIPPED.faults[0]
    blocks, lane = divmod(first, 4)
    blocks = blocks_between(0, blocks % COUNTERS)
    if blocks == 0:
        lost = f"first {lane} words of the stream are" if lane > 1 else "first word of the stream is"
        text = f"The {lost} missing: the {unit}s start at lane {lane} of the first block."
        return Finding("starts-elsewhere", text)
    count = f"{format_count(abs(blocks))} block{'s' * (abs(blocks) != 1)}"
    distance = f"{count} {'after' if blocks > 0 else 'before'}"
    return Finding("starts-elsewhere", (
        f"The {unit}s start at lane {lane} of counter {(counter_of(state) + blocks) % COUNTERS:#x}, {distance} the "
        "state's counter, and are right from there: check which state the generator was given, and how the call "
        "before advanced it."
    ))  # fmt: skip


def _padding(rule: Strides, dump: Dump, width: int) -> dict[str, Any]:
    """The padding of more than two rows of consecutive elements, of which the first is the stream's."""
    start, (pitch, *more) = rule.start, rule.weights[1:] or (dump.size,)
    length = 1 if rule.strides == (0, width) else rule.strides[-1] // width * (rule.strides[0] == width)
    if more or rule.first or not 0 < length < pitch < dump.size / 2:
        return {}
    unit, where = dump.unit, f" from {dump.unit} {start:,} on" if start else ""
    text = (
        f"The stream is stored in rows of {length:,} {unit}{'s' * (length > 1)}, {pitch:,} {unit}s apart{where}: store "
        "or copy the rows without gaps."
    )
    return {
        "is_padding": lambda index: (index < start) | ((index - start) % pitch >= length),
        "padded": Finding("rows-padded", text),
    }


def _by_axes(rule: Strides, shape: Shape, width: int, effect: str) -> Place | None:
    """The place if the rule is one stride for each axis whose size is above 1."""
    weights = {axis: prod(shape[axis + 1 :]) for axis, size in enumerate(shape) if size > 1}
    strides = [int(np.subtract(*rule.places(np.array([weight, 0], np.int64)))) for weight in weights.values()]
    size = prod(shape)
    index = np.unique(np.append(np.arange(min(size, COMPARED)), np.linspace(0, size - 1, COMPARED).astype(np.int64)))
    linear = rule.first + sum(np.unravel_index(index, shape)[axis] * stride for axis, stride in zip(weights, strides))
    if not np.array_equal(linear, rule.places(index)):
        return None
    order = "the axes are in another order" if strides != sorted(strides, reverse=True) else ""
    order = "an axis runs backwards" if min(strides) < 0 else order
    letters = [AXES[axis] for axis in weights]
    element = ", ".join(AXES[axis] if axis in weights else "0" for axis in range(len(shape)))
    return Place("words-at-strides", rule.places, (
        f"Element [{element}] holds word {_sum(letters, strides, rule.first)}{_cause(order, effect)}: "
        f"store word {_sum(letters, [weight * width for weight in weights.values()])} there."
    ))  # fmt: skip


def _by_digits(rule: Strides, dump: Dump, width: int, effect: str) -> Place:
    unit, digits = dump.unit, [f"d{number}" for number in range(len(rule.weights))]
    sizes = [-(-above // weight) for weight, above in pairwise(rule.weights)]
    limits = ", ".join(f"{digit} < {size}" for digit, size in zip(digits, sizes))
    order = "words run backwards" if rule.strides == (-width,) else "tiles or axes are stored in another order"
    order = "" if [*rule.strides] == sorted(rule.strides) else order
    if len(digits) == 2 and rule.strides[0] == width and rule.strides[1] < 0:
        order = f"rows of {rule.weights[1]:,} {unit}s are stored in reverse order"
    explanation = (
        f"Element p = {_sum(digits, rule.weights, rule.start)} of the flat tensor holds word "
        f"{_sum(digits, rule.strides, rule.first)}{f', where {limits}' if limits else ''}"
        f"{_cause(order, effect)}: store {'word' if width == 1 else unit} p there."
    )
    cost = 2 * max(1, len(digits) - 1)
    return Place("words-at-strides", rule.places, explanation, cost=cost)


def _cause(order: str, effect: str) -> str:
    causes = [*[order] * (order != "" and "repeat" not in effect), *[effect] * (effect != "")]
    return f", so {' and '.join(causes)}" if causes else ""


def _draws(rule: Strides, unit: str, width: int) -> Place | None:
    """Draws in one file: rows of consecutive words, between which the state moved by whole blocks."""
    if len(rule.weights) != 2 or rule.first or rule.strides[0] != width or rule.strides[1] % 4:
        return None
    words, moved = rule.weights[1] * width, rule.strides[1] // 4
    if words < MIN_DRAW_WORDS or 4 * moved == words:
        return None
    explanation = describe_draws([rule.weights[1]], moved, words, unit)
    return Place("draws-in-one-file", rule.places, explanation)


def _sum(names: Iterable[str], factors: Iterable[int], first: int = 0) -> str:
    """The sum as text: 5 - i*3 + j."""
    terms = [(factor, name if abs(factor) == 1 else f"{name}*{abs(factor)}") for name, factor in zip(names, factors)]
    terms = [(factor, term) for factor, term in terms if factor]
    if first or not terms:
        terms.insert(0 if terms and terms[0][0] < 0 else len(terms), (first, str(abs(first))))
    text = "".join(f" {'-' if factor < 0 else '+'} {term}" for factor, term in terms)
    return text.removeprefix(" + ").removeprefix(" ")
