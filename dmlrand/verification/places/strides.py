"""Rules of strides: transposed, padded, tiled or repeated words, and the draws of one file.

A rule is a mixed radix. The flat index p of an element is divided into digits, lowest first, and each digit has a
stride: the element holds word first + digit 0 * stride 0 + digit 1 * stride 1 + ... Digits need not be the tensor's
axes, so tiles have a rule too.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import prod
from typing import NamedTuple

import numpy as np

from ...arrays.tensor import Shape
from ...state import State, counter_of
from ..dump import MAX_SORTED, Dump, Place, Places
from ..generators.fault_models import WORD_FAULT_MODELS
from ..generators.variants import COUNTERS, blocks_between
from ..report.segment_text import format_count
from .threads import MOVES, Move, describe_draws

HEADER = "header-before-words"
AXES = "ijklmnop"
FEW_RUNS = 3  # of consecutive words
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

    def rows(self, width: int) -> tuple[int, int, int] | None:
        """The start, the length and the distance of rows of consecutive elements, if the first is the stream's."""
        if len(self.weights) != 2 or self.first:
            return None
        length = 1 if self.strides == (0, width) else self.strides[1] // width if self.strides[0] == width else 0
        return (self.start, length, self.weights[1]) if 0 < length < self.weights[1] else None


def describe_strides(rule: Strides, dump: Dump, width: int) -> Place:
    """The place of a rule: its name, and what the generator does wrong and what to do."""
    consecutive = rule.weights == (1,) and rule.strides == (width,)
    if rule.start and consecutive and rule.first == 0:
        size = f"a header of {rule.start * dump.bits.itemsize:,} bytes"
        text = f"The stream begins at {dump.unit} {rule.start:,}, after {size}: skip the header."
        return Place(HEADER, rule.places, text, (rule.start, dump.size - rule.start, dump.size))
    if rule.start:
        inner = _by_digits(rule._replace(start=0), (1 << 62,), dump.unit, width)
        explanation = inner.explanation.replace("Element p", f"Element {rule.start} + p", 1)
        return inner._replace(rule=rule.places, explanation=explanation, rows=rule.rows(width))
    if consecutive:
        name, explanation = describe_start(dump.state, rule.first, dump.unit)
        return Place(name, rule.places, explanation)
    place = _by_axes(rule, dump.shape, width) or _by_digits(rule, dump.shape, dump.unit, width)
    return place._replace(rows=rule.rows(width))


def describe_start(state: State, first: int, unit: str) -> tuple[str, str]:
    """The name and the explanation of a stream that begins at word `first`, which is any int."""
    if first == 4:
        return next((name, text) for name, _, text in WORD_FAULT_MODELS if name == "first-block-skipped")
    blocks, lane = divmod(first, 4)
    blocks = blocks_between(0, blocks % COUNTERS)
    count = f"{format_count(abs(blocks))} block{'s' * (abs(blocks) != 1)}"
    distance = f"{count} {'after' if blocks > 0 else 'before'}" if blocks else "the same block as"
    return "starts-elsewhere", (
        f"The {unit}s start at lane {lane} of counter {(counter_of(state) + blocks) % COUNTERS:#x}, {distance} the "
        "state's counter, and are right from there: check which state the generator was given, and how the call "
        "before advanced it."
    )


def padded_rows(place: Place, between: str, dump: Dump) -> Place:
    """The place if the elements between the rows are others."""
    assert place.rows is not None
    (start, length, pitch), unit = place.rows, dump.unit
    if pitch == dump.size:
        return place  # a header, or words overwritten
    where = f" from {unit} {start if start > 0 else start % pitch:,} on" if start else ""
    if place.name == "words-alternate":
        rows, others = (f"{n:,} {unit}{'s are' if n > 1 else ' is'}" for n in (length, pitch - length))
        return place._replace(explanation=(
            f"The dump repeats a pattern of {pitch:,} {unit}s{where}: {rows} right, then {others} {between}."
        ))  # fmt: skip
    between = f"foreign {unit}s" if between.startswith("not") else between
    return place._replace(name="rows-padded", explanation=(
        f"The stream is stored in rows of {length:,} {unit}{'s' * (length > 1)}, {pitch:,} {unit}s apart{where}, "
        f"with {between} between them: store or copy the rows without gaps."
    ))  # fmt: skip


def rows_in_place(dump: Dump) -> Place | None:
    """Right elements in their places, in rows of one length and distance, as those of the first rows of the dump."""
    head = dump.head(MAX_SORTED)
    edges = np.diff(head == dump.right_elements(0, head.size), prepend=False, append=False)
    starts, stops = np.flatnonzero(edges)[::2], np.flatnonzero(edges)[1::2]
    if starts.size < 2:
        return None
    row = min(1, starts.size - 2)  # the first row may have begun before the dump
    pitch = int(starts[row + 1] - starts[row])
    if starts[row] + 2 * pitch > dump.size:
        return None  # nothing repeats
    first = int(starts[row]) % pitch  # the row before it may begin before the dump
    rows = first - pitch if first else 0, int(stops[row] - starts[row]), pitch
    return Place("words-alternate", lambda index: index * dump.right.width, "", rows)


