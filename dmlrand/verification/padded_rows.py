"""Find the rows of the stream in a dump that has other words between them, such as rows that are padded to a pitch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.filling import elements_at, flat_pieces
from ..state import State
from .report import Finding
from .stream_words import words_from

MAX_GAP_WORDS = 1 << 16  # between two rows
MIN_PROOF_WORDS = 3  # after the first row
MIN_ROWS = 3  # two are enough if one constant lies between them
MAX_PITCH_LENGTHS = 4  # if no constant lies between rows: a rule must tell of a quarter of the words


class _Rows(NamedTuple):
    length: int
    pitch: int  # from the start of a row to the start of the next row, in words


def explain_padded_rows(state: State, values: NDArray[np.uint32], first_mismatch: int) -> list[Finding]:
    """The rule that words 0, 1, 2, ... of the stream lie in rows of one length, all at one distance.

    The first wrong word ends the first row. The second row begins where the right word is found after it.
    """
    if not first_mismatch:
        return []
    (next_word,) = words_from(state, first_mismatch, 1).tolist()
    first = first_mismatch + 1
    index = np.arange(first, min(first + MAX_GAP_WORDS, values.size), dtype=np.int64)
    found = np.flatnonzero(elements_at(values, index) == next_word)
    if not found.size:
        return []
    rows = _Rows(first_mismatch, first + int(found[0]))
    between = _words_between(state, values, rows)
    if between is None:
        return []
    sentence = (
        f"The stream is stored in rows of {rows.length:,} word{'s' * (rows.length > 1)}, {rows.pitch:,} words apart, "
        f"with {between} between them: store or copy the rows without gaps."
    )
    return [Finding("rows-padded", sentence)]


def _words_between(state: State, values: NDArray[np.uint32], rows: _Rows) -> str | None:
    """What lies between the rows, or None if the words of the rows are not those of the stream."""
    position, constants = 0, np.empty(0, np.uint32)
    for start, piece in flat_pieces(values):
        in_row = np.arange(start, start + piece.size, dtype=np.int64) % rows.pitch < rows.length
        got = piece[in_row]
        if (got != words_from(state, position, got.size)).any():
            return None
        position += got.size
        constants = np.unique(np.append(constants[:2], piece[~in_row]))
    is_constant = constants.size == 1
    is_proved = position - rows.length >= MIN_PROOF_WORDS and values.size >= 2 * rows.pitch
    if not is_proved:
        return None
    if is_constant:
        return f"the constant {constants[0]:#x}"
    is_likely = values.size > (MIN_ROWS - 1) * rows.pitch and rows.pitch <= MAX_PITCH_LENGTHS * rows.length
    return "foreign words" if is_likely else None
