"""Compare a generator's words and new state with the correct ones, and name the known fault that explains a difference.

The rules are those of specs/verify.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..bulk.request import Distribution, check_distribution
from ..drawing.filling import SCRATCH_ELEMENTS
from ..drawing.imports import lazy_attributes
from ..drawing.interchange import SupportsDLPack, read_array
from ..drawing.number_types import check_dtype, words_per_number
from ..drawing.plan import DISCARD, BoundRule
from ..drawing.tensor import MAX_RANK
from ..state import UINT32, State, StateLike, advance_blocks, blocks_for, check_state
from .reading import flat_pieces
from .report.result import Finding, Mismatch, Segment, Verification

if TYPE_CHECKING:
    from .inverse import Position, Round, locate, locate_run, trace
    from .recovery import Candidate, recover
else:  # hidden from type checkers, which would take every misspelt name for a lazy one
    __getattr__, __dir__ = lazy_attributes(
        __name__,
        {
            "inverse": ("Position", "Round", "locate", "locate_run", "trace"),
            "recovery": ("Candidate", "recover"),
        },
    )

__all__ = [
    "Candidate",
    "Finding",
    "Mismatch",
    "Position",
    "Round",
    "Segment",
    "Verification",
    "locate",
    "locate_run",
    "recover",
    "trace",
    "verify",
]


DTYPES = ("uint32", "int32", "float32", "float64")  # of the elements of a tensor
NUMBERS = ("float32", "float64")  # made of words


def verify(
    state: StateLike,
    values: NDArray[Any] | SupportsDLPack,
    new_state: StateLike | None = None,
    *,
    dtype: DTypeLike | None = None,
    distribution: str | None = None,
    **parameters: Any,
) -> Verification:
    """Compare a generator's words or numbers, and its new state, with the correct ones.

    Words are compared piece by piece, so the expected tensor is never in memory as a whole. A file opened with
    numpy.load(mmap_mode="r") is read piece by piece too.

    Parameters
    ----------
    state : as in random_generator
        The state that the generator was given.
    values : array of dtype and of rank 1 to 8, any strides, at least one element
        What the generator made. It may be an array of another package, such as a tensor of PyTorch.
    new_state : as in random_generator, optional
        The state that the generator stored after the draw. Not checked if not given.
    dtype : uint32, int32, float32 or float64, or a type of the distribution
        The type of the elements. uint32, the default: they are words. int32: their bits are words. float32 and float64:
        they are uniform numbers in [0, 1) by the rule of `uniform`, and are compared bit by bit.
    distribution, **parameters : as in fill_file
        What the elements are, such as distribution="normal", stddev=2. The fault behind wrong elements is searched only
        for words, and for uniform numbers in [0, 1) of float32 and float64.

    Returns
    -------
    Verification
        For a dtype or distribution of numbers its counts and places are of numbers.

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
    if distribution is None and not parameters:
        kind = check_dtype(UINT32 if dtype is None else dtype, DTYPES)
        drawn = check_distribution(None, UINT32 if kind.kind == "i" else kind, {})
    else:
        drawn = check_distribution(distribution, dtype, parameters)
        kind = drawn.dtype
    tensor = _check_values(values, kind)
    stored = None if new_state is None else check_state(new_state, "new_state")
    if drawn.dtype != kind:
        tensor = tensor.view(UINT32)
    mismatches, first = _compare(given, tensor, drawn.rule)
    findings: tuple[Finding, ...] = ()
    segments: tuple[Segment, ...] = (Segment(0, tensor.size, 0),)
    if first is not None:
        findings, segments = _explain(given, tensor, drawn, first, mismatches)
    report = Verification(first is None, tensor.size, mismatches, first, findings, segments, drawn.dtype.name)
    return report if stored is None else with_new_state(report, given, stored, tensor.size * words_per_number(kind))[0]


