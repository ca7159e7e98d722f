"""Explain a wrong new state: a known fault, or how far the counter moved."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

import numpy as np

from ..state import State, blocks_for
from .distances import distance_text, meanings
from .generators.fault_models import READ_RIGHT, STATE_FAULT_MODELS, STORE_RIGHT, FaultModel, counting_faults
from .generators.readings import WORDS, misreadings
from .generators.variants import Words6, WordVariant, add_blocks, blocks_between
from .report.result import Finding

CARRIES = ("carry-", "carries-", "counter-word-narrow")
MAX_MOVED = 1 << 64  # blocks; a counter further away is of another origin


def diagnose_state(state: State, new_state: State, words: int) -> list[Finding]:
    """The faults each of which gives this wrong state after `words` were drawn."""
    before: Words6
    after: Words6
    before, after = (tuple(each.ravel().tolist()) for each in (state, new_state))  # type: ignore[assignment]
    known = [
        Finding(model.name, model.explanation)
        for model in STATE_FAULT_MODELS
        if model.variant.next_state(before, words) == after
    ]
    return known or [*islice(_explanations(before, after, words), 1)]


def _explanations(before: Words6, after: Words6, words: int) -> Iterator[Finding]:
    """The other explanations, the likelier ones first."""
    blocks = blocks_for(words)
    right = add_blocks(before, blocks)
    if len(set(after)) == 1:
        sentence = "All six words of the new state are equal, as if never written: store the counter and the key."
        yield Finding("state-not-written", sentence)
    for model in counting_faults():
        if model.name.startswith(CARRIES) and _counted(model, before, blocks) == after:
            yield Finding(f"state-{model.name}", model.explanation)
    (counter, key), (new_counter, new_key) = _numbers(before), _numbers(after)
    moved = blocks_between(counter, new_counter)
    if key == new_key and abs(moved) < MAX_MOVED:
        if not meanings(moved, words):
            yield from _in_a_word(before, after, words)
            yield from _changed_words(before, after, right, words)
        sentence = (
            f"The generator advances the counter by {distance_text(moved, words)}: advance it by ceil(words / 4)."
        )
        yield Finding("state-advanced-otherwise", sentence)
    if moved == blocks:
        keys = f"key {new_key:#x} instead of {key:#x}"
        yield Finding("state-key-changed", f"The generator stores {keys}: store the key unchanged.")
    yield from _in_a_word(before, after, words)
    yield from _wrong_words(before, after, right)
    yield from _changed_words(before, after, right, words)


def _numbers(words: Words6) -> tuple[int, int]:
    """The counter and the key."""
    numbers = [word << 32 * place for place, word in enumerate(words)]
    return sum(numbers[:4]), sum(numbers[4:]) >> 128


def _counted(model: FaultModel[WordVariant], before: Words6, number: int) -> tuple[int, ...]:
    """The counter and key of block `number` by a fault of counting."""
    with np.errstate(all="ignore"):  # of counters that are too large for a type
        made = model.variant.counting.inputs(before, np.array([number], np.uint64))
    return tuple(int(word[0]) for word in made)


def _in_a_word(before: Words6, after: Words6, words: int) -> Iterator[Finding]:
    """A number of blocks, words or bytes that was added to one word, or put there in another way."""
    numbers = {"blocks": blocks_for(words), "words": words, "bytes": 4 * words}
    for (what, number), model in product(numbers.items(), counting_faults()):
        # A few bits may be set by chance.
        if model.name == "block-number-in-a-word" and " ors " not in model.explanation:
            if _counted(model, before, number) == after:
                text = model.explanation.split(":")[0].replace("the block's number", f"the number of {what}")
                yield Finding(f"state-{model.name}", f"{text}: advance the 128-bit counter by ceil(words / 4).")


def _changed_words(before: Words6, after: Words6, right: Words6, words: int) -> Iterator[Finding]:
    """Words of the state that were changed when they were stored, or read."""
    for name, change, text in misreadings():
        if change(right) == after:
            yield Finding(f"state-{name}", f"The generator stores {text}: {STORE_RIGHT}.")
        if add_blocks(change(before), blocks_for(words)) == after:
            yield Finding(f"state-{name}", f"The generator advances a state that it read with {text}: {READ_RIGHT}.")


def _wrong_words(before: Words6, after: Words6, right: Words6) -> Iterator[Finding]:
    """Which words are wrong, if they have one value, or are those of the state before."""
    wrong = [i for i in range(6) if after[i] != right[i]]
    is_old = all(after[i] == before[i] for i in wrong)
    if is_old or len({after[i] for i in wrong}) == 1:
        what = "before the draw" if is_old else f"{after[wrong[0]]:#x}"
        correct = ", ".join(f"{right[i]:#x}" for i in wrong)
        yield Finding("state-words-wrong", (
            f"The generator stores {', '.join(WORDS[i] for i in wrong)} as {what}, and not as {correct}; the other "
            "words are right: store the advanced counter and the unchanged key."
        ))  # fmt: skip
