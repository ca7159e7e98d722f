"""Find the rule by which the elements of a dump lie in a stream, from the positions at which they were found.

Some elements may be missing: overwritten, or padding. A rule must give most of those that were found.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from ..dump import MAX_SORTED, RIGHT, Bits, Dump, Hypothesis, Place, Places, stream_words, words_from
from .known import known_places
from .strides import Strides, describe_strides

NOT_FOUND = -(1 << 62)
MAX_TABLE = 1 << 22  # elements of the right stream that are looked up
MORE_ELEMENTS = 1 << 16  # searched beyond the tensor's own
BEFORE = 1024  # elements before the state's place that a table has
SAMPLES = 1 << 13  # elements that are looked up, half of them at the beginning
MIN_FOUND = 4
MAX_CHANCE = 0.01
MAX_DIGITS = 16
VOTES = 64  # elements that agree about the stride of a digit


class Table:
    """The elements of a hypothesis at consecutive word positions, sorted."""

    def __init__(self, dump: Dump, hypothesis: Hypothesis, count: int) -> None:
        width, function = hypothesis.function.width, hypothesis.function
        self.first = 0 if hypothesis.variant.rule is not None else -BEFORE
        if hypothesis.variant == RIGHT:
            words = words_from(dump.state, self.first, count + width - 1 - self.first)
        else:
            places = np.arange(self.first, count + width - 1, dtype=np.int64)
            words = stream_words(dump, hypothesis.variant, places)
        if width > 1:
            words = np.lib.stride_tricks.sliding_window_view(words, width)
        made = function.function(words)
        self.order = np.argsort(made, kind="stable")
        self.made = made[self.order]

    def find(self, elements: Bits) -> Places:
        """The first word position of each element, or NOT_FOUND."""
        at = np.minimum(np.searchsorted(self.made, elements), self.made.size - 1)
        found: Places = np.where(self.made[at] == elements, self.order[at] + self.first, NOT_FOUND)
        return found


class PlaceFit:
    """The search for the place of a hypothesis."""

    def __init__(self, dump: Dump, hypothesis: Hypothesis) -> None:
        self.dump, self.hypothesis, self.width = dump, hypothesis, hypothesis.function.width
        more, most = (MORE_ELEMENTS, MAX_TABLE) if hypothesis.variant == RIGHT else (1024, MAX_SORTED)
        self.table = Table(dump, hypothesis, min(max(4 * dump.size, dump.size + more) * self.width, most))
        first = np.arange(min(dump.size, SAMPLES // 2), dtype=np.int64)
        self.sample = np.unique(np.append(first, np.linspace(0, dump.size - 1, SAMPLES // 2).astype(np.int64)))
        self.values = dump.at(self.sample)
        self.positions = self.table.find(self.values)
        self.known = self.positions != NOT_FOUND
        self._axes = {prod(dump.shape[axis:]) for axis in range(1, len(dump.shape))}

    def fitted(self) -> Hypothesis | None:
        """The hypothesis with the place of most elements: one with a name if it gives as many as any other.

        None if no place gives most of the elements that were found.
        """
        needed = int(np.count_nonzero(self.known))
        by_chance = self.table.made.size * self.sample.size / 2.0 ** self.dump.known_bits(self.hypothesis.function)
        least = min(MIN_FOUND, self.dump.size)
        if needed < max(least, 8 * by_chance):
            return None
        best, most = self.hypothesis, self._score(self.hypothesis)
        for place in self._places():
            if most >= needed:
                break
            placed = self.hypothesis._replace(place=place)
            score = self._score(placed)
            if score > most:
                best, most = placed, score
        return best if most >= max(least, needed // 2) else None

    def _score(self, hypothesis: Hypothesis) -> int:
        return int(np.count_nonzero(hypothesis.elements(self.dump, self.sample) == self.values))

    def _places(self) -> Iterator[Place]:
        yield from known_places(self.dump, self.width)
        for rule in self._strides():
            if rule != Strides(rule.start, rule.start * self.width, (1,), (self.width,)):
                yield describe_strides(rule, self.dump, self.width)

    def _strides(self) -> Iterator[Strides]:
        """Mixed radixes: digits of the flat index, each with a stride. Digits are found one after another."""
        side_by_side = self.known[:-1] & self.known[1:] & (np.diff(self.sample) == 1)
        starts = [(start, 1) for start in self.sample[:-1][side_by_side][:3].tolist()]
        starts += [(start, 0) for start in self.sample[self.known][:1].tolist()]  # a word that stands alone
        for start, more in starts:
            first, second = self.table.find(self.dump.at(np.array([start, start + more]))).tolist()
            stride = second - first
            # The elements before the start are other ones in their places, or are no part of the stream.
            origins = [(0, first - start * stride), (start, first)][:: -1 if first == 0 else 1]  # a header first
            rules = [Strides(*origin, (1,), (stride,)) for origin in origins]
            found = dict.fromkeys(self._completed(rule) for rule in rules)
            if any(found):
                yield from filter(None, found)
                return

    def _completed(self, rule: Strides) -> Strides | None:
        """The rule with as many digits as it needs to give all elements that were found in runs."""
        for _ in range(MAX_DIGITS):
            wrong = self._first_wrong(rule)
            if wrong is None:
                return rule
            is_axis = rule.start == 0 and wrong in self._axes
            longer = self._with_digit(rule, wrong if is_axis else wrong // rule.weights[-1] * rule.weights[-1])
            if longer is None:
                return None
            rule = longer
        return None

    def _first_wrong(self, rule: Strides) -> int | None:
        """The first element, counted from the rule's start, that was found elsewhere than the rule says.

        The element after it must have been found beside it: other elements may be there by chance.
        """
        hypothesis = self.hypothesis._replace(place=Place("", rule.places, ""))
        for position, piece in self.dump.pieces():
            index = np.arange(max(position, rule.start), position + piece.size, dtype=np.int64)
            got = piece[piece.size - index.size :]
            wrong = np.flatnonzero(hypothesis.elements(self.dump, index) != got)
            positions = self.table.find(got[wrong])
            known = positions != NOT_FOUND
            if rule.strides[0] == 0:  # elements that stand alone; chance finds some of the others
                chance = self.table.made.size * wrong.size / 2.0 ** self.dump.known_bits(self.hypothesis.function)
                known &= np.count_nonzero(known) > (MIN_FOUND + 2 * chance if chance > MAX_CHANCE else 0)
            else:
                after = self.table.find(got[np.minimum(wrong + 1, got.size - 1)])
                known &= after - positions == rule.strides[0]
            wrong = wrong[known]
            if wrong.size:
                return int(index[wrong[0]]) - rule.start
        return None

    def _with_digit(self, rule: Strides, weight: int) -> Strides | None:
        """The rule with a digit that begins at this element: most elements from there on agree about its stride."""
        first = rule.start + weight
        index = np.arange(first, min(first + min(weight, VOTES), self.dump.size), dtype=np.int64)
        if weight <= rule.weights[-1]:
            return None
        positions = self.table.find(self.dump.at(index))
        strides, counts = np.unique(
            (positions - rule.places(index - weight))[positions != NOT_FOUND], return_counts=True
        )
        if not strides.size:
            return None
        stride = int(strides[np.argmax(counts)])
        return rule._replace(weights=(*rule.weights, weight), strides=(*rule.strides, stride))
