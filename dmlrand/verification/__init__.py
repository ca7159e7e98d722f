"""Is this generator right? And if not, where is it wrong, and which mistake explains it?

The rules are those of specs/verify.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..arrays.filling import SCRATCH_ELEMENTS, flat_pieces
from ..arrays.tensor import MAX_RANK
from ..imports import lazy_attributes
from ..state import UINT32, State, StateLike, advance_blocks, blocks_for, check_state

if TYPE_CHECKING:
    from .inverse import Position, locate, locate_run
    from .rounds import Round, trace
else:  # hidden from type checkers, which would take every misspelt name for a lazy one
    __getattr__, __dir__ = lazy_attributes(
        __name__, {"inverse": ("Position", "locate", "locate_run"), "rounds": ("Round", "trace")}
    )

__all__ = ["Finding", "Mismatch", "Position", "Round", "Verification", "locate", "locate_run", "trace", "verify"]


class Finding(NamedTuple):
    """A mistake that explains the data: its stable name, and a sentence on what is wrong and how to mend it."""

    name: str
    sentence: str


class Mismatch(NamedTuple):
    """A word that is not what the state demands.

    flat_index counts the tensor's words row-major and `index` is the same place, one number for each axis. The
    word is this lane of block number `block`, whose counter is the state's plus `block`.
    """

    flat_index: int
    index: tuple[int, ...]  # type: ignore[assignment]  # a tuple's own index() is not missed here
    block: int
    lane: int
    expected: int
    got: int


class Verification(NamedTuple):
    """What verify returns.

    ok: whether all words, and the new state when given, are right. words: how many were compared. mismatches: how
    many of them are wrong. first_mismatch: the first in row-major order, None where all are right. diagnosis: a
    Finding for each known mistake that explains what was found.
    """

    ok: bool
    words: int
    mismatches: int
    first_mismatch: Mismatch | None
    diagnosis: tuple[Finding, ...]

    @property
    def share(self) -> float:
        """Which part of the words is wrong, 0.0 to 1.0."""
        return self.mismatches / self.words


def verify(state: StateLike, values: NDArray[np.uint32], new_state: StateLike | None = None) -> Verification:
    """Hold a generator's words, and the state it left, against what the state demands.

    Words are compared piece by piece: the expected tensor is never whole in memory, and a file opened with
    numpy.load(mmap_mode="r") is read the same way.

    Parameters
    ----------
    state : array_like of uint32, shape (6,) or (1, ..., 1, 6)
        What the generator was given.
    values : uint32 array of rank 1 to 8, any strides, at least one word
        What it made.
    new_state : array_like of uint32, shape (6,) or (1, ..., 1, 6), optional
        The state it left. Not checked when absent.

    Returns
    -------
    Verification(ok, words, mismatches, first_mismatch, diagnosis)
        ok: whether all words, and the new state when given, are right. words: how many were compared.
        mismatches: how many are wrong; the property share is their part of all. first_mismatch:
        Mismatch(flat_index, index, block, lane, expected, got), or None. diagnosis: a Finding(name, sentence) for
        each known mistake that explains all of the words, or (names that start with "state-") the new state.
        Little data can have several explanations. Empty when all is right, and when no known mistake explains it.

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.

    Examples
    --------
    A generator that runs 7 rounds:

    >>> import numpy as np
    >>> from dmlrand import make_state
    >>> values = np.array([0x5F6FB709, 0x0D893F64, 0x4F121F81, 0x4F730A48], np.uint32)
    >>> report = verify(make_state(), values)
    >>> report.ok, report.share, hex(report.first_mismatch.got)
    (False, 1.0, '0x5f6fb709')
    >>> report.diagnosis
    (Finding(name='rounds-7', sentence='It runs 7 rounds: run 10.'),)
    """
    given = check_state(state)
    tensor = _check_values(values)
    left = None if new_state is None else check_state(new_state, "new_state")
    mismatches, first = _compare(given, tensor)
    state_ok = left is None or np.array_equal(left.ravel(), advance_blocks(given, blocks_for(tensor.size)).ravel())
    if first is None and state_ok:
        return Verification(True, tensor.size, 0, None, ())
    # Loaded here, since a right generator never needs it.
    from .diagnosis import diagnose_state, diagnose_values

    explanations = []
    if first is not None:
        explanations += diagnose_values(given, tensor, first.flat_index)
    if left is not None and not state_ok:
        explanations += diagnose_state(given, left, tensor.size)
    diagnosis = tuple(Finding(name, sentence) for name, sentence in explanations)
    return Verification(False, tensor.size, mismatches, first, diagnosis)


def compare(state: State, values: NDArray[np.uint32]) -> Iterator[tuple[int, NDArray[np.uint32], NDArray[np.uint32]]]:
    """Walk through the words of a checked state and tensor in row-major order.

    Yields (position, expected, got): flat arrays of at most SCRATCH_ELEMENTS words, the first of them word `position`.
    They are valid until the next step.
    """
    start = np.array(state).reshape(6)  # a copy: kernels take no read-only or strided state
    scratch = np.empty(min(values.size, SCRATCH_ELEMENTS), UINT32)
    step = np.ones(1, np.int64)
    for position, got in flat_pieces(values):
        expected = scratch[: got.size]
        kernels.fill(start, position, np.array([got.size], np.int64), step, got.size, expected)
        yield position, expected, got


def _check_values(values: Any) -> NDArray[np.uint32]:
    if not isinstance(values, np.ndarray) or hasattr(values, "mask"):  # the mask would be ignored
        raise TypeError(
            f"values must be a numpy array of uint32; got {type(values).__name__}. "
            "numpy.array(values, numpy.uint32) makes one."
        )
    if values.dtype != UINT32:
        raise TypeError(
            f"values must hold uint32 words in native byte order; got {values.dtype} of shape {values.shape}. "
            f"{_remedy(values.dtype)}"
        )
    if not 1 <= values.ndim <= MAX_RANK:
        raise ValueError(f"values must have rank 1 to {MAX_RANK}; got rank {values.ndim}. Reshape them.")
    if values.size == 0:
        raise ValueError(f"values must hold at least one word; got shape {values.shape}. Pass what the device made.")
    return values


def _remedy(dtype: np.dtype[Any]) -> str:
    """How an array of another type may hold words all the same."""
    if dtype.kind in "iu" and dtype.itemsize == 8 or dtype.newbyteorder("=") == UINT32:
        return "If each is a word, all of them in [0, 2**32), pass values.astype(numpy.uint32)."
    if dtype.kind in "iu" or dtype == np.float32 or dtype == np.dtype(np.float32).newbyteorder():
        words = "view(numpy.uint32)" if dtype.isnative else f"view('{dtype.byteorder}u4').astype(numpy.uint32)"
        return f"If their bytes are the device's words, pass values.{words}."
    return "Words cannot be told from numbers made of them: have the device store its words."


def _compare(state: State, values: NDArray[np.uint32]) -> tuple[int, Mismatch | None]:
    """How many words are wrong, and the first of them."""
    mismatches, first = 0, None
    for position, expected, got in compare(state, values):
        wrong = int(np.count_nonzero(expected != got))
        if wrong and first is None:
            at = int(np.argmax(expected != got))
            first = _mismatch(position + at, values.shape, int(expected[at]), int(got[at]))
        mismatches += wrong
    return mismatches, first


def _mismatch(flat: int, shape: tuple[int, ...], expected: int, got: int) -> Mismatch:
    index = tuple(int(place) for place in np.unravel_index(flat, shape))
    return Mismatch(flat, index, flat // 4, flat % 4, expected, got)
