"""The report on a dump: its words, its size and the new state together."""

from __future__ import annotations

import json

from ..state import State
from ..verification import Verification, verify
from ..verification.diagnosis import check_new_state
from ..verification.report_json import report_members
from ..verification.uniforms import verify_uniform
from .dumps import NUMBERS, Dump


def compare_dump(
    state: State, dump: Dump, new_state: State | None, dtype: str | None
) -> tuple[Verification, bool | None]:
    """The report on a dump, which is not ok for another size than demanded; and whether the new state is right."""
    report = verify_uniform(state, dump.values) if dtype in NUMBERS else verify(state, dump.values)
    if not dump.is_complete:
        report = report._replace(ok=False)
    if new_state is None:
        return report, None
    findings = check_new_state(state, new_state, dump.demanded_words)
    if findings == []:
        return report, True
    return report._replace(ok=False, diagnosis=(*report.diagnosis, *(findings or []))), False


def print_json(report: Verification, sentence: str, new_state_ok: bool | None, dump: Dump) -> None:
    """Print the report for programs."""
    members = report_members(report, sentence, new_state_ok, dump.elements, dump.demanded)
    print(json.dumps(members | {"loose_bytes": dump.loose_bytes}))
