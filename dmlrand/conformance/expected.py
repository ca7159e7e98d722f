"""What a case must give: the words of each draw and the state after it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..operator import random_generator
from ..state import State, advance_blocks, blocks_for
from .case import UNWRITTEN, WORDS, Case

FIRST_WORDS = 8  # of each draw, recorded beside the hash


def draw_states(case: Case) -> list[State]:
    """The states before the draws and, last, the state after them."""
    start = np.array(case.state, np.uint32)
    return [advance_blocks(start, draw * blocks_for(case.words)) for draw in range(case.draws + 1)]


def digest(words: NDArray[np.uint32]) -> str:
    """The SHA-256 of the words, each little-endian."""
    return hashlib.sha256(words.astype("<u4").data).hexdigest()


def expected_draws(case: Case) -> Iterator[dict[str, Any]]:
    """The record of each draw in cases.json. None if the case expects no words."""
    if case.expected != WORDS:
        return
    states = draw_states(case)
    for before, after in zip(states, states[1:]):
        words = random_generator(before, case.words).values
        yield {"sha256": digest(words), "first_words": words[:FIRST_WORDS].tolist(), "new_state": after.tolist()}


def expected_values(case: Case, before: State) -> NDArray[np.uint32]:
    """The output buffer after a draw from the state `before`."""
    buffer = np.full(case.values_words, UNWRITTEN, np.uint32)
    buffer[case.value_places()] = random_generator(before, case.words).values
    return buffer


def expected_state(case: Case, after: State) -> NDArray[np.uint32]:
    """The buffer of the new state."""
    places = case.state_places()
    buffer = np.full(int(places.max()) + 1, UNWRITTEN, np.uint32)
    buffer[places] = after
    return buffer
