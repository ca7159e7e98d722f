"""Segments as text: one sentence about a dump, and a table."""

from __future__ import annotations

from collections.abc import Iterator

from .report import Segment, Verification

MAX_IN_SENTENCE = 3
MAX_ROWS = 20


def sentence_of(report: Verification) -> str:
    """One sentence that says what is wrong."""
    about_words = [finding for finding in report.diagnosis if not finding.name.startswith("state-")]
    if report.ok:
        return "All words are right."
    if report.first_mismatch is None:
        cause = report.diagnosis[0].sentence if report.diagnosis else "The new state or the number of words is wrong."
        return f"All words compared are right. {cause}"
    if about_words:
        return about_words[0].sentence
    segments = report.segments
    if len(segments) <= MAX_IN_SENTENCE:
        return "; ".join(_clause(segment) for segment in segments) + "."
    right = report.words - report.mismatches
    first = next(segment for segment in segments if segment.offset != 0)
    return (
        f"{right:,} of {report.words:,} words are right, in {len(segments)} segments; the first wrong segment: "
        f"{_clause(first)}."
    )


def segment_rows(report: Verification) -> Iterator[str]:
    """The segments as lines of a table, at most MAX_ROWS."""
    width = len(f"{report.words:,}")
    for number, segment in enumerate(report.segments[:MAX_ROWS]):
        label = "segments" if number == 0 else ""
        repeats = "" if segment.period is None else f", {_repeats(segment)}"
        yield (
            f"{label:<12}{segment.start:>{width},} to {segment.stop - 1:>{width},}  {_short_origin(segment)}{repeats}"
        )
    if len(report.segments) > MAX_ROWS:
        yield f"            and {len(report.segments) - MAX_ROWS} more"


def _clause(segment: Segment) -> str:
    verb = "is" if segment.stop - segment.start == 1 else "are"
    return f"{_place(segment)} {verb} {_origin(segment)}"


def _place(segment: Segment) -> str:
    first, last = segment.start, segment.stop - 1
    place = f"word {first:,}" if first == last else f"words {first:,} to {last:,}"
    return place if segment.period is None else f"in {place}, {_repeats(segment)}"


def _repeats(segment: Segment) -> str:
    often = f"every {segment.period:,} words" if segment.period else "at varying places"
    return f"{100 * segment.share:.3g} % {often}"


def _origin(segment: Segment) -> str:
    offset = segment.offset
    if segment.fill is not None:
        return f"the constant {segment.fill:#x}"
    if offset is None:
        return "not in the key's stream"
    if segment.step is None:
        return "shifted in the stream, by varying offsets"
    if segment.step:
        return f"shifted in the stream, by {segment.step:+,} words more each time"
    if offset == 0:
        return "right"
    if offset == -segment.start and segment.period is None:
        return "the stream from its first word on"
    size = abs(offset)
    blocks = f" ({size // 4:,} block{'s' * (size > 4)})" if size % 4 == 0 else ""
    return f"{size:,} word{'s' * (size > 1)}{blocks} too {'far' if offset > 0 else 'early'} in the stream"


def _short_origin(segment: Segment) -> str:
    if segment.fill is not None:
        return f"constant {segment.fill:#x}"
    if segment.offset is None:
        return "not in the stream"
    if segment.step is None:
        return "offsets vary"
    if segment.step:
        return f"offset {segment.offset:+,}, then {segment.step:+,} more each time"
    return f"offset {segment.offset:+,}" if segment.offset else "right"
