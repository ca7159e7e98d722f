"""The report of a verification."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """A known fault that explains the data: its stable name, and a sentence that says what is wrong and what to do."""

    name: str
    sentence: str


class Mismatch(NamedTuple):
    """A word that differs from the expected word.

    Attributes
    ----------
    flat_index : int
        The word's row-major place in the tensor, from 0.
    index : tuple of int
        The same place, one number for each axis.
    block : int
        The word's block. Its counter is the state's counter plus `block`.
    lane : int
        The word's place in the block, 0 to 3.
    expected, got : int
        The correct word, and the word in the tensor.
    """

    flat_index: int
    index: tuple[int, ...]  # type: ignore[assignment]  # hides the method tuple.index
    block: int
    lane: int
    expected: int
    got: int


class Verification(NamedTuple):
    """The report of verify.

    Attributes
    ----------
    ok : bool
        Whether all words are right, and the new state too if it was given.
    words, mismatches : int
        How many words were compared, and how many of them are wrong.
    first_mismatch : Mismatch or None
        The first wrong word in row-major order.
    diagnosis : tuple of Finding
        The known faults that each explain all of the words or, if the name starts with "state-", the new state. If
        there are few words, several faults can explain them. Empty if everything is right, and if no known fault
        explains the data.
    """

    ok: bool
    words: int
    mismatches: int
    first_mismatch: Mismatch | None
    diagnosis: tuple[Finding, ...]

    @property
    def share(self) -> float:
        """The fraction of the words that is wrong, 0.0 to 1.0."""
        return self.mismatches / self.words
