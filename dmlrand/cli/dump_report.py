"""The report on a dump: its words, its size and the new state together."""

from __future__ import annotations

from ..state import UINT32, State
from ..verification import Verification, verify, with_new_state
from .dumps import Dump


def compare_dump(state: State, dump: Dump, new_state: State | None) -> tuple[Verification, bool | None]:
    """The report on a dump, which is not ok for another size than demanded; and whether the new state is right."""
    report = verify(state, dump.values, dtype=dump.values.dtype if dump.unit == "number" else UINT32)
    if not dump.is_complete:
        report = report._replace(ok=False)
    return (report, None) if new_state is None else with_new_state(report, state, new_state, dump.demanded_words)
