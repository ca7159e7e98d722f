"""Find the fault models that explain wrong words or a wrong new state: those that give all of the data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.filling import elements_at, flat_pieces
from ..arrays.tensor import Shape
from ..state import State, advance_blocks, blocks_for, counter_of, distance_blocks, key_of, make_state
from .constants import wrong_constants
from .fault_models import STATE_FAULT_MODELS, WORD_FAULT_MODELS, FaultModel
from .inverse import LOCATABLE_WORDS, locate_run
from .padded_rows import explain_padded_rows
from .pairs import fault_pairs
from .report import Finding
from .segment_text import format_count
from .stream_words import POSITION_BIAS_BLOCKS
from .strides import explain_strides, fit_strides
from .variants import Words6, WordVariant
from .word_functions import explain_by_function

WordFault = FaultModel[WordVariant]

PROBE_WORDS = 32  # compared first at each of four places, because nearly all fault models fail there
BLOCK_WORDS = 4  # fewer words would fit many wrong constants and pairs of faults
LOCATED_WORDS = 16  # looked up to find where the words start


def diagnose_values(state: State, values: NDArray[np.uint32], first_mismatch: int) -> list[Finding]:
    """The faults each of which alone gives all of these words. `first_mismatch` is a flat index."""
    findings = _explain_words(WORD_FAULT_MODELS, state, values, first_mismatch)
    tail = _explain_tail(values, first_mismatch)
    if findings or tail:
        return findings + tail
    findings = explain_by_function(state, values, first_mismatch)
    # Searched after the known faults: a misread counter also makes the words start elsewhere, and how it was misread
    # says more. What costs more is searched later, and two faults only if one does not explain the words.
    for search in (_start_elsewhere, _at_strides, _with_wrong_constant, _with_two_faults):
        if not findings:
            findings = _explain_words(search(state, values), state, values, first_mismatch)
    # Last, because this rule says nothing about the words between the rows.
    return findings or explain_padded_rows(state, values, first_mismatch)


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


def _explain_words(
    models: Iterable[WordFault], state: State, values: NDArray[np.uint32], first_mismatch: int
) -> list[Finding]:
    """The fault models that give every word."""
    words = _as_six_words(state)
    (got,) = elements_at(values, np.array([first_mismatch], np.int64)).tolist()
    candidates = [model for model in models if model.variant.word_at(words, first_mismatch, values.shape) == got]
    index = _probe_indexes(values.size, first_mismatch)
    remaining = _matching(candidates, words, index, values.shape, elements_at(values, index))
    for position, piece in flat_pieces(values):
        if not remaining:
            break
        index = np.arange(position, position + piece.size, dtype=np.uint64)
        remaining = _matching(remaining, words, index, values.shape, piece)
    return list(dict.fromkeys(Finding(model.name, model.explanation) for model in remaining))


def _matching(
    models: Iterable[WordFault], state: Words6, index: NDArray[np.uint64], shape: Shape, got: NDArray[np.uint32]
) -> list[WordFault]:
    """The fault models that give the words `got` at these flat indexes."""
    return [model for model in models if np.array_equal(model.variant.words(state, index, shape), got)]


def _probe_indexes(size: int, first_mismatch: int) -> NDArray[np.uint64]:
    """Flat indexes at the beginning, around the first mismatch and at the end."""
    starts = [max(place, 0) for place in (0, first_mismatch - PROBE_WORDS, first_mismatch, size - PROBE_WORDS)]
    ranges = [np.arange(start, min(start + PROBE_WORDS, size), dtype=np.uint64) for start in starts]
    return np.concatenate(ranges)


def _start_elsewhere(state: State, values: NDArray[np.uint32]) -> list[WordFault]:
    """If the first words lie elsewhere in the key's stream: a fault model that starts there."""
    if values.size < LOCATABLE_WORDS:
        return []
    first_words = elements_at(values, np.arange(min(values.size, LOCATED_WORDS), dtype=np.int64))
    try:
        place = locate_run(first_words.tolist(), key_of(state))
    except ValueError:
        return []
    lane = place.lane
    counter = (place.counter - bool(lane)) % (1 << 128)
    skipped = distance_blocks(state, make_state(counter=counter, key=key_of(state)))
    if lane == 0 and skipped == 1:
        return []  # first-block-skipped says more

    def place_later(index: Any, shape: Any) -> tuple[Any, Any]:
        return (index + lane) >> 2, (index + lane) & 3

    explanation = (
        f"The words start at lane {lane} of counter {counter:#x}, {_format_distance(skipped)} the state's counter, "
        "and are right from there: check which state the generator was given, and how the call before advanced it."
    )
    return [FaultModel("starts-elsewhere", WordVariant(skipped_blocks=skipped, place=place_later), explanation)]


def _at_strides(state: State, values: NDArray[np.uint32]) -> list[WordFault]:
    """If the words lie in the stream at fitted strides: a fault model that places them so."""
    rule = fit_strides(state, values)
    if rule is None:
        return []

    def place_at_strides(index: Any, shape: Any) -> tuple[Any, Any]:
        places = rule.places(index.astype(np.int64)) + 4 * POSITION_BIAS_BLOCKS
        return places.astype(np.uint64) >> 2, places & 3

    skipped = -POSITION_BIAS_BLOCKS % (1 << 128)
    variant = WordVariant(skipped_blocks=skipped, place=place_at_strides)
    return [FaultModel("words-at-strides", variant, explain_strides(rule, values.shape))]


def _with_wrong_constant(state: State, values: NDArray[np.uint32]) -> Iterable[WordFault]:
    if values.size < BLOCK_WORDS:
        return ()
    return wrong_constants(_as_six_words(state), elements_at(values, np.arange(BLOCK_WORDS, dtype=np.int64)).tolist())


def _with_two_faults(state: State, values: NDArray[np.uint32]) -> Iterable[WordFault]:
    return fault_pairs() if values.size >= BLOCK_WORDS else ()


def _format_distance(blocks: int) -> str:
    if blocks == 0:
        return "the same block as"
    after = blocks <= 1 << 127
    count = blocks if after else (1 << 128) - blocks
    return f"{format_count(count)} {'block' if count == 1 else 'blocks'} {'after' if after else 'before'}"


def _explain_tail(values: NDArray[np.uint32], first_mismatch: int) -> list[Finding]:
    """If all words before the first mismatch are right and the others are one constant: words never written."""
    size = values.size
    constant = int(elements_at(values, np.array([size - 1], np.int64))[0])
    length = size - first_mismatch
    if constant and length == 1:
        return []  # any single wrong word at the end would be such a tail
    for position, piece in flat_pieces(values):
        if (piece[max(0, first_mismatch - position) :] != constant).any():
            return []
    if size == 1:
        which = "The only word is"
    elif length == size:
        which = f"All {size} words are"
    elif length == 1:
        which = f"The last of {size} words is"
    else:
        which = f"The last {length} of {size} words are"
    sentence = (
        f"{which} {constant:#x}, as if never written: "
        "dispatch enough threads for ceil(words / 4) blocks, and store every lane that lies in the tensor."
    )
    return [Finding("constant-tail" if constant else "zero-tail", sentence)]


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
