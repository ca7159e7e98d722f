"""A case of the kit: a state, a descriptor, a number of draws, and what a device must give."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..operator import random_generator
from ..state import State, advance_blocks, blocks_for, make_state

WORDS, ERROR = "words", "error"  # what a case expects
UNWRITTEN = 0xCDCDCDCD  # every word of a buffer before the first draw, so that an unwritten word is recognized
STATE_SIZES = (1, 1, 1, 6)
FIRST_WORDS = 8  # of each draw, recorded beside the hash


@dataclass(frozen=True)
class Case:
    """One case of the kit: clause 3.2 of specs/conformance.md explains the members."""

    name: str
    group: str
    decides: str
    expected: str
    state: tuple[int, ...]
    desc: dict[str, Any]
    draws: int = 1
    in_place: bool = False
    values_words: int = 16

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(self.desc["OutputTensor"]["Sizes"])

    @property
    def words(self) -> int:
        """How many words one draw makes."""
        return prod(self.sizes)

    @property
    def has_new_state(self) -> bool:
        return "OutputStateTensor" in self.desc

    @property
    def feature_level(self) -> str:
        """The lowest DML_FEATURE_LEVEL with tensors of these ranks."""
        tensors = [tensor for tensor in self.desc.values() if isinstance(tensor, dict)]
        return "3_0" if all(len(tensor["Sizes"]) == 4 for tensor in tensors) else "4_0"

    def value_places(self) -> NDArray[np.int64]:
        """The place of each element of the output tensor in its buffer, in row-major order of the indices."""
        return places(self.desc["OutputTensor"])

    def state_places(self) -> NDArray[np.int64]:
        """The place of each of the six elements of a state in its buffer."""
        return places(self.desc["InputStateTensor"])

    @property
    def state_words(self) -> int:
        """The size of a state's buffer. A wrong descriptor may have fewer than six places."""
        return max(6, int(self.state_places().max()) + 1)

    def values_name(self, draw: int) -> str:
        """The name, without its ending, of the file of the output buffer after a draw, counted from 1."""
        return f"{self.name}.values-{draw}"

    def state_name(self, draw: int) -> str:
        """The name, without its ending, of the file of the new state's buffer after a draw, counted from 1."""
        return f"{self.name}.state-{draw}"


def places(tensor: dict[str, Any]) -> NDArray[np.int64]:
    """The places of a tensor's elements in its buffer, counted in words, in row-major order of the indices."""
    found = np.zeros(1, np.int64)
    for size, stride in zip(tensor["Sizes"], strides_of(tensor)):
        found = (found[:, None] + stride * np.arange(size, dtype=np.int64)).reshape(-1)
    return found


def strides_of(tensor: dict[str, Any]) -> list[int]:
    """The distance in words between neighbouring elements of each axis."""
    sizes = tensor["Sizes"]
    return tensor.get("Strides") or [prod(sizes[axis + 1 :]) for axis in range(len(sizes))]


def words_of(counter: int, key: int) -> tuple[int, ...]:
    """The six words of a state, lowest word of counter and key first."""
    return tuple(make_state(counter=counter % (1 << 128), key=key).tolist())


def tensor(sizes: Sequence[int], strides: Sequence[int] | None = None, **members: Any) -> dict[str, Any]:
    """A tensor of a model file."""
    placed = {} if strides is None else {"Strides": list(strides)}
    return {"DataType": "UINT32", "Sizes": list(sizes), **placed, **members}


def describe(output: dict[str, Any], state: dict[str, Any], new_state: dict[str, Any] | None) -> dict[str, Any]:
    """The operator's desc in a model file."""
    desc = {"InputStateTensor": state, "OutputTensor": output, "Type": "PHILOX_4X32_10"}
    return desc if new_state is None else desc | {"OutputStateTensor": new_state}


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


def make_buffer(size: int, places: NDArray[np.int64], words: ArrayLike) -> NDArray[np.uint32]:
    """A buffer of `size` words with these words at their places."""
    buffer = np.full(size, UNWRITTEN, np.uint32)
    buffer[places] = words
    return buffer
