"""The operator RandomUniform as the open proposal onnx/onnx#8161 defines it. Clauses: specs/onnx.md, section 5."""

from __future__ import annotations

from typing import Any

from ..drawing.arguments import check_int
from ..drawing.number_rules import uniform_rule
from ..drawing.tensor import check_shape
from . import model
from .node_writer import UINT64, NodeWriter, import_onnx

OFFSET = "offset"


def proposed_random_uniform_model(
    shape: Any, seed_int64: int, *, low: float = 0.0, high: float = 1.0,
    integer_type: str = "uint64", opset: int = model.FIRST_OPSET,
) -> model.ModelProto:  # fmt: skip
    """ONNX's RandomUniform with generator="philox4x32_10", as the open proposal onnx/onnx#8161 defines it, for float32.

    The proposal may change, and this function with it. The nodes are of ONNX's own domain, so today's runtimes run the
    model. Its input is offset (int64, a scalar), and its output is values (float32). Each offset gives other numbers.

    Parameters
    ----------
    shape : int or sequence of 1 to 8 ints >= 0
    seed_int64 : int in [-2**63, 2**63)
        Its bits, read as unsigned, are the key.
    low, high : float
        The range, rounded to float32.
    integer_type, opset : as in random_generator_model

    Examples
    --------
    >>> import numpy as np
    >>> from onnx.reference import ReferenceEvaluator
    >>> model = proposed_random_uniform_model(3, seed_int64=42)
    >>> ReferenceEvaluator(model).run(None, {"offset": np.array(0)})[0]
    array([0.61295986, 0.4685865 , 0.0732317 ], dtype=float32)
    """
    onnx = import_onnx()
    integer = model.check_integer_type(integer_type, opset)
    sizes, key = check_shape(shape), check_int(seed_int64, "seed_int64", -(1 << 63), 1 << 63) % (1 << 64)
    bottom, width = uniform_rule(low, high, "float32").parameters

    writer = NodeWriter()
    writer.constant(list(sizes), output=model.SHAPE)
    offset = writer.cast(writer.add("Reshape", OFFSET, writer.constant([1])), UINT64)
    low_word = writer.add("BitwiseAnd", offset, writer.constant(0xFFFFFFFF, UINT64))
    high_word = writer.add("BitShift", offset, writer.constant(32, UINT64), direction="RIGHT")
    ends = [writer.constant(words, UINT64) for words in ([0, 0], [key % (1 << 32), key >> 32])]
    writer.cast(writer.add("Concat", ends[0], low_word, high_word, ends[1], axis=0), model.UINT32, output=model.STATE)
    words = model.write_operator(writer, integer)
    # The upper 24 bits of each word, times 2**-24, times the width of the range, plus its lower end.
    fraction = writer.add("BitShift", words, writer.constant(8, model.UINT32), direction="RIGHT")
    unit = writer.add("Mul", writer.cast(fraction, model.FLOAT32), writer.constant(2.0**-24, model.FLOAT32))
    scaled = writer.add("Mul", unit, writer.constant(width, model.FLOAT32))
    writer.add("Add", scaled, writer.constant(bottom, model.FLOAT32), output=model.VALUES)
    inputs = [onnx.helper.make_tensor_value_info(OFFSET, onnx.TensorProto.INT64, [])]
    outputs = [onnx.helper.make_tensor_value_info(model.VALUES, onnx.TensorProto.FLOAT, sizes)]
    return model.complete_model("ProposedRandomUniform", writer, inputs, outputs, opset)
