"""Explain a wrong new state: a known fault, or how far the counter moved."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from ..state import State, blocks_for, counter_of
from .generators.inputs import COUNTER_REVERSED, KEY_FIRST, WORDS, counting_faults, read_as
from .generators.variants import Words6, add_blocks, blocks_between
from .report.result import Finding
from .report.segment_text import distance_text, distances, meanings

MAX_MOVED = 1 << 64  # blocks; a counter further away is of another origin
ADVANCE = "advance it by 1 for each block, ceil(words / 4)"
# How the state is read, and how it is stored.
REORDERED = (
    ("state-counter-words-reversed", "advances counter word 3 first: word 0 of the counter is the lowest",
     read_as(COUNTER_REVERSED), read_as(COUNTER_REVERSED)),
    ("state-key-before-counter", "advances words 2 to 5 as the counter: the counter is words 0 to 3",
     read_as(KEY_FIRST), read_as("k0, k1, c0, c1, c2, c3")),
)  # fmt: skip


def diagnose_state(state: State, new_state: State, words: int) -> list[Finding]:
    """The faults each of which gives this wrong state after `words` were drawn."""
    before: Words6 = tuple(state.ravel().tolist())  # type: ignore[assignment]
    after: Words6 = tuple(new_state.ravel().tolist())  # type: ignore[assignment]
    moved = blocks_between(counter_of(state), counter_of(new_state))
    return [*_known(before, after, moved, words)] or [*islice(_others(before, after, moved, words), 1)]


def changes_state(name: str, words: int) -> bool:
    """Whether the counter moves otherwise after so many words, with the fault of this name."""
    return any(each == name and distance != blocks_for(words) for distance, _, each in distances(words))


def _known(before: Words6, after: Words6, moved: int, words: int) -> Iterator[Finding]:
    """The faults that are known."""
    blocks = blocks_for(words)
    for distance, text, name in distances(words) if before[4:] == after[4:] else ():
        if distance == moved and name:
            sentence = f"The generator advances the counter by {distance_text(moved, words, text)}: {ADVANCE}."
            yield Finding(name, sentence)
    for name, text, read, store in REORDERED:
        if store(add_blocks(read(before), blocks)) == after:
            yield Finding(name, f"The generator {text}.")
    for fault in counting_faults():
        with np.errstate(all="ignore"):  # of counters that are too large for a type
            made = fault.variant.inputs(before, np.array([blocks], np.uint64))
        if "carr" in fault.name and tuple(int(word[0]) for word in made) == after:
            yield Finding(f"state-{fault.name}", fault.faults[0].sentence)
            return


def _others(before: Words6, after: Words6, moved: int, words: int) -> Iterator[Finding]:
    """The other explanations, the likelier ones first."""
    blocks = blocks_for(words)
    if len(set(after)) == 1:
        sentence = "All six words of the new state are equal, as if never written: store the counter and the key."
        yield Finding("state-not-written", sentence)
    if before[4:] == after[4:] and (abs(moved) < MAX_MOVED or meanings(moved, words)):
        sentence = f"The generator advances the counter by {distance_text(moved, words)}: {ADVANCE}."
        yield Finding("state-advanced-otherwise", sentence)
    if moved == blocks:
        stored, given = (low | high << 32 for low, high in (after[4:], before[4:]))
        text = f"The generator stores key {stored:#x} instead of {given:#x}: store the key unchanged."
        yield Finding("state-key-changed", text)
    right = add_blocks(before, blocks)
    wrong = [i for i in range(6) if after[i] != right[i]]
    is_old = all(after[i] == before[i] for i in wrong)
    if is_old or len({after[i] for i in wrong}) == 1:
        what = "before the draw" if is_old else f"{after[wrong[0]]:#x}"
        correct = ", ".join(f"{right[i]:#x}" for i in wrong)
        yield Finding("state-words-wrong", (
            f"The generator stores {', '.join(WORDS[i] for i in wrong)} as {what}, and not as {correct}; the other "
            "words are right: store the advanced counter and the unchanged key."
        ))  # fmt: skip
