"""Find the rule by which the elements of a dump lie in a stream, from the positions at which they were found.

Some elements may be missing: overwritten, or padding. A rule must give most of those that were found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..dump import Bits, Dump, Hypothesis, Place, Places
from .catalogue import catalogue
from .strides import Strides, describe_strides
from .tables import NOT_FOUND, Table

PREFIX = 1 << 16  # elements whose positions are looked up
SAMPLES = 1 << 12  # of the others
MIN_FOUND = 4
MAX_DIGITS = 16
FEW_RUNS = 3

Elements = Callable[[Places, Places], Bits]


class Found(NamedTuple):
    """Elements at flat indexes, their values, and where they are in the stream."""

    places: Places
    values: Bits
    positions: Places

    @property
    def known(self) -> NDArray[np.bool_]:
        known: NDArray[np.bool_] = self.positions != NOT_FOUND
        return known


def look_up(dump: Dump, table: Table) -> Found:
    index = np.arange(min(dump.size, PREFIX), dtype=np.int64)
    if dump.size > PREFIX:
        index = np.append(index, np.linspace(PREFIX, dump.size - 1, SAMPLES).astype(np.int64))
    values = dump.at(index)
    return Found(index, values, table.find(values))


def fit_place(dump: Dump, hypothesis: Hypothesis, found: Found) -> Place | None:
    """The place of the most elements: one with a name if it gives as many as any other. None: in order.

    Raises LookupError if no rule gives most of the elements found.
    """
    known = found.known
    if np.count_nonzero(known) < min(MIN_FOUND, dump.size):
        raise LookupError

    def right(place: Place | None) -> NDArray[np.bool_]:
        made: NDArray[np.bool_] = hypothesis._replace(place=place).elements(dump, found.places) == found.values
        return made

    best, most = None, int(np.count_nonzero(right(None)))
    needed = int(np.count_nonzero(known))
    for search in (catalogue, _fitted):
        for place in search(dump, found, hypothesis):
            if most >= needed:
                break
            count = int(np.count_nonzero(right(place)))
            if count > most:
                best, most = place, count
    if most < max(min(MIN_FOUND, dump.size), needed // 2):
        raise LookupError
    return best


def _fitted(dump: Dump, found: Found, hypothesis: Hypothesis) -> Iterator[Place]:
    width = hypothesis.function.width
    rule = fit_strides(dump, found, hypothesis)
    swizzle = _fit_swizzle(dump, found)
    if swizzle is not None and (rule is None or len(rule.weights) > 4):
        yield swizzle
    if rule is not None and not (
        rule.weights == (1,) and rule.strides == (width,) and rule.first == width * rule.start
    ):
        yield describe_strides(rule, dump.shape, width)


def fit_strides(dump: Dump, found: Found, hypothesis: Hypothesis) -> Strides | None:
    """A mixed radix: digits of the flat index, each with a stride. Digits are found one after another."""
    known = found.known
    both = np.flatnonzero(known[:-1] & known[1:] & (np.diff(found.places) == 1))
    if not both.size:
        return _single_words(found)
    for start in both[:3].tolist():
        rule = Strides(
            start, int(found.positions[start]), (1,), (int(np.subtract(*found.positions[[start + 1, start]])),)
        )
        for _ in range(MAX_DIGITS):
            wrong = _first_wrong(dump, found, hypothesis, rule)
            if wrong is None:
                return rule
            longer = _with_digit(found, rule, wrong // rule.weights[-1] * rule.weights[-1])
            if longer is None:
                break
            rule = longer
    return None


def _single_words(found: Found) -> Strides | None:
    """The rule of words that stand alone, at one distance."""
    known = np.flatnonzero(found.known)[:2]
    if known.size < 2:
        return None
    start, second = found.places[known].tolist()
    step = int(np.subtract(*found.positions[known[::-1]]))
    return Strides(start, int(found.positions[known[0]]), (1, second - start), (0, step))


def _first_wrong(dump: Dump, found: Found, hypothesis: Hypothesis, rule: Strides) -> int | None:
    """The first element, counted from the rule's start, that was found elsewhere than the rule says."""
    chosen = np.flatnonzero(found.known & (found.places >= rule.start))
    place = Place("", rule.places, "")
    made = hypothesis._replace(place=place).elements(dump, found.places[chosen])
    wrong = np.flatnonzero(made != found.values[chosen])
    return int(found.places[chosen[wrong[0]]]) - rule.start if wrong.size else None


def _with_digit(found: Found, rule: Strides, weight: int) -> Strides | None:
    """The rule with a digit that begins at this element: most elements from there on agree about its stride."""
    if weight <= rule.weights[-1] or rule.start + weight >= PREFIX:
        return None
    first = rule.start + weight
    chosen = slice(first, min(first + min(weight, 64), int(np.searchsorted(found.places, PREFIX))))
    known = found.known[chosen]
    expected = rule.places(rule.start + np.arange(found.places[chosen].size, dtype=np.int64))
    strides, counts = np.unique((found.positions[chosen] - expected)[known], return_counts=True)
    if not strides.size:
        return None
    stride = int(strides[np.argmax(counts)])
    return rule._replace(weights=(*rule.weights, weight), strides=(*rule.strides, stride))


def _fit_swizzle(dump: Dump, found: Found) -> Place | None:
    """A rule in which each bit of the position is the xor of bits of the index."""
    bits = [1 << bit for bit in range((min(dump.size, PREFIX) - 1).bit_length())]
    positions = found.positions[[0, *bits]] if dump.size > 1 else found.positions[:1]
    if (positions == NOT_FOUND).any() or (positions < 0).any() or len(bits) < 3:
        return None
    first, *masks = positions.tolist()
    masks = [mask ^ first for mask in masks]

    def rule(index: Places) -> Places:
        places = np.full(index.shape, first, np.int64)
        for bit, mask in enumerate(masks):
            places ^= np.where(index >> bit & 1, mask, 0)
        return places

    sources = {}
    for bit in range(max(masks).bit_length()):
        sources[bit] = [number for number, mask in enumerate(masks) if mask >> bit & 1]
    terms = ", ".join(
        f"bit {bit} is bit {' xor '.join(map(str, made))}" for bit, made in sources.items() if made != [bit]
    )
    interleaved = all(len(made) == 1 for made in sources.values())
    name = "words-in-morton-order" if interleaved else "words-swizzled"
    what = "in Morton order, which interleaves bits of the index," if interleaved else "at swizzled places"
    base = f" xor {first}" if first else ""
    explanation = (
        f"The generator stores the words {what} so that element p holds word q{base}, where the bits of q are those of "
        f"p but for these: {terms}: store word p there."
    )
    return Place(name, rule, explanation)


def is_few_runs(place: Place, dump: Dump, width: int) -> bool:
    """Whether a place is no more than three runs of consecutive words, which segments describe more simply."""
    if place.name != "words-at-strides" or " so the axes " in place.explanation or "Element [" in place.explanation:
        return False
    index = np.arange(min(dump.size, PREFIX), dtype=np.int64)
    steps = np.diff(place.rule(index)) != width
    return bool(np.count_nonzero(steps) < FEW_RUNS)
