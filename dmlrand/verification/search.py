"""Explain a dump by four parts: a generator, a place for each element, a function of words, and what covers the rest.

Generators and functions are tried on a few blocks: the elements that they make are looked up anywhere in the dump.
For those that are found, the positions of the dump's elements in the stream give the place. Every explanation is then
compared with all elements. Explanations with fewer parts come first, and all that tie are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, cached_property

import numpy as np

from ..state import counter_of
from .candidates import MAX_CANDIDATES, Candidates, hypothesis_of, mixing_generators
from .covering import Covering, explain_flips, explain_tail, min_elements
from .dump import RIGHT, Dump, Hypothesis
from .files import explain_moved_bytes, undone_files
from .functions.conversions import WordFunction
from .functions.fitting import MIN_DISTINCT_WORDS, fit_mask, fit_parameters, inverted_bits
from .functions.numbers import word_functions
from .generators.fault_models import WORD_FAULT_MODELS
from .generators.variants import FaultModel, WordVariant
from .inverse import LOCATABLE_WORDS
from .others import explain_as_other
from .places.draws import equal_draws, explain_draws, thread_orders
from .places.fitting import PlaceFit
from .places.known import known_places
from .places.segments import find_segments
from .places.strides import describe_start, padded_rows, rows_in_place
from .report.result import Finding, Segment
from .report.segment_text import explain_segments

PROBE = 32  # elements compared first at each of four places, because nearly all faults fail there
BLOCK_WORDS = 4  # fewer words would fit many wrong constants and pairs of faults
MIN_NUMBERS = 4  # fewer numbers would fit a wrong rule by chance
MAX_NEAR = 0.25  # of the elements may be words of the stream if a fault of all words is searched
FAR_WORDS = 1 << 32  # words moved this far are named after faults of the generator that give the same elements
# Functions of some words
SAMPLE_WORDS = 1 << 14  # from the first wrong word on
FIRST_WORDS = 64  # compared first, because most functions fail there
MIN_WRONG_WORDS = 3
HOLE_SHARE = 0.9  # of the words between the first and the last wrong word are wrong
# A function with few results, such as 0 for half of all words, is proved by the words it was applied to instead.
MIN_ALTERED_WORDS = 32


def diagnose(dump: Dump, first: int, mismatches: int, segments: tuple[Segment, ...]) -> list[Finding]:
    """The explanations of all elements with the fewest parts. `first` is the flat index of the first wrong one."""
    with np.errstate(all="ignore"):  # of numbers that are too large for a type
        return next(filter(None, Search(dump, first, mismatches, segments).steps()), [])


class Search:
    """The search for one dump."""

    def __init__(self, dump: Dump, first: int, mismatches: int, segments: tuple[Segment, ...]) -> None:
        self.dump, self.first, self.mismatches, self.segments = dump, first, mismatches, segments
        self.right = Hypothesis(function=dump.right)
        self.partial: list[tuple[int, int, Finding]] = []  # elements not explained, parts, finding

    def steps(self) -> Iterator[list[Finding]]:
        """The findings of each search, those for simple explanations first. Later ones run only if they are asked."""
        dump, segments = self.dump, self.segments
        yield self.in_place(self.known_faults()) + explain_tail(dump, self.first)
        yield self.by_function_of_some_words()
        yield self.by_fault_in_place()  # before flips, because a rare rounding also changes single bits
        yield explain_flips(dump, self.mismatches)
        yield self.by_undoing()
        yield explain_moved_bytes(dump)
        if dump.size >= LOCATABLE_WORDS or not dump.is_of_words:
            yield self.placed(self.of_skipped_blocks())
            yield self.placed([*self.of_lanes(), self.right])
        yield self.by_pattern()
        yield self.anywhere(self.constants(with_fault=False))
        yield self.in_place(thread_orders(dump))
        yield self.in_place(equal_draws(dump, self.first)) or explain_draws(dump, segments)
        if all(abs(segment.offset or 0) < FAR_WORDS for segment in segments):
            yield self.from_segments()
        yield self.placed(self.candidates.one_fault)
        yield self.placed(self.candidates.functions(is_right=True)) or self.in_place(fit_parameters(dump, RIGHT))
        # If a part of the elements are words of the stream, no fault of the generator in all words is expected.
        near = [each for each in segments if each.offset is not None and abs(each.offset) < FAR_WORDS]
        if sum((each.stop - each.start) * each.share for each in near) <= dump.size * MAX_NEAR:
            if dump.size >= (BLOCK_WORDS if dump.is_of_words else MIN_NUMBERS):
                yield self.anywhere(self.two_parts())
                yield from (self.in_place(self.with_parameters(fault)) for fault in mixing_generators())
            yield explain_as_other(dump)
            yield self.anywhere(self.constants(with_fault=True))
        yield self.from_segments()
        yield _best(self.partial)

    # The comparison of hypotheses with all elements

    def anywhere(self, hypotheses: list[Hypothesis]) -> list[Finding]:
        return self.in_place(hypotheses) or self.placed(hypotheses)

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
        """Each hypothesis with the place that fits best, and what covers the rest.

        Those that explain all elements are returned. The others are kept for the end of the search.
        """
        scored = [each for each in map(self._score, hypotheses[: 2 * MAX_CANDIDATES]) if each]
        self.partial += [each for each in scored if each[0]]
        return _best([each for each in scored if not each[0]])

    def _score(self, hypothesis: Hypothesis) -> tuple[int, int, Finding] | None:
        """How many elements a hypothesis does not explain at the place that fits best, how much it assumes, and the
        finding. None if it is not proved, or segments say more."""
        dump = self.dump
        fit = self.right_fit if hypothesis == self.right else PlaceFit(dump, hypothesis)
        placed = fit.fitted()
        if placed is None or placed == self.right:
            return None
        place, covering = placed.place, Covering(dump, placed)
        is_proved = covering.is_proved() and self._adds(placed, covering)
        is_place = placed.variant == RIGHT and placed.function is dump.right
        if is_place:
            self.mismatches = min(self.mismatches, covering.wrong)
        is_padding, unexplained = covering.is_padding(), covering.foreign
        if not is_proved or is_place and unexplained * 2 > dump.size and not is_padding:
            return None
        if place is not None and is_padding:
            placed = placed._replace(place=padded_rows(place, covering.between_rows(), dump))
            # Two faults that give all elements explain more than one that gives only the smaller part of them.
            if placed.variant == RIGHT or not place.has_one_row(dump) or 2 * unexplained <= dump.size:
                unexplained = 0
        elif is_place and place is not None and self._are_few_runs(place.few_runs):
            return None
        name, sentence = finding_of(placed)
        return unexplained, _parts(dump, placed), Finding(name, f"{sentence}{covering.text()}")

    def _are_few_runs(self, most: int) -> bool:
        """Whether the dump has so few segments, and all are of the stream."""
        are_known = all(each.offset is not None and each.share == 1 and not each.varies for each in self.segments)
        return are_known and len(self.segments) <= most

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

    # Hypotheses

    def known_faults(self) -> Iterator[Hypothesis]:
        """The faults of the catalogue, and other rules of numbers."""
        dump = self.dump
        places = {place.name: place for place in known_places(dump, dump.right.width)}
        for model in WORD_FAULT_MODELS:
            is_place = model.name in places
            yield self.right._replace(place=places[model.name]) if is_place else hypothesis_of(model, dump.right)
        # Rules whose results overflow give the same numbers for any words.
        if dump.size >= MIN_NUMBERS and np.unique(dump.head(MIN_NUMBERS)).size > 1:
            for rule in dump.rules[1:] or [each for each in word_functions() if each.width > 1]:
                yield self.right._replace(function=rule)

    @cached_property
    def right_fit(self) -> PlaceFit:
        return PlaceFit(self.dump, self.right)

    def of_skipped_blocks(self) -> list[Hypothesis]:
        """The generator that skips the first block, if that is nowhere in the dump."""
        found = self.right_fit.positions[self.right_fit.known]
        return [self.of("first-block-skipped")] if found.size and found.min() == 4 else []

    def of_lanes(self) -> list[Hypothesis]:
        """The generator that reverses lanes, if most words are one before their neighbours."""
        is_reversed = np.mean(np.diff(self.right_fit.positions) == -1) > 0.5
        return [self.of("lanes-reversed")] if is_reversed else []

    def of(self, name: str) -> Hypothesis:
        """A fault of the catalogue."""
        return hypothesis_of(next(model for model in WORD_FAULT_MODELS if model.name == name), self.dump.right)

    @cached_property
    def candidates(self) -> Candidates:
        return Candidates(self.dump, self.first, self.right_fit.table)

    def constants(self, with_fault: bool) -> list[Hypothesis]:
        is_enough = self.dump.size * self.dump.right.width >= BLOCK_WORDS
        return self.candidates.constants(with_fault) if is_enough else []

    def two_parts(self) -> list[Hypothesis]:
        """Two faults of the generator, or one and a function."""
        hypotheses = [*self.candidates.two_faults(), *self.candidates.functions(is_right=False)]
        return [each for each in hypotheses if min_elements(self.dump, each.function) <= self.dump.size]

    def with_parameters(self, fault: FaultModel[WordVariant]) -> Iterator[Hypothesis]:
        """Functions with a parameter of the words of a faulty generator."""
        for each in fit_parameters(self.dump, fault.variant):
            yield each._replace(faults=((fault.name, fault.explanation),))

    # Other findings

    def by_function_of_some_words(self) -> list[Finding]:
        """The function that gives all wrong words, whichever words it was applied to."""
        dump, first = self.dump, self.first
        got = dump.at(np.arange(first, min(first + SAMPLE_WORDS, dump.size)))
        right = dump.right_elements(first, got.size)
        places = np.flatnonzero(got != right)
        values = np.unique(got[places])
        # If one constant overwrote a range, no function of words was applied.
        is_hole = values.size == 1 and places.size > HOLE_SHARE * places[-1]
        if not dump.is_of_words or places.size < MIN_WRONG_WORDS or is_hole:
            return []

        def gives(each: WordFunction, count: int) -> bool:
            return np.array_equal(each.function(right[places[:count]]), got[places[:count]])

        known = [each for each in word_functions() if each.width == 1]
        functions = [inverted_bits(right[places], got[places]), *known, *fit_mask(right[places], got[places])]
        fitting = [each for each in functions if gives(each, FIRST_WORDS) and gives(each, places.size)]
        # A function of all words says more than one of some: w & ~1 more than w ^ 1 for the odd words.
        fitting.sort(key=lambda each: not np.array_equal(each.function(right), got))
        for each in fitting:
            covering = Covering(dump, Hypothesis(function=each))
            is_of_all = (
                not covering.wrong and dump.size >= MIN_ALTERED_WORDS and np.unique(each.function(right)).size > 1
            )
            others_are_right = all(segment.offset is not None for segment in covering.segments)
            if others_are_right and (values.size >= MIN_DISTINCT_WORDS or is_of_all):
                lanes = sorted({*((first + places) % 4).tolist()})
                where = f", in lane{'s' * (len(lanes) > 1)} {', '.join(map(str, lanes))}," if len(lanes) < 4 else ""
                sentence = each.sentence()
                if covering.wrong:
                    sentence = sentence.replace("Every word", f"Each wrong word{where}")
                return [Finding(each.name, sentence + covering.text())]
        return []

    def by_fault_in_place(self) -> list[Finding]:
        """One fault of the generator that gives every element in its place, or another start."""
        found = self.in_place(self.candidates.one_fault)
        first, *others = self.segments
        if others or not first.offset or first.varies or self.dump.size < LOCATABLE_WORDS:
            return found
        start = Finding(*describe_start(self.dump.state, first.offset, self.dump.unit))
        blocks = abs(first.offset) // 4
        if not found or blocks >= FAR_WORDS // 4 and blocks & blocks - 1:
            return [*found, start]
        # A fault may begin by chance where a start elsewhere is likely too.
        return [start._replace(sentence=f"{start.sentence} The same words come from this fault: {found[0].sentence}")]

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


def _parts(dump: Dump, hypothesis: Hypothesis) -> int:
    """How much a hypothesis assumes: twice its parts, and once more for each fault that is not in the catalogue."""
    parts = len(hypothesis.faults) + (hypothesis.function is not dump.right)
    place = 0 if hypothesis.place is None else hypothesis.place.cost
    return 2 * parts + place + sum(_rank(name) == len(WORD_FAULT_MODELS) for name, _ in hypothesis.faults)


def _best(scored: list[tuple[int, int, Finding]]) -> list[Finding]:
    """The findings that leave the fewest elements unexplained, with the fewest parts: one of each name.

    Faults of one name that give the same words are variations of one thing.
    """
    best = min((each[:2] for each in scored), default=None)
    named: dict[str, Finding] = {}
    for unexplained, parts, finding in scored:
        if (unexplained, parts) == best:
            named.setdefault(finding.name, finding)
    return list(named.values())


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
