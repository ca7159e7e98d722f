"""Find a rule of strides by which the words of a dump lie in the stream: transposed, padded, tiled or repeated.

The rule is a mixed radix. The flat index p of an element is divided into digits, lowest first, and each digit has a
stride: the element holds word first + digit 0 * stride 0 + digit 1 * stride 1 + ... Digits need not be the tensor's
axes, so tiles have a rule too. Digits are found one after another: a place is searched in the stream, gives a stride,
and the stride holds up to the next digit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice, pairwise
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.filling import elements_at
from ..arrays.tensor import Shape
from ..state import State
from .stream_words import words_at, words_from

MIN_WORDS = 8  # fewer words would fit many rules
MAX_DIGITS = 16
SEARCH_WORDS = 1 << 16  # the words that one step of a search compares
SEARCH_MARGIN_WORDS = 1 << 16  # searched beyond the tensor's own words
SAMPLES = 8  # words of a digit's block that are compared, before the caller compares all
DENSE_BLOCKS = 1 << 16
SPARSE_SAMPLES = 256
PLACES_TRIED = 4
FEW_RUNS = 3

Places = NDArray[np.int64]
AXES = "ijklmnop"


class Strides(NamedTuple):
    """The words of a dump by digits of the flat index. Digit d counts from weights[d] words on."""

    first: int
    weights: tuple[int, ...]
    strides: tuple[int, ...]

    def places(self, index: Places) -> Places:
        """The words of the stream that elements at flat indexes hold, counted from the state's first word."""
        places = np.full(index.shape, self.first, np.int64)
        rest = index
        for weight, stride in zip(reversed(self.weights), reversed(self.strides)):
            digit, rest = np.divmod(rest, weight)
            places += digit * stride
        return places


def fit_strides(state: State, values: NDArray[np.uint32]) -> Strides | None:
    """A rule that gives a sample of the words, or None. Only words in a tensor's length from the state are searched."""
    if values.size < MIN_WORDS:
        return None
    dump = _Dump(state, values)
    word0, word1 = dump.words(np.arange(2, dtype=np.int64)).tolist()
    for first in islice(dump.search(word0), PLACES_TRIED):
        near = (place for place in (first, first + 1) if words_at(state, np.array([place], np.int64))[0] == word1)
        for second in islice(chain(near, dump.search(word1)), PLACES_TRIED):
            rule: Strides | None
            rule, length = dump.extend(Strides(first, (1,), (second - first,)))
            while length < values.size and rule is not None and len(rule.weights) < MAX_DIGITS:
                rule, length = dump.add_digit(rule, length)
            if rule is not None and length >= values.size:
                return None if _is_few_runs(rule, values.shape) else rule
            if length >= MIN_WORDS:
                return None  # the first digit was right, so other places cannot be
    return None


