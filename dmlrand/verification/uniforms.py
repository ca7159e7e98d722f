"""Compare uniform numbers in [0, 1) with those of a state. Such a number holds only some bits of its words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.filling import SCRATCH_ELEMENTS, flat_pieces
from ..arrays.number_types import words_per_number
from ..distributions import uniform
from ..state import State, StateLike, check_state
from .functions.conversions import NUMBERS, WordFunction
from .places.origins import FOREIGN, Codes, Origins
from .report.result import Finding, Verification, first_difference
from .places.segments import Runs
from .places.stream_words import words_from

MIN_NUMBERS = 4  # fewer numbers would fit a wrong rule by chance
BITS = {4: np.uint32, 8: np.uint64}  # by size in bytes


def verify_uniform(state: StateLike, numbers: NDArray[Any]) -> Verification:
    """As verify, for float32 or float64 numbers in [0, 1): distributions 3, compared bit by bit.

    All counts and places in the report are of numbers, and `expected` and `got` are the bits of a number. Some bits of
    the words are lost, so no counter can be computed: a wrong number has the origin `None`. The only fault that is
    named is another rule for float32 numbers.
    """
    given = check_state(state)
    mismatches, first = 0, None
    runs = Runs(Origins(given))
    for position, expected, got in _compare(given, numbers):
        wrong = expected != got
        if first is None:
            words = words_per_number(numbers.dtype)
            first = first_difference(position, numbers.shape, expected, got, words)
        mismatches += int(np.count_nonzero(wrong))
        runs.add(position, _codes(wrong))
    findings = () if first is None else _other_rules(given, numbers)
    return Verification(first is None, numbers.size, mismatches, first, findings, runs.segments(numbers.size))


def _other_rules(state: State, numbers: NDArray[Any]) -> tuple[Finding, ...]:
    """The rules that give all of these float32 numbers, but are not that of distributions 3.1."""
    if numbers.dtype.itemsize != 4 or numbers.size < MIN_NUMBERS:
        return ()
    rules = [rule for rule in NUMBERS if rule.name == "uniform-instead-of-word"]
    for position, got in flat_pieces(numbers):
        words = words_from(state, position, got.size)
        rules = [rule for rule in rules if np.array_equal(rule.function(words), got.view(np.uint32))]
    return tuple(Finding("other-uniform-rule", _sentence(rule)) for rule in rules)


def _sentence(rule: WordFunction) -> str:
    number = rule.expression.removeprefix("the bits of ")
    return (
        f"Every number is {number}, where w is the right word: the words are right, but the rule for numbers is not "
        "that of TensorFlow-DirectML, which takes the low 23 bits of w."
    )


def number_codes(state: State, numbers: NDArray[Any]) -> Iterator[tuple[int, Codes]]:
    """As segments.word_codes, for numbers: right or foreign."""
    for position, expected, got in _compare(state, numbers):
        yield position, _codes(expected != got)


def _codes(wrong: NDArray[np.bool_]) -> Codes:
    return np.where(wrong, np.int64(FOREIGN), np.int64(0))


def _compare(state: State, numbers: NDArray[Any]) -> Iterator[tuple[int, NDArray[Any], NDArray[Any]]]:
    """As verification.compare: (position, expected, got), the bits of numbers. The arrays are valid until the next."""
    scratch = np.empty(min(numbers.size, SCRATCH_ELEMENTS), numbers.dtype)
    bits = BITS[numbers.dtype.itemsize]
    for position, got in flat_pieces(numbers):
        window = slice(position, position + got.size)
        expected = scratch[: got.size]
        uniform(state, numbers.size, dtype=numbers.dtype, window=window, out=expected)
        yield position, expected.view(bits), got.view(bits)
