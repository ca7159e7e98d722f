"""Explain a wrong new state: a known fault, or how far the counter moved."""

from __future__ import annotations

from ..state import State, advance_blocks, blocks_for, counter_of, distance_blocks, key_of
from .generators.fault_models import STATE_FAULT_MODELS
from .generators.variants import Words6
from .report.result import Finding
from .report.segment_text import format_count


def diagnose_state(state: State, new_state: State, words: int) -> list[Finding]:
    """The faults each of which gives this wrong state after `words` were drawn."""
    before, after = _as_six_words(state), _as_six_words(new_state)
    findings = [
        Finding(model.name, model.explanation)
        for model in STATE_FAULT_MODELS
        if model.variant.next_state(before, words) == after
    ]
    return findings or _explain_other_state(state, new_state, words)


def _as_six_words(state: State) -> Words6:
    c0, c1, c2, c3, k0, k1 = state.ravel().tolist()
    return c0, c1, c2, c3, k0, k1


def _explain_other_state(state: State, new_state: State, words: int) -> list[Finding]:
    """The faults that no variant makes: a state that was never written, a key from elsewhere."""
    if len(set(_as_six_words(new_state))) == 1:
        sentence = "All six words of the new state are equal, as if never written: store the counter and the key."
        return [Finding("state-not-written", sentence)]
    if counter_of(new_state) == counter_of(advance_blocks(state, blocks_for(words))):
        sentence = (
            f"The generator stores key {key_of(new_state):#x} instead of {key_of(state):#x}: store the key unchanged."
        )
        return [Finding("state-key-changed", sentence)]
    return []
