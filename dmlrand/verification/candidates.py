"""Which generators and functions may have made a dump: elements of a few of their blocks are looked up in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..philox import Words4
from .dump import MAX_SORTED, RIGHT, Bits, Dump, Hypothesis, elements_of, least_hits
from .functions.conversions import WordFunction
from .functions.numbers import word_functions
from .generators.fault_models import WORD_FAULT_MODELS, FaultModel, counting_faults, round_faults
from .generators.variants import Counting, Rounds, Words6, WordVariant
from .places.fitting import MORE_ELEMENTS, NOT_FOUND, Table

WordFault = FaultModel[WordVariant]
NO_FAULT = FaultModel("", RIGHT, "")
FIRST_BLOCKS = (0, 5)  # looked up, besides those of the first wrong element and of one in the middle
MAX_CANDIDATES = 12
MIN_ROUNDS = 4  # fewer rounds make words that follow counters too simply to be found by a few of them
# Readings of the state that may follow one another.
READINGS = {"counter-words-reversed", "key-words-reversed", "key-before-counter", "input-bytes-swapped"}
READINGS |= {"high-counter-words-ignored", "high-key-word-ignored"}
FALSE_CANDIDATES = 0.1  # that are accepted in a search of foreign elements


class Candidates:
    """The search for generators and functions of which elements are anywhere in a dump."""

    def __init__(self, dump: Dump, first: int) -> None:
        head = dump.head(MAX_SORTED)
        wrong = np.flatnonzero(head != dump.right_elements(0, head.size))
        middle = int(wrong[wrong.size // 2]) if wrong.size else first
        blocks = {place * dump.right.width // 4 + more for place in (first, middle) for more in (0, 1)}
        self.dump, self.blocks = dump, np.array(sorted({*FIRST_BLOCKS, *blocks}), np.uint64)
        # Only elements that are not in the right stream say anything of other generators.
        right = Hypothesis((), RIGHT, None, dump.right)
        stream = Table(dump, right, min(2 * head.size + MORE_ELEMENTS, MAX_SORTED) * dump.right.width)
        self.foreign = np.sort(head[wrong][stream.find(head[wrong]) == NOT_FOUND])
        self.right = elements_of(_words(Rounds(), self._inputs([Counting()])), dump.right)[0]
        index = (self.blocks[:, None] * 4 + np.arange(0, 4, dump.right.width)).astype(np.int64) // dump.right.width
        index = index.ravel()
        self.got = dump.at(np.minimum(index, dump.size - 1))
        self.wrong = (index < dump.size) & (self.got != self.right)

    def generators(self, faults: int) -> list[WordFault]:
        """The generators with one or two faults that may have made elements in any place, the likeliest first."""
        found: list[tuple[int, WordFault]] = []
        rows = list(_one_fault() if faults == 1 else _two_faults())
        tried = sum(len(countings) * len(rounds) for countings, rounds in rows)
        for countings, all_rounds in rows:
            inputs = self._inputs([each.variant.counting for each in countings])
            for rounds in all_rounds:
                made = elements_of(_words(rounds.variant.rounds, inputs), self.dump.right)
                counts = self._counts(made, tried, self.dump.right)
                for i in np.flatnonzero(counts).tolist():
                    composed = _composed(countings[i], rounds)
                    assert composed is not None
                    found.append((int(counts[i]), composed))
        found.sort(key=lambda each: -each[0])
        return [fault for _, fault in found[:MAX_CANDIDATES]]

    def functions(self, faults: Sequence[WordFault]) -> list[tuple[WordFault, WordFunction]]:
        """The functions, with the generator, that may have made elements in any place."""
        words = np.concatenate([_words(each.variant.rounds, self._inputs([each.variant.counting])) for each in faults])
        found: list[tuple[WordFault, WordFunction]] = []
        functions = self.dump.rules[1:] if self.dump.rules else word_functions()
        for function in functions:
            made = elements_of(words, function)
            if np.unique(made[0]).size * 4 >= made.shape[1]:
                counts = self._counts(made, len(functions) * len(faults), function, in_place=False)
                found += [(faults[i], function) for i in np.flatnonzero(counts).tolist()]
        return found[:MAX_CANDIDATES]

    def _inputs(self, countings: Sequence[Counting]) -> Words6:
        """The counters and keys of the blocks: a row for each counting."""
        inputs = [counting.inputs(self.dump.six, self.blocks) for counting in countings]
        return tuple(np.stack([each[word] for each in inputs]) for word in range(6))  # type: ignore[return-value]

    def _counts(self, made: Bits, candidates: int, function: WordFunction, in_place: bool = True) -> NDArray[np.int64]:
        """How many elements of each row are in the dump, or 0 if they may be there by chance."""
        counts = np.zeros(len(made), np.int64)
        if self.foreign.size:
            at = np.minimum(np.searchsorted(self.foreign, made), self.foreign.size - 1)
            hits = self.foreign[at] == made
            if in_place:
                hits &= made != self.right
            counts = hits.sum(1)
            if counts.any():
                chance = self.foreign.size / 2.0 ** self.dump.known_bits(function)
                counts[counts < least_hits(made.shape[1], chance, candidates, FALSE_CANDIDATES)] = 0
        if in_place and self.wrong.any():
            equal = ((made == self.got) & self.wrong).sum(1)
            counts = np.maximum(counts, np.where(equal * 4 >= 3 * np.count_nonzero(self.wrong), equal, 0))
        return counts


@cache
def catalogue_of_generators() -> tuple[WordFault, ...]:
    """The faults of the catalogue that are neither places nor functions."""
    return tuple(
        model for model in WORD_FAULT_MODELS if model.variant.counting != Counting() or model.variant.rounds != Rounds()
    )


Product = tuple[list[WordFault], list[WordFault]]  # each fault of the counting with each fault of the rounds


def _one_fault() -> Iterator[Product]:
    countings, rounds = _by_part(catalogue_of_generators())
    yield [*countings, *counting_faults()], [NO_FAULT]
    yield [NO_FAULT], [*rounds, *round_faults()]


def _two_faults() -> Iterator[Product]:
    catalogue = [fault for fault in catalogue_of_generators() if fault.variant.rounds.rounds >= MIN_ROUNDS]
    countings, rounds = _by_part(catalogue)
    others = [fault for fault in counting_faults() if fault.name != "group-number-in-a-word"]
    yield [*countings, *others], [*rounds, *round_faults()]
    readings = [fault for fault in catalogue if fault.name in READINGS]
    orders = [*combinations(catalogue, 2), *((later, earlier) for earlier, later in combinations(readings, 2))]
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
    return words_of_blocks(rounds.blocks(inputs)).reshape(len(inputs[0]), -1)


def words_of_blocks(blocks: Words4) -> NDArray[np.uint32]:
    """The four words of each block along a last axis."""
    return np.stack(np.broadcast_arrays(*blocks), -1).astype(np.uint32)


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
    return FaultModel(f"{one.name}\n{other.name}", WordVariant(*parts), f"{one.explanation}\n{other.explanation}")
