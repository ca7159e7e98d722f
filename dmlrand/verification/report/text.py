"""The report of a verification as text, for the command line, and as JSON, for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...state import State, advance_blocks, blocks_for, counter_of, distance_blocks, key_of
from .result import Verification
from .segment_text import distance_text, segment_rows

OPEN = ("-moved", "-overwritten")  # findings that say where words are, but not why


def report_members(
    report: Verification, sentence: str, new_state_ok: bool | None, elements: int, demanded: int
) -> dict[str, Any]:
    """The members of the JSON object of specs/verify.md, clause 6.8, for a dump of `elements` instead of `demanded`."""
    first = report.first_mismatch
    return {
        "ok": report.ok,
        "sentence": sentence,
        "words": elements,
        "demanded_words": demanded,
        "compared_words": report.words,
        "mismatches": report.mismatches,
        "first_mismatch": None if first is None else {**first._asdict(), "index": list(first.index)},
        "new_state_ok": new_state_ok,
        "diagnosis": [finding._asdict() for finding in report.diagnosis],
        "segments": [segment._asdict() for segment in report.segments],
    }


def report_lines(
    report: Verification,
    state: State,
    new_state: State | None,
    demanded_words: int,
    size_text: str = "",
) -> Iterator[str]:
    """The lines that describe a report. `demanded_words` had to be drawn. `size_text` tells of another size."""
    unit = report.unit
    wrong = f"{report.mismatches} wrong ({100 * report.share:.4g} %)" if report.mismatches else "all right"
    compared = f"{size_text}; {wrong} as far as they go" if size_text else f"{report.words} compared, {wrong}"
    yield f"{unit + 's':<12}{compared}"
    yield f"counter     {counter_of(state):#034x}"
    yield f"key         {key_of(state):#018x}"
    first = report.first_mismatch
    if first is not None:
        yield f"first wrong {unit} {first.flat_index}, at index [{', '.join(map(str, first.index))}], counting from 0"
        yield f"            block {first.block}, counter {_counter_at(state, first.block):#034x}"
        expected, got = (_format_element(bits, report.dtype) for bits in (first.expected, first.got))
        yield f"            lane {first.lane}: expected {expected}, got {got}"
        yield from segment_rows(report)
    after = advance_blocks(state, blocks_for(demanded_words))
    state_ok = new_state is None or after.ravel().tolist() == new_state.ravel().tolist()
    if new_state is not None:
        yield f"new state   {'right' if state_ok else 'wrong'}"
        if not state_ok:
            yield f"            expected {_format_words(after)}, word 0 first"
            yield f"            got      {_format_words(new_state)}"
        if not state_ok and key_of(state) == key_of(new_state):
            moved = distance_blocks(state, new_state)
            yield f"            moved by {distance_text(moved - (1 << 128) * (moved >> 127), demanded_words)}"
    for finding in report.diagnosis:
        yield f"cause       {finding.name}: {finding.sentence}"
    yield from _what_to_do_next(report, state, state_ok)


def _what_to_do_next(report: Verification, state: State, state_ok: bool) -> Iterator[str]:
    """Advice for what no finding explains."""
    unit = report.unit
    wrong, names = report.first_mismatch, [finding.name for finding in report.diagnosis]
    if wrong is not None and all(name.startswith("state-") or name.endswith(OPEN) for name in names):
        if any(segment.offset is None and segment.fill is None for segment in report.segments):
            yield (
                f"No known fault explains all of the {unit}s. Compare the block of the first wrong {unit} with your "
                f"shader, round by round: dmlrand trace --counter {_counter_at(state, wrong.block):#x} "
                f"--key {key_of(state):#x}"
            )
            if all(segment.offset is None for segment in report.segments):
                yield f"No {unit} is one of this key's stream. If the key may be another one: dmlrand recover FILE"
        else:
            yield (
                "No wrong word comes from a faulty block: wrong words are constant, or right words in the wrong place. "
                "Check which counter each thread uses, and where it stores its words."
            )
    if not state_ok and not any(name.startswith("state-") for name in names):
        yield "No known fault alone explains the new state. Compare it with the expected state above."


def _counter_at(state: State, block: int) -> int:
    return counter_of(advance_blocks(state, block))


def _format_element(bits: int, dtype: str) -> str:
    """The bits of an element, and for a number its value."""
    kind = np.dtype(dtype)
    text = f"{bits:#0{2 * kind.itemsize + 2}x}"
    return text if dtype == "uint32" else f"{text} ({np.array(bits, f'u{kind.itemsize}').view(kind)})"


def _format_words(state: State) -> str:
    return " ".join(f"{word:08x}" for word in state.ravel())
