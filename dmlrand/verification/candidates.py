"""Which generators and functions may have made a dump: elements of a few of their blocks are looked up in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import permutations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .dump import RIGHT, Bits, Dump, Hypothesis
from .functions.conversions import WordFunction
from .functions.numbers import word_functions
from .generators.fault_models import WORD_FAULT_MODELS, FaultModel, counting_faults, round_faults
from .generators.variants import Counting, Rounds, Words6, WordVariant
from .places.fitting import NOT_FOUND, Table

WordFault = FaultModel[WordVariant]
NO_FAULT = FaultModel("", RIGHT, "")
FIRST_BLOCKS = (0, 5)  # looked up, besides those of the first wrong element and of one in the middle
MAX_SORTED = 1 << 18  # elements of a dump that are sorted
TABLE_ELEMENTS = 1 << 16  # searched beyond the tensor's own
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
        stream = Table(dump, right, min(2 * head.size + TABLE_ELEMENTS, MAX_SORTED) * dump.right.width)
        self.foreign = np.sort(head[wrong][stream.find(head[wrong]) == NOT_FOUND])
        self.right = self._elements(_words(Rounds(), self._inputs([Counting()])), dump.right)[0]
        index = (self.blocks[:, None] * 4 + np.arange(0, 4, dump.right.width)).astype(np.int64) // dump.right.width
        index = index.ravel()
        self.got = dump.at(np.minimum(index, dump.size - 1))
        self.wrong = (index < dump.size) & (self.got != self.right)

    def generators(self, faults: int) -> list[WordFault]:
        """The generators with one or two faults that may have made elements in any place, the likeliest first."""
        found: list[tuple[int, int, WordFault]] = []
        rows = list(_one_fault() if faults == 1 else _two_faults())
        tried = sum(len(countings) * len(rounds) for countings, rounds in rows)
        for countings, all_rounds in rows:
            inputs = self._inputs([each.variant.counting for each in countings])
            for rounds in all_rounds:
                made = self._elements(_words(rounds.variant.rounds, inputs), self.dump.right)
                counts = self._counts(made, tried)
                for i in np.flatnonzero(counts).tolist():
                    found.append((-int(counts[i]), len(found), _joined(countings[i], rounds)))
        return [fault for *_, fault in sorted(found, key=lambda each: each[:2])[:MAX_CANDIDATES]]

    def functions(self, faults: Sequence[WordFault]) -> list[tuple[WordFault, WordFunction]]:
        """The functions, with the generator, that may have made elements in any place."""
        words = np.concatenate([_words(each.variant.rounds, self._inputs([each.variant.counting])) for each in faults])
        found: list[tuple[WordFault, WordFunction]] = []
        functions = self.dump.rules[1:] if self.dump.rules else word_functions()
        for function in functions:
            made = self._elements(words, function)
            if np.unique(made[0]).size * 4 >= made.shape[1]:
                counts = self._counts(made, len(functions) * len(faults), in_place=False)
                found += [(faults[i], function) for i in np.flatnonzero(counts).tolist()]
        return found[:MAX_CANDIDATES]

    def _inputs(self, countings: Sequence[Counting]) -> Words6:
        """The counters and keys of the blocks: a row for each counting."""
        inputs = [counting.inputs(self.dump.six, self.blocks) for counting in countings]
        return tuple(np.stack([each[word] for each in inputs]) for word in range(6))  # type: ignore[return-value]

    def _elements(self, words: NDArray[np.uint32], function: WordFunction) -> Bits:
        if function.width > 1:
            words = words.reshape(words.shape[0], -1, function.width)
        made: Bits = function.function(np.ascontiguousarray(words))
        return made

    def _counts(self, made: Bits, candidates: int, in_place: bool = True) -> NDArray[np.int64]:
        """How many elements of each row are in the dump, or 0 if they may be there by chance."""
        counts = np.zeros(len(made), np.int64)
        if self.foreign.size:
            at = np.minimum(np.searchsorted(self.foreign, made), self.foreign.size - 1)
            hits = self.foreign[at] == made
            if in_place:
                hits &= made != self.right
            counts = hits.sum(1)
            counts[counts < self._least(made.shape[1], candidates)] = 0
        if in_place and self.wrong.any():
            equal = ((made == self.got) & self.wrong).sum(1)
            counts = np.maximum(counts, np.where(equal * 4 >= 3 * np.count_nonzero(self.wrong), equal, 0))
        return counts

    def _least(self, tried: int, candidates: int) -> int:
        """How many of so many elements must be found, so that few candidates have them by chance."""
        chance = min(1.0, self.foreign.size / 2.0**self.dump.known_bits)
        enough = (k for k in range(1, tried + 1) if comb(tried, k) * chance**k * candidates < FALSE_CANDIDATES)
        return next(enough, tried + 1)


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
    pairs = [_composed(one, other) for one, other in permutations(catalogue, 2)]
    countings, rounds = _by_part(pair for pair in pairs if pair is not None)
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
    return made.astype(np.uint32).reshape(len(inputs[0]), -1)


def _joined(one: WordFault, other: WordFault) -> WordFault:
    if not one.name or not other.name:
        return one if one.name else other
    variant = one.variant._replace(rounds=other.variant.rounds)
    return FaultModel(f"{one.name}\n{other.name}", variant, f"{one.explanation}\n{other.explanation}")


def _composed(one: WordFault, other: WordFault) -> WordFault | None:
    """Two faults of the counting, or two of the rounds. None if both replace one step.

    Two readings of the state run one after the other. Of other faults, the order does not matter.
    """
    if WORD_FAULT_MODELS.index(one) > WORD_FAULT_MODELS.index(other) and not {one.name, other.name} <= READINGS:
        return None
    merged: list[Any] = []
    for mine, others in zip(one.variant[:2], other.variant[:2]):
        changed: dict[str, Any] = {}
        for field, default in type(mine)._field_defaults.items():  # type: ignore[attr-defined]
            a, b = getattr(mine, field), getattr(others, field)
            if a == default or b == default:
                changed[field] = b if a == default else a
            elif {one.name, other.name} <= READINGS:
                changed[field] = lambda words, first=a, second=b: second(first(words))
            else:
                return None
        merged.append(type(mine)(**changed))
    return FaultModel(f"{one.name}\n{other.name}", WordVariant(*merged), f"{one.explanation}\n{other.explanation}")
