"""The calls of OpenVINO that tests/vectors/openvino_*.json record. See replay.py.

The plugin's answers depend on the processor: specs/openvino.md, 4.9.
"""

import numpy as np
import openvino
from ml_dtypes import bfloat16
from openvino import opset8
from openvino.op import Constant
from replay import answer, to_int

TYPES = {"f16": np.float16, "bf16": bfloat16, "f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}


def bound(call, name, kind):
    if f"{name}_bits" in call:
        return np.array(to_int(call[f"{name}_bits"]), f"u{kind.itemsize}").view(kind)
    return np.array(to_int(call[name]), kind)


def tensor(array):
    if array.dtype == bfloat16:
        return openvino.Tensor(np.atleast_1d(array).view(np.uint16), openvino.Shape(array.shape), openvino.Type.bf16)
    return openvino.Tensor(np.ascontiguousarray(array))


def inputs_of(call, kind):
    return [np.array(call["shape"], np.int64), bound(call, "minval", kind), bound(call, "maxval", kind)]


def node_of(case, inputs):
    seeds = to_int(case["global_seed"]), to_int(case["op_seed"])
    return opset8.random_uniform(*inputs, case["output_type"], *seeds, alignment=case["alignment"])


def evaluate(case):
    kind = np.dtype(TYPES[case["output_type"]])
    first = inputs_of(case | case["calls"][0], kind)
    node = node_of(case, [Constant(tensor(array)) for array in first])
    answers = []
    for recorded in case["calls"]:
        call = case | recorded
        out = openvino.Tensor(node.output(0).element_type, openvino.Shape(call["shape"]))
        assert node.evaluate([out], [tensor(array) for array in inputs_of(call, kind)])
        answers.append(answer(out.data, recorded))
    return {"calls": answers}


def plugin(case):
    kind = np.dtype(TYPES[case["output_type"]])
    first = inputs_of(case | case["calls"][0], kind)
    if case.get("dynamic"):
        shape = opset8.parameter([len(case["calls"][0]["shape"])], np.int64)  # the plugin wants a known rank
        bounds = [opset8.parameter([1], getattr(openvino.Type, case["output_type"])) for _ in "ab"]
        parameters = [shape, *bounds]
        model = openvino.Model([node_of(case, parameters)], parameters)
    else:
        model = openvino.Model([node_of(case, [Constant(tensor(array)) for array in first])], [])
    compiled = openvino.Core().compile_model(model, "CPU")
    answers = []
    for recorded in case["calls"]:
        given = [tensor(array) for array in inputs_of(case | recorded, kind)] if case.get("dynamic") else []
        answers.append(answer(compiled.create_infer_request().infer(given)[0], recorded))
    return {"calls": answers}


CALLS = {"openvino_evaluate": evaluate, "openvino_cpu": plugin}
