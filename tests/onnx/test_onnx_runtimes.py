"""ONNX models in other runtimes than onnxruntime for Python. specs/onnx.md, section 4"""

import shutil
import subprocess

import numpy as np
import pytest
from onnx_models import TWO_DRAWS, assert_words, onnx
from waiting import LIMIT

import dmlrand
from dmlrand import make_state
from dmlrand.onnx import functions, random_generator_model

WEB = """
const ort = require("onnxruntime-web");
ort.env.wasm.numThreads = 1;
(async () => {
    const file = require("fs").readFileSync("model.onnx");
    const model = await ort.InferenceSession.create(file, {executionProviders: ["wasm"]});
    const state = new ort.Tensor("uint32", Uint32Array.from([STATE]), [6]);
    const shape = new ort.Tensor("int64", BigInt64Array.from([3n, 5n]), [2]);
    for (const tensor of Object.values(await model.run({state, shape}))) {
        console.log(Array.from(new Uint32Array(tensor.data.buffer, tensor.data.byteOffset, tensor.size)).join(" "));
    }
})();
"""


def run_in_node(folder, model, state):
    """The bits of each output of onnxruntime-web, as lists of words. Skips the test if node cannot find the package."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed (Debian: apt install nodejs npm): onnxruntime-web is not tested")
    lookup = [node, "-e", 'require.resolve("onnxruntime-web")']
    found = subprocess.run(lookup, check=False, capture_output=True, timeout=LIMIT)
    if found.returncode:
        pytest.skip("node does not find onnxruntime-web: install it with npm, and name its node_modules in NODE_PATH")
    onnx.save(model, folder / "model.onnx")
    script = WEB.replace("STATE", ", ".join(map(str, state)))
    done = subprocess.run([node, "-e", script], check=False, cwd=folder, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


@pytest.mark.peers
@pytest.mark.parametrize("integer_type", ["uint64", "int64"])
def test_functions_in_onnxruntime_web(tmp_path, integer_type):
    """onnx 4.1"""
    model = onnx.parser.parse_model(TWO_DRAWS)
    model.functions.extend(functions(integer_type=integer_type))
    state = make_state(counter=2**128 - 2, key=7)
    words, middle = dmlrand.random_generator(state, (3, 5))
    numbers, after = dmlrand.uniform(middle, (3, 5))
    expected = [each.view(np.uint32).ravel().tolist() for each in (words, numbers, after)]
    assert run_in_node(tmp_path, model, state) == expected


# OpenVINO


def run_in_openvino(model, **feeds):
    """The outputs of OpenVINO's CPU plugin."""
    openvino = pytest.importorskip("openvino", reason="openvino is not installed (extra `peers`)")
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString(), b""), "CPU")
    return [np.asarray(output) for output in compiled(feeds).values()]


@pytest.mark.peers
@pytest.mark.parametrize("integer_type", ["uint64", "int64"])
def test_the_models_are_wrong_in_openvino(integer_type):
    """onnx 4.1 and 4.2: if this fails, OpenVINO has changed. Then change the table."""
    outputs = run_in_openvino(random_generator_model(8, integer_type=integer_type), state=make_state(key=42))
    with pytest.raises(AssertionError):
        assert_words(outputs, 0, 42, (8,))
