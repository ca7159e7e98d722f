"""The report that the conformance page makes: a check of its hashes, and the faults that explain its wrong words."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..files import quoted
from ..state import UINT32, advance_blocks
from ..verification import Finding, verify
from ..webgpu.devices import WORDS
from .case import digest
from .faults import common_faults
from .page import ENTRY_POINTS, FORMAT, VERSION, PageCase, page_cases, stream_words
from .report import DETAILED_CASES, MISSING, RIGHT, WRONG, Report, Result


def check_page_report(path: str | os.PathLike[str]) -> Report:
    """Compare the hashes of a report with those of right words, which are drawn again. ValueError for another file."""
    try:
        report = json.loads(Path(path).read_bytes())
        if report["format"] != FORMAT or report["version"] != VERSION:
            raise ValueError(f"it must have the format {FORMAT!r} and the version {VERSION}")
        returned = {(entry["name"], entry["entry"]): entry for entry in report["cases"]}
        draws = [(case, name) for name in ENTRY_POINTS for case in page_cases() if name in report["entry_points"]]
        if not draws or returned.keys() - {(case.name, name) for case, name in draws}:
            raise ValueError("its cases are not those of this version of dmlrand")
        results: list[Result] = []
        for case, name in draws:
            explained = sum(result.status == WRONG for result in results)
            results.append(_result(case, name, returned.get((case.name, name)), explained < DETAILED_CASES))
        device = " ".join(dict.fromkeys(str(part) for part in report["adapter"].values() if part))
        shader = "dmlrand's shader" if report["shader"]["source"] == "dmlrand" else "your shader"
    except OSError as error:
        raise ValueError(f"{quoted(path)} must be a report of the conformance page; {error}.") from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(
            f"{quoted(path)} cannot be read as a report of the conformance page: {error}. Make the page with "
            "`dmlrand conformance page` of this version, open it, and save its report."
        ) from None
    tested = f"{shader} on {device or 'an unnamed adapter'}"
    return Report(tuple(results), common_faults(results), tested)


def _result(case: PageCase, entry_point: str, entry: dict[str, Any] | None, explain: bool) -> Result:
    named = replace(case, name=f"{case.name}, {entry_point}")
    if entry is None:
        return Result(named, MISSING, ("The case did not run.",))
    outside = (f"words written outside the draw: {entry['outside']}",) if entry["outside"] else ()
    if entry["sha256"] == digest(case.right(entry_point)):
        return Result(named, WRONG if outside else RIGHT, outside)
    lines = (
        f"{entry['mismatches']} of {case.count} words are wrong, the first is word {entry['first_wrong']}",
        f"expected {int(entry['expected']):#010x}, got {int(entry['got']):#010x}",
        *outside,
    )
    excerpt = entry["excerpt"]
    findings = _explain(case, entry_point, excerpt["start"], excerpt["words"]) if explain else ()
    return Result(named, WRONG, (*lines, *(f"{name}: {sentence}" for name, sentence in findings)), findings)


def _explain(case: PageCase, entry_point: str, start: int, words: list[int]) -> tuple[Finding, ...]:
    """The faults that explain an excerpt. The right words before it complete its first block."""
    block, lane = divmod(case.lane + start, 4)
    state = advance_blocks(np.array(case.state, UINT32), block)
    values = np.concatenate([stream_words(state, lane, entry_point), np.array(words, UINT32)])
    dtype = np.dtype(UINT32 if entry_point == WORDS else np.float32)
    return verify(state, values.view(dtype), dtype=dtype).diagnosis
