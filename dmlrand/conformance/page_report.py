"""The report that the conformance page makes: a check of its hashes, and the faults that explain its wrong words."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..files.names import error_text, quoted
from ..state import UINT32, advance_blocks
from ..verification import Finding, verify
from ..webgpu.devices import WORDS
from .page import ENTRY_POINTS, FORMAT, VERSION, PageCase, digest, page_cases, stream_words
from .report import MISSING, RIGHT, WRONG

DETAILED_CASES = 3  # the first wrong cases: to explain a case can take seconds


class PageResult(NamedTuple):
    """The result of a case with one entry point: RIGHT, WRONG or MISSING, what was found, and the known faults."""

    case: PageCase
    entry_point: str
    status: str
    lines: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


class PageReport(NamedTuple):
    """The report of check_page_report. `device` and `shader` are what the page says of them."""

    results: tuple[PageResult, ...]
    device: str
    shader: str

    @property
    def ok(self) -> bool:
        """Whether every case is right."""
        return all(result.status == RIGHT for result in self.results)

    def text(self) -> str:
        """The report for a terminal."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        count = {status: sum(result.status == status for result in self.results) for status in (WRONG, MISSING)}
        ran = f"{self.shader} on {self.device}"
        if self.ok:
            yield f"ok: all {len(self.results)} cases are right: {ran}."
            return
        missing = f", {count[MISSING]} did not run" if count[MISSING] else ""
        yield f"WRONG: {count[WRONG]} of {len(self.results)} cases are wrong{missing}: {ran}."
        wrong = [result for result in self.results if result.status != RIGHT]
        for i, result in enumerate(wrong):
            yield f"  {result.case.name}, {result.entry_point}: {result.lines[0]}"
            if i < DETAILED_CASES:
                yield from (f"    {line}" for line in result.lines[1:])
                yield from (f"    cause: {finding.name}: {finding.sentence}" for finding in result.findings)


def check_page_report(path: str | os.PathLike[str]) -> PageReport:
    """Compare the hashes of a report with those of right words, which are drawn again. ValueError for another file."""
    try:
        report = json.loads(Path(path).read_bytes())
        _check_kind(report)
        returned = {(entry["name"], entry["entry"]): entry for entry in report["cases"]}
        entry_points = [name for name in ENTRY_POINTS if name in report["entry_points"]]
        draws = [(case, name) for name in entry_points for case in page_cases()]
        if not draws or returned.keys() - {(case.name, name) for case, name in draws}:
            raise ValueError("its cases are not those of this version of dmlrand")
        results: list[PageResult] = []
        for case, name in draws:
            explained = sum(result.status == WRONG for result in results)
            results.append(_result(case, name, returned.get((case.name, name)), explained < DETAILED_CASES))
        device = " ".join(dict.fromkeys(str(part) for part in report["adapter"].values() if part))
        shader = "dmlrand's shader" if report["shader"]["source"] == "dmlrand" else "your shader"
    except OSError as error:
        raise ValueError(f"{quoted(path)} must be a report of the conformance page; {error_text(error)}.") from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(
            f"{quoted(path)} cannot be read as a report of the conformance page: {error}. Make the page with "
            "`dmlrand conformance page` of this version, open it, and save its report."
        ) from None
    return PageReport(tuple(results), device or "an unnamed adapter", shader)


def _check_kind(report: Any) -> None:
    if not isinstance(report, dict) or report.get("format") != FORMAT:
        raise ValueError(f'it has no "format": "{FORMAT}"')
    if report.get("version") != VERSION:
        raise ValueError(f"it has version {report.get('version')!r}, not {VERSION}")


def _result(case: PageCase, entry_point: str, entry: dict[str, Any] | None, explain: bool) -> PageResult:
    if entry is None:
        return PageResult(case, entry_point, MISSING, ("did not run",))
    right = entry["sha256"] == digest(case.expected(entry_point))
    outside = (f"words written outside the draw: {entry['outside']}",) if entry["outside"] else ()
    if right:
        return PageResult(case, entry_point, WRONG if outside else RIGHT, outside)
    lines = f"{entry['mismatches']} of {case.count} words are wrong, the first is word {entry['first_wrong']}"
    expected, got = int(entry["expected"]), int(entry["got"])
    excerpt = entry["excerpt"]
    findings = _explain(case, entry_point, excerpt["start"], excerpt["words"]) if explain else ()
    return PageResult(
        case, entry_point, WRONG, (lines, f"expected {expected:#010x}, got {got:#010x}", *outside), findings
    )


def _explain(case: PageCase, entry_point: str, start: int, words: list[int]) -> tuple[Finding, ...]:
    """The faults that explain an excerpt. The right words before it complete its first block."""
    block, lane = divmod(case.lane + start, 4)
    state = advance_blocks(np.array(case.state, UINT32), block)
    values = np.concatenate([stream_words(state, lane, entry_point), np.array(words, UINT32)])
    dtype = np.dtype(UINT32 if entry_point == WORDS else np.float32)
    return verify(state, values.view(dtype), dtype=dtype).diagnosis
