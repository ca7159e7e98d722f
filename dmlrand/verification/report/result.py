"""The report of a verification."""

from __future__ import annotations

from typing import NamedTuple

from ..reading import unit_of


class Finding(NamedTuple):
    """A fault, or two faults at once, that explain the data: the stable name, and what is wrong and what to do.

    >>> from dmlrand import make_state, random_generator, verify
    >>> state = make_state(key=42)
    >>> values = random_generator(state, (2, 6)).values
    >>> (finding,) = verify(state, values.byteswap()).diagnosis
    >>> finding.name
    'bytes-swapped'
    >>> print(finding.sentence.partition(": ")[2])
    store uint32 in the device's byte order.
    """

    name: str
    sentence: str


class Mismatch(NamedTuple):
    """A word that differs from the expected word.

    >>> Mismatch(flat_index=8, index=(1, 2), block=2, lane=0, expected=3547071013, got=0).lane
    0

    Attributes
    ----------
    flat_index, index : int, tuple of int
        The word's row-major place in the tensor, from 0, and the same place with one number for each axis.
    block, lane : int
        The word's block, counted from the state's counter, and its place in the block, 0 to 3.
    expected, got : int
        The correct word, and the word in the tensor.
    """

    flat_index: int
    index: tuple[int, ...]  # type: ignore[assignment]  # hides the method tuple.index
    block: int
    lane: int
    expected: int
    got: int


class Segment(NamedTuple):
    """Consecutive words of a tensor, start to stop - 1, that have one origin.

    >>> Segment(60, 100, offset=3940)
    Segment(start=60, stop=100, offset=3940, fill=None, share=1.0, varies=False)

    Attributes
    ----------
    offset : int or None
        0: the words are right. k: they are the right words of the same key's stream k words further on; a negative k
        means words before. None: the words were not found in the stream.
    fill : int or None
        The value, if the words are not in the stream and are all equal.
    share, varies : float, bool
        A tensor of more than 256 segments has summaries instead: the fraction of the words that belongs to the summary,
        and whether it stands for several offsets, of which offset is the first one.
    """

    start: int
    stop: int
    offset: int | None
    fill: int | None = None
    share: float = 1.0
    varies: bool = False


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
        The faults that each explain the words or, if the name starts with "state-", the new state.
    segments : tuple of Segment
        Where the words come from. The segments cover the tensor, in its order.
    dtype : str
        The type of the elements that were compared.

    Examples
    --------
    >>> from dmlrand import make_state, random_generator, verify
    >>> state = make_state(key=42)
    >>> values = random_generator(state, (2, 6)).values
    >>> values[1, 2] = 0
    >>> report = verify(state, values)
    >>> report.ok, report.words, report.mismatches, round(report.share, 3)
    (False, 12, 1, 0.083)
    >>> report.first_mismatch
    Mismatch(flat_index=8, index=(1, 2), block=2, lane=0, expected=3547071013, got=0)
    """

    ok: bool
    words: int
    mismatches: int
    first_mismatch: Mismatch | None
    diagnosis: tuple[Finding, ...]
    segments: tuple[Segment, ...]
    dtype: str = "uint32"

    @property
    def unit(self) -> str:
        """What an element is called."""
        return unit_of(self.dtype)

    @property
    def share(self) -> float:
        """The fraction of the words that is wrong, 0.0 to 1.0."""
        return self.mismatches / self.words
