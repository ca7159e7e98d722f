"""The report of a verification as text, for the command line."""

from __future__ import annotations

from collections.abc import Iterator

from ...state import State, advance_blocks, blocks_for, counter_of, distance_blocks, key_of
from ..new_state import distance_text
from .result import Mismatch, Verification
from .segment_text import segment_rows

OPEN = ("-moved", "-overwritten")


def report_lines(
    report: Verification,
    state: State,
    new_state: State | None,
    demanded_words: int,
    size_text: str = "",
    unit: str = "word",
) -> Iterator[str]:
    """The lines that describe a report.

    `demanded_words` had to be drawn. `size_text` describes a dump of other size. `unit` is what was compared.
    """
    wrong = f"{report.mismatches} wrong ({100 * report.share:.4g} %)" if report.mismatches else "all right"
    if size_text:
        yield f"{unit + 's':<12}{size_text}; {wrong} as far as they go"
    else:
        yield f"{unit + 's':<12}{report.words} compared, {wrong}"
    yield f"counter     {counter_of(state):#034x}"
    yield f"key         {key_of(state):#018x}"
    if report.first_mismatch is not None:
        yield from _mismatch_lines(report.first_mismatch, state, unit)
        yield from segment_rows(report, unit)
    state_ok = True
    if new_state is not None:
        expected = advance_blocks(state, blocks_for(demanded_words))
        state_ok = expected.ravel().tolist() == new_state.ravel().tolist()
        yield from _state_lines(expected, new_state, state_ok)
        if not state_ok and key_of(state) == key_of(new_state):
            moved = distance_blocks(state, new_state)
            moved -= (1 << 128) * (moved >> 127)
            yield f"            moved by {distance_text(moved, demanded_words)}"
    yield from _cause_lines(report, state, state_ok, unit)


def _mismatch_lines(wrong: Mismatch, state: State, unit: str) -> Iterator[str]:
    digits = 10 if max(wrong.expected, wrong.got) < 1 << 32 else 18
    yield f"first wrong {unit} {wrong.flat_index}, at index [{', '.join(map(str, wrong.index))}], counting from 0"
    yield f"            block {wrong.block}, counter {counter_of(advance_blocks(state, wrong.block)):#034x}"
    yield f"            lane {wrong.lane}: expected {wrong.expected:#0{digits}x}, got {wrong.got:#0{digits}x}"


def _state_lines(expected: State, got: State, state_ok: bool) -> Iterator[str]:
    yield f"new state   {'right' if state_ok else 'wrong'}"
    if not state_ok:
        yield f"            expected {_format_words(expected)}, word 0 first"
        yield f"            got      {_format_words(got)}"


def _cause_lines(report: Verification, state: State, state_ok: bool, unit: str) -> Iterator[str]:
    """The faults that explain what is wrong. Where none does: what to do next."""
    for finding in report.diagnosis:
        yield f"cause       {finding.name}: {finding.sentence}"
    about_state = [finding.name.startswith("state-") for finding in report.diagnosis]
    # Of moved or overwritten words, the sentence says where they are, but not why.
    is_open = all(finding.name.startswith("state-") or finding.name.endswith(OPEN) for finding in report.diagnosis)
    wrong = report.first_mismatch
    is_foreign = any(segment.offset is None and segment.fill is None for segment in report.segments)
    if wrong is not None and is_open and not is_foreign:
        yield (
            "No wrong word comes from a faulty block: wrong words are constant, or right words in the wrong place. "
            "Check which counter each thread uses, and where it stores its words."
        )
    elif wrong is not None and is_open:
        counter = counter_of(advance_blocks(state, wrong.block))
        yield (
            f"No known fault explains all of the {unit}s. Compare the block of the first wrong {unit} with your "
            f"shader, round by round: dmlrand trace --counter {counter:#x} --key {key_of(state):#x}"
        )
    if not state_ok and not any(about_state):
        yield "No known fault alone explains the new state. Compare it with the expected state above."


def _format_words(state: State) -> str:
    return " ".join(f"{word:08x}" for word in state.ravel())
