"""The faults that explain a kit: those that `verify` names in wrong cases, and that no right case rules out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ..operator import random_generator
from ..state import advance_blocks, blocks_for
from ..verification import Finding
from ..verification.generators.fault_models import STATE_FAULT_MODELS, WORD_FAULT_MODELS
from ..verification.generators.variants import StateVariant, WordVariant
from .case import WORDS, Case
from .report import RIGHT, Result

MAX_WORDS = 64  # of the right cases that are compared with a fault: its words are drawn slowly


def common_faults(results: Sequence[Result]) -> tuple[tuple[Finding, int], ...]:
    """Each fault with the number of wrong cases that it explains, most first.

    A short draw can fit several faults. A fault is left out if it would also change a case that is right.
    """
    right = [result.case for result in results if result.status == RIGHT and result.case.words <= MAX_WORDS]
    right = [case for case in right if case.expected == WORDS]
    named = Counter(finding for result in results for finding in set(result.findings))
    possible = [(finding, count) for finding, count in named.items() if not _is_ruled_out(finding, right)]
    return tuple(sorted(possible, key=lambda fault: -fault[1]))


def _is_ruled_out(finding: Finding, right: Sequence[Case]) -> bool:
    for word_model in WORD_FAULT_MODELS:
        if (word_model.name, word_model.explanation) == finding:
            return any(_changes_words(word_model.variant, case) for case in right)
    for state_model in STATE_FAULT_MODELS:
        if (state_model.name, state_model.explanation) == finding:
            return any(_changes_state(state_model.variant, case) for case in right if case.has_new_state)
    return False  # a fault that was read from the data, without a model


def _changes_words(variant: WordVariant, case: Case) -> bool:
    words = variant.words(case.state, np.arange(case.words, dtype=np.uint64), case.sizes)
    right = random_generator(case.state, case.words).values
    return not np.array_equal(words, right)


def _changes_state(variant: StateVariant, case: Case) -> bool:
    after = advance_blocks(np.array(case.state, np.uint32), blocks_for(case.words))
    return not np.array_equal(variant.next_state(case.state, case.words), after)
