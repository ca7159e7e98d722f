"""Explain a wrong new state: a known fault, or how far the counter moved."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from ..state import State, blocks_for, counter_of, key_of
from .generators.fault_models import STATE_FAULT_MODELS
from .generators.inputs import WORDS, counting_faults
from .generators.variants import Words6, add_blocks, blocks_between
from .report.result import Finding
from .report.segment_text import distance_text, meanings

CARRIES = ("carry-", "carries-", "counter-word-narrow")
MAX_MOVED = 1 << 64  # blocks; a counter further away is of another origin


def diagnose_state(state: State, new_state: State, words: int) -> list[Finding]:
    """The faults each of which gives this wrong state after `words` were drawn."""
    before: Words6 = tuple(state.ravel().tolist())  # type: ignore[assignment]
    after = tuple(new_state.ravel().tolist())
    known = [
        Finding(model.name, model.explanation)
        for model in STATE_FAULT_MODELS
        if model.variant.next_state(before, words) == after
    ]
    return known or [*islice(_explanations(state, new_state, words), 1)]


def _explanations(state: State, new_state: State, words: int) -> Iterator[Finding]:
    """The other explanations, the likelier ones first."""
    before: Words6
    after: Words6
    before, after = (tuple(each.ravel().tolist()) for each in (state, new_state))  # type: ignore[assignment]
    blocks = blocks_for(words)
    right = add_blocks(before, blocks)
    if len(set(after)) == 1:
        sentence = "All six words of the new state are equal, as if never written: store the counter and the key."
        yield Finding("state-not-written", sentence)
    for model in counting_faults():
        if model.name.startswith(CARRIES):
            with np.errstate(all="ignore"):  # of counters that are too large for a type
                made = model.variant.counting.inputs(before, np.array([blocks], np.uint64))
            if tuple(int(word[0]) for word in made) == after:
                yield Finding(f"state-{model.name}", model.explanation)
    moved = blocks_between(counter_of(state), counter_of(new_state))
    if before[4:] == after[4:] and (abs(moved) < MAX_MOVED or meanings(moved, words)):
        distance = distance_text(moved, words)
        sentence = f"The generator advances the counter by {distance}: advance it by ceil(words / 4)."
        yield Finding("state-advanced-otherwise", sentence)
    if moved == blocks:
        keys = f"key {key_of(new_state):#x} instead of {key_of(state):#x}"
        yield Finding("state-key-changed", f"The generator stores {keys}: store the key unchanged.")
    wrong = [i for i in range(6) if after[i] != right[i]]
    is_old = all(after[i] == before[i] for i in wrong)
    if is_old or len({after[i] for i in wrong}) == 1:
        what = "before the draw" if is_old else f"{after[wrong[0]]:#x}"
        correct = ", ".join(f"{right[i]:#x}" for i in wrong)
        yield Finding("state-words-wrong", (
            f"The generator stores {', '.join(WORDS[i] for i in wrong)} as {what}, and not as {correct}; the other "
            "words are right: store the advanced counter and the unchanged key."
        ))  # fmt: skip