def _explain(
    state: State, values: NDArray[Any], drawn: Distribution, first: Mismatch, mismatches: int
) -> tuple[tuple[Finding, ...], tuple[Segment, ...]]:
    """The faults that explain wrong elements, and the segments. `first` is the first of the mismatches."""
    is_unit = str(drawn) == "uniform(low=0.0, high=1.0)" and drawn.dtype.name in NUMBERS
    if drawn.name != "words" and not is_unit:
        sentence = f"The numbers are not those of {drawn}. To find the fault, let the device store its words."
        return (Finding("other-numbers", sentence),), ()
    # Imported here, because a correct generator needs no diagnosis.
    from .dump import Dump
    from .places.segments import find_segments
    from .search import diagnose

    dump = Dump(state, values)
    segments = find_segments(dump)
    return tuple(diagnose(dump, first.flat_index, mismatches, segments)), segments


def with_new_state(report: Verification, state: State, new_state: State, words: int) -> tuple[Verification, bool]:
    """The report with the findings on the new state after `words` words, and whether that state is right."""
    if np.array_equal(new_state.ravel(), advance_blocks(state, blocks_for(words)).ravel()):
        return report, True
    from .new_state import diagnose_state  # as above

    findings = diagnose_state(state, new_state, words)
    return report._replace(ok=False, diagnosis=(*report.diagnosis, *findings)), False


def _compare(state: State, values: NDArray[Any], rule: BoundRule) -> tuple[int, Mismatch | None]:
    """How many elements of a checked tensor are wrong, and the first wrong one in row-major order."""
    mismatches, first = 0, None
    scratch = np.empty(min(values.size, SCRATCH_ELEMENTS), rule.kernel_dtype)
    bits, words = f"u{values.dtype.itemsize}", words_per_number(values.dtype)
    for position, piece in flat_pieces(values):
        made, start = scratch[: piece.size], np.array(state).reshape(6)
        rule.kernels.fill.run(start, DISCARD, 0, piece.size, position, rule.parameters, made)
        expected, got = made.view(bits), piece.view(bits)
        wrong = expected != got
        count = int(np.count_nonzero(wrong))
        if count and first is None:
            at = int(np.argmax(wrong))
            index = tuple(int(place) for place in np.unravel_index(position + at, values.shape))
            block, lane = divmod((position + at) * words, 4)
            first = Mismatch(position + at, index, block, lane, int(expected[at]), int(got[at]))
        mismatches += count
    return mismatches, first


def _check_values(given: Any, kind: np.dtype[Any]) -> NDArray[Any]:
    values = read_array(given, "values")
    if values is None:
        raise TypeError(
            f"values must be a numpy array of {kind}; got {type(given).__name__}. "
            f"numpy.array(values, numpy.{kind}) makes one."
        )
    if values.dtype != kind:
        raise TypeError(
            f"values must hold {kind}{' words' if kind == UINT32 else ''} in native byte order; got {values.dtype} of "
            f"shape {values.shape}. {_remedy(values.dtype)}"
        )
    if not 1 <= values.ndim <= MAX_RANK:
        raise ValueError(f"values must have rank 1 to {MAX_RANK}; got rank {values.ndim}. Reshape the array.")
    if values.size == 0:
        raise ValueError(f"values must hold at least one word; got shape {values.shape}. Pass the device's words.")
    return values


def _remedy(dtype: np.dtype[Any]) -> str:
    """How to compare an array of another type than dtype names."""
    is_known = dtype.isnative and dtype.name in DTYPES
    if is_known and dtype.name not in NUMBERS:
        return f"If the bits are the device's words, pass dtype={dtype.name!r}."
    numbers = f"If they are uniform numbers in [0, 1), pass dtype={dtype.name!r}. " if is_known else ""
    if dtype.kind in "iu" and dtype.itemsize == 8 or dtype.newbyteorder("=") == UINT32:
        return "If each element is a word in [0, 2**32), pass values.astype(numpy.uint32)."
    if dtype.kind in "iu" or dtype.newbyteorder("=") == np.float32:
        words = "view(numpy.uint32)" if dtype.isnative else f"view('{dtype.byteorder}u4').astype(numpy.uint32)"
        return f"{numbers}If the bytes are the device's words, pass values.{words}."
    return f"{numbers}Words cannot be recovered from numbers made of them: let the device store its words."
