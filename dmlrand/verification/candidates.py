"""Which generators and functions may have made a dump: elements of a few of their blocks are looked up in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..philox import Words4
from ..state import key_of
from .dump import MAX_SORTED, RIGHT, Bits, Dump, Hypothesis, Lookup, elements_of, least_hits
from .functions.conversions import WordFunction
from .functions.numbers import common_functions, word_functions
from .generators.constants import CONSTANTS, constant_model, likely_values, with_constants
from .generators.fault_models import WORD_FAULT_MODELS, counting_faults, reading_faults, round_faults, wiring_faults
from .generators.inputs import faults_of_keys
from .generators.variants import Counting, FaultModel, Rounds, Words6, WordVariant
from .places.fitting import MORE_ELEMENTS, NOT_FOUND, Table

WordFault = FaultModel[WordVariant]
Pair = tuple[WordFault, WordFault]  # of the counting, and of the rounds
Made = tuple[list[Pair], NDArray[np.uint32]]
Product = tuple[list[WordFault], list[WordFault]]  # each fault of the counting or of constants, and of the rounds
NO_FAULT = FaultModel("", RIGHT, "")
FIRST_BLOCKS = (0, 5)  # looked up, besides those of three wrong elements
MAX_CANDIDATES = 12
# Fewer rounds make words that follow the counters and lanes so simply that a few of them, or a range, prove nothing.
MIN_ROUNDS = 4
# Readings of the state that may follow one another.
READINGS = {"counter-words-reversed", "key-words-reversed", "key-before-counter", "input-bytes-swapped"}
READINGS |= {"high-counter-words-ignored", "high-key-word-ignored", "counter-ignored", "another-key"}
READINGS |= {"input-words-zero"}
COMMON_ROUNDS = {"rounds-7", "rounds-9", "rounds-11"}  # that are searched with each product
NUMBER_RULES = 15  # of numbers that are searched with wrong constants
FEW_BLOCKS = 2  # of which elements with all likely constants are looked up first
CONSTANTS_TRIED = 1 << 20
FALSE_CANDIDATES = 0.1  # that are accepted in a search of foreign elements


class Candidates:
    """The search for generators and functions of which elements are anywhere in a dump."""

    def __init__(self, dump: Dump, first: int) -> None:
        head = dump.head(MAX_SORTED)
        wrong = np.flatnonzero(head != dump.right_elements(0, head.size))
        # Only elements that are not in the right stream say anything of other generators.
        right = Hypothesis((), RIGHT, None, dump.right)
        stream = Table(dump, right, min(2 * head.size + MORE_ELEMENTS, MAX_SORTED) * dump.right.width)
        foreign = wrong[stream.find(head[wrong]) == NOT_FOUND]
        self.foreign = Lookup(head[foreign])  # elements of the dump that no right element explains
        places = [first, *(listed[listed.size // 2] for listed in (wrong, foreign) if listed.size)]
        blocks = {int(place) * dump.right.width // 4 + more for place in places for more in (0, 1)}
        self.keys = list(faults_of_keys(key_of(dump.state)))
        self.dump, self.blocks = dump, np.array(sorted({*FIRST_BLOCKS, *blocks}), np.uint64)
        self.right = elements_of(_words(Rounds(), self._inputs([Counting()])), dump.right)[0]
        index = (self.blocks[:, None] * 4 + np.arange(0, 4, dump.right.width)).astype(np.int64) // dump.right.width
        index = index.ravel()
        self.got = dump.at(np.minimum(index, dump.size - 1))
        self.wrong = (index < dump.size) & (self.got != self.right)

    def generators(self, faults: int) -> list[WordFault]:
        """The generators with one or two faults that may have made elements in any place, the likeliest first."""
        pairs, words = self.one_fault if faults == 1 else self._made(_two_faults(self.keys))
        counts = self._counts(elements_of(words, self.dump.right), len(pairs), self.dump.right)
        found = [(int(counts[i]), pairs[i]) for i in np.flatnonzero(counts).tolist()]
        return [fault for (pair,) in _likeliest(found) if (fault := _composed(*pair))]

    def functions(self, is_right: bool) -> list[tuple[WordFault, WordFunction]]:
        """The functions that may have made elements in any place, of the right words, or with one fault."""
        pairs, words = self._made([([NO_FAULT], [NO_FAULT])]) if is_right else self.one_fault
        found: list[tuple[int, WordFault, WordFunction]] = []
        functions = self.dump.rules[1:] if self.dump.rules else word_functions()
        for function in functions:
            made = elements_of(words, function)
            if np.unique(made[0]).size * 4 >= made.shape[1]:
                counts = self._counts(made, len(functions) * len(pairs), function, in_place=False)
                chosen = ((i, _composed(*pairs[i])) for i in np.flatnonzero(counts).tolist())
                found += [(int(counts[i]), fault, function) for i, fault in chosen if fault]
        return _likeliest(found)

    @cached_property
    def one_fault(self) -> Made:
        return self._made(_one_fault(self.keys))

    def _made(self, products: Iterable[Product]) -> Made:
        """The pairs of products, and the words that each makes of the blocks: a row for each pair."""
        pairs: list[Pair] = []
        words = []
        for countings, all_rounds in products:
            inputs = self._inputs([each.variant.counting for each in countings])
            used = [(*each.variant.rounds.multipliers, *each.variant.rounds.key_steps) for each in countings]
            constants = dict(zip(CONSTANTS, np.array(used, np.uint64).T[:, :, None])) if len({*used}) > 1 else {}
            for rounds in all_rounds:
                pairs += [(counting, rounds) for counting in countings]
                variant = rounds.variant.rounds
                words.append(_words(with_constants(variant, constants) if _has_constants(rounds) else variant, inputs))
        return pairs, np.concatenate(words)

    def constants(self, with_fault: bool) -> list[tuple[WordFault, WordFunction]]:
        """Generators with one wrong constant: with a fault too, or with common functions of their words."""
        if with_fault:
            bases = [fault for fault in mixing_generators() if _has_constants(fault)]
            functions, wrong_digits = [self.dump.right], 1
        else:
            bases = [NO_FAULT]
            functions = [self.dump.right, *(self.dump.rules[1:NUMBER_RULES] or common_functions())]
            wrong_digits = 2
        found: list[tuple[int, WordFault, WordFunction]] = []
        for base, name in product(bases, CONSTANTS) if self.foreign.sorted.size else ():
            found += self._with_values(base, name, functions, wrong_digits)
        return _likeliest(found)

    def _with_values(
        self, base: WordFault, name: str, functions: Sequence[WordFunction], digits: int
    ) -> Iterator[tuple[int, WordFault, WordFunction]]:
        """The generators with another value of a constant, the functions, and how many elements they give."""
        inputs, values = self._inputs([base.variant.counting]), likely_values(CONSTANTS[name][0], digits)
        few = tuple(word[:, :FEW_BLOCKS] for word in inputs)
        words = _words(with_constants(base.variant.rounds, {name: values}), few)
        for function in functions:
            rows = np.flatnonzero(self.foreign.holds(elements_of(words, function)).any(1))
            if rows.size:
                chosen = with_constants(base.variant.rounds, {name: values[rows]})
                counts = self._counts(elements_of(_words(chosen, inputs), function), CONSTANTS_TRIED, function)
                for row in np.flatnonzero(counts).tolist():
                    model = constant_model(name, int(values[rows[row], 0]), base.variant.rounds)
                    yield (
                        int(counts[row]),
                        _joined(model, base, base.variant._replace(rounds=model.variant.rounds)),
                        function,
                    )

    def _inputs(self, countings: Sequence[Counting]) -> Words6:
        """The counters and keys of the blocks: a row for each counting."""
        inputs = [counting.inputs(self.dump.six, self.blocks) for counting in countings]
        return tuple(np.stack([each[word] for each in inputs]) for word in range(6))  # type: ignore[return-value]

    def _counts(self, made: Bits, candidates: int, function: WordFunction, in_place: bool = True) -> NDArray[np.int64]:
        """How many elements of each row are in the dump, or 0 if they may be there by chance."""
        counts = np.zeros(len(made), np.int64)
        if self.foreign.sorted.size:
            hits = self.foreign.holds(made)
            if in_place:
                hits &= made != self.right
            counts = hits.sum(1)
            if counts.any():
                chance = self.foreign.sorted.size / 2.0 ** self.dump.known_bits(function)
                counts[counts < least_hits(made.shape[1], chance, candidates, FALSE_CANDIDATES)] = 0
        if in_place and self.wrong.any():
            equal = ((made == self.got) & self.wrong).sum(1)
            counts = np.maximum(counts, np.where(equal * 4 >= 3 * np.count_nonzero(self.wrong), equal, 0))
            counts[counts > 0] += (made == self.got)[counts > 0].sum(1)  # of all elements in their places, first
        return counts


@cache
def catalogue_of_generators() -> tuple[WordFault, ...]:
    """The faults of the catalogue that are neither places nor functions."""
    return tuple(
        model for model in WORD_FAULT_MODELS if model.variant.counting != Counting() or model.variant.rounds != Rounds()
    )


@cache
def mixing_generators() -> tuple[WordFault, ...]:
    """The faults of the catalogue that leave at least MIN_ROUNDS rounds."""
    return tuple(fault for fault in catalogue_of_generators() if fault.variant.rounds.rounds >= MIN_ROUNDS)


def _likeliest(found: list[Any]) -> list[Any]:
    """The candidates of which most elements were found, without this number."""
    found.sort(key=lambda each: -each[0])
    return [each[1:] for each in found[:MAX_CANDIDATES]]


def _one_fault(keys: Sequence[WordFault]) -> Iterator[Product]:
    countings, rounds = _by_part(catalogue_of_generators())
    yield [*countings, *reading_faults(), *counting_faults(), *keys], [NO_FAULT]
    yield [NO_FAULT], [*rounds, *round_faults(), *wiring_faults()]


def _two_faults(keys: Sequence[WordFault]) -> Iterator[Product]:
    catalogue = mixing_generators()
    countings, rounds = _by_part(catalogue)
    others = [fault for fault in counting_faults() if fault.name != "group-number-in-a-word"]
    of_both_products = [fault for fault in round_faults() if len({*fault.variant.rounds.multiply}) == 1]
    of_constants = [fault for fault in rounds if with_constants(fault.variant.rounds, {}) == Rounds()]
    yield [*countings, *others, *reading_faults(), *keys, *of_constants], [*rounds, *of_both_products]
    readings = [fault for fault in catalogue if fault.name in READINGS]
    orders = [*combinations(catalogue, 2), *((later, earlier) for earlier, later in combinations(readings, 2))]
    orders += product(readings, [*others, *keys, *(fault for fault in reading_faults() if fault.name in READINGS)])
    products = [fault for fault in of_both_products if fault.variant.rounds.multiply != Rounds().multiply]
    orders += product((fault for fault in rounds if fault.name in COMMON_ROUNDS), products)
    countings, rounds = _by_part(filter(None, (_composed(one, other) for one, other in orders)))
    yield countings, [NO_FAULT]
    yield [NO_FAULT], rounds


def _by_part(faults: Iterable[WordFault]) -> Product:
    """The faults of the counting alone, and those of the rounds alone."""
    listed = list(faults)
    return (
        [fault for fault in listed if fault.variant.rounds == Rounds()],
        [fault for fault in listed if fault.variant.counting == Counting()],
    )


def _words(rounds: Rounds, inputs: Words6) -> NDArray[np.uint32]:
    """The words of blocks: a row for each row of the inputs."""
    made = words_of_blocks(rounds.blocks(inputs))
    return made.reshape(len(made), -1)


def words_of_blocks(blocks: Words4) -> NDArray[np.uint32]:
    """The four words of each block along a last axis."""
    return np.stack(np.broadcast_arrays(*blocks), -1).astype(np.uint32)


def _has_constants(fault: WordFault) -> bool:
    """Whether a fault leaves the constants as they are."""
    return with_constants(fault.variant.rounds, {}) == fault.variant.rounds


def _composed(one: WordFault, other: WordFault) -> WordFault | None:
    """Both faults. None if both replace one step. Readings of the state run one after the other."""
    if not one.name or not other.name:
        return one if one.name else other
    parts: list[Any] = []
    for mine, others in zip(one.variant[:2], other.variant[:2]):
        steps: list[Any] = []
        for first, second, right in zip(mine, others, type(mine)()):
            if right in (first, second):
                steps.append(second if first == right else first)
            elif {one.name, other.name} <= READINGS:
                steps.append(lambda words, first=first, second=second: second(first(words)))
            else:
                return None
        parts.append(type(mine)(*steps))
    return _joined(one, other, WordVariant(*parts))


def _joined(one: WordFault, other: WordFault, variant: WordVariant) -> WordFault:
    name, explanation = (f"{one[part]}\n{other[part]}".strip("\n") for part in (0, 2))
    return FaultModel(name, variant, explanation)
