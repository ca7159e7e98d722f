"""The report of a verification as JSON, for programs. specs/verify.md, clause 6.8, is its schema."""

from __future__ import annotations

from typing import Any

from .result import Verification


def report_members(
    report: Verification, sentence: str, new_state_ok: bool | None, elements: int, demanded: int
) -> dict[str, Any]:
    """The members of the JSON object. `elements` are in the dump, and `demanded` had to be."""
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
