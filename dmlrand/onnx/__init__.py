"""The operator as an ONNX model, and as functions that other ONNX models contain: the same words in any exact runtime.

Needs the package onnx (extra `onnx`), and no runtime. Clauses, and which runtimes are exact: specs/onnx.md.
"""

from __future__ import annotations

from typing import Any

from ..drawing.arguments import check_int
from ..drawing.tensor import MAX_RANK, Shape, check_shape
from ..kernels.rules import FRACTION_23, STEP_23
from . import model
from .node_writer import NodeWriter, import_onnx
from .proposal import proposed_random_uniform_model

__all__ = ["functions", "proposed_random_uniform_model", "random_generator_model", "uniform_model"]

DOMAIN = "dmlrand"


def random_generator_model(
    shape: Any = None, rank: int | None = None, *, integer_type: str = "uint64", opset: int = model.FIRST_OPSET
) -> model.ModelProto:
    """`dmlrand.random_generator` as an ONNX model.

    The model has the input state (uint32, sizes {6}) and the outputs values (uint32) and new_state (uint32, sizes {6}).
    With `rank`, it has a second input, shape (int64, sizes {rank}). Sizes below 0 are not allowed; the model does not
    check them. Give new_state to the next run as its state. The model has about 200 nodes, all of ONNX's own domain,
    and 10 KB. With "int64" it has 250 nodes and 13 KB.

    Parameters
    ----------
    shape : int or sequence of 1 to 8 ints >= 0, optional
        Sizes of the output, fixed in the model. Give either shape or rank.
    rank : int in [1, 9), optional
        The number of axes of an output whose sizes are given at each run.
    integer_type : "uint64" or "int64"
        The type in which the model multiplies and adds. The words are the same. Some runtimes lack Add and Mul for
        unsigned integers, such as onnxruntime before 1.21: "int64" is for these. It relies on products of int64 that
        wrap modulo 2**64.
    opset : int >= 18
        The version of ONNX's operators.

    Examples
    --------
    >>> from onnx.reference import ReferenceEvaluator  # slow; onnxruntime.InferenceSession is a fast one
    >>> from dmlrand import make_state
    >>> model = random_generator_model((2, 3))
    >>> values, state = ReferenceEvaluator(model).run(None, {"state": make_state(key=42)})
    >>> values
    array([[2632642643, 2012563771,  314527917],
           [1463989207, 4242219303, 1404726525]], dtype=uint32)
    >>> state
    array([ 2,  0,  0,  0, 42,  0], dtype=uint32)
    """
    return _model("RandomGenerator", shape, rank, integer_type, opset)


def uniform_model(
    shape: Any = None, rank: int | None = None, *, integer_type: str = "uint64", opset: int = model.FIRST_OPSET
) -> model.ModelProto:
    """`dmlrand.uniform` on [0, 1) as an ONNX model: values are float32. All else is as in random_generator_model.

    >>> from onnx.reference import ReferenceEvaluator
    >>> from dmlrand import make_state
    >>> ReferenceEvaluator(uniform_model(3)).run(None, {"state": make_state(key=42)})[0]
    array([0.8354591 , 0.9162973 , 0.49464953], dtype=float32)
    """
    return _model("Uniform", shape, rank, integer_type, opset)


def functions(*, integer_type: str = "uint64", opset: int = model.FIRST_OPSET) -> list[model.FunctionProto]:
    """The functions RandomGenerator and Uniform of the domain "dmlrand", for use as nodes in your own models.

    Each has the inputs state (uint32, sizes {6}) and shape (int64, rank 1), and the outputs values (uint32, or float32
    in [0, 1)) and new_state. Add the functions to your model and import the domain "dmlrand" in version 1. For a
    runtime that knows no functions, onnx.inliner.inline_local_functions(model) replaces the nodes by their contents.

    The arguments are those of random_generator_model. opset must be the version that your model imports.

    >>> import numpy as np
    >>> import onnx.parser
    >>> from onnx.reference import ReferenceEvaluator
    >>> from dmlrand import make_state
    >>> model = onnx.parser.parse_model('''
    ...     <ir_version: 8, opset_import: ["": 18, "dmlrand": 1]>
    ...     add_noise (float[3] x, uint32[6] state) => (float[3] y, uint32[6] new_state) {
    ...         shape = Shape (x)
    ...         noise, new_state = dmlrand.Uniform (state, shape)
    ...         y = Add (x, noise)
    ...     }''')
    >>> model.functions.extend(functions())
    >>> ReferenceEvaluator(model).run(["y"], {"x": np.ones(3, np.float32), "state": make_state(key=42)})
    [array([1.8354591, 1.9162973, 1.4946495], dtype=float32)]
    """
    helper = import_onnx().helper
    inputs, outputs = [model.STATE, model.SHAPE], [model.VALUES, model.NEW_STATE]
    nodes = {name: _written(name, integer_type, opset).nodes for name in _FUNCTIONS}
    opsets = [helper.make_opsetid("", opset)]
    return [helper.make_function(DOMAIN, name, inputs, outputs, nodes[name], opsets) for name in _FUNCTIONS]


_FUNCTIONS = {"RandomGenerator": model.UINT32, "Uniform": model.FLOAT32}  # and the types of their values


def _written(name: str, integer_type: str, opset: int, shape: Shape | None = None) -> NodeWriter:
    """The nodes of a function. A shape that is given is written as a constant."""
    integer = model.check_integer_type(integer_type, opset)
    writer = NodeWriter()
    if shape is not None:
        writer.constant(list(shape), output=model.SHAPE)
    words = model.write_operator(writer, integer)
    if name == "RandomGenerator":
        writer.add("Identity", words, output=model.VALUES)
    else:  # both steps are exact: a cast of 23 bits, and a product with a power of two
        fraction = writer.add("BitwiseAnd", words, writer.constant(FRACTION_23, model.UINT32))
        step = writer.constant(STEP_23, model.FLOAT32)
        writer.add("Mul", writer.cast(fraction, model.FLOAT32), step, output=model.VALUES)
    return writer


def _model(name: str, shape: Any, rank: int | None, integer_type: str, opset: int) -> model.ModelProto:
    onnx = import_onnx()
    helper, types = onnx.helper, onnx.TensorProto
    if (shape is None) == (rank is None):
        raise TypeError(
            "exactly one of shape and rank must be given; "
            + ("got neither. " if shape is None else "got both. ")
            + "Pass shape to fix the sizes in the model, or rank to give them at each run."
        )
    tensor = helper.make_tensor_value_info
    inputs = [tensor(model.STATE, types.UINT32, [6])]
    fixed = None if shape is None else check_shape(shape)
    sizes: Any = fixed
    if fixed is None:
        sizes = [f"size_{axis}" for axis in range(check_int(rank, "rank", 1, MAX_RANK + 1))]
        inputs.append(tensor(model.SHAPE, types.INT64, [len(sizes)]))
    value_type = helper.np_dtype_to_tensor_dtype(_FUNCTIONS[name])
    outputs = [tensor(model.VALUES, value_type, sizes), tensor(model.NEW_STATE, types.UINT32, [6])]
    return model.complete_model(name, _written(name, integer_type, opset, fixed), inputs, outputs, opset)
