"""Sentences about dumps whose segments repeat with a period: two origins that alternate."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from .result import Segment


class Pattern(NamedTuple):
    """Runs of one origin that start every `period` words."""

    start: int
    stop: int
    words: int  # of all runs
    period: int
    offset: int | None
    fill: int | None

    def has_runs_of(self, length: int) -> bool:
        """Whether each run has so many words, and the last run no more."""
        periods, rest = divmod(self.stop - self.start, self.period)
        return self.words == periods * length + min(rest, length)


def pattern_sentence(segments: tuple[Segment, ...]) -> str | None:
    """The sentence about a dump whose segments follow two patterns through all of it."""
    patterns = _two_patterns(segments)
    return None if patterns is None else _about_two(*patterns)


def _two_patterns(segments: tuple[Segment, ...]) -> tuple[Pattern, Pattern] | None:
    """Two patterns that cover a dump together, the one that starts first being first."""
    if len(segments) == 2 and None not in (segments[0].period, segments[1].period):
        found = [_of_summary(segment) for segment in segments]
    elif len(segments) > 3:
        found = [_of_segments(segments[parity::2]) for parity in (0, 1)]
    else:
        return None
    first, second = found
    if first is None or second is None or first.period != second.period or first.start != 0:
        return None
    length = second.start
    fits = first.has_runs_of(length) and second.has_runs_of(first.period - length)
    return (first, second) if fits else None


def _of_summary(segment: Segment) -> Pattern | None:
    if not segment.period or segment.step != 0:
        return None
    start, stop = segment.start, segment.stop
    words = round(segment.share * (stop - start))
    return Pattern(start, stop, words, segment.period, segment.offset, segment.fill)


def _of_segments(segments: tuple[Segment, ...]) -> Pattern | None:
    """The pattern of ordinary segments."""
    first = segments[0]
    origin = first.offset, first.fill
    if len(segments) < 2 or any((s.offset, s.fill) != origin or s.period is not None for s in segments):
        return None
    periods = {after.start - before.start for before, after in pairwise(segments)}
    if len(periods) > 1:
        return None
    words = sum(segment.stop - segment.start for segment in segments)
    return Pattern(first.start, segments[-1].stop, words, periods.pop(), first.offset, first.fill)


def _about_two(first: Pattern, second: Pattern) -> str:
    length, rest = second.start, first.period - second.start
    return (
        f"The dump repeats a pattern of {first.period:,} words: {_words(first, length)}, then {_words(second, rest)}."
    )


def _words(pattern: Pattern, length: int) -> str:
    """The words of a run of this length."""
    words = "words" if length > 1 else "word"
    if pattern.fill is not None:
        return f"{length:,} {words} of the constant {pattern.fill:#x}"
    if pattern.offset is None:
        return f"{length:,} foreign {words}"
    return f"{length:,} {words} at offset {pattern.offset:+,}" if pattern.offset else f"{length:,} right {words}"
