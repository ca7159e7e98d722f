"""Explain a dump by four parts: a generator, a place for each element, a function of words, and what covers the rest.

Generators and functions are tried on a few blocks: the elements that they make are looked up anywhere in the dump.
For those that are found, the positions of the dump's elements in the stream give the place. Every explanation is then
compared with all elements. Explanations with fewer parts come first, and all that tie are named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property

import numpy as np

from ..state import counter_of
from .candidates import (
    MAX_CANDIDATES,
    Candidates,
    WordFault,
    mixing_generators,
)
from .covering import Covering, explain_flips, explain_tail, min_elements
from .dump import RIGHT, Dump, Hypothesis
from .files import explain_moved_bytes, undone_files
from .functions.conversions import WordFunction
from .functions.fitting import fit_parameters
from .functions.in_place import explain_by_function
from .functions.numbers import word_functions
from .generators.fault_models import WORD_FAULT_MODELS
from .generators.variants import COUNTERS, Counting, WordVariant
from .inverse import LOCATABLE_WORDS
from .others import explain_as_other
from .places.catalogue import known_places
from .places.draws import equal_draws, explain_draws, thread_orders
from .places.fitting import PlaceFit
from .places.segments import find_segments
from .places.strides import describe_start, padded_rows, rows_in_place
from .report.result import Finding, Segment
from .report.segment_text import explain_segments

PROBE = 32  # elements compared first at each of four places, because nearly all faults fail there
BLOCK_WORDS = 4  # fewer words would fit many wrong constants and pairs of faults
MIN_NUMBERS = 4  # fewer numbers would fit a wrong rule by chance
MAX_NEAR = 0.25  # of the elements may be words of the stream if a fault of all words is searched
FAR_WORDS = 1 << 32  # words moved this far are named after faults of the generator that give the same elements


def diagnose(dump: Dump, first: int, mismatches: int, segments: tuple[Segment, ...]) -> list[Finding]:
    """The explanations of all elements with the fewest parts. `first` is the flat index of the first wrong one."""
    search = Search(dump, first, mismatches, segments)
    with np.errstate(all="ignore"):  # of numbers that are too large for a type
        known = search.known_faults() + explain_tail(dump, first)
        return known or next((found for step in search.steps() if (found := step())), [])


class Search:
    """The steps of the search for one dump."""

    def __init__(self, dump: Dump, first: int, mismatches: int, segments: tuple[Segment, ...]) -> None:
        self.dump, self.first, self.mismatches, self.segments = dump, first, mismatches, segments
        self.right = Hypothesis((), RIGHT, None, dump.right)
        self.partial: list[tuple[int, int, Finding]] = []  # elements not explained, parts, finding

    def steps(self) -> Iterator[Callable[[], list[Finding]]]:
        """The searches, those for simple explanations first."""
        dump, segments = self.dump, self.segments
        yield lambda: explain_by_function(dump, self.first)
        yield self.by_fault_in_place  # before flips, because a rare rounding also changes single bits
        yield lambda: explain_flips(dump, segments)
        yield self.by_undoing
        yield lambda: explain_moved_bytes(dump)
        if dump.size >= LOCATABLE_WORDS or not dump.is_of_words:
            yield lambda: self.resolve(self.of_skipped_blocks())
            yield lambda: self.resolve([*self.of_lanes(), self.right])
        yield self.by_pattern
        yield lambda: self.by_constants(with_fault=False)
        yield lambda: self.exact(thread_orders(dump))
        yield lambda: self.exact(equal_draws(dump, self.first)) or explain_draws(dump, segments)
        if all(abs(segment.offset or 0) < FAR_WORDS for segment in segments):
            yield self.from_segments
        yield lambda: self.resolve([_of(fault, dump.right) for fault in self.one_fault])
        yield self.by_function_of_right_words
        # If a part of the elements are words of the stream, no fault of the generator in all words is expected.
        near = [each for each in segments if each.offset is not None and abs(each.offset) < FAR_WORDS]
        if sum((each.stop - each.start) * each.share for each in near) <= dump.size * MAX_NEAR:
            yield self.by_two_parts
            yield lambda: explain_as_other(dump)
            yield lambda: self.by_constants(with_fault=True)
        yield self.from_segments
        yield lambda: _best(self.partial)

    # Exact explanations

    def known_faults(self) -> list[Finding]:
        """The faults of the catalogue that give every element, and other rules of numbers."""
        places = {place.name: place for place in known_places(self.dump, self.dump.right.width)}
        hypotheses = [
            self.right._replace(place=places[model.name]) if model.name in places else _of(model, self.dump.right)
            for model in WORD_FAULT_MODELS
        ]
        # Rules whose results overflow give the same numbers for any words.
        varies = np.unique(self.dump.head(MIN_NUMBERS)).size > 1
        others = self.dump.rules[1:] or [each for each in word_functions() if each.width > 1]
        rules = others if self.dump.size >= MIN_NUMBERS and varies else ()
        return self.exact([*hypotheses, *(self.right._replace(function=rule) for rule in rules)])

    def exact(self, hypotheses: Iterable[Hypothesis]) -> list[Finding]:
        """The hypotheses with the fewest parts that give every element."""
        dump = self.dump
        starts = [max(place, 0) for place in (self.first, 0, self.first - PROBE, dump.size - PROBE)]
        index = np.concatenate([np.arange(start, min(start + PROBE, dump.size), dtype=np.int64) for start in starts])
        got = dump.at(index)
        remaining = [each for each in hypotheses if each.gives(dump, index, got)]
        for position, piece in dump.pieces() if remaining else ():
            index = np.arange(position, position + piece.size, dtype=np.int64)
            remaining = [each for each in remaining if each.gives(dump, index, piece)]
            if not remaining:
                break
        least = min((_parts(dump, each) for each in remaining), default=0)
        return _one_of_each_name(finding_of(each) for each in remaining if _parts(dump, each) == least)

    def by_fault_in_place(self) -> list[Finding]:
        """One fault of the generator that gives every element in its place, or another start."""
        found = self.exact(_of(fault, self.dump.right) for fault in self.one_fault)
        first, *others = self.segments
        if others or not first.offset or first.varies or self.dump.size < LOCATABLE_WORDS:
            return found
        start = Finding(*describe_start(self.dump.state, first.offset, self.dump.unit))
        blocks = abs(first.offset) // 4
        if not found or blocks >= FAR_WORDS // 4 and blocks & blocks - 1:
            return [*found, start]
        # A fault may begin by chance where a start elsewhere is likely too.
        return [start._replace(sentence=f"{start.sentence} The same words come from this fault: {found[0].sentence}")]

    def by_constants(self, with_fault: bool) -> list[Finding]:
        """A wrong constant, with another fault or a function, at any place."""
        if self.dump.size * self.dump.right.width < BLOCK_WORDS:
            return []
        return self.by_hypotheses([_of(fault, function) for fault, function in self.candidates.constants(with_fault)])

    def by_hypotheses(self, hypotheses: list[Hypothesis]) -> list[Finding]:
        return self.exact(hypotheses) or self.resolve(hypotheses)

    def by_undoing(self) -> list[Finding]:
        """A fault of the file that can be undone, with what explains the words then."""
        for fault, values in undone_files(self.dump):
            dump = Dump(self.dump.state, values)
            wrong = np.flatnonzero(dump.head(values.size) != dump.right_elements(0, values.size))
            if not wrong.size:
                return [fault]
            for found in diagnose(dump, int(wrong[0]), wrong.size, find_segments(dump)):
                text = f"There are two faults at once. {fault.sentence} Then: {found.sentence}"
                return [Finding(f"{fault.name}+{found.name}", text)]
        return []

    def by_pattern(self) -> list[Finding]:
        """Rows of right elements in their places, between other elements."""
        place = rows_in_place(self.dump)
        if place is None:
            return []
        hypothesis, fit = self.right._replace(place=place), self.right_fit
        covering = Covering(self.dump, hypothesis)
        if not (covering.is_padding() and covering.is_proved()):
            return []
        moved = fit.known & (fit.positions != fit.sample * fit.width)
        is_order = np.count_nonzero(moved) > np.count_nonzero(~fit.known)
        between = "words of the stream in another order" if is_order else covering.between_rows()
        name, sentence = finding_of(hypothesis._replace(place=padded_rows(place, between, self.dump)))
        return [Finding(name, sentence + covering.text())]

    def from_segments(self) -> list[Finding]:
        """What the segments say."""
        dump = self.dump
        return explain_segments(self.segments, dump.size, self.mismatches, dump.unit, counter_of(dump.state))

    # Composed explanations

    @cached_property
    def right_fit(self) -> PlaceFit:
        return PlaceFit(self.dump, self.right)

    def of_skipped_blocks(self) -> list[Hypothesis]:
        """The generator that skips the first block, if that is nowhere in the dump, or that starts far away."""
        *header, last = self.segments
        first = last.start + (last.offset or 0)
        if header and abs(first) >= FAR_WORDS and first % 4 == 0 and all(each.offset is None for each in header):
            fault = describe_start(self.dump.state, first, self.dump.unit)
            variant = WordVariant(Counting(skipped_blocks=first // 4 % COUNTERS))
            return [Hypothesis((fault,), variant, None, self.dump.right)]
        found = self.right_fit.positions[self.right_fit.known]
        return [self.of("first-block-skipped")] if found.size and found.min() == 4 else []

    def of_lanes(self) -> list[Hypothesis]:
        """The generator that reverses lanes, if most words are one before their neighbours."""
        is_reversed = np.mean(np.diff(self.right_fit.positions) == -1) > 0.5
        return [self.of("lanes-reversed")] if is_reversed else []

    def of(self, name: str) -> Hypothesis:
        """A fault of the catalogue."""
        return _of(next(model for model in WORD_FAULT_MODELS if model.name == name), self.dump.right)

    @cached_property
    def candidates(self) -> Candidates:
        return Candidates(self.dump, self.first)

    @cached_property
    def one_fault(self) -> list[WordFault]:
        return self.candidates.generators(1)

    def by_function_of_right_words(self) -> list[Finding]:
        """The right words, made into something else, at any place."""
        present = self.candidates.functions(is_right=True)
        found = self.resolve([self.right._replace(function=function) for _, function in present])
        return found or self.exact([*fit_parameters(self.dump, RIGHT)])

    def by_two_parts(self) -> list[Finding]:
        """Two faults of the generator, or one and a function, at any place."""
        if self.dump.size < (BLOCK_WORDS if self.dump.is_of_words else MIN_NUMBERS):
            return []
        hypotheses = [_of(pair, self.dump.right) for pair in self.candidates.generators(2)]
        hypotheses += [_of(fault, function) for fault, function in self.candidates.functions(is_right=False)]
        hypotheses = [each for each in hypotheses if min_elements(self.dump, each.function) <= self.dump.size]
        found = self.by_hypotheses(hypotheses)
        for fault in () if found else mixing_generators():
            fitted = [*fit_parameters(self.dump, fault.variant)]
            found += self.exact([each._replace(faults=((fault.name, fault.explanation),)) for each in fitted])
        return found

    def resolve(self, hypotheses: list[Hypothesis]) -> list[Finding]:
        """Each hypothesis with the place that fits best, and what covers the rest.

        Those that explain all elements are returned. The others are kept for the end of the search.
        """
        explained: list[tuple[int, int, Finding]] = []
        for hypothesis in hypotheses[: 2 * MAX_CANDIDATES]:
            fit = self.right_fit if hypothesis == self.right else PlaceFit(self.dump, hypothesis)
            resolved = fit.fitted()
            if resolved is None or resolved == self.right:
                continue
            covering = Covering(self.dump, resolved)
            proved = covering.is_proved() and self._adds(resolved, covering)
            is_place = resolved.variant == RIGHT and resolved.function is self.dump.right
            if is_place:
                self.mismatches = min(self.mismatches, covering.wrong)
            if not proved:
                continue
            if is_place and covering.foreign * 2 > self.dump.size and not covering.is_padding():
                continue  # segments say more
            place, unexplained, text = resolved.place, covering.foreign, covering.text()
            if place is not None and covering.is_padding():
                resolved = resolved._replace(place=padded_rows(place, covering.between_rows(), self.dump))
                # Two faults that give all elements explain more than one that gives only the smaller part of them.
                if resolved.variant == RIGHT or not place.has_one_row(self.dump) or 2 * unexplained <= self.dump.size:
                    unexplained = 0
            elif is_place and place is not None and place.is_few_runs(self.dump, resolved.function.width):
                continue
            name, sentence = finding_of(resolved)
            explained.append((unexplained, _parts(self.dump, resolved), Finding(name, f"{sentence}{text}")))
        self.partial += [each for each in explained if each[0]]
        return _best([each for each in explained if not each[0]])

    def _adds(self, hypothesis: Hypothesis, covering: Covering) -> bool:
        """Whether each part explains elements that the others alone do not."""
        margin = min(min_elements(self.dump, hypothesis.function), self.dump.size)
        if covering.wrong + margin > self.mismatches:
            return False
        if covering.is_scattered() and self.mismatches - covering.wrong < 3 * covering.foreign:
            return False  # some elements fit another fault too
        for part in ("variant", "place", "function"):
            simpler = hypothesis._replace(**{part: getattr(self.right, part)})
            if simpler != hypothesis and simpler.function.width == hypothesis.function.width:
                if covering.wrong + margin > Covering(self.dump, simpler).wrong:
                    return False
        return True


def _parts(dump: Dump, hypothesis: Hypothesis) -> int:
    """How much a hypothesis assumes: twice its parts, and once more for each fault that is not in the catalogue."""
    parts = len(hypothesis.faults) + (hypothesis.function is not dump.right)
    place = 0 if hypothesis.place is None else hypothesis.place.cost
    return 2 * parts + place + sum(_rank(name) == len(WORD_FAULT_MODELS) for name, _ in hypothesis.faults)


def _best(explained: list[tuple[int, int, Finding]]) -> list[Finding]:
    """The findings that leave the fewest elements unexplained, with the fewest parts."""
    best = min((each[:2] for each in explained), default=None)
    return _one_of_each_name(finding for *score, finding in explained if tuple(score) == best)


def _one_of_each_name(findings: Iterable[Finding]) -> list[Finding]:
    """Faults of one name that give the same words are variations of one thing: the first is named."""
    named: dict[str, Finding] = {}
    for finding in findings:
        named.setdefault(finding.name, finding)
    return list(named.values())


def _of(fault: WordFault, function: WordFunction) -> Hypothesis:
    faults = zip(fault.name.split("\n"), fault.explanation.split("\n"))
    return Hypothesis(tuple(faults), fault.variant, None, function)


# Sentences


@cache
def _rank(name: str) -> int:
    return next((i for i, model in enumerate(WORD_FAULT_MODELS) if model.name == name), len(WORD_FAULT_MODELS))


def finding_of(hypothesis: Hypothesis) -> Finding:
    """The name and the sentence of a hypothesis."""
    faults, place, function = [*hypothesis.faults], hypothesis.place, hypothesis.function
    if place is not None and place.name:
        faults += zip(place.name.split("\n"), place.explanation.split("\n"))
    is_catalogued = _rank(function.name) < len(WORD_FAULT_MODELS)
    if is_catalogued:
        faults.append(next((name, text) for name, _, text in WORD_FAULT_MODELS if name == function.name))
    faults.sort(key=lambda fault: _rank(fault[0]))
    if function.name and not is_catalogued:
        if not faults:
            return Finding(function.name, function.sentence())
        stores = f"The generator stores each {function.unit} as {function.expression}"
        faults.append((function.name, f"{stores}: {function.remedy}."))
    name, texts = "+".join(name for name, _ in faults), [text for _, text in faults]
    if len(faults) < 2:
        return Finding(name, "".join(texts))
    number = {2: "two", 3: "three"}.get(len(faults), str(len(faults)))
    if all(text.startswith("The generator ") for text in texts):
        return Finding(name, f"The generator has {number} faults: {', and '.join(map(_clause, texts))}.")
    return Finding(name, f"There are {number} faults at once. {' '.join(texts)}")


def _clause(explanation: str) -> str:
    """An explanation, which is "The generator does this: do that.", as a part of a longer sentence."""
    fault, _, remedy = explanation.removeprefix("The generator ").removesuffix(".").partition(": ")
    return f"it {fault} ({remedy})"
