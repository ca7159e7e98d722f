"""Segments as text: one sentence about a dump, and a table."""

from __future__ import annotations

from collections.abc import Iterator

from ...state import blocks_for
from ..inverse import LOCATABLE_WORDS
from .result import Finding, Segment, Verification

MAX_IN_SENTENCE = 3
STREAM_WORDS = 1 << 130  # the stream repeats after them
MAX_ROWS = 20
# Sizes of groups of threads, and of what they reserve: the common ones first, because several may fit.
SIZES = sorted((1 << power for power in range(4, 17)), key=lambda size: size not in (256, 1024))


def sentence_of(report: Verification, size_text: str = "") -> str:
    """What is wrong, in one sentence. `size_text` describes a dump of other size."""
    unit = report.unit
    if report.ok:
        return f"All {unit}s are right."
    about_state = [each.sentence for each in report.diagnosis if each.name.startswith("state-")]
    about_words = [each.sentence for each in report.diagnosis if not each.name.startswith("state-")]
    if report.first_mismatch is None:
        if size_text:
            return f"The dump holds {size_text}; all {unit}s compared are right."
        return f"All {unit}s compared are right. {about_state[0] if about_state else 'The new state is wrong.'}"
    first = about_words[0] if about_words else _about_segments(report.segments, report.words, report.mismatches, unit)
    sentence = f"The dump holds {size_text}. {first}" if size_text else first
    is_known = not about_state or about_state[0] in about_words  # one fault may make the words and the state wrong
    return sentence if is_known else f"{sentence} The new state is wrong too. {about_state[0]}"


def explain_segments(
    segments: tuple[Segment, ...], words: int, mismatches: int, unit: str, counter: int
) -> list[Finding]:
    """The finding of segments without foreign elements. `counter` is the state's."""
    if words < LOCATABLE_WORDS or any(segment.offset is None and segment.fill is None for segment in segments):
        return []
    is_overwritten = not any(segment.offset for segment in segments)
    if sum(segment.offset != 0 for segment in segments) > MAX_IN_SENTENCE and not is_overwritten:
        if any(segment.share < 1 or segment.offset is None for segment in segments):
            return []
    sentence = _about_segments(segments, words, mismatches, unit)
    if counter and any(each.offset and (each.offset + 4 * counter) % STREAM_WORDS == 0 for each in segments):
        sentence += " This distance is the state's counter: the generator counts from 0 there."
    return [Finding(f"{unit}s-overwritten" if is_overwritten else f"{unit}s-moved", sentence)]


def _about_segments(segments: tuple[Segment, ...], words: int, mismatches: int, unit: str) -> str:
    """The sentence about the segments of so many elements."""
    wrong = [segment for segment in segments if segment.offset != 0]
    if len(segments) <= MAX_IN_SENTENCE:
        sentence = "; ".join(clause(segment, unit) for segment in segments)
    elif len(wrong) <= MAX_IN_SENTENCE:
        sentence = f"{'; '.join(clause(segment, unit) for segment in wrong)}; all other {unit}s are right"
    else:
        right = f"{words - mismatches:,} of {words:,} {unit}s are right"
        sentence = f"{right}; the first of {len(wrong)} wrong segments: {clause(wrong[0], unit)}"
    return f"{sentence[0].upper()}{sentence[1:]}."


# The table, and the words for one segment


def segment_rows(report: Verification) -> Iterator[str]:
    """The segments as lines of a table, at most MAX_ROWS."""
    width, unit = len(f"{report.words:,}"), report.unit
    for number, segment in enumerate(report.segments[:MAX_ROWS]):
        label = "segments" if number == 0 else ""
        repeats = f", {100 * segment.share:.3g} % of these {unit}s" if segment.share < 1 else ""
        yield f"{label:<12}{segment.start:>{width},} to {segment.stop - 1:>{width},}  {_origin(segment, unit)}{repeats}"
    if len(report.segments) > MAX_ROWS:
        yield f"            and {len(report.segments) - MAX_ROWS} more"


def clause(segment: Segment, unit: str) -> str:
    """Where the elements of a segment come from: words 5 to 9 are right."""
    first, last = segment.start, segment.stop - 1
    if first == last:
        return f"{unit} {first:,} is {_origin(segment, unit)}"
    place = f"{unit}s {first:,} to {last:,}"
    if segment.share != 1:
        place = f"{round(segment.share * (segment.stop - first)):,} {unit}s from {unit} {first:,} to {unit} {last:,}"
    return f"{place} are {_origin(segment, unit)}"


def _origin(segment: Segment, unit: str) -> str:
    offset = segment.offset
    if segment.fill is not None:
        return f"the constant {segment.fill:#x}"
    if offset is None:
        return "not found in the key's stream" if unit == "word" else "wrong"
    if segment.varies:
        return "shifted in the stream, by varying offsets"
    if offset == 0:
        return "right"
    if offset == -segment.start and segment.share == 1:
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


# How far a counter moved


def distances(words: int) -> list[tuple[int, str, str]]:
    """How many blocks a counter may move after so many words, the likelier distances first.

    Each with the rule, and the name of the fault of a new state, if it has one.
    """
    right = blocks_for(words)
    rules = [
        (right, "the right number", ""),
        (0, "not at all", "state-not-advanced"),
        (2 * right, "twice as many", ""),
        (3 * right, "3 times as many", ""),
        (4 * right, "4 times as many", ""),
        (words, "one for each word", "state-advanced-by-words"),
        (4 * words, "the number of bytes", ""),
        (words // 4, "words // 4, without the last block if it is used in part", "state-advanced-by-floor"),
        (right - 1, "one block too few", "state-advanced-one-short"),
        (right + 1, "one block too many", "state-advanced-one-far"),
        (256 * words, "256 for each word, as TensorFlow does", "state-advanced-256-per-value"),
        (256 * right, "256 for each block, as OpenVINO does", "state-advanced-256-per-block"),
        *((right << 32 * word, f"as many in counter word {word}", "") for word in (1, 2, 3)),
        *((1 << 32 * word, f"1 in counter word {word}", "") for word in (1, 2, 3)),
    ]
    for size in SIZES:
        rules += [
            (-(-right // size) * size, f"rounded up to a multiple of {size:,}", ""),
            (-(-words // size) * size // 4, f"for the words rounded up to a multiple of {size:,}", ""),
        ]
    return rules


def meanings(moved: int, words: int) -> list[str]:
    """Where a distance in blocks after so many words may come from."""
    return [text for distance, text, _ in distances(words) if distance == moved]


def distance_text(moved: int, words: int, why: str = "") -> str:
    """How far a counter moved in place of the right distance, and what distance that is."""
    blocks = f"{format_count(moved)} block{'s' * (moved != 1)} instead of {blocks_for(words):,}"
    return ", ".join([blocks, *([why] if why else meanings(moved, words)[:1])])
