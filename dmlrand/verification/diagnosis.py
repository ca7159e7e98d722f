"""Which known mistake explains wrong words, or a wrong state. Only one that explains all of them is named."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.filling import flat_pieces
from ..arrays.tensor import Shape
from ..state import State, advance_blocks, blocks_for, counter_of, distance_blocks, key_of, make_state
from .device import RIGHT, Words6
from .fault_models import MISTAKES, Mistake
from .inverse import ENOUGH, locate_run
from .state_fault_models import STATE_MISTAKES

_NEAR = 32  # words looked at first: so many from the beginning, before and after the first mismatch, to the end


Explanation = tuple[str, str]  # a stable name, and a sentence that says what is wrong and how to mend it


def diagnose_values(state: State, values: NDArray[np.uint32], first_mismatch: int) -> list[Explanation]:
    """The mistakes each of which alone would have made all of these words, which differ at a flat index."""
    explanations = _explanations(MISTAKES, state, values, first_mismatch)
    if not explanations:
        # Only then: a counter that was misread lies somewhere else too, and to say how it was misread says more.
        explanations = _explanations(_starts_elsewhere(state, values), state, values, first_mismatch)
    return explanations + _tail(values, first_mismatch)


def diagnose_state(state: State, new_state: State, words: int) -> list[Explanation]:
    """The mistakes each of which would have made this wrong state after drawing `words`."""
    before, after = _six(state), _six(new_state)
    explanations = [
        (mistake.name, mistake.sentence)
        for mistake in STATE_MISTAKES
        if mistake.stepper.next_state(before, words) == after
    ]
    return explanations or _other_state(state, new_state, words)


def _six(state: State) -> Words6:
    c0, c1, c2, c3, k0, k1 = state.ravel().tolist()
    return c0, c1, c2, c3, k0, k1


def _explanations(
    mistakes: Iterable[Mistake], state: State, values: NDArray[np.uint32], first_mismatch: int
) -> list[Explanation]:
    """Those that make every word: tried on a few of them first, since nearly all fail there."""
    words = _six(state)
    index = _probe(values.size, first_mismatch)
    survivors = _survivors(mistakes, words, index, values.shape, _at(values, index))
    for position, piece in flat_pieces(values):
        if not survivors:
            break
        index = np.arange(position, position + piece.size, dtype=np.uint64)
        survivors = _survivors(survivors, words, index, values.shape, piece)
    return [(mistake.name, mistake.sentence) for mistake in survivors]


def _survivors(
    mistakes: Iterable[Mistake], state: Words6, index: NDArray[np.uint64], shape: Shape, got: NDArray[np.uint32]
) -> list[Mistake]:
    """The mistakes that make the words got at these flat indexes."""
    return [each for each in mistakes if np.array_equal(each.device.words(state, index, shape), got)]


def _probe(size: int, first_mismatch: int) -> NDArray[np.uint64]:
    """Flat indexes at the beginning, around the first mismatch and at the end."""
    starts = [max(place, 0) for place in (0, first_mismatch - _NEAR, first_mismatch, size - _NEAR)]
    near = [np.arange(start, min(start + _NEAR, size), dtype=np.uint64) for start in starts]
    return np.concatenate(near)


def _at(values: NDArray[np.uint32], index: NDArray[Any]) -> NDArray[np.uint32]:
    found: NDArray[np.uint32] = np.asarray(values)[np.unravel_index(index.astype(np.int64), values.shape)]
    return found


def _starts_elsewhere(state: State, values: NDArray[np.uint32]) -> list[Mistake]:
    """If the first words lie somewhere else in the key's stream: the machine that starts there."""
    if values.size < ENOUGH:
        return []
    first = _at(values, np.arange(min(values.size, 16)))
    try:
        place = locate_run(first.tolist(), key_of(state))
    except ValueError:
        return []
    lane = place.lane
    counter = (place.counter - bool(lane)) % (1 << 128)
    skip = distance_blocks(state, make_state(counter=counter, key=key_of(state)))
    if lane == 0 and skip == 1:
        return []  # first-block-skipped says it better

    def place_later(index: Any, shape: Any) -> tuple[Any, Any]:
        return (index + lane) >> 2, (index + lane) & 3

    sentence = (
        f"It starts at lane {lane} of counter {counter:#x}, {_blocks_away(skip)} the state's, and is right from there: "
        "look at what it was given, and at how the call before advanced it."
    )
    return [Mistake("starts-elsewhere", sentence, RIGHT._replace(skip=skip, place=place_later))]


def _blocks_away(distance: int) -> str:
    if distance == 0:
        return "the same block as"
    after = distance <= 1 << 127
    blocks = distance if after else (1 << 128) - distance
    return f"{blocks} {'block' if blocks == 1 else 'blocks'} {'after' if after else 'before'}"


def _tail(values: NDArray[np.uint32], first_mismatch: int) -> list[Explanation]:
    """If all is right up to the first mismatch, and the rest is one constant: words that were never written."""
    size = values.size
    constant = int(_at(values, np.array([size - 1]))[0])
    length = size - first_mismatch
    if constant and length == 1:
        return []  # any single wrong word at the end would be such a tail
    for position, piece in flat_pieces(values):
        if (piece[max(0, first_mismatch - position) :] != constant).any():
            return []
    which = f"All {size} words are" if length == size else f"The last {length} of {size} words are"
    if length == 1:
        which = f"The last of {size} words is" if size > 1 else "The only word is"
    sentence = (
        f"{which} {constant:#x}, as if never written: "
        "dispatch enough threads for ceil(words / 4) blocks, and store every lane within the tensor."
    )
    return [("constant-tail" if constant else "zero-tail", sentence)]


def _other_state(state: State, new_state: State, words: int) -> list[Explanation]:
    """What no wrong step explains: a key from elsewhere, a state never written."""
    if len(set(_six(new_state))) == 1:
        sentence = "All six words of the new state are alike, as if never written: store the counter and the key."
        return [("state-not-written", sentence)]
    if counter_of(new_state) == counter_of(advance_blocks(state, blocks_for(words))):
        sentence = f"It stores key {key_of(new_state):#x}; the key was {key_of(state):#x} and never changes."
        return [("state-key-changed", sentence)]
    return []
