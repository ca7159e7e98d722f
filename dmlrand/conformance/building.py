"""Functions that make cases. cases.py and descriptors.py hold the tables."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ..state import make_state
from .case import WORDS, Case, Words6

STATE_SIZES = (1, 1, 1, 6)


def words_of(counter: int, key: int) -> Words6:
    """The six words of a state, lowest word of counter and key first."""
    c0, c1, c2, c3, k0, k1 = make_state(counter=counter % (1 << 128), key=key).tolist()
    return c0, c1, c2, c3, k0, k1


def tensor(sizes: Sequence[int], strides: Sequence[int] | None = None, **members: Any) -> dict[str, Any]:
    """A tensor of a model file."""
    described: dict[str, Any] = {"DataType": "UINT32", "Sizes": list(sizes)}
    if strides is not None:
        described["Strides"] = list(strides)
    return described | members


def describe(output: dict[str, Any], state: dict[str, Any], new_state: dict[str, Any] | None) -> dict[str, Any]:
    """The operator's desc in a model file."""
    desc = {"InputStateTensor": state, "OutputTensor": output, "Type": "PHILOX_4X32_10"}
    return desc if new_state is None else desc | {"OutputStateTensor": new_state}


def valid(
    name: str,
    group: str,
    decides: str,
    state: Words6,
    sizes: Sequence[int],
    *,
    strides: Sequence[int] | None = None,
    state_sizes: Sequence[int] = STATE_SIZES,
    state_strides: Sequence[int] | None = None,
    unused_words: int = 0,
    new_state: bool = True,
    in_place: bool = False,
    draws: int = 1,
) -> Case:
    """A case of which the words are known. `unused_words` lie behind the output tensor, in its buffer and its size."""
    span = prod(sizes) if strides is None else 1 + sum((size - 1) * step for size, step in zip(sizes, strides))
    more = {"TotalTensorSizeInBytes": 4 * (span + unused_words)} if unused_words else {}
    state_tensor = tensor(state_sizes, state_strides)
    desc = describe(tensor(sizes, strides, **more), state_tensor, state_tensor if new_state else None)
    return Case(name, group, decides, WORDS, state, desc, draws, in_place, span + unused_words)
