"""`check_kit`: compare what came back with what each case expects."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..files import quoted
from ..state import State
from ..verification import Finding
from .case import ERROR, UNWRITTEN, WORDS, draw_states
from .cases_file import read_cases
from .faults import FaultSearch, common_faults
from .outputs import NotReturned, OutputError, Outputs, format_error, is_crash
from .report import MISSING, RIGHT, WRONG, Report, Result


def check_kit(folder: str | os.PathLike[str], progress: Callable[[int, int], object] | None = None) -> Report:
    """Compare what a device stored in the folder `outputs` of a kit with the right words, which are drawn again.

    `folder` is one that write_kit made. A folder without a kit, a changed cases.json, and a kit without any output are
    a ValueError. The report has the result of each case, and the faults that explain wrong words.
    `progress(done, cases)` is called before each case and at the end.
    """
    root = Path(folder)
    returned = [Outputs(root, case) for case in read_cases(root)]
    if not any(outputs.exists() or outputs.error() is not None for outputs in returned):
        raise ValueError(
            f"{quoted(root / 'outputs')} must hold what a device returned; it has no file of any case. "
            "Run the model files first: README.md in the folder of the kit says how."
        )
    search = FaultSearch()
    results = []
    show = progress or (lambda done, cases: None)
    for done, outputs in enumerate(returned):
        show(done, len(returned))
        results.append(_check_case(outputs, search))
    show(len(returned), len(returned))
    return Report(tuple(results), common_faults(results))


def _check_case(outputs: Outputs, search: FaultSearch) -> Result:
    case = outputs.case
    if not outputs.exists():
        return _check_refusal(outputs)
    if case.expected == ERROR:
        return Result(case, WRONG, ("The device accepted the descriptor, which DirectML's pages forbid.",))
    lines: list[str] = []
    findings: list[Finding] = []
    missing: list[str] = []
    for draw, before in enumerate(draw_states(case)[:-1], 1):
        prefix = f"draw {draw}: " if case.draws > 1 else ""
        try:
            problems, named = _check_draw(outputs, draw, before, search)
            lines += [f"{prefix}{line}" for line in problems]
            findings += named
        except NotReturned as error:
            missing.append(f"{prefix}{error}")
        except OutputError as error:
            lines.append(f"{prefix}{error}")
    status = WRONG if lines else MISSING if missing else RIGHT
    return Result(case, status, (*lines, *missing), tuple(findings))


def _check_refusal(outputs: Outputs) -> Result:
    """The result of a case without any buffer: refused, or not run."""
    case, error = outputs.case, outputs.error()
    if error is None:
        return Result(case, MISSING, ("There is no output.",))
    if is_crash(error):
        return Result(case, WRONG, (f"The run crashed: {format_error(error)}.",))
    what = "The run ended with an error" if case.expected == WORDS else "The device refused the descriptor"
    status = WRONG if case.expected == WORDS else RIGHT
    hresult = error if error >> 28 == 8 else None
    return Result(case, status, (f"{what}: {format_error(error)}.",), hresult=hresult)


def _check_draw(
    outputs: Outputs, draw: int, before: State, search: FaultSearch
) -> tuple[list[str], tuple[Finding, ...]]:
    """The lines that say what is wrong after a draw, and the faults that explain it."""
    case = outputs.case
    buffer = outputs.read(case.values_name(draw), case.values_words, "values")
    places, after = case.value_places(), None
    outside = _lines_outside("values", buffer, places)
    if case.has_new_state:
        state_buffer = outputs.read(case.state_name(draw), case.state_words, "the new state")
        state_places = case.state_places()
        outside += _lines_outside("the new state", state_buffer, state_places)
        after = state_buffer[state_places]
    lines, findings = search.explain(before, buffer[places].reshape(case.sizes), after)
    return lines + outside, findings


def _lines_outside(what: str, buffer: NDArray[np.uint32], places: NDArray[np.int64]) -> list[str]:
    """A line if a word of the buffer that belongs to no element was written."""
    outside = np.ones(buffer.size, bool)
    outside[places] = False
    written = np.flatnonzero(outside & (buffer != UNWRITTEN))
    if written.size == 0:
        return []
    return [
        f"The device wrote {written.size} words of the buffer of {what} that belong to no element, first word "
        f"{written[0]}: write only the elements."
    ]
