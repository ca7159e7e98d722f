"""Cases with descriptors that DirectML's pages forbid, or of which the pages do not say whether they are valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .case import ERROR, STATE_SIZES, UNKNOWN, Case, describe, tensor, words_of

ELEMENT_TYPE, STATE_SIZE = "OutputTensor must be UINT32", "a state must have sizes {1, .., 1, 6}"
Members = dict[str, Any]
# The name, the rule, and the members that differ: of the output, of the state, and of the new state if it is not the
# same as the state.
FORBIDDEN: list[tuple[str, str, *tuple[Members, ...]]] = [
    ("values-float32", ELEMENT_TYPE, {"DataType": "FLOAT32"}, {}),
    ("values-int32", ELEMENT_TYPE, {"DataType": "INT32"}, {}),
    ("values-uint16", ELEMENT_TYPE, {"DataType": "UINT16"}, {}),
    ("states-int32", "a state must be UINT32", {}, {"DataType": "INT32"}),
    ("new-state-float32", "OutputStateTensor must be UINT32", {}, {}, {"DataType": "FLOAT32"}),
    ("state-of-5-words", STATE_SIZE, {}, {"Sizes": [1, 1, 1, 5]}),
    ("state-of-7-words", STATE_SIZE, {}, {"Sizes": [1, 1, 1, 7]}),
    ("state-on-the-first-axis", STATE_SIZE, {}, {"Sizes": [6, 1, 1, 1]}),
    ("two-states", STATE_SIZE, {}, {"Sizes": [2, 1, 1, 6]}),
    ("new-state-of-other-sizes", "both states must have the same sizes", {}, {}, {"Sizes": [1, 1, 6, 1]}),
    ("new-state-of-other-rank", "both states must have the same rank", {}, {}, {"Sizes": [1, 1, 6]}),
    ("a-size-of-0", "no size may be 0", {"Sizes": [1, 1, 0, 8]}, {}),
    ("nine-dimensions", "a tensor must have 1 to 8 dimensions", {"Sizes": [1, 1, 1, 1, 1, 1, 1, 1, 8]}, {}),
    ("total-size-too-small", "TotalTensorSizeInBytes must hold the tensor", {"TotalTensorSizeInBytes": 28}, {}),
    ("total-size-of-33", "TotalTensorSizeInBytes must be a multiple of 4", {"TotalTensorSizeInBytes": 33}, {}),
    ("alignment-of-3", "an alignment must be a power of two", {"GuaranteedBaseOffsetAlignment": 3}, {}),
]
NOT_MENTIONED: list[tuple[str, str, *tuple[Members, ...]]] = [
    ("broadcast-state", "a state whose strides are all 0", {}, {"Strides": [0, 0, 0, 0]}),
    ("overlapping-values", "an output whose elements overlap", {"Strides": [0, 0, 0, 0]}, {}),
    ("values-owned-by-dml", "an output with the flag OWNED_BY_DML", {"Flags": "OWNED_BY_DML"}, {}),
]


def descriptor_cases() -> Iterator[Case]:
    for name, rule, *changes in FORBIDDEN:
        decides = f"Whether the device refuses a descriptor that breaks this rule: {rule}."
        yield _case(f"error-{name}", "descriptors that the pages forbid", decides, ERROR, *changes)
    for name, what, *changes in NOT_MENTIONED:
        decides = f"Whether the device accepts {what}. The pages do not say it, and dmlrand refuses it."
        yield _case(f"unknown-{name}", "descriptors that the pages do not mention", decides, UNKNOWN, *changes)


def _case(
    name: str, group: str, decides: str, expected: str, output: Members, state: Members, new: Members | None = None
) -> Case:
    given = tensor(STATE_SIZES) | state
    new_state = given if new is None else tensor(STATE_SIZES) | new
    desc = describe(tensor((1, 1, 1, 8)) | output, given, new_state)
    return Case(name, group, decides, expected, words_of(0, 42), desc)
