"""Which generators and functions may have made a dump: elements of a few of their blocks are looked up in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..state import key_of
from .dump import MAX_SORTED, RIGHT, Bits, Dump, Hypothesis, elements_of
from .functions.conversions import WordFunction
from .functions.numbers import common_functions, word_functions
from .generators.constants import CONSTANTS, constant_model, likely_values, with_constants
from .generators.fault_models import WORD_FAULT_MODELS, reading_faults, wiring_faults
from .generators.inputs import counting_faults, faults_of_keys
from .generators.rounds import round_faults
from .generators.variants import Counting, FaultModel, Rounds, Words6, WordVariant
from .places.fitting import NOT_FOUND, Table

WordFault = FaultModel[WordVariant]
Pair = tuple[WordFault, WordFault]  # of the counting, and of the rounds
Product = tuple[list[WordFault], list[WordFault]]  # each fault of the counting, with each of the rounds
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
HASH_BITS, HASH_FACTOR = 22, 0x9E3779B1


class Lookup:
    """Elements that many others are looked up in. Most of these are absent, which a hash shows at once."""

    def __init__(self, elements: Bits) -> None:
        self.sorted = np.sort(elements)
        self._hashed = np.zeros(1 << HASH_BITS, np.bool_)
        self._hashed[self._hash(self.sorted)] = True

    def holds(self, made: Bits) -> NDArray[np.bool_]:
        """Which of these elements are there. There is at least one element."""
        present: NDArray[np.bool_] = self._hashed[self._hash(made)]
        some = made[present]
        at = np.minimum(np.searchsorted(self.sorted, some), self.sorted.size - 1)
        present[present] = self.sorted[at] == some
        return present

    def _hash(self, elements: Bits) -> Bits:
        bits = elements.dtype.type
        hashed: Bits = elements * bits(HASH_FACTOR) >> bits(8 * elements.itemsize - HASH_BITS)
        return hashed


def least_hits(tried: int, chance: float, candidates: int, accepted: float) -> int:
    """How many of the elements tried must be found, each of them by chance with this probability.

    With fewer, more than `accepted` of so many candidates would be found by chance.
    """
    chance = min(1.0, chance)
    enough = (hits for hits in range(1, tried + 1) if comb(tried, hits) * chance**hits * candidates < accepted)
    return next(enough, tried + 1)


class Candidates:
    """The search for generators and functions of which elements are anywhere in a dump.

    Its results are hypotheses without a place, the likeliest first. `right` holds elements of the right stream.
    """

    def __init__(self, dump: Dump, first: int, right: Table) -> None:
        head = dump.head(MAX_SORTED)
        wrong = np.flatnonzero(head != dump.right_elements(0, head.size))
        # Only elements that are not in the right stream say anything of other generators.
        foreign = wrong[right.find(head[wrong]) == NOT_FOUND]
        self.foreign = Lookup(head[foreign])  # elements of the dump that no right element explains
        places = [first, *(listed[listed.size // 2] for listed in (wrong, foreign) if listed.size)]
        blocks = {int(place) * dump.right.width // 4 + more for place in places for more in (0, 1)}
        self.keys = list(faults_of_keys(key_of(dump.state)))
        self.dump, self.blocks = dump, np.array(sorted({*FIRST_BLOCKS, *blocks}), np.uint64)
        self.right = elements_of(_words(Rounds(), self._inputs([NO_FAULT])), dump.right)[0]
        index = (self.blocks[:, None] * 4 + np.arange(0, 4, dump.right.width)).astype(np.int64) // dump.right.width
        index = index.ravel()
        self.got = dump.at(np.minimum(index, dump.size - 1))
        self.wrong = (index < dump.size) & (self.got != self.right)

    @cached_property
    def one_fault(self) -> list[Hypothesis]:
        """The generators with one fault."""
        return self._generators(*self._made_of_one_fault)

    def two_faults(self) -> list[Hypothesis]:
        """The generators with two faults."""
        return self._generators(*self._made(_two_faults(self.keys)))

    def functions(self, is_right: bool) -> list[Hypothesis]:
        """The functions of the right words, or of those of generators with one fault."""
        pairs, words = self._made([([NO_FAULT], [NO_FAULT])]) if is_right else self._made_of_one_fault
        found: list[tuple[int, Hypothesis]] = []
        functions = self.dump.rules[1:] if self.dump.rules else word_functions()
        for function in functions:
            made = elements_of(words, function)
            if np.unique(made[0]).size * 4 >= made.shape[1]:
                counts = self._counts(made, len(functions) * len(pairs), function, in_place=False)
                chosen = ((i, composed(*pairs[i])) for i in np.flatnonzero(counts).tolist())
                found += [(int(counts[i]), hypothesis_of(fault, function)) for i, fault in chosen if fault]
        return _likeliest(found)

    def constants(self, with_fault: bool) -> list[Hypothesis]:
        """Generators with one wrong constant: with a fault too, or with common functions of their words."""
        bases, functions, wrong_digits = [NO_FAULT], [self.dump.right], 2
        if with_fault:
            bases, wrong_digits = [fault for fault in mixing_generators() if _has_right_constants(fault)], 1
        else:
            functions += self.dump.rules[1:NUMBER_RULES] or common_functions()
        found: list[tuple[int, Hypothesis]] = []
        for base, name in product(bases, CONSTANTS) if self.foreign.sorted.size else ():
            rounds, inputs = base.variant.rounds, self._inputs([base])
            values = likely_values(CONSTANTS[name][0], wrong_digits)
            words = _words(with_constants(rounds, {name: values}), tuple(word[:, :FEW_BLOCKS] for word in inputs))
            for function in functions:
                likely = values[self.foreign.holds(elements_of(words, function)).any(1)]
                if likely.size:
                    made = elements_of(_words(with_constants(rounds, {name: likely}), inputs), function)
                    counts = self._counts(made, CONSTANTS_TRIED, function)
                    for row in np.flatnonzero(counts).tolist():
                        fault = constant_model(name, int(likely[row, 0]), rounds)
                        joined = _joined(fault, base, base.variant._replace(rounds=fault.variant.rounds))
                        found.append((int(counts[row]), hypothesis_of(joined, function)))
        return _likeliest(found)

    @cached_property
    def _made_of_one_fault(self) -> tuple[list[Pair], NDArray[np.uint32]]:
        return self._made(_one_fault(self.keys))

    def _made(self, products: Iterable[Product]) -> tuple[list[Pair], NDArray[np.uint32]]:
        """The pairs of products, and the words that each makes of the blocks: a row for each pair."""
        pairs: list[Pair] = []
        words = []
        for countings, all_rounds in products:
            inputs = self._inputs(countings)
            for rounds in all_rounds:
                pairs += [(counting, rounds) for counting in countings]
                words.append(_words(rounds.variant.rounds, inputs))
        return pairs, np.concatenate(words)

    def _generators(self, pairs: list[Pair], words: NDArray[np.uint32]) -> list[Hypothesis]:
        counts = self._counts(elements_of(words, self.dump.right), len(pairs), self.dump.right)
        chosen = ((i, composed(*pairs[i])) for i in np.flatnonzero(counts).tolist())
        return _likeliest([(int(counts[i]), hypothesis_of(fault, self.dump.right)) for i, fault in chosen if fault])

    def _inputs(self, faults: Iterable[WordFault]) -> Words6:
        """The counters and keys of the blocks: a row for each fault."""
        inputs = [fault.variant.counting.inputs(self.dump.six, self.blocks) for fault in faults]
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


def hypothesis_of(fault: WordFault, function: WordFunction) -> Hypothesis:
    """A fault of the generator, or several whose names and explanations are lines."""
    faults = zip(fault.name.split("\n"), fault.explanation.split("\n")) if fault.name else ()
    return Hypothesis(tuple(faults), fault.variant, None, function)


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


def _likeliest(found: list[tuple[int, Hypothesis]]) -> list[Hypothesis]:
    """The candidates of which most elements were found."""
    found.sort(key=lambda each: -each[0])
    return [hypothesis for _, hypothesis in found[:MAX_CANDIDATES]]


def _one_fault(keys: list[WordFault]) -> Iterator[Product]:
    countings, rounds = _by_part(catalogue_of_generators())
    yield [*countings, *reading_faults(), *counting_faults(), *keys], [NO_FAULT]
    yield [NO_FAULT], [*rounds, *round_faults(), *wiring_faults()]


def _two_faults(keys: list[WordFault]) -> Iterator[Product]:
    catalogue = mixing_generators()
    countings, rounds = _by_part(catalogue)
    readings = [fault for fault in (*catalogue, *reading_faults(), *keys) if fault.name in READINGS]
    others = [fault for fault in counting_faults() if fault.name != "group-number-in-a-word"]
    of_both_products = [fault for fault in round_faults() if len({*fault.variant.rounds.multiply}) == 1]
    yield [*countings, *others, *reading_faults(), *keys], [*rounds, *of_both_products]
    # Two faults of the counting, or of the rounds.
    known = [fault for fault in catalogue if fault.name in READINGS]
    pairs = [*combinations(catalogue, 2), *product(known, [*readings, *others])]
    of_constants = [fault for fault in rounds if not _has_right_constants(fault)]
    common = [fault for fault in rounds if fault.name in COMMON_ROUNDS]
    pairs += product([*common, *of_constants], of_both_products)
    countings, rounds = _by_part(filter(None, (composed(one, other) for one, other in pairs if one is not other)))
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
    made = np.stack(np.broadcast_arrays(*rounds.blocks(inputs)), -1)
    return made.reshape(len(made), -1).astype(np.uint32)


def _has_right_constants(fault: WordFault) -> bool:
    return with_constants(fault.variant.rounds, {}) == fault.variant.rounds


def composed(one: WordFault, other: WordFault) -> WordFault | None:
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
