"""Which generators and functions may have made a dump: elements of a few of their blocks are looked up in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..state import key_of
from .dump import MAX_SORTED, RIGHT, Bits, Dump, Hypothesis, elements_of
from .functions.conversions import WordFunction
from .functions.numbers import word_functions
from .generators.catalogue import both_products, common, counting_part
from .generators.constants import constant_faults, with_value
from .generators.inputs import READINGS, faults_of_keys
from .generators.rounds import round_faults, wiring_faults
from .generators.variants import Variant, Words6
from .places.fitting import NOT_FOUND, Table

Product = tuple[Sequence[Hypothesis], Iterable[Hypothesis]]  # each fault of the counting with each of the rounds
Row = tuple[Sequence[Hypothesis], Hypothesis, int]  # faults of the counting, one of the rounds, the number of the pair
NO_FAULT = Hypothesis()
FIRST_BLOCKS = (0, 5)  # looked up, besides those of three wrong elements
MAX_CANDIDATES = 12
MIN_SURPLUS = 8  # times as many elements must be found as by chance
HASH_BITS, HASH_FACTOR = 22, 0x9E3779B1


class Candidates:
    """The search for generators and functions of which elements are anywhere in a dump.

    Its results are hypotheses without a place, the likeliest first. `right` holds elements of the right stream.
    """

    def __init__(self, dump: Dump, first: int, right: Table) -> None:
        head = dump.head(MAX_SORTED)
        wrong = np.flatnonzero(head != dump.right_elements(0, head.size))
        # Only elements that are not in the right stream say anything of other generators.
        foreign = wrong[right.find(head[wrong]) == NOT_FOUND]
        self.foreign = np.sort(head[foreign])  # elements of the dump that no right element explains
        self._hashed = np.zeros(1 << HASH_BITS, np.bool_)
        self._hashed[_hash(self.foreign)] = True
        places = [first, *(listed[listed.size // 2] for listed in (wrong, foreign) if listed.size)]
        blocks = {int(place) * dump.right.width // 4 + more for place in places for more in (0, 1)}
        self.keys = list(faults_of_keys(key_of(dump.state)))
        self.dump, self.blocks = dump, np.array(sorted({*FIRST_BLOCKS, *blocks}), np.uint64)

    @cached_property
    def one_fault(self) -> list[Hypothesis]:
        """The generators with one fault."""
        products = _one_fault([*counting_part(), *self.keys], [*round_faults(), *wiring_faults()])
        return self._likeliest(products, (self.dump.right,))

    def two_faults(self) -> list[Hypothesis]:
        """The generators with two faults."""
        return self._likeliest(_two_faults(self.keys), (self.dump.right,))

    def functions(self, is_right: bool) -> list[Hypothesis]:
        """The functions of the right words, or of those of generators with one common fault."""
        products: list[Product] = [([NO_FAULT], [NO_FAULT])]
        if not is_right:
            products = _one_fault(common(counting_part()), common(round_faults()))
        return self._likeliest(products, self.dump.rules[1:] or word_functions())

    def _likeliest(self, products: Iterable[Product], functions: Iterable[WordFunction]) -> list[Hypothesis]:
        """The pairs of products, with a function of their words, of which most elements are in the dump."""
        rows: list[Row] = []
        listed = []
        for countings, all_rounds in products:
            inputs = [fault.variant.inputs(self.dump.six, self.blocks) for fault in countings]
            stacked: Any = tuple(np.stack([each[word] for each in inputs]) for word in range(6))
            for rounds in all_rounds:
                listed.append(_words(rounds.variant, stacked))
                rows += [(countings, rounds, number) for number in range(len(listed[-1]))]
        words, found = np.concatenate(listed), []
        for function in functions:
            elements = elements_of(words, function)
            if np.unique(elements[0]).size * 4 < elements.shape[1]:
                continue
            counts = self._counts(elements, function)
            for i in np.flatnonzero(counts).tolist():
                countings, rounds, number = rows[i]
                fault = composed(countings[number % len(countings)], with_value(rounds, number))
                if fault:
                    found.append((int(counts[i]), fault._replace(function=function)))
        return [hypothesis for _, hypothesis in sorted(found, key=lambda each: -each[0])[:MAX_CANDIDATES]]

    def _counts(self, made: Bits, function: WordFunction) -> NDArray[np.int64]:
        """How many elements of each row are in the dump, or 0 if they may be there by chance."""
        if not self.foreign.size:
            return np.zeros(len(made), np.int64)
        present = self._hashed[_hash(made)]  # most elements are absent, which their hashes show
        at = np.minimum(np.searchsorted(self.foreign, made[present]), self.foreign.size - 1)
        present[present] = self.foreign[at] == made[present]
        counts: NDArray[np.int64] = present.sum(1)
        if counts.any():
            chance = self.foreign.size / 2.0 ** self.dump.known_bits(function)
            counts[counts < MIN_SURPLUS * chance * made.shape[1]] = 0
        return counts


def _one_fault(countings: Sequence[Hypothesis], rounds: Sequence[Hypothesis]) -> list[Product]:
    return [(countings, [NO_FAULT]), ([NO_FAULT], [*rounds, *constant_faults(NO_FAULT)])]


def _two_faults(keys: list[Hypothesis]) -> Iterator[Product]:
    """A fault of the counting and one of the rounds, or two of one part: a reading, or a common fault, with another."""
    countings, rounds = common(counting_part()), common(round_faults())
    yield [*counting_part(), *keys], both_products(round_faults())
    yield _composed(product(READINGS, countings)), [NO_FAULT]
    yield [NO_FAULT], _composed(combinations(rounds, 2))
    for fault in rounds:
        yield [NO_FAULT], constant_faults(fault)
    for fault in [*READINGS, *keys]:
        yield [fault], constant_faults(NO_FAULT)


def _composed(pairs: Iterable[tuple[Hypothesis, Hypothesis]]) -> list[Hypothesis]:
    """The pairs of different faults that replace different steps."""
    return [*filter(None, (composed(*pair) for pair in pairs if pair[0] is not pair[1]))]


def _hash(elements: Bits) -> Bits:
    """A number of HASH_BITS for each element. Plain upper bits of float32 would take few values."""
    bits = elements.dtype.type
    hashed: Bits = elements * bits(HASH_FACTOR) >> bits(8 * elements.itemsize - HASH_BITS)
    return hashed


def _words(rounds: Variant, inputs: Words6) -> NDArray[np.uint32]:
    """The words of blocks: a row for each row of the inputs."""
    made = np.stack(np.broadcast_arrays(*rounds.blocks(inputs)), -1)
    return made.reshape(len(made), -1).astype(np.uint32)


def composed(one: Hypothesis, other: Hypothesis) -> Hypothesis | None:
    """Both faults. None if both replace one step. Two readings of the state run one after the other."""
    steps: dict[str, Any] = {}
    for name, first, second, right in zip(RIGHT._fields, one.variant, other.variant, RIGHT):
        if right in (first, second):
            steps[name] = second if first == right else first
        elif name == "read":
            steps[name] = lambda words, first=first, second=second: second(first(words))
        else:
            return None
    return Hypothesis((*one.faults, *other.faults), Variant(**steps))
