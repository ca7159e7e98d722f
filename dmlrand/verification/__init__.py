"""Compare a generator's words and new state with the correct ones, and name the known fault that explains a difference.

The rules are those of specs/verify.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..arrays.filling import SCRATCH_ELEMENTS, flat_pieces
from ..arrays.interchange import SupportsDLPack, read_array
from ..arrays.tensor import MAX_RANK
from ..imports import lazy_attributes
from ..state import UINT32, State, StateLike, advance_blocks, blocks_for, check_state
from .report import Finding, Mismatch, Segment, Verification

if TYPE_CHECKING:
    from .inverse import Position, locate, locate_run
    from .rounds import Round, trace
else:  # hidden from type checkers, which would take every misspelt name for a lazy one
    __getattr__, __dir__ = lazy_attributes(
        __name__, {"inverse": ("Position", "locate", "locate_run"), "rounds": ("Round", "trace")}
    )

__all__ = [
    "Finding",
    "Mismatch",
    "Position",
    "Round",
    "Segment",
    "Verification",
    "locate",
    "locate_run",
    "trace",
    "verify",
]


def verify(
    state: StateLike, values: NDArray[np.uint32] | SupportsDLPack, new_state: StateLike | None = None
) -> Verification:
    """Compare a generator's words, and its new state, with the correct ones.

    Words are compared piece by piece, so the expected tensor is never in memory as a whole. A file opened with
    numpy.load(mmap_mode="r") is read piece by piece too.

    Parameters
    ----------
    state : array_like of uint32, shape (6,) or (1, ..., 1, 6)
        The state that the generator was given.
    values : uint32 array of rank 1 to 8, any strides, at least one word
        The words that the generator made. It may be an array of another package, such as a tensor of PyTorch.
    new_state : array_like of uint32, shape (6,) or (1, ..., 1, 6), optional
        The state that the generator stored after the draw. Not checked if not given.

    Returns
    -------
    Verification

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
    (Finding(name='rounds-7', sentence='The generator runs 7 rounds: run 10.'),)
    """
    given = check_state(state)
    tensor = _check_values(values)
    stored = None if new_state is None else check_state(new_state, "new_state")
    mismatches, first = _compare(given, tensor)
    state_ok = stored is None or np.array_equal(stored.ravel(), advance_blocks(given, blocks_for(tensor.size)).ravel())
    if first is None and state_ok:
        return Verification(True, tensor.size, 0, None, (), (Segment(0, tensor.size, 0),))
    # Imported here, because a correct generator needs no diagnosis.
    from .diagnosis import diagnose_state, diagnose_values
    from .segments import find_segments

    findings: list[Finding] = []
    segments: tuple[Segment, ...] = (Segment(0, tensor.size, 0),)
    if first is not None:
        findings += diagnose_values(given, tensor, first.flat_index)
        segments = find_segments(given, tensor)
    if stored is not None and not state_ok:
        findings += diagnose_state(given, stored, tensor.size)
    return Verification(False, tensor.size, mismatches, first, tuple(findings), segments)


def compare(state: State, values: NDArray[np.uint32]) -> Iterator[tuple[int, NDArray[np.uint32], NDArray[np.uint32]]]:
    """Iterate over the expected words of a checked state and the words of a checked tensor, in row-major order.

    Yields (position, expected, got): flat arrays of at most SCRATCH_ELEMENTS words, which start at word `position`.
    The arrays are valid until the next step.
    """
    start = np.array(state).reshape(6)  # a copy: kernels take no read-only or strided state
    scratch = np.empty(min(values.size, SCRATCH_ELEMENTS), UINT32)
    step = np.ones(1, np.int64)
    for position, got in flat_pieces(values):
        expected = scratch[: got.size]
        kernels.fill(start, position, np.array([got.size], np.int64), step, got.size, expected)
        yield position, expected, got


def _check_values(given: Any) -> NDArray[np.uint32]:
    # A memmap is kept, because flat_pieces releases its pages.
    values = given if isinstance(given, np.memmap) else read_array(given, "values")
    if values is None:
        raise TypeError(
            f"values must be a numpy array of uint32; got {type(given).__name__}. "
            "numpy.array(values, numpy.uint32) makes one."
        )
    if values.dtype != UINT32:
        raise TypeError(
            f"values must hold uint32 words in native byte order; got {values.dtype} of shape {values.shape}. "
            f"{_remedy(values.dtype)}"
        )
    if not 1 <= values.ndim <= MAX_RANK:
        raise ValueError(f"values must have rank 1 to {MAX_RANK}; got rank {values.ndim}. Reshape the array.")
    if values.size == 0:
        raise ValueError(f"values must hold at least one word; got shape {values.shape}. Pass the device's words.")
    return values


def _remedy(dtype: np.dtype[Any]) -> str:
    """How to get words from an array of another type."""
    if dtype.kind in "iu" and dtype.itemsize == 8 or dtype.newbyteorder("=") == UINT32:
        return "If each element is a word in [0, 2**32), pass values.astype(numpy.uint32)."
    if dtype.kind in "iu" or dtype == np.float32 or dtype == np.dtype(np.float32).newbyteorder():
        words = "view(numpy.uint32)" if dtype.isnative else f"view('{dtype.byteorder}u4').astype(numpy.uint32)"
        return f"If the bytes are the device's words, pass values.{words}."
    return "Words cannot be recovered from numbers made of them: let the device store its words."


def first_difference(
    position: int, shape: tuple[int, ...], expected: NDArray[np.uint32], got: NDArray[np.uint32]
) -> Mismatch | None:
    """The first wrong word of flat arrays that start at word `position` of a tensor of `shape`."""
    wrong = expected != got
    if not wrong.any():
        return None
    at = int(np.argmax(wrong))
    flat = position + at
    index = tuple(int(place) for place in np.unravel_index(flat, shape))
    return Mismatch(flat, index, flat // 4, flat % 4, int(expected[at]), int(got[at]))


def _compare(state: State, values: NDArray[np.uint32]) -> tuple[int, Mismatch | None]:
    """How many words are wrong, and the first wrong word."""
    mismatches, first = 0, None
    for position, expected, got in compare(state, values):
        wrong = int(np.count_nonzero(expected != got))
        if wrong and first is None:
            first = first_difference(position, values.shape, expected, got)
        mismatches += wrong
    return mismatches, first
