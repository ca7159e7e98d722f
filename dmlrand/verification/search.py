"""Explain a dump by four parts: a generator, a place for each element, a function of words, and what covers the rest.

Generators and functions are tried on a few blocks: the elements that they make are looked up anywhere in the dump.
For those that are found, the positions of the dump's elements in the stream give the place. Every explanation is then
compared with all elements. Explanations with fewer parts come first, and all that tie are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..drawing.tensor import Shape
from ..state import State, counter_of
from .candidates import MAX_CANDIDATES, Candidates
from .covering import Covering, explain_flips, explain_tail, min_elements
from .dump import RIGHT, Dump, Hypothesis, elements_of, words_from
from .files import explain_moved_bytes, undone_files
from .functions.fitting import fit_parameters
from .functions.numbers import word_functions
from .generators.catalogue import COMMON, all_faults, common, counting_part
from .inverse import LOCATABLE_WORDS
from .others import explain_as_other
from .places.draws import explain_draws, thread_orders
from .places.fitting import PlaceFit
from .places.known import known_places
from .places.segments import find_segments
from .places.strides import describe_start
from .report.result import Finding, Segment
from .report.segment_text import MAX_IN_SENTENCE, explain_segments

PROBE = 32  # elements compared first at each of four places, because nearly all faults fail there
BLOCK_WORDS = 4  # fewer words would fit many wrong constants and pairs of faults
MIN_NUMBERS = 4  # fewer numbers would fit a wrong rule by chance
MAX_NEAR = 0.25  # of the elements may be words of the stream if a fault of all words is searched
FAR_WORDS = 1 << 32  # words moved this far are named after faults of the generator that give the same elements
# Elements that prove a function: so many different ones, or so many of which two differ.
MIN_DISTINCT = 3
MIN_ELEMENTS = 32
SAMPLE = 1 << 14  # elements, in which wrong ones are collected
FIRST_WRONG = 64  # compared first, because most functions fail there

Scored = tuple[int, int, Finding]  # elements not explained, parts, finding


def diagnose(dump: Dump, first: int, mismatches: int, segments: tuple[Segment, ...]) -> list[Finding]:
    """The explanations of all elements with the fewest parts. `first` is the flat index of the first wrong one."""
    with np.errstate(all="ignore"):  # of numbers that are too large for a type
        return next(filter(None, Search(dump, first, mismatches, segments).steps()), [])


class Search:
    """The search for one dump."""

    def __init__(self, dump: Dump, first: int, mismatches: int, segments: tuple[Segment, ...]) -> None:
        self.dump, self.first, self.mismatches, self.segments = dump, first, mismatches, segments
        self.right = Hypothesis(function=dump.right)
        self.partial: list[Scored] = []

    def steps(self) -> Iterator[list[Finding]]:
        """The findings of each search, those for simple explanations first. Later ones run only if they are asked."""
        dump, segments = self.dump, self.segments
        yield self.in_place(known_hypotheses(dump)) + explain_tail(dump, self.first)
        yield self.by_function()
        yield self.by_fault_in_place()  # before flips, because a rare rounding also changes single bits
        yield explain_flips(dump, self.mismatches)
        yield self.by_undoing()
        yield explain_moved_bytes(dump)
        yield self.in_place(thread_orders(dump, dump.right, self.first))
        yield self.by_first_element()
        is_near = all(abs(segment.offset or 0) < FAR_WORDS for segment in segments)
        are_known = all(each.offset is not None and each.share == 1 and not each.varies for each in segments)
        if is_near and are_known and len(segments) <= MAX_IN_SENTENCE:
            yield explain_draws(dump, segments) or self.from_segments()
        if dump.size >= LOCATABLE_WORDS or not dump.is_of_words:
            yield self.placed([self.right])
        yield explain_draws(dump, segments)
        if is_near:
            yield self.from_segments()
        yield self.placed(self.candidates.one_fault)
        yield self.placed(self.candidates.functions(is_right=True))
        # If a part of the elements are words of the stream, no fault of the generator in all words is expected.
        near = [each for each in segments if each.offset is not None and abs(each.offset) < FAR_WORDS]
        if sum((each.stop - each.start) * each.share for each in near) <= dump.size * MAX_NEAR:
            yield explain_as_other(dump)
            if dump.size >= (BLOCK_WORDS if dump.is_of_words else MIN_NUMBERS):
                hypotheses = self.two_parts()
                yield self.in_place(hypotheses)
                yield self.placed(hypotheses)
                yield from (self.in_place(self.with_parameters(fault)) for fault in common(all_faults()))
        yield self.from_segments()
        yield _best(self.partial)

    # The comparison of hypotheses with all elements

    def in_place(self, hypotheses: Iterable[Hypothesis]) -> list[Finding]:
        """The hypotheses with the fewest parts that give every element."""
        dump = self.dump
        starts = [max(place, 0) for place in (self.first, 0, self.first - PROBE, dump.size - PROBE)]
        index = np.concatenate([np.arange(start, min(start + PROBE, dump.size), dtype=np.int64) for start in starts])
        got = dump.at(index)
        remaining = [each for each in hypotheses if each.gives(dump, index, got)]
        for position, piece in dump.pieces() if remaining else ():
            index = np.arange(position, position + piece.size, dtype=np.int64)
            remaining = [each for each in remaining if each.gives(dump, index, piece)]
        return _best([(0, _parts(dump, each), finding_of(each)) for each in remaining])

    def placed(self, hypotheses: list[Hypothesis]) -> list[Finding]:
        """Each hypothesis with the place that fits best, and what covers the rest."""
        fits = (self.right_fit if each == self.right else PlaceFit(self.dump, each) for each in hypotheses)
        placed = (fit.fitted() for fit in fits)
        return self.covered(each for each in placed if each and each != self.right)

    def covered(self, hypotheses: Iterable[Hypothesis]) -> list[Finding]:
        """The hypotheses that explain all elements, with what covers the rest. The others are kept for the end."""
        scored = [each for each in map(self._score, hypotheses) if each]
        self.partial += [each for each in scored if each[0]]
        return _best([each for each in scored if not each[0]])

    def _score(self, hypothesis: Hypothesis) -> Scored | None:
        """How many elements a hypothesis does not explain, how much it assumes, and the finding. None if it is not
        proved, or if it explains no more than right words at other places do."""
        dump, covering = self.dump, Covering(self.dump, hypothesis)
        margin = min(min_elements(dump, hypothesis.function), dump.size)
        left = covering.wrong - covering.right
        gained = self.mismatches - left
        if not covering.is_proved() or gained < (3 * covering.foreign if covering.is_scattered else margin):
            return None
        if hypothesis.variant == RIGHT and hypothesis.function is dump.right:
            if covering.unexplained * 2 > dump.size:
                return None
            self.mismatches = min(self.mismatches, left)
        place = hypothesis.place
        if covering.is_padded and place and place.padded:
            name, sentence = place.padded
            hypothesis = hypothesis._replace(place=place._replace(name=name, explanation=sentence))
        name, sentence = finding_of(hypothesis)
        return covering.unexplained, _parts(dump, hypothesis), Finding(name, f"{sentence}{covering.text()}")

    # Hypotheses

    @cached_property
    def right_fit(self) -> PlaceFit:
        return PlaceFit(self.dump, self.right)

    @cached_property
    def candidates(self) -> Candidates:
        return Candidates(self.dump, self.first, self.right_fit.table)

    def two_parts(self) -> list[Hypothesis]:
        """Two faults of the generator, or one and a function."""
        hypotheses = [*self.candidates.two_faults(), *self.candidates.functions(is_right=False)]
        hypotheses = [each for each in hypotheses if min_elements(self.dump, each.function) <= self.dump.size]
        return hypotheses[: 2 * MAX_CANDIDATES]

    def with_parameters(self, fault: Hypothesis) -> Iterator[Hypothesis]:
        """Functions with a parameter of the words of a faulty generator."""
        for each in fit_parameters(self.dump, fault.variant, np.arange(min(self.dump.size, SAMPLE))):
            yield each._replace(faults=fault.faults)

    # Other findings

    def by_function(self) -> list[Finding]:
        """The functions that give all wrong elements, whichever elements they were applied to."""
        dump, first = self.dump, self.first
        got = dump.at(np.arange(first, min(first + SAMPLE, dump.size)))
        places = first + np.flatnonzero(got != dump.right_elements(first, got.size))
        few = places[:FIRST_WRONG]
        hypotheses = fit_parameters(dump, RIGHT, places)
        if dump.is_of_words and np.unique(got[places - first]).size >= MIN_DISTINCT:
            known = (Hypothesis(function=each) for each in word_functions())
            hypotheses += [each for each in known if each.gives(dump, few, dump.at(few))]
        exact = [each for each in hypotheses if not each.function.tolerance]
        return self.in_place(hypotheses) or self.covered(exact)

    def by_first_element(self) -> list[Finding]:
        """A function that gives the first element, with a place or a fault of the counter that leaves it right."""
        dump, hypotheses, words = self.dump, list[Hypothesis](), words_from(self.dump.state, 0, 2)
        distinct = np.unique(dump.head(SAMPLE)).size
        for function in (dump.rules[1:] or word_functions()) if self.first == 0 else ():
            is_first = np.array_equal(elements_of(words[: function.width], function), dump.head(1))
            if is_first and distinct >= min_elements(dump, function):
                made = elements_of(words_from(dump.state, 0, function.width * min(dump.size, SAMPLE)), function)
                places = (Hypothesis(place=each) for each in known_places(dump, function.width))
                orders = thread_orders(dump, function, int(np.argmax(made != dump.head(SAMPLE))))
                hypotheses += (each._replace(function=function) for each in (*places, *orders, *counting_part()))
        return self.in_place(hypotheses)

    def by_fault_in_place(self) -> list[Finding]:
        """One fault of the generator that gives every element in its place, or another start."""
        found = self.in_place(self.candidates.one_fault)
        first, *others = self.segments
        if others or not first.offset or first.varies or self.dump.size < LOCATABLE_WORDS:
            return found
        start = describe_start(self.dump.state, first.offset, self.dump.unit)
        # A fault may begin by chance where a start elsewhere is likely too.
        return [*found, start] if abs(first.offset) >= FAR_WORDS else [start, *found]

    def by_undoing(self) -> list[Finding]:
        """A fault of the file that can be undone, with what explains the words then."""
        for fault, values in undone_files(self.dump):
            dump = Dump(self.dump.state, values)
            wrong = np.flatnonzero(dump.head(values.size) != dump.right_elements(0, values.size))
            if not wrong.size:
                return [fault]
            for found in diagnose(dump, int(wrong[0]), wrong.size, find_segments(dump)):
                text = f"There are 2 faults at once. {fault.sentence} Then: {found.sentence}"
                return [Finding(f"{fault.name}+{found.name}", text)]
        return []

    def from_segments(self) -> list[Finding]:
        """What the segments say."""
        dump = self.dump
        return explain_segments(self.segments, dump.size, self.mismatches, dump.unit, counter_of(dump.state))


def known_hypotheses(dump: Dump) -> Iterator[Hypothesis]:
    """The hypotheses of one part that are compared with each element first."""
    right = Hypothesis(function=dump.right)
    yield from (each._replace(function=dump.right) for each in all_faults() if each.name in COMMON)
    yield from (right._replace(place=place) for place in known_places(dump, dump.right.width))
    head = np.unique(dump.head(SAMPLE))
    # Rules whose results overflow give the same numbers for any words.
    if head.size >= MIN_DISTINCT or dump.size >= MIN_ELEMENTS and head.size > 1:
        yield from (right._replace(function=each) for each in dump.rules[1:] or word_functions())


def words_with_fault(finding: tuple[str, str], state: State, sizes: Shape, count: int) -> NDArray[Any] | None:
    """The first `count` words of a draw with the one fault that a finding names. None if that is not known."""
    dump = Dump(state, np.broadcast_to(np.uint32(0), sizes))
    hypotheses = (
        *all_faults(),
        *(Hypothesis(place=place) for place in known_places(dump, 1)),
        *(Hypothesis(function=each) for each in word_functions()),
    )
    for each in hypotheses:
        if finding_of(each) == finding:
            return each.elements(dump, np.arange(count, dtype=np.int64))
    return None


def _parts(dump: Dump, hypothesis: Hypothesis) -> int:
    """How much a hypothesis assumes: twice its parts, and once more for each fault that is not common."""
    parts = len(hypothesis.faults) + (hypothesis.function is not dump.right)
    place = 0 if hypothesis.place is None else hypothesis.place.cost
    return 2 * parts + place + sum(each.name not in COMMON for each in hypothesis.faults)


def _best(scored: list[Scored]) -> list[Finding]:
    """The findings that leave the fewest elements unexplained, with the fewest parts: one of the same names.

    Faults of one name that give the same words are variations of one thing.
    """
    best = min((each[:2] for each in scored), default=None)
    named: dict[frozenset[str], Finding] = {}
    for unexplained, parts, finding in scored:
        if (unexplained, parts) == best:
            named.setdefault(frozenset(finding.name.split("+")), finding)
    return list(named.values())


# Sentences


def finding_of(hypothesis: Hypothesis) -> Finding:
    """The name and the sentence of a hypothesis."""
    faults, place, function = [*hypothesis.faults], hypothesis.place, hypothesis.function
    if place is not None and place.name:
        faults.append(Finding(place.name, place.explanation))
    if function.name:
        if not faults:
            return Finding(function.name, function.sentence())
        stores = f"The generator stores each {function.unit} as {function.expression}"
        faults.append(Finding(function.name, f"{stores}: {function.remedy}."))
    if len(faults) == 1:
        return faults[0]
    text = " ".join(each.sentence for each in faults)
    return Finding("+".join(each.name for each in faults), f"There are {len(faults)} faults at once. {text}")
