"""Explain a dump by four parts: a generator, a place for each element, a function of words, and what covers the rest.

Generators and functions are tried on a few blocks: the elements that they make are looked up anywhere in the dump.
For those that are found, the positions of the dump's elements in the stream give the place. Every explanation is then
compared with all elements. Explanations with fewer parts come first, and all that tie are named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..philox import Words4
from ..state import distance_blocks, key_of, make_state
from .covering import Covering, explain_flips, explain_tail, min_elements
from .dump import RIGHT, Dump, Hypothesis, Place, Places
from .files import explain_file
from .functions.conversions import WordFunction
from .functions.fitting import explain_by_function, fit_parameters
from .functions.numbers import word_functions
from .generators.constants import two_wrong_constants, wrong_constants
from .generators.families import counting_faults, round_faults
from .generators.fault_models import WORD_FAULT_MODELS, FaultModel
from .generators.variants import Counting, Rounds, WordVariant
from .inverse import LOCATABLE_WORDS, locate_run
from .others import explain_as_other
from .places.fitting import fit_place, is_few_runs, look_up
from .places.strides import padded_rows
from .places.tables import NOT_FOUND, Table, share_found
from .places.threads import thread_orders
from .report.result import Finding, Segment
from .report.segment_text import explain_segments, format_count

WordFault = FaultModel[WordVariant]

PROBE = 32  # elements compared first at each of four places, because nearly all faults fail there
BLOCK_WORDS = 4  # fewer words would fit many wrong constants and pairs of faults
LOCATED_WORDS = 16  # looked up to find where the words start
MIN_NUMBERS = 4  # fewer numbers would fit a wrong rule by chance
FIRST_BLOCKS = 12  # of a generator, whose words are looked up in the dump
PAIR_BLOCKS = (0, 5)  # of two faults
MAX_SORTED = 1 << 18  # elements of a dump that are sorted
MAX_TABLE = 1 << 22  # elements of the right stream that are looked up; other generators are slower
MAX_CANDIDATES = 12
FAR_BLOCKS = 1 << 20  # a start this far away is a fault of the state rather than a wrong state
TABLE_ELEMENTS = 1 << 16  # searched beyond the tensor's own


def diagnose(dump: Dump, first: int, mismatches: int, segments: tuple[Segment, ...]) -> list[Finding]:
    """The explanations of all elements with the fewest parts. `first` is the flat index of the first wrong one."""
    search = Search(dump, first, mismatches)
    with np.errstate(all="ignore"):
        findings = search.known_faults()
    tail = explain_tail(dump, first)
    if findings or tail:
        return findings + tail
    steps: tuple[Callable[[], list[Finding]], ...] = (
        search.by_function,
        lambda: explain_flips(dump, mismatches),
        search.by_aligned_fault,
        search.by_place,
        search.by_constant,
        lambda: explain_file(dump),
        lambda: search.exact(thread_orders(dump)),
        lambda: explain_segments(segments, dump.size, mismatches, dump.unit),
        search.by_one_fault,
        *(() if _is_mostly_known(segments, dump.size) else search.later_steps()),
        search.best_partial,
    )
    for step in steps:
        with np.errstate(all="ignore"):  # of numbers that are too large for a type
            findings = step()
        if findings:
            return findings
    return []


def _is_mostly_known(segments: tuple[Segment, ...], size: int) -> bool:
    """Whether a part of the elements are words of the stream, so that no fault of all words is expected."""
    return sum((each.stop - each.start) * each.share for each in segments if each.offset is not None) > size / 16


class Search:
    """The steps of the search for one dump."""

    def __init__(self, dump: Dump, first: int, mismatches: int) -> None:
        self.dump, self.first, self.mismatches = dump, first, mismatches
        self.step = dump.right.width
        self.partial: list[tuple[int, int, Finding]] = []  # elements not explained, parts, finding

    def later_steps(self) -> tuple[Callable[[], list[Finding]], ...]:
        """The searches for which few words may be right."""
        return (
            self.by_number_rule,
            self.by_two_faults,
            self.by_fault_and_function,
            self.by_two_constants,
            lambda: explain_as_other(self.dump),
        )

    # Exact explanations

    def known_faults(self) -> list[Finding]:
        """The faults of the catalogue that give every element, and other rules of numbers."""
        hypotheses = [_of(model, self.dump.right) for model in WORD_FAULT_MODELS]
        rules = self.dump.rules[1:] if self.dump.size >= MIN_NUMBERS else ()
        return self.exact([*hypotheses, *(Hypothesis((), RIGHT, None, rule) for rule in rules)])

    def exact(self, hypotheses: Iterable[Hypothesis]) -> list[Finding]:
        """The hypotheses that give every element."""
        dump = self.dump
        index = self._probe()
        got = dump.at(index)
        remaining = [each for each in hypotheses if np.array_equal(each.elements(dump, index), got)]
        for position, piece in dump.pieces() if remaining else ():
            index = np.arange(position, position + piece.size, dtype=np.int64)
            remaining = [each for each in remaining if np.array_equal(each.elements(dump, index), piece)]
            if not remaining:
                break
        least = min((_parts(dump, each) for each in remaining), default=0)
        return list(dict.fromkeys(finding_of(each) for each in remaining if _parts(dump, each) == least))

    def _probe(self) -> Places:
        """Flat indexes at the beginning, around the first mismatch and at the end."""
        starts = [max(place, 0) for place in (self.first, 0, self.first - PROBE, self.dump.size - PROBE)]
        ranges = [np.arange(start, min(start + PROBE, self.dump.size), dtype=np.int64) for start in starts]
        return np.concatenate(ranges)

    def by_function(self) -> list[Finding]:
        return explain_by_function(self.dump, self.first)

    def elsewhere(self) -> tuple[int, list[Finding]]:
        """If the first words lie elsewhere in the key's stream: the distance in blocks, and the finding."""
        dump = self.dump
        if not dump.is_of_words or dump.size < LOCATABLE_WORDS:
            return 0, []
        try:
            place = locate_run(dump.head(LOCATED_WORDS).tolist(), key_of(dump.state))
        except ValueError:
            return 0, []
        lane = place.lane
        counter = (place.counter - bool(lane)) % (1 << 128)
        skipped = distance_blocks(dump.state, make_state(counter=counter, key=key_of(dump.state)))
        if lane == 0 and skipped in (0, 1):
            return 0, []  # first-block-skipped says more
        variant = WordVariant(Counting(skipped_blocks=skipped))
        explanation = (
            f"The words start at lane {lane} of counter {counter:#x}, {_format_distance(skipped)} the state's counter, "
            "and are right from there: check which state the generator was given, and how the call before advanced it."
        )
        place_later = Place("", lambda index: index + lane, "")
        distance = skipped - (1 << 128) * (skipped >> 127)
        return distance, self.exact([Hypothesis((("starts-elsewhere", explanation),), variant, place_later)])

    def by_constant(self) -> list[Finding]:
        return self._by_constants(wrong_constants)

    def by_two_constants(self) -> list[Finding]:
        return self._by_constants(two_wrong_constants)

    def _by_constants(self, search: Callable[..., Iterator[WordFault]]) -> list[Finding]:
        dump = self.dump
        first = dump.head(BLOCK_WORDS // self.step)
        if dump.size * self.step < BLOCK_WORDS:
            return []

        def gives(blocks: Words4) -> NDArray[np.bool_]:
            words = np.stack(np.broadcast_arrays(*blocks), -1).astype(np.uint32)
            fits: NDArray[np.bool_] = (self._made(words, dump.right) == first).all(1)
            return fits

        return self.exact(_of(model, dump.right) for model in search(dump.six, gives))

    # Composed explanations

    def by_place(self) -> list[Finding]:
        if self.dump.is_of_words and self.dump.size < LOCATABLE_WORDS:
            return []
        return self.resolve([Hypothesis((), RIGHT, None, self.dump.right)])

    @cached_property
    def _faults(self) -> list[WordFault]:
        return [*_catalogue(), *round_faults(), *counting_faults()]

    @cached_property
    def _aligned_faults(self) -> list[WordFault]:
        return self._aligned(self._faults)

    def by_aligned_fault(self) -> list[Finding]:
        """One fault of the generator that gives every element, or another start."""
        found = self.exact(_of(fault, self.dump.right) for fault in self._aligned_faults)
        skipped, elsewhere = self.elsewhere()
        return elsewhere + found if abs(skipped) < FAR_BLOCKS else found + elsewhere

    def by_one_fault(self) -> list[Finding]:
        """One fault of the generator, any place, and what covers the rest."""
        candidates = dict.fromkeys([*self._aligned_faults, *self._present(self._faults)])
        return self.resolve([_of(fault, self.dump.right) for fault in candidates])

    def by_number_rule(self) -> list[Finding]:
        """The right words, made into something else, at any place."""
        found = self.exact(self._proved(Hypothesis((), RIGHT, None, function) for function in self._functions()))
        if found:
            return found
        functions = [function for function in self._functions() if self._is_present(RIGHT, function)]
        found = self.resolve([Hypothesis((), RIGHT, None, function) for function in functions])
        return found or self.exact([*fit_parameters(self.dump, RIGHT)])

    def _proved(self, hypotheses: Iterable[Hypothesis]) -> Iterator[Hypothesis]:
        """Hypotheses of which the dump has enough different elements to be no chance."""
        return iter(hypotheses if np.unique(self.dump.head(256)).size > 2 and self.dump.size >= 32 else ())

    def by_two_faults(self) -> list[Finding]:
        if self.dump.size * self.step < BLOCK_WORDS:
            return []
        pairs = [*self._present_pairs()]
        found = self.exact(_of(pair, self.dump.right) for pair in pairs)
        return found or self.resolve([_of(pair, self.dump.right) for pair in pairs])

    def by_fault_and_function(self) -> list[Finding]:
        hypotheses = []
        for fault in _catalogue():
            made = self._head_words([fault])
            for function in self._functions():
                if self._is_present(fault.variant, function, made):
                    hypotheses.append(_of(fault, function))
        found = self.resolve(hypotheses[:MAX_CANDIDATES])
        for fault in () if found else _catalogue():
            fitted = [*fit_parameters(self.dump, fault.variant)]
            found += self.exact([each._replace(faults=((fault.name, fault.explanation),)) for each in fitted])
        return found

    def resolve(self, hypotheses: list[Hypothesis]) -> list[Finding]:
        """Each hypothesis with the place that fits best, and what covers the rest.

        Those that explain all elements are returned. The others are kept for best_partial.
        """
        explained: list[tuple[int, int, Finding]] = []
        for hypothesis in hypotheses[:MAX_CANDIDATES]:
            resolved = self._with_place(hypothesis)
            if resolved is None or resolved._replace(faults=()) == Hypothesis((), function=self.dump.right):
                continue
            covering = Covering(self.dump, resolved)
            few_runs = resolved.place is not None and is_few_runs(resolved.place, self.dump, resolved.function.width)
            proved = covering.is_proved() and self._adds(resolved, covering)
            if resolved.variant == RIGHT and resolved.function is self.dump.right:
                self.mismatches = min(self.mismatches, covering.wrong)
            if proved and not (few_runs and not covering.is_padding()):
                if resolved.place is not None and covering.is_padding():
                    padded = padded_rows(resolved.place, covering.between_rows(), self.dump.unit)
                    finding = finding_of(resolved._replace(place=padded))
                    explained.append((0, _parts(self.dump, resolved), finding))
                    continue
                finding = finding_of(resolved)
                finding = finding._replace(sentence=f"{finding.sentence}{covering.text()}")
                explained.append((covering.foreign, _parts(self.dump, resolved), finding))
        self.partial += [each for each in explained if each[0]]
        return _best([each for each in explained if not each[0]])

    def best_partial(self) -> list[Finding]:
        return _best(self.partial)

    def _adds(self, hypothesis: Hypothesis, covering: Covering) -> bool:
        """Whether each part explains elements that the others alone do not."""
        margin = min(min_elements(self.dump), self.dump.size)
        if covering.wrong + margin > self.mismatches:
            return False
        plain = Hypothesis((), RIGHT, None, self.dump.right)
        for part in ("variant", "place", "function"):
            simpler = hypothesis._replace(**{part: getattr(plain, part)})
            if simpler != hypothesis and simpler.function.width == hypothesis.function.width:
                if covering.wrong + margin > Covering(self.dump, simpler).wrong:
                    return False
        return True

    def _with_place(self, hypothesis: Hypothesis) -> Hypothesis | None:
        dump = self.dump
        margin = dump.size + TABLE_ELEMENTS if hypothesis.variant == RIGHT else 0
        most = MAX_TABLE if hypothesis.variant == RIGHT else MAX_SORTED
        count = min(max(4 * dump.size, margin, 1024) * hypothesis.function.width, most)
        table = Table(dump, hypothesis, count)
        if not table.is_useful:
            return None
        try:
            place = fit_place(dump, hypothesis, look_up(dump, table))
        except LookupError:
            return None
        return hypothesis._replace(place=place)

    # Candidates

    @cached_property
    def _sorted(self) -> NDArray[Any]:
        """The elements that are not in the right stream, sorted: only they say anything of other generators."""
        elements = self._head
        wrong = elements[elements != self.dump.right_elements(0, elements.size)]
        count = min(2 * elements.size + TABLE_ELEMENTS, MAX_SORTED) * self.step
        table = Table(self.dump, Hypothesis((), RIGHT, None, self.dump.right), count)
        foreign = wrong[table.find(wrong) == NOT_FOUND]
        return np.sort(foreign if foreign.size else elements[:1])

    @cached_property
    def _chance(self) -> float:
        """That an element of another generator is in the dump."""
        return float(min(1.0, self._sorted.size / 2.0**self.dump.known_bits))

    def _least(self, tried: int, candidates: int) -> int:
        """How many of so many elements must be found, so that less than one candidate in ten has them by chance."""
        chance = self._chance
        return next((k for k in range(1, tried + 1) if comb(tried, k) * chance**k * candidates < 0.1), tried + 1)

    def _functions(self) -> tuple[WordFunction, ...]:
        return self.dump.rules[1:] if self.dump.rules else word_functions()

    def _aligned(self, faults: list[WordFault]) -> list[WordFault]:
        """The faults that give the elements around the first wrong one."""
        wrong = self._head != self.dump.right_elements(0, self._head.size)
        places = np.flatnonzero(wrong)
        middle = [int(places[0]), int(places[places.size // 2])] if places.size else []
        chosen: dict[WordFault, None] = {}
        for start in dict.fromkeys([self.first, *middle]):  # one wrong element must not hide a fault
            index = np.arange(start, min(start + 16, self.dump.size), dtype=np.int64)
            got = self.dump.at(index)
            for fault in faults:
                made = _of(fault, self.dump.right).elements(self.dump, index)
                if made[0] == got[0] and np.count_nonzero(made == got) * 4 >= 3 * got.size:
                    chosen[fault] = None
            if chosen:
                break
        return [*chosen]

    @cached_property
    def _head(self) -> NDArray[Any]:
        return self.dump.head(MAX_SORTED)

    def _head_words(self, faults: list[WordFault]) -> NDArray[np.uint32]:
        """The words of the first blocks of each generator: a row for each."""
        return np.stack([_words_of_blocks(fault.variant, self.dump, np.arange(FIRST_BLOCKS)) for fault in faults])

    def _present(self, faults: list[WordFault]) -> list[WordFault]:
        """The faults of which elements of the first blocks are anywhere in the dump."""
        made = self._made(self._head_words(faults), self.dump.right)
        least = self._least(made.shape[1], len(faults))
        # Faults that do not change the first blocks are no candidates: the right words there prove nothing.
        right = self._made(_words_of_blocks(RIGHT, self.dump, np.arange(FIRST_BLOCKS))[None], self.dump.right)
        counts = [share_found(self._sorted, row[row != right[0]]) for row in made]
        order = sorted(range(len(faults)), key=lambda i: -counts[i])
        return [faults[i] for i in order if counts[i] >= least][:MAX_CANDIDATES]

    def _made(self, words: NDArray[np.uint32], function: WordFunction) -> NDArray[Any]:
        """Elements of rows of words."""
        if function.width > 1:
            words = words.reshape(words.shape[0], -1, function.width)
        made: NDArray[Any] = function.function(np.ascontiguousarray(words))
        return made

    def _is_present(self, variant: WordVariant, function: WordFunction, words: Any = None) -> bool:
        if words is None:
            words = _words_of_blocks(variant, self.dump, np.arange(FIRST_BLOCKS))[None]
        made = self._made(words, function)[0]
        if np.unique(made).size * 4 < made.size:
            return False
        return share_found(self._sorted, made) >= self._least(made.size, 500)

    def _present_pairs(self) -> Iterator[WordFault]:
        """Two faults at once: elements of two blocks are looked up."""
        dump = self.dump
        counting = [fault for fault in _pair_countings() if fault.variant.rounds == Rounds()]
        blocks = np.array(PAIR_BLOCKS, np.uint64)
        inputs = [_inputs(fault.variant.counting, dump, blocks) for fault in counting]
        stacked = [np.stack([each[word] for each in inputs]) for word in range(6)]
        rounds = [fault for fault in (*_catalogue(), *round_faults()) if fault.variant.rounds != Rounds()]
        least = self._least(4 * len(PAIR_BLOCKS) // self.step, len(counting) * len(rounds))
        right = self._made(_words_of_blocks(RIGHT, dump, blocks)[None], dump.right)[0]
        for fault in rounds:
            made = np.stack(np.broadcast_arrays(*fault.variant.rounds.blocks(tuple(stacked))), -1)  # type: ignore[arg-type]
            elements = self._made(made.astype(np.uint32).reshape(len(counting), -1), dump.right)
            at = np.minimum(np.searchsorted(self._sorted, elements), self._sorted.size - 1)
            present = (self._sorted[at] == elements) & (elements != right)
            for number in np.flatnonzero(present.sum(1) >= least).tolist():
                yield _joined(counting[number], fault)
        for one, other in combinations(_catalogue(), 2):
            pair = _composed(one, other)
            if pair is not None:
                words = _words_of_blocks(pair.variant, dump, blocks)[None]
                if share_found(self._sorted, self._made(words, dump.right)[0]) >= least:
                    yield pair


def _parts(dump: Dump, hypothesis: Hypothesis) -> int:
    """How much a hypothesis assumes: twice its parts, and once more for each fault that is not in the catalogue."""
    parts = len(hypothesis.faults) + bool(hypothesis.place) + (hypothesis.function is not dump.right)
    return 2 * parts + sum(_rank(name) == len(WORD_FAULT_MODELS) for name, _ in hypothesis.faults)


def _best(explained: list[tuple[int, int, Finding]]) -> list[Finding]:
    """The findings that leave the fewest elements unexplained, with the fewest parts."""
    best = min((each[:2] for each in explained), default=None)
    return list(dict.fromkeys(finding for *score, finding in explained if tuple(score) == best))


def _inputs(counting: Counting, dump: Dump, blocks: NDArray[Any]) -> list[NDArray[np.uint64]]:
    made = counting.inputs(dump.six, blocks.astype(np.uint64))
    return [np.asarray(word) for word in made]


def _words_of_blocks(variant: WordVariant, dump: Dump, blocks: NDArray[Any]) -> NDArray[np.uint32]:
    made = variant.rounds.blocks(tuple(_inputs(variant.counting, dump, blocks)))  # type: ignore[arg-type]
    return np.stack(np.broadcast_arrays(*made), -1).astype(np.uint32).reshape(-1)


@cache
def _catalogue() -> tuple[WordFault, ...]:
    """The faults of the generator alone: neither places nor functions."""
    return tuple(
        model for model in WORD_FAULT_MODELS if model.variant.counting != Counting() or model.variant.rounds != Rounds()
    )


@cache
def _pair_countings() -> tuple[WordFault, ...]:
    return (*_catalogue(), *(fault for fault in counting_faults() if fault.name != "group-number-in-a-word"))


def _joined(one: WordFault, other: WordFault) -> WordFault:
    variant = one.variant._replace(rounds=other.variant.rounds)
    return FaultModel(f"{one.name}\n{other.name}", variant, f"{one.explanation}\n{other.explanation}")


def _composed(one: WordFault, other: WordFault) -> WordFault | None:
    """Two faults of the counting, or two of the rounds. None if both replace one step."""
    merged: list[Any] = []
    parts: list[tuple[Any, Any]] = [(one.variant.counting, other.variant.counting)]
    parts.append((one.variant.rounds, other.variant.rounds))
    for mine, others in parts:
        changed: dict[str, Any] = {}
        for field, default in type(mine)._field_defaults.items():
            a, b = getattr(mine, field), getattr(others, field)
            if a != default and b != default:
                if field != "read":
                    return None
                changed[field] = lambda words, first=a, second=b: second(first(words))
            else:
                changed[field] = b if a == default else a
        merged.append(type(mine)(**changed))
    variant = WordVariant(merged[0], merged[1])
    return FaultModel(f"{one.name}\n{other.name}", variant, f"{one.explanation}\n{other.explanation}")


def _of(fault: WordFault, function: WordFunction) -> Hypothesis:
    faults = zip(fault.name.split("\n"), fault.explanation.split("\n"))
    return Hypothesis(tuple(faults), fault.variant, None, function)


# Sentences


@cache
def _rank(name: str) -> int:
    return next((i for i, model in enumerate(WORD_FAULT_MODELS) if model.name == name), len(WORD_FAULT_MODELS))


def finding_of(hypothesis: Hypothesis) -> Finding:
    """The name and the sentence of a hypothesis."""
    faults = [*hypothesis.faults]
    if hypothesis.place is not None and hypothesis.place.name:
        faults.append((hypothesis.place.name, hypothesis.place.explanation))
    function = hypothesis.function
    if function.name == "bytes-swapped" and faults:
        faults.append(next((m.name, m.explanation) for m in WORD_FAULT_MODELS if m.name == function.name))
    faults.sort(key=lambda fault: _rank(fault[0]))
    if function.name and (function.name != "bytes-swapped" or not faults):
        unit = "number" if function.name == "other-uniform-rule" else "word"
        if not faults:
            return Finding(function.name, _about_function(function))
        faults.append((function.name, f"The generator stores each {unit} as {function.expression}: {function.remedy}."))
    if not faults:
        return Finding("", "")
    if len(faults) == 1:
        return Finding(*faults[0])
    name = "+".join(name for name, _ in faults)
    number = {2: "two", 3: "three"}.get(len(faults), str(len(faults)))
    if all(text.startswith("The generator ") for _, text in faults):
        return Finding(
            name, f"The generator has {number} faults: {', and '.join(_clause(text) for _, text in faults)}."
        )
    return Finding(name, f"There are {number} faults at once. {' '.join(text for _, text in faults)}")


def _about_function(function: WordFunction) -> str:
    number = function.expression
    if function.name == "other-uniform-rule":
        return (
            f"Every number is {number}, where w is the right word: the words are right, but the rule for "
            "numbers is not that of TensorFlow-DirectML, which takes the low 23 bits of w."
        )
    return f"Every word is stored as {number}, where w is the right word: {function.remedy}."


def _clause(explanation: str) -> str:
    """An explanation, which is "The generator does this: do that.", as a part of a longer sentence."""
    fault, _, remedy = explanation.removeprefix("The generator ").removesuffix(".").partition(": ")
    return f"it {fault} ({remedy})"


def _format_distance(blocks: int) -> str:
    if blocks == 0:
        return "the same block as"
    after = blocks <= 1 << 127
    count = blocks if after else (1 << 128) - blocks
    return f"{format_count(count)} {'block' if count == 1 else 'blocks'} {'after' if after else 'before'}"
