"""The faults that explain wrong cases: a search for each fault, not for each case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..operator import random_generator
from ..state import State, advance_blocks, blocks_for
from ..verification import Finding, verify
from ..verification.new_state import changes_state, diagnose_state
from ..verification.report.text import report_lines
from ..verification.search import words_with_fault
from .case import WORDS, Case
from .report import RIGHT, Result

COMPARED_WORDS = 1 << 12  # of a case with a known fault: its words are drawn slowly
SMALL_CASE_WORDS = 64


class FaultSearch:
    """Explains wrong draws. A draw is first compared with the faults that were found before, because a search for an
    unknown fault can take seconds."""

    def __init__(self) -> None:
        self._known: list[Finding] = []

    def explain(
        self, state: State, values: NDArray[np.uint32], new_state: State | None
    ) -> tuple[list[str], tuple[Finding, ...]]:
        """The lines that say what is wrong with a draw, and its faults. Both are empty for a right draw."""
        findings = self._known_faults(state, values, new_state)
        if findings:
            count = min(values.size, COMPARED_WORDS)
            return [f"The first {count} words are those of a generator with the fault {findings[0].name}."], findings
        report = verify(state, values, new_state)
        if report.ok:
            return [], ()
        self._known += [finding for finding in report.diagnosis if finding not in self._known]
        return list(report_lines(report, state, new_state, report.words)), report.diagnosis

    def _known_faults(self, state: State, values: NDArray[np.uint32], new_state: State | None) -> tuple[Finding, ...]:
        """A fault found before that explains the first words, and those of the new state."""
        head = values.reshape(-1)[:COMPARED_WORDS]
        if np.array_equal(random_generator(state, head.size).values, head):
            return ()
        for finding in self._known:
            words = words_with_fault(finding, state, values.shape, head.size)
            if words is not None and np.array_equal(words, head):
                after = advance_blocks(state, blocks_for(values.size))
                if new_state is None or np.array_equal(new_state, after):
                    return (finding,)
                return (finding, *diagnose_state(state, new_state, values.size))
        return ()


def common_faults(results: Sequence[Result]) -> tuple[tuple[Finding, int], ...]:
    """Each fault with the number of wrong cases that it explains, most first.

    A short draw can fit several faults. A fault is left out if it would also change a small case that is right.
    """
    right = [each.case for each in results if each.status == RIGHT and each.case.expected == WORDS]
    right = [case for case in right if case.words <= SMALL_CASE_WORDS]
    named = Counter(finding for result in results for finding in set(result.findings))
    return tuple(fault for fault in named.most_common() if not any(_changes(fault[0], case) for case in right))


def _changes(finding: Finding, case: Case) -> bool:
    if finding.name.startswith("state-"):
        return case.has_new_state and changes_state(finding.name, case.words)
    state = np.array(case.state, np.uint32)
    words = words_with_fault(finding, state, case.sizes, case.words)
    return words is not None and not np.array_equal(words, random_generator(state, case.words).values)
