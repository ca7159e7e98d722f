"""`check_kit`: compare what came back with what each case expects."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..files.names import quoted
from ..state import State
from ..verification import Finding, verify
from ..verification.report.text import report_lines
from .case import ERROR, UNKNOWN, WORDS
from .cases_file import read_cases
from .expected import draw_states
from .faults import common_faults
from .outputs import OutputError, Outputs, written_outside
from .questions import answer_questions
from .report import MISSING, NOTED, RIGHT, WRONG, KitReport, Result


def check_kit(folder: str | os.PathLike[str]) -> KitReport:
    """Compare what a device stored in the folder `outputs` of a kit with the right words, which are drawn again.

    `folder` is one that write_kit made. A folder without a kit, a changed cases.json, and a kit without any output are
    a ValueError. The report has the result of each case, the faults that explain wrong words, and which of
    several possible readings of DirectML's page the device follows.
    """
    root = Path(folder)
    cases = read_cases(root)
    returned = [Outputs(root, case) for case in cases]
    if not any(outputs.exists() or outputs.refusal() for outputs in returned):
        raise ValueError(
            f"{quoted(root / 'outputs')} must hold what a device returned; it has no file of any case. "
            "Run the model files first: README.md in the folder of the kit says how."
        )
    results = tuple(_check_case(outputs) for outputs in returned)
    answers = answer_questions({outputs.case.name: outputs for outputs in returned})
    return KitReport(results, answers, common_faults(results))


def _check_case(outputs: Outputs) -> Result:
    case = outputs.case
    if not outputs.exists():
        return _check_refusal(outputs)
    if case.expected == ERROR:
        return Result(case, WRONG, ("The device accepted the descriptor, which DirectML's pages forbid.",))
    if case.expected == UNKNOWN:
        return Result(case, NOTED, ("The device accepted the descriptor.",))
    states = draw_states(case)
    lines: list[str] = []
    findings: list[Finding] = []
    missing: list[str] = []
    for draw in range(1, case.draws + 1):
        prefix = f"draw {draw}: " if case.draws > 1 else ""
        try:
            problems, named = _check_draw(outputs, draw, states[draw - 1])
            lines += [f"{prefix}{line}" for line in problems]
            findings += named
        except _NotReturned as error:
            missing.append(f"{prefix}{error}")
        except OutputError as error:
            lines.append(f"{prefix}{error}")
    status = WRONG if lines else MISSING if missing else RIGHT
    return Result(case, status, (*lines, *missing), tuple(findings))


class _NotReturned(Exception):
    """A file of a draw is missing. The text says which."""


def _check_refusal(outputs: Outputs) -> Result:
    """The result of a case without any buffer: refused, or not run."""
    case, refusal = outputs.case, outputs.refusal()
    if refusal is None:
        return Result(case, MISSING, ("There is no output.",))
    if refusal.crashed:
        return Result(case, NOTED if case.expected == UNKNOWN else WRONG, (f"The run crashed: {refusal}.",))
    what = "The run ended with an error" if case.expected == WORDS else "The device refused the descriptor"
    text = f"{what}: {refusal}."
    status = {WORDS: WRONG, ERROR: RIGHT, UNKNOWN: NOTED}[case.expected]
    return Result(case, status, (text,), hresult=refusal.hresult)


def _check_draw(outputs: Outputs, draw: int, before: State) -> tuple[list[str], tuple[Finding, ...]]:
    """The lines that say what is wrong after a draw, and the faults that explain it."""
    case = outputs.case
    buffer = outputs.values(draw)
    if buffer is None:
        raise _NotReturned("There is no file of values.")
    state_buffer = outputs.state(draw) if case.has_new_state else None
    if case.has_new_state and state_buffer is None:
        raise _NotReturned("There is no file of the new state.")
    places = None if case.is_packed() else case.value_places()
    values = buffer.reshape(case.sizes) if places is None else buffer[places].reshape(case.sizes)
    new_state = None if state_buffer is None else np.array(state_buffer[case.state_places()])
    report = verify(before, values, new_state)
    lines = [] if report.ok else list(report_lines(report, before, new_state, report.words))
    if places is not None:
        lines += _lines_outside("values", buffer, places)
    if state_buffer is not None:
        lines += _lines_outside("the new state", state_buffer, case.state_places())
    return lines, report.diagnosis


def _lines_outside(what: str, buffer: NDArray[np.uint32], places: NDArray[np.int64]) -> list[str]:
    """A line if a word of the buffer that belongs to no element was written."""
    written = written_outside(buffer, places)
    if written.size == 0:
        return []
    return [
        f"The device wrote {written.size} words of the buffer of {what} that belong to no element, first word "
        f"{written[0]}: write only the elements."
    ]
