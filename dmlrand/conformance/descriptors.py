"""Cases with descriptors that DirectML's pages forbid, or of which the pages do not say whether they are valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .building import STATE_SIZES, describe, tensor, words_of
from .case import ERROR, UNKNOWN, Case

BUFFER_WORDS = 16  # enough for every tensor of these cases


def descriptor_cases() -> Iterator[Case]:
    state, values = tensor(STATE_SIZES), tensor((1, 1, 1, 8))
    for name, rule, output, given, new in [
        ("values-float32", "OutputTensor must be UINT32", values | {"DataType": "FLOAT32"}, state, state),
        ("values-int32", "OutputTensor must be UINT32", values | {"DataType": "INT32"}, state, state),
        ("values-uint16", "OutputTensor must be UINT32", values | {"DataType": "UINT16"}, state, state),
        ("states-int32", "a state must be UINT32", values, *_twice(state | {"DataType": "INT32"})),
        ("new-state-float32", "OutputStateTensor must be UINT32", values, state, state | {"DataType": "FLOAT32"}),
        ("state-of-5-words", "a state must have sizes {1, .., 1, 6}", values, *_twice(tensor((1, 1, 1, 5)))),
        ("state-of-7-words", "a state must have sizes {1, .., 1, 6}", values, *_twice(tensor((1, 1, 1, 7)))),
        ("state-on-the-first-axis", "a state must have sizes {1, .., 1, 6}", values, *_twice(tensor((6, 1, 1, 1)))),
        ("two-states", "a state must have sizes {1, .., 1, 6}", values, *_twice(tensor((2, 1, 1, 6)))),
        ("new-state-of-other-sizes", "both states must have the same sizes", values, state, tensor((1, 1, 6, 1))),
        ("new-state-of-other-rank", "both states must have the same rank", values, state, tensor((1, 1, 6))),
        ("a-size-of-0", "no size may be 0", tensor((1, 1, 0, 8)), state, state),
        ("nine-dimensions", "a tensor must have 1 to 8 dimensions", tensor((1, 1, 1, 1, 1, 1, 1, 1, 8)), state, state),
        ("total-size-too-small", "TotalTensorSizeInBytes must hold the tensor", _total(28), state, state),
        ("total-size-of-33", "TotalTensorSizeInBytes must be a multiple of 4", _total(33), state, state),
        ("alignment-of-3", "an alignment must be a power of two", values | _alignment(3), state, state),
    ]:
        decides = f"Whether the device refuses a descriptor that breaks this rule: {rule}."
        yield _case(f"error-{name}", "descriptors that the pages forbid", decides, ERROR, output, given, new)
    for name, what, output, given, new in [
        ("broadcast-state", "a state whose strides are all 0", values, *_twice(tensor(STATE_SIZES, (0, 0, 0, 0)))),
        ("overlapping-values", "an output whose elements overlap", tensor((1, 1, 1, 8), (0, 0, 0, 0)), state, state),
        ("values-owned-by-dml", "an output with the flag OWNED_BY_DML", values | _owned(), state, state),
    ]:
        decides = f"Whether the device accepts {what}. The pages do not say it, and dmlrand refuses it."
        yield _case(
            f"unknown-{name}", "descriptors that the pages do not mention", decides, UNKNOWN, output, given, new
        )


def _twice(state: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    return state, state


def _total(size: int) -> dict[str, Any]:
    return tensor((1, 1, 1, 8), TotalTensorSizeInBytes=size)


def _alignment(size: int) -> dict[str, Any]:
    return {"GuaranteedBaseOffsetAlignment": size}


def _owned() -> dict[str, Any]:
    return {"Flags": "OWNED_BY_DML"}


def _case(
    name: str,
    group: str,
    decides: str,
    expected: str,
    output: dict[str, Any],
    given: dict[str, Any],
    new_state: dict[str, Any],
) -> Case:
    desc = describe(output, given, new_state)
    return Case(name, group, decides, expected, words_of(0, 42), desc, 1, False, BUFFER_WORDS)
