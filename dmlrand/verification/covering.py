"""What covers the elements of a dump that a hypothesis does not give: fills, flipped bits, foreign elements."""

from __future__ import annotations

import numpy as np

from .dump import Dump, Hypothesis
from .places.origins import FOREIGN, Origins, mark_fills
from .places.segments import Runs
from .report.result import Finding
from .report.segment_text import clause

MAX_LISTED = 64  # deviating elements
MIN_EXPLAINED = 12  # different elements, if others are not explained
MIN_BITS = 90  # of elements that only one explanation gives
MAX_IN_TEXT = 3
MAX_SEGMENTS = 8
FEW = 8
RIGHT_CODE = 1  # of elements that the right generator gives, and the hypothesis does not


class Covering:
    """The elements that a hypothesis does not give."""

    def __init__(self, dump: Dump, hypothesis: Hypothesis) -> None:
        self.dump, self.wrong, self.foreign = dump, 0, 0
        self.deviations: list[tuple[int, int, int]] = []  # index, what is there, what should be
        self._distinct: set[int] = set()
        self.rows = None if hypothesis.place is None else hypothesis.place.rows
        self.wrong_in_rows, self._between = 0, np.empty(0, dump.bits)
        runs = Runs(Origins(dump.state))
        for position, piece in dump.pieces():
            made = hypothesis.elements(dump, np.arange(position, position + piece.size, dtype=np.int64))
            wrong = made != piece
            self.wrong += int(np.count_nonzero(wrong))
            places = np.flatnonzero(wrong)[: MAX_LISTED + 1 - len(self.deviations)]
            listed = zip((position + places).tolist(), piece[places].tolist(), made[places].tolist())
            self.deviations += listed
            if len(self._distinct) < MIN_EXPLAINED:
                self._distinct.update(piece[~wrong][:100].tolist())
            codes = np.where(wrong, np.int64(FOREIGN), np.int64(0))
            mark_fills(codes, piece, 2)
            if wrong.any():
                codes[wrong & (piece == dump.right_elements(position, piece.size))] = RIGHT_CODE
            self.foreign += int(np.count_nonzero(codes == FOREIGN))
            runs.add(position, codes)
            if self.rows is not None:
                in_row = np.arange(position, position + piece.size) % self.rows[1] < self.rows[0]
                self.wrong_in_rows += int(np.count_nonzero(wrong & in_row))
                self._between = np.unique(np.append(self._between[:2], piece[~in_row]))[:2]
            if compared_enough(position + piece.size, self.wrong):
                self.foreign = dump.size
                break
        self.segments = runs.segments(dump.size)
        if self._flips():
            self.foreign = 0

    def is_proved(self) -> bool:
        """Whether enough elements are explained, and the rest has a simple description."""
        explained = self.dump.size - self.wrong
        needed = MIN_EXPLAINED if self.foreign else min_elements(self.dump) + 1
        if len(self._distinct) < needed or explained < self.foreign / 4:
            return False
        return not self.is_scattered() or explained > self.dump.size / 2

    def is_scattered(self) -> bool:
        """Whether elements that nothing explains lie in many places."""
        many = len(self.segments) > MAX_SEGMENTS or any(each.period is not None for each in self.segments)
        return many and self.foreign > 0 and not self.is_padding()

    def is_padding(self) -> bool:
        """Whether all elements that the hypothesis does not give lie between rows, and there are enough rows."""
        if self.rows is None or not self.wrong or self.wrong_in_rows:
            return False
        (length, pitch), size = self.rows, self.dump.size
        return size >= 2 * pitch and (self._between.size == 1 or size > 2 * pitch and 4 * length >= pitch)

    def _flips(self) -> list[tuple[int, int]]:
        """The elements and the bits that were flipped, if that is all."""
        if self.wrong > MAX_LISTED or self.wrong * 4 > self.dump.size:
            return []
        flips = [(index, got ^ made) for index, got, made in self.deviations]
        return [] if any(bits & bits - 1 for _, bits in flips) else [(i, bits.bit_length() - 1) for i, bits in flips]

    def between_rows(self) -> str:
        """What the elements between rows are."""
        return f"the constant {self._between[0]:#x}" if self._between.size == 1 else f"foreign {self.dump.unit}s"

    def text(self) -> str:
        """A sentence about the elements that the hypothesis does not give, which begins with a space."""
        unit, flips = self.dump.unit, self._flips()
        if not self.wrong:
            return ""
        if flips:
            listed = ", ".join(f"bit {bit} of {unit} {index:,}" for index, bit in flips[:FEW])
            more = f" and {len(flips) - FEW} more" if len(flips) > FEW else ""
            return f" {'One bit is' if len(flips) == 1 else f'{len(flips)} bits are'} flipped besides: {listed}{more}."
        others = [segment for segment in self.segments if segment.offset != 0]
        if len(others) <= MAX_IN_TEXT:
            text = "; ".join(
                clause(segment._replace(offset=0) if segment.offset == RIGHT_CODE else segment, unit)
                for segment in others
            )
            return f" This explains all {unit}s but these: {text}."
        fills = {segment.fill for segment in others}
        what = f"the constant {fills.pop():#x}" if len(fills) == 1 and None not in fills else "not explained"
        return f" This explains {self.dump.size - self.wrong:,} of {self.dump.size:,} {unit}s; the others are {what}."


def min_elements(dump: Dump) -> int:
    """How many elements prove an explanation."""
    return -(-MIN_BITS // dump.known_bits)


def compared_enough(compared: int, wrong: int) -> bool:
    """Whether so many elements are wrong that the hypothesis is hopeless."""
    return compared > 1 << 18 and wrong > 0.9 * compared


def explain_tail(dump: Dump, first: int) -> list[Finding]:
    """If all elements before the first mismatch are right and the others are one constant: never written."""
    size = dump.size
    constant = int(dump.at(np.array([size - 1], np.int64))[0])
    length = size - first
    if constant and length == 1:
        return []  # any single wrong element at the end would be such a tail
    for position, piece in dump.pieces():
        if (piece[max(0, first - position) :] != constant).any():
            return []
    unit = dump.unit
    if size == 1:
        which = f"The only {unit} is"
    elif length == size:
        which = f"All {size} {unit}s are"
    elif length == 1:
        which = f"The last of {size} {unit}s is"
    else:
        which = f"The last {length} of {size} {unit}s are"
    sentence = (
        f"{which} {constant:#x}, as if never written: "
        "dispatch enough threads for ceil(words / 4) blocks, and store every lane that lies in the tensor."
    )
    return [Finding("constant-tail" if constant else "zero-tail", sentence)]


def explain_flips(dump: Dump, mismatches: int) -> list[Finding]:
    """If all elements are right but for one bit in each of a few."""
    if mismatches > MAX_LISTED or dump.size < MIN_EXPLAINED:
        return []
    covering = Covering(dump, Hypothesis((), function=dump.right))
    if not covering._flips():
        return []
    text = covering.text().strip().replace(" besides", "", 1)
    return [
        Finding("bits-flipped", f"{text} All other {dump.unit}s are right: check the memory, and how it was copied.")
    ]
