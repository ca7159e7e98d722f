"""Explain a wrong new state: a known fault, or how far the counter moved."""

from __future__ import annotations

from ..state import State, advance_blocks, blocks_for, counter_of, distance_blocks, key_of
from .generators.fault_models import STATE_FAULT_MODELS
from .generators.variants import Words6
from .report.result import Finding
from .report.segment_text import format_count

MAX_MOVED = 1 << 64  # blocks; a counter further away is of another origin


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
    moved = distance_blocks(state, new_state) if key_of(state) == key_of(new_state) else MAX_MOVED
    moved -= (1 << 128) * (moved >> 127)
    if abs(moved) >= MAX_MOVED:
        return []
    sentence = f"{distance_text(moved, words)}: advance it by ceil(words / 4)."
    return [Finding("state-advanced-otherwise", f"The generator advances the counter by {sentence}")]


def distance_text(moved: int, words: int) -> str:
    """How far a counter moved in place of the right distance, and what distance that is."""
    right = blocks_for(words)
    meanings = [
        (2 * right, "twice as many"),
        (4 * right, "4 times as many"),
        (words, "one for each word"),
        (4 * words, "the number of bytes"),
        (16 * right, "the number of bytes of all blocks"),
        (2 * words, "twice the number of words"),
        (8 * words, "8 for each word"),
        (right - 1, "the last block that was used"),
        (right // 2, "half as many"),
        (-right, "backwards"),
    ]
    for power in range(4, 17):
        size = 1 << power
        meanings.append((-(-right // size) * size, f"rounded up to a multiple of {size:,}"))
        meanings.append((-(-words // size) * size, f"the words rounded up to a multiple of {size:,}"))
        meanings.append((-(-words // size) * size // 4, f"for the words rounded up to a multiple of {size:,}"))
        meanings.append((size * right, f"{size:,} for each block"))
    why = next((text for distance, text in meanings if distance == moved), "")
    return f"{format_count(moved)} block{'s' * (moved != 1)} instead of {right:,}{f', {why}' if why else ''}"
