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
from ..dump import Place, Places
from ..generators.fault_models import WORD_FAULT_MODELS

AXES = "ijklmnop"


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


def describe_strides(rule: Strides, shape: Shape, width: int = 1) -> Place:
    """The place of a rule: its name, and what the generator does wrong and what to do."""
    place = _described(rule, shape, width)
    if len(rule.weights) == 2 and rule[:2] == (0, 0) and rule.strides == (0, width):
        place = place._replace(rows=(1, rule.weights[1]))
    elif len(rule.weights) == 2 and rule[:2] == (0, 0) and rule.strides[0] == width:
        length, pitch = rule.strides[1] // width, rule.weights[1]
        if 0 < length < pitch:
            place = place._replace(rows=(length, pitch))
    return place


def padded_rows(place: Place, between: str, unit: str) -> Place:
    """The place if the elements between the rows are others."""
    assert place.rows is not None
    length, pitch = place.rows
    return place._replace(name="rows-padded", explanation=(
        f"The stream is stored in rows of {length:,} {unit}{'s' * (length > 1)}, {pitch:,} {unit}s apart, "
        f"with {between} "
        "between them: store or copy the rows without gaps."
    ))  # fmt: skip


def _described(rule: Strides, shape: Shape, width: int) -> Place:
    if rule.start:
        return _after_a_header(rule, width)
    if rule.weights == (1,) and rule.strides == (width,) and rule.first:
        return _start(rule, width)
    right = [prod(shape[axis + 1 :]) * width for axis in range(len(shape))]
    fitted = _fitted(rule, shape)
    if not _is_linear(rule, shape, fitted):
        return _by_digits(rule, shape, width)
    index = ", ".join(AXES[axis] if axis in fitted else "0" for axis in range(len(shape)))
    letters = [AXES[axis] for axis in fitted]
    explanation = (
        f"Element [{index}] holds word {_sum(letters, fitted.values(), rule.first)}, so {_cause(fitted)}: "
        f"store word {_sum(letters, [right[axis] for axis in fitted])} there."
    )
    return Place("words-at-strides", rule.places, explanation)


def _after_a_header(rule: Strides, width: int) -> Place:
    unit = f"{rule.start} element{'s' * (rule.start > 1)}"
    if rule.weights == (1,) and rule.strides == (width,) and rule.first == 0:
        explanation = f"The stream begins at element {rule.start}, after {unit} that are no part of it: skip them."
        return Place("header-before-words", rule.places, explanation)
    inner = _by_digits(rule._replace(start=0), (1 << 62,), width)
    text = inner.explanation.replace("Element p", f"Element {rule.start} + p", 1)
    return Place(inner.name, rule.places, text)


def _start(rule: Strides, width: int) -> Place:
    if rule.first == 4:
        model = next(model for model in WORD_FAULT_MODELS if model.name == "first-block-skipped")
        return Place(model.name, rule.places, model.explanation)
    distance = abs(rule.first)
    blocks = f" ({distance // 4:,} block{'s' * (distance > 4)})" if distance % 4 == 0 else ""
    text = f"{distance:,} word{'s' * (distance > 1)}{blocks} {'after' if rule.first > 0 else 'before'}"
    return Place("starts-elsewhere", rule.places, (
        f"The generator starts {text} the state's first word, and is right from there: check which state it was given, "
        "and how the call before advanced it."
    ))  # fmt: skip


def _by_digits(rule: Strides, shape: Shape, width: int) -> Place:
    draws = _draws(rule, width)
    if draws is not None:
        return draws
    digits = [f"d{number}" for number in range(len(rule.weights))]
    limits = ", ".join(f"{digit} < {above // weight}" for digit, (weight, above) in zip(digits, pairwise(rule.weights)))
    where = f", where {limits}" if limits else ""
    cause = "words repeat" if 0 in rule.strides else "tiles or axes are stored in another order"
    cause = "words run backwards" if rule.strides == (-width,) else cause
    order = _order_name(rule, shape, width)
    return Place(
        "words-at-strides",
        rule.places,
        (
            f"Element p = {_sum(digits, rule.weights)} of the flat tensor holds word "
            f"{_sum(digits, rule.strides, rule.first)}{where}, so {cause}{order}: store word p there."
        ),
    )


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
    index = np.unique(np.linspace(0, prod(shape) - 1, 4096).astype(np.int64))
    for name, order in orders.items():
        places = np.unravel_index(index, [shape[axis] for axis in order])
        source = [places[order.index(axis)] for axis in long]
        word = np.ravel_multi_index(tuple(source), [shape[axis] for axis in long]) * width
        if np.array_equal(word, rule.places(index)):
            return f" (in {name} order)"
    return ""


def _draws(rule: Strides, width: int) -> Place | None:
    """Draws in one file: rows of consecutive words, between which the state moved by whole blocks."""
    if len(rule.weights) != 2 or rule.strides[0] != width or rule.strides[1] % 4 or rule.weights[1] * width < 8:
        return None
    length, moved = rule.weights[1], rule.strides[1] // 4
    right = -(-length * width // 4)
    if moved == right and length * width % 4 == 0:
        return None
    text = f"A draw begins every {length:,} elements; "
    if moved == right:
        text += f"each starts a new block, {right:,} blocks after the draw before it: "
        remedy = "verify each draw alone, or draw all words at once."
    elif moved == 0:
        text += f"the state did not move, and should move by {right:,} blocks: "
        remedy = "store the new state after each draw."
    else:
        text += f"the state moved by {moved:,} block{'s' * (moved != 1)} instead of {right:,}: "
        remedy = "advance the counter by ceil(words / 4)."
    return Place("draws-in-one-file", rule.places, text + remedy)


def _fitted(rule: Strides, shape: Shape) -> dict[int, int]:
    """The stride of each axis whose size is above 1, if the rule is one stride for each axis."""
    long = [axis for axis, size in enumerate(shape) if size > 1]
    return {axis: int(np.subtract(*rule.places(np.array([prod(shape[axis + 1 :]), 0], np.int64)))) for axis in long}


def _cause(fitted: dict[int, int]) -> str:
    """What strides look like, in words."""
    strides = list(fitted.values())
    if 0 in strides:
        return "words repeat along an axis"
    if min(strides) < 0:
        return "an axis runs backwards"
    if strides != sorted(strides, reverse=True):
        return "the axes are in another order"
    return "elements or rows are padded"


def _is_linear(rule: Strides, shape: Shape, fitted: dict[int, int]) -> bool:
    """Whether the rule is one stride for each axis: compared at elements from the whole tensor."""
    size = prod(shape)
    spread = np.linspace(0, size - 1, 4096).astype(np.int64)
    index = np.unique(np.append(np.arange(min(size, 4096), dtype=np.int64), spread))
    indexes = np.unravel_index(index, shape)
    linear = np.full(index.size, rule.first, np.int64)
    for axis, stride in fitted.items():
        linear += indexes[axis] * stride
    return bool((linear == rule.places(index)).all())


def _sum(names: Iterable[str], factors: Iterable[int], first: int = 0) -> str:
    """The sum as text: 5 - i*3 + j."""
    terms = [(factor, name if abs(factor) == 1 else f"{name}*{abs(factor)}") for name, factor in zip(names, factors)]
    terms = [(factor, term) for factor, term in terms if factor]
    if first or not terms:
        terms.insert(0 if terms and terms[0][0] < 0 else len(terms), (first, str(abs(first))))
    text = "".join(f" {'-' if factor < 0 else '+'} {term}" for factor, term in terms)
    return text.removeprefix(" + ").removeprefix(" ")
