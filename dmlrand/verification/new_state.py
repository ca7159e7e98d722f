"""Explain a wrong new state: a known fault, or how far the counter moved."""

from __future__ import annotations

import numpy as np

from ..state import State, blocks_for, counter_of, key_of
from .generators.fault_models import READ_RIGHT, STATE_FAULT_MODELS, STORE_RIGHT, FaultModel, counting_faults
from .generators.readings import WORDS, misreadings
from .generators.variants import Words6, WordVariant, add_blocks, blocks_between
from .report.result import Finding
from .report.segment_text import format_count

COUNTERS_WRONG = ("carry-", "carries-", "counter-word-narrow")
MAX_MOVED = 1 << 64  # blocks; a counter further away is of another origin


def diagnose_state(state: State, new_state: State, words: int) -> list[Finding]:
    """The faults each of which gives this wrong state after `words` were drawn."""
    before: Words6
    after: Words6
    before, after = (tuple(each.ravel().tolist()) for each in (state, new_state))  # type: ignore[assignment]
    findings = [
        Finding(model.name, model.explanation)
        for model in STATE_FAULT_MODELS
        if model.variant.next_state(before, words) == after
    ]
    if findings:
        return findings
    if len(set(after)) == 1:
        sentence = "All six words of the new state are equal, as if never written: store the counter and the key."
        return [Finding("state-not-written", sentence)]
    for model in counting_faults():
        if model.name.startswith(COUNTERS_WRONG) and _counted(model, before, blocks_for(words)) == after:
            return [Finding(f"state-{model.name}", model.explanation)]
    moved = blocks_between(counter_of(state), counter_of(new_state))
    is_same_key, is_known_distance = key_of(state) == key_of(new_state), bool(_meaning(moved, words))
    if is_same_key and not is_known_distance and (found := _in_another_way(before, after, words)):
        return found
    right = add_blocks(before, blocks_for(words))
    changed = _changed_words(before, after, right, words)
    if is_same_key and abs(moved) < MAX_MOVED:
        if changed and not is_known_distance:
            return changed
        sentence = (
            f"The generator advances the counter by {distance_text(moved, words)}: advance it by ceil(words / 4)."
        )
        return [Finding("state-advanced-otherwise", sentence)]
    if moved == blocks_for(words):
        keys = f"key {key_of(new_state):#x} instead of {key_of(state):#x}"
        return [Finding("state-key-changed", f"The generator stores {keys}: store the key unchanged.")]
    return _wrong_words(before, after, right) or changed


def _counted(model: FaultModel[WordVariant], before: Words6, number: int) -> tuple[int, ...]:
    """The counter and key of block `number` by a fault of counting."""
    with np.errstate(all="ignore"):  # of counters that are too large for a type
        made = model.variant.counting.inputs(before, np.array([number], np.uint64))
    return tuple(int(word[0]) for word in made)


def _in_another_way(before: Words6, after: Words6, words: int) -> list[Finding]:
    """A number of blocks, words or bytes that was added to one word, or put there in another way."""
    models = [model for model in counting_faults() if model.name == "block-number-in-a-word"]
    models = [model for model in models if " ors " not in model.explanation]  # which a few bits may be by chance
    for what, number in {"blocks": blocks_for(words), "words": words, "bytes": 4 * words}.items():
        for model in models:
            if _counted(model, before, number) == after:
                text = model.explanation.split(":")[0].replace("the block's number", f"the number of {what}")
                return [Finding(f"state-{model.name}", f"{text}: advance the 128-bit counter by ceil(words / 4).")]
    return []


def _changed_words(before: Words6, after: Words6, right: Words6, words: int) -> list[Finding]:
    """Words of the state that were changed when they were stored, or read."""
    for name, change, text in misreadings():
        if change(right) == after:
            return [Finding(f"state-{name}", f"The generator stores {text}: {STORE_RIGHT}.")]
        if add_blocks(change(before), blocks_for(words)) == after:
            return [Finding(f"state-{name}", f"The generator advances a state that it read with {text}: {READ_RIGHT}.")]
    return []


def _wrong_words(before: Words6, after: Words6, right: Words6) -> list[Finding]:
    """Which words are wrong, if they have one value, or are those of the state before."""
    wrong = [i for i in range(6) if after[i] != right[i]]
    is_old = all(after[i] == before[i] for i in wrong)
    if len({after[i] for i in wrong}) > 1 and not is_old:
        return []
    named = ", ".join(WORDS[i] for i in wrong)
    what = "before the draw" if is_old else f"{after[wrong[0]]:#x}"
    correct = ", ".join(f"{right[i]:#x}" for i in wrong)
    return [Finding("state-words-wrong", (
        f"The generator stores {named} as {what}, and not as {correct}; the other words are right: "
        "store the advanced counter and the unchanged key."
    ))]  # fmt: skip


def distance_text(moved: int, words: int) -> str:
    """How far a counter moved in place of the right distance, and what distance that is."""
    right, why = blocks_for(words), _meaning(moved, words)
    return f"{format_count(moved)} block{'s' * (moved != 1)} instead of {right:,}{f', {why}' if why else ''}"


def _meaning(moved: int, words: int) -> str:
    """Where a wrong distance may come from."""
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
    # Sizes of groups of threads, and of what they reserve: the common ones first, because several may fit.
    for size in sorted((1 << power for power in range(4, 17)), key=lambda size: size not in (256, 1024)):
        meanings.append((-(-right // size) * size, f"rounded up to a multiple of {size:,}"))
        meanings.append((-(-words // size) * size, f"the words rounded up to a multiple of {size:,}"))
        meanings.append((-(-words // size) * size // 4, f"for the words rounded up to a multiple of {size:,}"))
        meanings.append((size * right, f"{size:,} for each block"))
    return next((text for distance, text in meanings if distance == moved), "")
