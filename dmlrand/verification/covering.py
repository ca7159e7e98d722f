"""What covers the elements of a dump that a hypothesis does not give: fills, flipped bits, foreign elements."""

from __future__ import annotations

from math import ceil

import numpy as np

from .dump import Bits, Dump, Hypothesis, Places
from .files import text_end
from .functions.conversions import WordFunction
from .places.origins import FOREIGN, Codes, mark_fills
from .places.segments import Runs
from .report.result import Finding, Segment
from .report.segment_text import clause, is_foreign

MAX_LISTED = 64  # deviating elements
MIN_EXPLAINED = 12  # different elements, if others are not explained
MIN_BITS = 90  # of elements that only one explanation gives
MIN_BETWEEN = 0.99  # of the elements between rows are wrong; coarse numbers are sometimes right by chance
MAX_IN_TEXT = 3
MAX_SEGMENTS = 8
FEW = 8
COMPARED_ENOUGH = 1 << 18  # elements after which a hypothesis with this share of wrong elements is hopeless
HOPELESS_SHARE = 0.9
RIGHT_CODE = 1  # of elements that the right generator gives, and the hypothesis does not


class Covering:
    """The elements that a hypothesis does not give."""

    def __init__(self, dump: Dump, hypothesis: Hypothesis) -> None:
        self.dump, self.wrong, self.foreign = dump, 0, 0
        self.rows = None if hypothesis.place is None else hypothesis.place.rows
        self.wrong_in_rows, self._count_between, self._between = 0, 0, np.empty(0, dump.bits)
        self._distinct: set[int] = set()
        self._needed = min_elements(dump, hypothesis.function) + 1
        self._lost = 0  # foreign elements, not counting those between rows
        self._deviations: list[tuple[int, int]] = []  # of the first lost ones: the index, and which bits are wrong
        runs = Runs()
        for position, piece in dump.pieces():
            index = np.arange(position, position + piece.size, dtype=np.int64)
            runs.add(position, self._codes(index, piece, hypothesis.elements(dump, index)))
            if position + piece.size > COMPARED_ENOUGH and self.wrong > HOPELESS_SHARE * (position + piece.size):
                self.foreign = dump.size
                break
        self.segments, self.segment_count = runs.segments([]), runs.count
        flips = [(index, bits.bit_length() - 1) for index, bits in self._deviations if not bits & bits - 1]
        is_few = len(flips) == self._lost <= min(MAX_LISTED, dump.size // 4)
        self.flips = flips if is_few else []
        self.foreign -= len(self.flips)

    def _codes(self, index: Places, piece: Bits, made: Bits) -> Codes:
        """Compare a piece with what the hypothesis makes, and give the codes of its elements."""
        wrong = made != piece
        self.wrong += int(np.count_nonzero(wrong))
        if len(self._distinct) < max(self._needed, MIN_EXPLAINED):
            self._distinct.update(piece[~wrong][:100].tolist())
        codes = np.where(wrong, np.int64(FOREIGN), np.int64(0))
        mark_fills(codes, piece, 2)
        if wrong.any():
            codes[wrong & (piece == self.dump.right_elements(int(index[0]), piece.size))] = RIGHT_CODE
        foreign = codes == FOREIGN
        self.foreign += int(np.count_nonzero(foreign))
        if self.rows is not None:
            start, length, pitch = self.rows
            in_row = ((index - start) % pitch < length) & (index >= start)
            between = ~in_row & (index >= start)
            self.wrong_in_rows += int(np.count_nonzero(wrong & in_row))
            self._count_between += int(np.count_nonzero(between))
            self._between = np.unique(np.append(self._between[:2], piece[between]))[:2]
            foreign &= in_row
        lost = np.flatnonzero(foreign)
        self._lost += lost.size
        lost = lost[: MAX_LISTED + 1 - len(self._deviations)]
        self._deviations += zip(index[lost].tolist(), (piece[lost] ^ made[lost]).tolist())
        return codes

    def is_proved(self) -> bool:
        """Whether enough elements are explained, and the rest has a simple description."""
        explained = self.dump.size - self.wrong
        needed = max(self._needed, MIN_EXPLAINED) if self.foreign else self._needed
        if len(self._distinct) < needed or explained < self.foreign / 4:
            return False
        return not self.is_scattered() or explained > self.dump.size / 2

    def is_scattered(self) -> bool:
        """Whether elements that nothing explains lie in many places."""
        return self.segment_count > MAX_SEGMENTS and self.foreign > 0 and not self.is_padding()

    def is_padding(self) -> bool:
        """Whether the elements that the hypothesis does not give are those between rows, and there are enough rows."""
        if self.rows is None or self.wrong_in_rows > len(self.flips) or self.wrong < MIN_BETWEEN * self._count_between:
            return False
        (_, length, pitch), size = self.rows, self.dump.size
        if pitch == size:
            return True  # a header
        return size >= 2 * pitch and (self._between.size == 1 or size > 2 * pitch and 4 * length >= pitch)

    def between_rows(self) -> str:
        """What the elements between rows are."""
        return f"the constant {self._between[0]:#x}" if self._between.size == 1 else "not found in the key's stream"

    def describe_flips(self, besides: str = "") -> str:
        """Which bits of which elements were flipped."""
        listed = ", ".join(f"bit {bit} of {self.dump.unit} {index:,}" for index, bit in self.flips[:FEW])
        more = f" and {len(self.flips) - FEW} more" if len(self.flips) > FEW else ""
        count = "One bit is" if len(self.flips) == 1 else f"{len(self.flips)} bits are"
        return f"{count} flipped{besides}: {listed}{more}."

    def text(self) -> str:
        """Sentences about the elements that the hypothesis does not give, which begin with a space."""
        unit = self.dump.unit
        flips = f" {self.describe_flips(' besides')}" if self.flips else ""
        others = [each for each in self.segments if each.offset != 0 and not (flips and is_foreign(each))]
        if self.is_padding() or not others:
            return flips
        if len(others) <= MAX_IN_TEXT:
            clauses = (clause(each._replace(offset=0 if each.offset else None), unit) for each in others)
            return f" This explains all {unit}s but these: {'; '.join(clauses)}.{flips}"
        fills = {segment.fill for segment in others}
        what = f"the constant {fills.pop():#x}" if len(fills) == 1 and None not in fills else "not explained"
        what = "right" if all(segment.offset for segment in others) else what
        explained = self.dump.size - self.wrong
        return f" This explains {explained:,} of {self.dump.size:,} {unit}s; the others are {what}.{flips}"


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
    end = text_end(dump.right_elements(first, 1).tobytes()[0])
    return [Finding("constant-tail" if constant else "zero-tail", (
        f"{which} {constant:#x}, as if never written or cut off{end}: dispatch enough threads for "
        "ceil(words / 4) blocks, store every lane that lies in the tensor, and copy the whole file as binary data."
    ))]  # fmt: skip


def explain_flips(dump: Dump, segments: tuple[Segment, ...]) -> list[Finding]:
    """If a few elements have one wrong bit each, and all others are right or constants: flipped bits."""
    foreign = sum((each.stop - each.start) * each.share for each in segments if is_foreign(each))
    if not 0 < foreign <= MAX_LISTED or dump.size < MIN_EXPLAINED:
        return []
    covering = Covering(dump, Hypothesis((), function=dump.right))
    fills = [each for each in covering.segments if each.fill is not None]
    if not covering.flips or covering.foreign or len(fills) > MAX_IN_TEXT:
        return []
    besides = "".join(f" {clause(each, dump.unit).capitalize()}." for each in fills)
    remedy = f"All other {dump.unit}s are right: check the memory, and how it was copied."
    return [Finding("bits-flipped", f"{covering.describe_flips()}{besides} {remedy}")]
