"""A case of the kit: a state, a descriptor, a number of draws, and what a device must do with them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORDS, ERROR, UNKNOWN = "words", "error", "unknown"  # what a case expects
UNWRITTEN = 0xCDCDCDCD  # every word of a buffer before the first draw, so that an unwritten word is recognized
Words6 = tuple[int, int, int, int, int, int]


@dataclass(frozen=True)
class Case:
    """One model file of the kit.

    Attributes
    ----------
    name : str
        Lower-case letters, digits and hyphens: the beginning of the names of the case's files.
    group : str
        The heading under which the case is listed.
    decides : str
        A sentence that says what the case decides.
    expected : str
        WORDS: the device must return the right words and states. ERROR: DirectML's pages forbid the descriptor.
        UNKNOWN: DirectML's pages do not say whether the descriptor is valid.
    state : six ints
        The state before the first draw, in the order of the tensor's elements.
    desc : dict
        DML_RANDOM_GENERATOR_OPERATOR_DESC with DirectML's names, as in a model file.
    draws : int
        How many times the operator runs. More than 1 only if in_place.
    in_place : bool
        Whether one buffer is bound as input and output state.
    values_words : int
        The size of the buffer of the output tensor. It may be larger than the tensor.
    """

    name: str
    group: str
    decides: str
    expected: str
    state: Words6
    desc: dict[str, Any]
    draws: int
    in_place: bool
    values_words: int

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

    def is_packed(self) -> bool:
        """Whether the output tensor fills its buffer in row-major order."""
        return "Strides" not in self.desc["OutputTensor"] and self.values_words == self.words


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
