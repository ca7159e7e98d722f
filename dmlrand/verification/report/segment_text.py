"""Segments as text: one sentence about a dump, and a table."""

from __future__ import annotations

from collections.abc import Iterator

from ..inverse import LOCATABLE_WORDS
from .pattern_text import pattern_sentence
from .result import Finding, Segment, Verification

MAX_IN_SENTENCE = 3
MAX_ROWS = 20


def sentence_of(report: Verification, size_text: str = "", unit: str = "word") -> str:
    """What is wrong, in one sentence. `size_text` describes a dump of other size, `unit` what was compared."""
    if report.ok:
        return f"All {unit}s are right."
    wrong = report.first_mismatch is not None
    if not wrong:
        return _about_size_and_state(report, size_text, unit)
    sentence = _about_elements(report, unit)
    sentence = sentence[0].upper() + sentence[1:]
    return f"The dump holds {size_text}. {sentence}" if size_text else sentence


def _about_size_and_state(report: Verification, size_text: str, unit: str) -> str:
    """The sentence if all elements compared are right."""
    if size_text:
        return f"The dump holds {size_text}; all {unit}s compared are right."
    cause = report.diagnosis[0].sentence if report.diagnosis else "The new state is wrong."
    return f"All {unit}s compared are right. {cause}"


def _about_elements(report: Verification, unit: str) -> str:
    """The sentence if elements are wrong: that of the first finding about them, or what the segments say."""
    about_words = [finding for finding in report.diagnosis if not finding.name.startswith("state-")]
    if about_words:
        return about_words[0].sentence
    return segments_sentence(report.segments, report.words, report.mismatches, unit)


def segments_sentence(segments: tuple[Segment, ...], words: int, mismatches: int, unit: str) -> str:
    """What the segments of so many elements say."""
    pattern = pattern_sentence(segments) if unit == "word" else None
    if pattern is not None:
        return pattern
    if len(segments) <= MAX_IN_SENTENCE:
        return "; ".join(clause(segment, unit) for segment in segments) + "."
    wrong = [segment for segment in segments if segment.offset != 0]
    if len(wrong) <= MAX_IN_SENTENCE:
        return f"{'; '.join(clause(segment, unit) for segment in wrong)}; all other {unit}s are right."
    return (
        f"{words - mismatches:,} of {words:,} {unit}s are right; the first of {len(wrong)} wrong segments: "
        f"{clause(wrong[0], unit)}."
    )


def explain_segments(segments: tuple[Segment, ...], words: int, mismatches: int, unit: str) -> list[Finding]:
    """The finding of segments without foreign elements that one sentence describes."""
    if words < LOCATABLE_WORDS:
        return []
    sentence = segments_sentence(segments, words, mismatches, unit)
    sentence = sentence[0].upper() + sentence[1:]
    if any(segment.offset is None and segment.fill is None for segment in segments):
        is_header = len(segments) == 2 and segments[1].offset == -segments[1].start and segments[1].period is None
        return [Finding("header-before-words", sentence)] if is_header else []
    if unit == "word" and pattern_sentence(segments) is not None:
        return [Finding("words-alternate", sentence)]
    if sum(segment.offset != 0 for segment in segments) > MAX_IN_SENTENCE:
        return []
    moved = any(segment.offset for segment in segments)
    return [Finding(f"{unit}s-moved" if moved else f"{unit}s-overwritten", sentence)]


def segment_rows(report: Verification, unit: str = "word") -> Iterator[str]:
    """The segments as lines of a table, at most MAX_ROWS."""
    width = len(f"{report.words:,}")
    for number, segment in enumerate(report.segments[:MAX_ROWS]):
        label = "segments" if number == 0 else ""
        repeats = f", {_repeats(segment, unit)}" if segment.period or segment.share < 1 else ""
        origin = _short_origin(segment) if unit == "word" or _has_origin(segment) else "wrong"
        yield f"{label:<12}{segment.start:>{width},} to {segment.stop - 1:>{width},}  {origin}{repeats}"
    if len(report.segments) > MAX_ROWS:
        yield f"            and {len(report.segments) - MAX_ROWS} more"


def clause(segment: Segment, unit: str) -> str:
    verb = "is" if segment.stop - segment.start == 1 else "are"
    origin = _origin(segment) if unit == "word" or _has_origin(segment) else "wrong"
    return f"{_place(segment, unit)} {verb} {origin}"


def _has_origin(segment: Segment) -> bool:
    return segment.offset is not None or segment.fill is not None


def _place(segment: Segment, unit: str) -> str:
    first, last = segment.start, segment.stop - 1
    if first == last:
        return f"{unit} {first:,}"
    if segment.share == 1:
        return f"{unit}s {first:,} to {last:,}"
    elements = round(segment.share * (segment.stop - first))
    often = f", in runs that start every {segment.period:,} {unit}s," if segment.period else ""
    return f"{elements:,} {unit}s from {unit} {first:,} to {unit} {last:,}{often}"


def _repeats(segment: Segment, unit: str) -> str:
    often = f"every {segment.period:,} {unit}s" if segment.period else "at varying places"
    return f"{100 * segment.share:.3g} % {often}"


def _origin(segment: Segment) -> str:
    offset = segment.offset
    if segment.fill is not None:
        return f"the constant {segment.fill:#x}"
    if offset is None:
        return "not found in the key's stream"
    if segment.step is None:
        return "shifted in the stream, by varying offsets"
    if segment.step:
        return f"shifted in the stream, by {segment.step:+,} words more each time"
    if offset == 0:
        return "right"
    if offset == -segment.start and segment.period is None:
        return "the stream from its first word on"
    return f"{offset_text(offset)} in the stream"


def offset_text(offset: int) -> str:
    """How far words are from their place: 36 words (9 blocks) too far."""
    size = abs(offset)
    blocks = f" ({format_count(size // 4)} block{'s' * (size > 4)})" if size % 4 == 0 else ""
    return f"{format_count(size)} word{'s' * (size > 1)}{blocks} too {'far' if offset > 0 else 'early'}"


def format_count(number: int) -> str:
    """A number, as a power of two if it is a large one."""
    if number >= 1 << 32 and number & number - 1 == 0:
        return f"2^{number.bit_length() - 1}"
    return f"{number:,}"


def _short_origin(segment: Segment) -> str:
    if segment.fill is not None:
        return f"constant {segment.fill:#x}"
    if segment.offset is None:
        return "not found in the stream"
    if segment.step is None:
        return "offsets vary"
    if segment.step:
        return f"offset {segment.offset:+,}, then {segment.step:+,} more each time"
    return f"offset {segment.offset:+,}" if segment.offset else "right"