def _by_axes(rule: Strides, shape: Shape, width: int) -> Place | None:
    """The place if the rule is one stride for each axis whose size is above 1."""
    weights = {axis: prod(shape[axis + 1 :]) for axis, size in enumerate(shape) if size > 1}
    strides = [int(np.subtract(*rule.places(np.array([weight, 0], np.int64)))) for weight in weights.values()]
    index = _spread(prod(shape))
    linear = rule.first + sum(np.unravel_index(index, shape)[axis] * stride for axis, stride in zip(weights, strides))
    if not np.array_equal(linear, rule.places(index)):
        return None
    if 0 in strides:
        cause = "words repeat along an axis"
    elif min(strides) < 0:
        cause = "an axis runs backwards"
    elif strides != sorted(strides, reverse=True):
        cause = "the axes are in another order"
    else:
        cause = "elements or rows are padded"
    letters = [AXES[axis] for axis in weights]
    element = ", ".join(AXES[axis] if axis in weights else "0" for axis in range(len(shape)))
    return Place("words-at-strides", rule.places, (
        f"Element [{element}] holds word {_sum(letters, strides, rule.first)}, so {cause}: "
        f"store word {_sum(letters, [weight * width for weight in weights.values()])} there."
    ))  # fmt: skip


def _by_digits(rule: Strides, shape: Shape, unit: str, width: int) -> Place:
    draws = _draws(rule, unit, width)
    if draws is not None:
        return draws
    digits = [f"d{number}" for number in range(len(rule.weights))]
    limits = ", ".join(f"{digit} < {above // weight}" for digit, (weight, above) in zip(digits, pairwise(rule.weights)))
    if rule.strides == (-width,):
        cause = "words run backwards"
    else:
        cause = "words repeat" if 0 in rule.strides else "tiles or axes are stored in another order"
    explanation = (
        f"Element p = {_sum(digits, rule.weights)} of the flat tensor holds word "
        f"{_sum(digits, rule.strides, rule.first)}{f', where {limits}' if limits else ''}, "
        f"so {cause}{_order_name(rule, shape, width)}: store word p there."
    )
    cost = 2 * max(1, len(digits) - 1)
    return Place("words-at-strides", rule.places, explanation, cost=cost, few_runs=FEW_RUNS)


def _order_name(rule: Strides, shape: Shape, width: int) -> str:
    """The name of an order of axes, if the words of a tensor were stored in it and read as row-major."""
    long = [axis for axis, size in enumerate(shape) if size > 1]
    if len(long) < 2 or rule.first:
        return ""
    orders = {"column-major": long[::-1]}
    if len(long) > 2:
        batch = [long[0]] if len(long) > 3 else []
        rest = long[len(batch) :]
        orders |= {"channels-last": [*batch, *rest[1:], rest[0]], "channels-first": [*batch, rest[-1], *rest[:-1]]}
    index = _spread(prod(shape))
    for name, order in orders.items():
        places = np.unravel_index(index, [shape[axis] for axis in order])
        source = tuple(places[order.index(axis)] for axis in long)
        word = np.ravel_multi_index(source, [shape[axis] for axis in long]) * width
        if np.array_equal(word, rule.places(index)):
            return f" (in {name} order)"
    return ""


def _draws(rule: Strides, unit: str, width: int) -> Place | None:
    """Draws in one file: rows of consecutive words, between which the state moved by whole blocks."""
    if len(rule.weights) != 2 or rule.strides[0] != width or rule.strides[1] % 4 or rule.weights[1] * width < 8:
        return None
    length, moved = rule.weights[1], rule.strides[1] // 4
    right = -(-length * width // 4)
    if moved == right and length * width % 4 == 0:
        return None
    move = Move(f"the state moved by {moved:,} block{'s' * (moved != 1)} instead of {right:,}", 0, np.negative)
    move = MOVES[0] if moved == right else move if moved else MOVES[1]
    explanation = describe_draws([0, length, 2 * length], 3, 0, move, unit)
    return Place("draws-in-one-file", rule.places, explanation, few_runs=FEW_RUNS - 1)


def _spread(size: int) -> Places:
    """Flat indexes at which two rules of a tensor are compared."""
    first = np.arange(min(size, COMPARED), dtype=np.int64)
    return np.unique(np.append(first, np.linspace(0, size - 1, COMPARED).astype(np.int64)))


def _sum(names: Iterable[str], factors: Iterable[int], first: int = 0) -> str:
    """The sum as text: 5 - i*3 + j."""
    terms = [(factor, name if abs(factor) == 1 else f"{name}*{abs(factor)}") for name, factor in zip(names, factors)]
    terms = [(factor, term) for factor, term in terms if factor]
    if first or not terms:
        terms.insert(0 if terms and terms[0][0] < 0 else len(terms), (first, str(abs(first))))
    text = "".join(f" {'-' if factor < 0 else '+'} {term}" for factor, term in terms)
    return text.removeprefix(" + ").removeprefix(" ")
