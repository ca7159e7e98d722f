"""A dump as the searches read it, and hypotheses: a generator, a place for each element, and a function of words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from math import log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..drawing.plan import WORDS, draw
from ..kernels.numpy_only.words import words_at
from ..state import State, advance_blocks, key_of, make_state
from .functions.conversions import WordFunction
from .functions.numbers import float32_rules, float64_rules
from .generators.variants import COUNTERS, Variant, Words6
from .reading import flat_pieces, unit_of
from .report.result import Finding

Bits = NDArray[Any]
Places = NDArray[np.int64]
WORD = WordFunction("", lambda w: w, "w")
RIGHT = Variant()
FEW_PLACES = 1 << 10
POSITION_BIAS_BLOCKS = 1 << 60  # makes every position of an int64 array positive
MAX_SORTED = 1 << 18  # elements of a dump, or of a generator that is slower than the right one
CONTROL_KEY = 0x8F1BBCDC5A827999  # any constant: added to the key, it makes words that no dump has
CONTROL_WORDS = 1 << 12


def words_from(state: State, first: int, count: int) -> NDArray[np.uint32]:
    """`count` consecutive words of the stream. Word 0 is the state's first word; `first` is any int."""
    blocks, lane = divmod(first, 4)
    return draw(advance_blocks(state, blocks), WORDS, count, lane=lane).values


def elements_of(words: NDArray[np.uint32], function: WordFunction) -> Bits:
    """The elements that a function makes of consecutive words along the last axis."""
    if function.width > 1:
        words = words.reshape(*words.shape[:-1], -1, function.width)
    return function.function(np.ascontiguousarray(words))


class Dump:
    """The elements of a tensor, as bits, and the right ones. An element is a word or a number."""

    def __init__(self, state: State, values: NDArray[Any]) -> None:
        self.state, self.values = np.array(state).reshape(6), values
        self.six: Words6 = tuple(self.state.tolist())  # type: ignore[assignment]
        self.shape, self.size = values.shape, values.size
        self.is_of_words = values.dtype.kind != "f"
        self.unit = unit_of(values.dtype)
        self.rules = () if self.is_of_words else float32_rules() if values.dtype.itemsize == 4 else float64_rules()
        self.right = self.rules[0] if self.rules else WORD
        self.bits = np.dtype(np.uint32 if values.dtype.itemsize == 4 else np.uint64)
        self._most_bits = {np.float32: 23, np.float64: 52}.get(values.dtype.type, 32)
        self._known_bits: dict[str, float] = {}

    def known_bits(self, function: WordFunction) -> float:
        """How many bits of an element it proves that an element of this function is equal to it.

        Coarse numbers, such as those of float16, are often equal by chance. How often, elements of other words show.
        """
        if function is self.right:
            return self._most_bits
        if function.expression not in self._known_bits:
            key = (key_of(self.state) + CONTROL_KEY) % (1 << 64)
            controls = elements_of(words_from(make_state(key=key), 0, CONTROL_WORDS), function)
            counts = np.searchsorted(self.sorted_head, controls, "right") - np.searchsorted(self.sorted_head, controls)
            share = int(counts.sum()) / (controls.size * self.sorted_head.size)
            self._known_bits[function.expression] = min(self._most_bits, -log2(share)) if share else self._most_bits
        return self._known_bits[function.expression]

    @cached_property
    def sorted_head(self) -> Bits:
        return np.sort(self.head(MAX_SORTED))

    def at(self, index: NDArray[Any]) -> Bits:
        """The elements at flat indexes."""
        found: Bits = np.asarray(self.values)[np.unravel_index(index.astype(np.int64, copy=False), self.shape)]
        return found.view(self.bits)

    def head(self, count: int) -> Bits:
        return self.at(np.arange(min(count, self.size), dtype=np.int64))

    def pieces(self) -> Iterator[tuple[int, Bits]]:
        for position, piece in flat_pieces(self.values):
            yield position, piece.view(self.bits)

    def right_elements(self, first: int, count: int, offset: int = 0) -> Bits:
        """The right elements of these places or, with an offset, those that begin so many words further on."""
        width = self.right.width
        return elements_of(words_from(self.state, width * first + offset, width * count), self.right)


class Place(NamedTuple):
    """At which word of the stream an element begins, by flat index: the fault's name, the rule, the explanation."""

    name: str
    rule: Callable[[Places], Places]
    explanation: str
    of_words: bool = False  # the rule is one of words, if elements have several
    cost: int = 2  # how much the place assumes: 2 for each fault
    is_padding: Callable[[Places], NDArray[np.bool_]] | None = None  # which elements may be others, before or in rows
    padded: Finding | None = None  # what to report if exactly these are others


class Hypothesis(NamedTuple):
    """What may have made a dump: a generator, described by its faults, a place for each element, and a function."""

    faults: tuple[Finding, ...] = ()
    variant: Variant = RIGHT
    place: Place | None = None
    function: WordFunction = WORD

    @property
    def name(self) -> str:
        """The names of the generator's faults."""
        return "+".join(each.name for each in self.faults)

    def elements(self, dump: Dump, index: Places) -> Bits:
        """The elements at flat indexes."""
        width, place, parts = self.function.width, self.place, self.function.parts
        places = index // parts * width if place is None or place.of_words else place.rule(index)
        if width > 1:
            places = (places[:, None] + np.arange(width)).reshape(-1)
        if place is not None and place.of_words:
            places = place.rule(places)
        made = elements_of(stream_words(dump, self.variant, places), self.function)
        return made if parts == 1 else made[np.arange(index.size), index % parts]

    def gives(self, dump: Dump, index: Places, got: Bits) -> bool:
        """Whether these are the elements at flat indexes. Numbers of a tolerance are compared as such."""
        made, tolerance = self.elements(dump, index), self.function.tolerance
        if not tolerance:
            return np.array_equal(made, got)
        made, got = (bits.view(f"f{bits.itemsize}") for bits in (made, got))
        return not (np.abs(made - got) > tolerance).any()


def fault(name: str, text: str, **steps: Any) -> Hypothesis:
    """A fault that replaces steps of the generator. The text says what the generator does, and what it should do."""
    return Hypothesis((Finding(name, f"The generator {text}."),), Variant(**steps))


def stream_words(dump: Dump, variant: Variant, places: Places) -> NDArray[np.uint32]:
    """The words at places of a generator's stream, which may be negative, between -2**61 and 2**61."""
    if variant == RIGHT:
        words = _right_words if places.size <= FEW_PLACES else _right_words.__wrapped__
        return words(dump.state.tobytes(), places.tobytes())
    if variant.rule is None and places.size and int(places.min()) < 0:
        skipped = (variant.skipped_blocks - POSITION_BIAS_BLOCKS) % COUNTERS
        variant = variant._replace(skipped_blocks=skipped)
        places = places + 4 * POSITION_BIAS_BLOCKS
    return variant.words(dump.six, np.maximum(places, 0))


@lru_cache(8)  # a hundred functions are tried on the same few words
def _right_words(state: bytes, places: bytes) -> NDArray[np.uint32]:
    start = advance_blocks(np.frombuffer(state, np.uint32), -POSITION_BIAS_BLOCKS)
    positions = np.frombuffer(places, np.int64) + 4 * POSITION_BIAS_BLOCKS
    words: NDArray[np.uint32] = words_at(start, positions.astype(np.uint64))  # type: ignore[no-untyped-call]
    return words
