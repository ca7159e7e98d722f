"""The operator as nodes of ONNX, and what all models share: the package onnx, checks of versions, the file format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import philox
from ..drawing.arguments import check_choice, check_int
from ..philox import Words4
from .node_writer import INT64, UINT64, NodeWriter, Words, import_onnx

if TYPE_CHECKING:
    from onnx import FunctionProto as FunctionProto, ModelProto as ModelProto
else:
    FunctionProto = ModelProto = Any  # because onnx may not be installed

FIRST_OPSET = 18  # the first with BitwiseAnd, BitwiseXor and Split into a number of parts
INTEGERS = {"uint64": UINT64, "int64": INT64}
# The names of the inputs and outputs, in models and in functions.
STATE, SHAPE, VALUES, NEW_STATE = "state", "shape", "values", "new_state"

UINT32, FLOAT32 = np.dtype(np.uint32), np.dtype(np.float32)


def check_integer_type(integer_type: Any, opset: Any) -> np.dtype[Any]:
    """The type that multiplies and adds. Also checks that the installed onnx knows the version of the operators."""
    integer = INTEGERS[check_choice(integer_type, "integer_type", INTEGERS)]
    last = import_onnx().defs.onnx_opset_version()
    check_int(opset, "opset", FIRST_OPSET, last + 1, "The upper limit is that of the installed onnx.")
    return integer


def complete_model(name: str, writer: NodeWriter, inputs: list[Any], outputs: list[Any], opset: int) -> ModelProto:
    """The model of a graph, in the oldest version of the file format that holds the opset: most runtimes read it."""
    helper = writer.onnx.helper
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(
        helper.make_graph(writer.nodes, f"dmlrand_{name}", inputs, outputs),
        opset_imports=opsets,
        ir_version=helper.find_min_ir_version_for(opsets),
        producer_name="dmlrand",
        doc_string="DirectML's RandomGenerator operator (Philox4x32-10). Not for cryptography.",
    )


def write_operator(writer: NodeWriter, integer: np.dtype[Any]) -> str:
    """Write the nodes from STATE and SHAPE to NEW_STATE, with 64-bit arithmetic in the type `integer`.

    Returns the name of the words, a uint32 tensor of SHAPE.
    """
    word_count = writer.add("ReduceProd", SHAPE, keepdims=0)
    block_count = writer.add("Div", writer.add("Add", word_count, writer.constant(3)), writer.constant(4))
    block_index = writer.add("Range", writer.constant(0), block_count, writer.constant(1))
    state = [Words(writer, name, integer) for name in writer.split(writer.cast(STATE, integer), 6)]
    counter: Words4 = (state[0], state[1], state[2], state[3])
    key = (state[4], state[5])

    blocks = Words(writer, writer.cast(block_count, integer), integer)
    new_state = writer.add("Concat", *[word.name for word in (*philox.add_blocks(counter, blocks), *key)], axis=0)
    writer.cast(new_state, UINT32, output=NEW_STATE)
    lanes = philox.block(philox.add_blocks(counter, Words(writer, writer.cast(block_index, integer), integer)), key)
    # Lane 0 of each block comes first. Unread lanes of the last block are cut off.
    columns = [writer.add("Unsqueeze", lane.name, writer.constant([1])) for lane in lanes]
    all_words = writer.cast(writer.add("Concat", *columns, axis=1), UINT32)
    words, zero = writer.add("Reshape", all_words, writer.constant([-1])), writer.constant([0])
    read = writer.add("Slice", words, zero, writer.add("Unsqueeze", word_count, zero), zero)
    return writer.add("Reshape", read, SHAPE, allowzero=1)
