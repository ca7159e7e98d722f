"""What covers the elements of a dump that a hypothesis does not give: fills, right elements, foreign elements."""

from __future__ import annotations

from math import ceil

import numpy as np

from .dump import Dump, Hypothesis
from .functions.conversions import WordFunction
from .places.origins import FOREIGN, mark_fills
from .places.segments import Runs
from .report.result import Finding
from .report.segment_text import clause

MAX_FLIPS = 64
MIN_EXPLAINED = 12  # different elements, if others are not explained
MIN_BITS = 90  # of elements that only one explanation gives
MAX_IN_TEXT = 3
MAX_SEGMENTS = 8
FEW = 8
RIGHT_CODE = 1  # of elements that the right generator gives, and the hypothesis does not


class Covering:
    """The elements that a hypothesis does not give."""

    def __init__(self, dump: Dump, hypothesis: Hypothesis) -> None:
        self.dump, self.wrong, self.right, self.foreign, padding = dump, 0, 0, 0, 0
        is_padding = hypothesis.place.is_padding if hypothesis.place else None
        self._distinct: set[int] = set()
        self._needed = min_elements(dump, hypothesis.function) + 1
        runs = Runs()
        for position, piece in dump.pieces():
            index = np.arange(position, position + piece.size, dtype=np.int64)
            wrong = hypothesis.elements(dump, index) != piece
            codes = np.where(wrong, np.int64(FOREIGN), np.int64(0))
            mark_fills(codes, piece, 2)
            if wrong.any():
                codes[wrong & (piece == dump.right_elements(position, piece.size))] = RIGHT_CODE
            runs.add(position, codes)
            self.wrong += int(np.count_nonzero(wrong))
            if is_padding is not None:
                padding += int(np.count_nonzero(wrong & is_padding(index)))
            self.right += int(np.count_nonzero(codes == RIGHT_CODE))
            self.foreign += int(np.count_nonzero(codes == FOREIGN))
            if len(self._distinct) < max(self._needed, MIN_EXPLAINED):
                self._distinct.update(piece[~wrong][:100].tolist())
        self.segments = runs.segments([])
        # All elements of the rows are explained, and no other. Right elements are no padding.
        self.is_padded = 0 < padding == self.wrong and not self.right
        self.unexplained = 0 if self.is_padded else self.foreign
        # Elements that nothing explains lie in many places.
        self.is_scattered = runs.count > MAX_SEGMENTS and self.unexplained > 0

    def is_proved(self) -> bool:
        """Whether enough elements are explained, and the rest has a simple description."""
        explained = self.dump.size - self.wrong
        needed = max(self._needed, MIN_EXPLAINED) if self.foreign else self._needed
        if len(self._distinct) < needed or explained < self.foreign / 4:
            return False
        return not self.is_scattered or explained > self.dump.size / 2

    def text(self) -> str:
        """A sentence about the elements that the hypothesis does not give, which begins with a space."""
        unit = self.dump.unit
        others = [each for each in self.segments if each.offset != 0]
        if not others:
            return ""
        if len(others) <= MAX_IN_TEXT:
            clauses = (clause(each._replace(offset=0 if each.offset else None), unit) for each in others)
            return f" This explains all {unit}s but these: {'; '.join(clauses)}."
        fills = {segment.fill for segment in others}
        what = f"the constant {fills.pop():#x}" if len(fills) == 1 and None not in fills else "not explained"
        what = "right" if all(segment.offset for segment in others) else what
        return f" This explains {self.dump.size - self.wrong:,} of {self.dump.size:,} {unit}s; the others are {what}."


def min_elements(dump: Dump, function: WordFunction) -> int:
    """How many elements of a function prove an explanation."""
    return ceil(MIN_BITS / max(dump.known_bits(function), 1))


def explain_tail(dump: Dump, first: int) -> list[Finding]:
    """If all elements from the first mismatch on are one constant: never written."""
    size, unit = dump.size, dump.unit
    constant = int(dump.at(np.array([size - 1], np.int64))[0])
    length = size - first
    if constant and length == 1:
        return []  # any single wrong element at the end would be such a tail
    if any((piece[max(0, first - position) :] != constant).any() for position, piece in dump.pieces()):
        return []
    if length == size:
        which = f"The only {unit} is" if size == 1 else f"All {size} {unit}s are"
    else:
        which = f"The last of {size} {unit}s is" if length == 1 else f"The last {length} of {size} {unit}s are"
    return [Finding("constant-tail" if constant else "zero-tail", (
        f"{which} {constant:#x}, as if never written or cut off: dispatch enough threads for "
        "ceil(words / 4) blocks, store every lane that lies in the tensor, and copy the whole file as binary data."
    ))]  # fmt: skip


def explain_flips(dump: Dump, mismatches: int) -> list[Finding]:
    """If a few elements have one wrong bit each, and all others are right: flipped bits."""
    if mismatches > MAX_FLIPS or dump.size < MIN_EXPLAINED or 4 * mismatches > dump.size:
        return []
    flips: list[tuple[int, int]] = []  # indexes, and the bits that are wrong
    for position, piece in dump.pieces():
        wrong = piece ^ dump.right_elements(position, piece.size)
        flips += [(position + at, int(wrong[at])) for at in np.flatnonzero(wrong).tolist()]
    if any(bits & bits - 1 for _, bits in flips):
        return []
    listed = ", ".join(f"bit {bits.bit_length() - 1} of {dump.unit} {index:,}" for index, bits in flips[:FEW])
    more = f" and {len(flips) - FEW} more" if len(flips) > FEW else ""
    count = "One bit is" if len(flips) == 1 else f"{len(flips)} bits are"
    remedy = f"All other {dump.unit}s are right: check the memory, and how it was copied."
    return [Finding("bits-flipped", f"{count} flipped: {listed}{more}. {remedy}")]
