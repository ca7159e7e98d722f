"""What all ONNX models of this package share: the package onnx, the checks of its versions, and the file format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.arguments import check_choice
from ..arrays.integers import check_int
from ..imports import extra_needed
from .node_writer import INT64, UINT64, NodeWriter

if TYPE_CHECKING:
    from onnx import ModelProto
else:
    ModelProto = Any  # because onnx may not be installed

FIRST_OPSET = 18  # the first with BitwiseAnd, BitwiseXor and Split into a number of parts
INTEGERS = {"uint64": UINT64, "int64": INT64}


def import_onnx() -> Any:
    """The package onnx, with its helpers."""
    with extra_needed("ONNX models need", "onnx", "onnx"):
        import onnx
        import onnx.helper
    return onnx


def check_integer_type(integer_type: Any, opset: Any) -> np.dtype[Any]:
    """The type that multiplies and adds. Also checks that the installed onnx knows the version of the operators."""
    integer = INTEGERS[check_choice(integer_type, "integer_type", INTEGERS)]
    last = import_onnx().defs.onnx_opset_version()
    check_int(opset, "opset", FIRST_OPSET, last + 1, "The upper limit is that of the installed onnx.")
    return integer


def complete_model(name: str, writer: NodeWriter, inputs: list[Any], outputs: list[Any], opset: int) -> ModelProto:
    """The model of a graph, in the oldest version of the file format that holds the opset: most runtimes read it."""
    helper = import_onnx().helper
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(
        helper.make_graph(writer.nodes, f"dmlrand_{name}", inputs, outputs),
        opset_imports=opsets,
        ir_version=helper.find_min_ir_version_for(opsets),
        producer_name="dmlrand",
        doc_string="DirectML's RandomGenerator operator (Philox4x32-10). Not for cryptography.",
    )