class _Dump:
    """A dump with the stream in which its words are searched."""

    def __init__(self, state: State, values: NDArray[np.uint32]) -> None:
        self._state, self._values = state, values

    def words(self, index: Places) -> NDArray[np.uint32]:
        return elements_at(self._values, index)

    def search(self, word: int) -> Iterator[int]:
        """The places of a word in the stream."""
        end = self._values.size + SEARCH_MARGIN_WORDS
        for start in range(0, end, SEARCH_WORDS):
            found = np.flatnonzero(words_from(self._state, start, min(SEARCH_WORDS, end - start)) == word)
            yield from (start + found).tolist()

    def add_digit(self, rule: Strides, length: int) -> tuple[Strides | None, int]:
        """The rule for `length` words with one more digit, and for how many words it holds."""
        (word,) = self.words(np.array([length], np.int64)).tolist()
        for place in islice(self.search(word), PLACES_TRIED):
            longer = Strides(rule.first, (*rule.weights, length), (*rule.strides, place - rule.first))
            longer_rule, longer_length = self.extend(longer)
            if longer_length > length:
                return longer_rule, longer_length
        return None, length

    def extend(self, rule: Strides) -> tuple[Strides, int]:
        """The rule, and for how many words it holds: until the last digit's stride fails.

        Up to DENSE_BLOCKS blocks are compared one by one. Of more, samples are compared, up to twice as far each time.
        """
        blocks = -(-self._values.size // rule.weights[-1])
        start, stop = 1, min(16, blocks)
        while start < blocks:
            tested = np.unique(
                np.linspace(start, stop - 1, min(stop - start, self._blocks_tested(stop))).astype(np.int64)
            )
            right = self._right_blocks(rule, tested)
            if not right.all():
                wrong = int(np.argmin(right))
                last_right = int(tested[wrong - 1]) if wrong else start - 1
                return rule, self._first_wrong(rule, last_right, int(tested[wrong])) * rule.weights[-1]
            start, stop = stop, min(2 * stop, blocks)
        return rule, self._values.size

    def _blocks_tested(self, stop: int) -> int:
        return DENSE_BLOCKS if stop <= DENSE_BLOCKS else SPARSE_SAMPLES

    def _first_wrong(self, rule: Strides, right: int, wrong: int) -> int:
        """The first block that the rule does not give, between one that it gives and one that it does not give."""
        while wrong - right > 1:
            middle = (right + wrong) // 2
            if self._right_blocks(rule, np.array([middle], np.int64)).all():
                right = middle
            else:
                wrong = middle
        return wrong

    def _right_blocks(self, rule: Strides, blocks: Places) -> NDArray[np.bool_]:
        """Which blocks of the last digit the rule gives: SAMPLES words of each are compared."""
        weight = rule.weights[-1]
        samples = np.unique(np.linspace(0, weight - 1, SAMPLES).astype(np.int64))
        index = (blocks[:, None] * weight + samples).reshape(-1)
        inside = index < self._values.size
        right = np.ones(index.size, bool)
        right[inside] = words_at(self._state, rule.places(index[inside])) == self.words(index[inside])
        all_right: NDArray[np.bool_] = np.logical_and.reduce(right.reshape(blocks.size, -1), axis=1)
        return all_right


def explain_strides(rule: Strides, shape: Shape) -> str:
    """What the generator does wrong, and what to do."""
    right = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
    fitted = _fitted(rule, shape)
    if not _is_linear(rule, shape, fitted):
        digits = [f"d{number}" for number in range(len(rule.weights))]
        limits = (f"{digit} < {above // weight}" for digit, (weight, above) in zip(digits, pairwise(rule.weights)))
        cause = "words repeat" if 0 in rule.strides else "tiles or axes are stored in another order"
        return (
            f"Element p = {_sum(digits, rule.weights)} of the flat tensor holds word "
            f"{_sum(digits, rule.strides, rule.first)}, where {', '.join(limits)}, so {cause}: store word p there."
        )
    index = ", ".join(AXES[axis] if axis in fitted else "0" for axis in range(len(shape)))
    letters = [AXES[axis] for axis in fitted]
    return (
        f"Element [{index}] holds word {_sum(letters, fitted.values(), rule.first)}, so {_cause(fitted)}: "
        f"store word {_sum(letters, [right[axis] for axis in fitted])} there."
    )


def _fitted(rule: Strides, shape: Shape) -> dict[int, int]:
    """The stride of each axis whose size is above 1, if the rule is one stride for each axis."""
    long = [axis for axis, size in enumerate(shape) if size > 1]
    return {axis: int(np.subtract(*rule.places(np.array([prod(shape[axis + 1 :]), 0], np.int64)))) for axis in long}


def _is_few_runs(rule: Strides, shape: Shape) -> bool:
    """Whether the rule is no more than some runs of consecutive words, which segments tell more simply."""
    if rule.strides[0] != 1:
        return False
    runs = -(-prod(shape) // rule.weights[1]) if len(rule.weights) > 1 else 1
    return runs <= FEW_RUNS and not _is_linear(rule, shape, _fitted(rule, shape))


def _cause(fitted: dict[int, int]) -> str:
    """What strides look like, in words."""
    strides = list(fitted.values())
    if 0 in strides:
        return "words repeat along an axis"
    if min(strides) < 0:
        return "an axis runs backwards"
    if strides != sorted(strides, reverse=True):
        return "the axes are in another order"
    return "elements or rows are padded"


def _is_linear(rule: Strides, shape: Shape, fitted: dict[int, int]) -> bool:
    """Whether the rule is one stride for each axis: compared at elements from the whole tensor."""
    size = prod(shape)
    spread = np.linspace(0, size - 1, 4096).astype(np.int64)
    index = np.unique(np.append(np.arange(min(size, 4096), dtype=np.int64), spread))
    indexes = np.unravel_index(index, shape)
    linear = np.full(index.size, rule.first, np.int64)
    for axis, stride in fitted.items():
        linear += indexes[axis] * stride
    return bool((linear == rule.places(index)).all())


def _sum(names: Iterable[str], factors: Iterable[int], first: int = 0) -> str:
    """The sum as text: 5 - i*3 + j."""
    terms = [(factor, name if abs(factor) == 1 else f"{name}*{abs(factor)}") for name, factor in zip(names, factors)]
    terms = [(factor, term) for factor, term in terms if factor]
    if first or not terms:
        terms.insert(0 if terms and terms[0][0] < 0 else len(terms), (first, str(abs(first))))
    text = "".join(f" {'-' if factor < 0 else '+'} {term}" for factor, term in terms)
    return text.removeprefix(" + ").removeprefix(" ")
