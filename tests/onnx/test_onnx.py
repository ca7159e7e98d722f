"""ONNX models: in exact runtimes, their words are those of the operator. specs/onnx.md, sections 1 to 3"""

import re

import numpy as np
import oracle
import pytest
from onnx_models import CARRIES, TWO_DRAWS, assert_words, onnx, run, session

import dmlrand
from dmlrand import make_state
from dmlrand.onnx import functions, random_generator_model, uniform_model

TYPES = ["uint64", "int64"]
LAST_OPSET = onnx.defs.onnx_opset_version()


@pytest.mark.parametrize("shape", [5, (3, 7), [2, 1, 3, 1, 2, 2, 1, 3], (3, 0)])
def test_a_fixed_shape(shape):
    """onnx 1.1"""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    model = random_generator_model(shape)
    assert [value.name for value in model.graph.input] == ["state"]
    assert_words(run(session(model), oracle.state_words(2**96 - 1, 7)), 2**96 - 1, 7, sizes)


@pytest.mark.parametrize("integer_type", TYPES)
def test_uniform(integer_type):
    """onnx 1.3, 3.1 and 3.2"""
    model = session(uniform_model(rank=2, integer_type=integer_type))
    for counter, key in CARRIES:
        state = make_state(counter=counter, key=key)
        values, after = run(model, state, [37, 41])
        expected, expected_after = dmlrand.uniform(state, (37, 41))
        assert (values.dtype, values.tobytes()) == (np.float32, expected.tobytes())
        assert after.tolist() == expected_after.tolist()


# Functions


def test_functions_in_another_model():
    """onnx 2.1, 2.2 and 2.3"""
    model = onnx.parser.parse_model(TWO_DRAWS)
    model.functions.extend(functions())
    onnx.checker.check_model(model, full_check=True)
    inlined = onnx.inliner.inline_local_functions(model)
    assert len(inlined.functions) == 0
    state = make_state(counter=2**64 - 3, key=7)
    words, middle = dmlrand.random_generator(state, (3, 5))
    numbers, after = dmlrand.uniform(middle, (3, 5))
    for runnable in (session(model), session(inlined), onnx.reference.ReferenceEvaluator(model)):
        outputs = run(runnable, state, [3, 5])
        assert [output.tobytes() for output in outputs] == [words.tobytes(), numbers.tobytes(), after.tobytes()]


def test_the_opset_of_the_functions_is_that_of_the_model():
    """onnx 2.2"""
    model = onnx.parser.parse_model(TWO_DRAWS.replace('"": 18', '"": 21'))
    model.functions.extend(functions(opset=21))
    onnx.checker.check_model(model, full_check=True)
    assert [{imported.version for imported in function.opset_import} for function in functions(opset=21)] == [{21}] * 2


# The graph


@pytest.mark.parametrize("opset", sorted({18, 21, LAST_OPSET}))
@pytest.mark.parametrize("integer_type", TYPES)
@pytest.mark.parametrize("make", [random_generator_model, uniform_model])
def test_the_checker_accepts_the_models(make, integer_type, opset):
    """onnx 1.5"""
    for sizes in ({"shape": (3, 4)}, {"rank": 1}, {"rank": 8}):
        model = make(**sizes, integer_type=integer_type, opset=opset)
        onnx.checker.check_model(model, full_check=True)
        assert [(imported.domain, imported.version) for imported in model.opset_import] == [("", opset)]
        assert model.ir_version == onnx.helper.find_min_ir_version_for(model.opset_import)
        assert not {"If", "Loop", "Scan"} & {node.op_type for node in model.graph.node}
        assert len(model.graph.node) <= {"uint64": 200, "int64": 256}[integer_type]  # each constant is written once


@pytest.mark.parametrize("integer_type", TYPES)
@pytest.mark.parametrize("count", [0, 1, 7])
def test_the_reference_evaluator(integer_type, count):
    """onnx 4.1"""
    evaluator = onnx.reference.ReferenceEvaluator(random_generator_model(rank=1, integer_type=integer_type))
    with np.errstate(over="ignore"):
        outputs = run(evaluator, oracle.state_words(2**128 - 1, 2**64 - 7), [count])
    assert_words(outputs, 2**128 - 1, 2**64 - 7, (count,))


# Arguments that are refused

ONE = "exactly one of shape and rank must be given; got {}. "
ONE += "Pass shape to fix the sizes in the model, or rank to give them at each run."
REFUSED = {
    "neither": ({}, TypeError, ONE.format("neither")),
    "both": ({"shape": 3, "rank": 1}, TypeError, ONE.format("both")),
    "rank": ({"rank": 9}, ValueError, "rank must be in [1, 9); got 9."),
    "bool": ({"rank": True}, TypeError, "rank must be an integer; got True of type bool. Pass an int."),
    "shape": ({"shape": (2, -1)}, ValueError, "shape[1] must be at least 0; got -1."),
    "integer_type": (
        {"shape": 3, "integer_type": "uint32"},
        ValueError,
        "integer_type must be 'uint64' or 'int64'; got 'uint32'.",
    ),
    "opset": (
        {"shape": 3, "opset": 17},
        ValueError,
        f"opset must be in [18, {LAST_OPSET + 1}); got 17. The upper limit is that of the installed onnx.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("make", [random_generator_model, uniform_model])
def test_bad_arguments_are_refused(make, case):
    """onnx 1.2 and 1.5"""
    arguments, kind, message = REFUSED[case]
    with pytest.raises(kind, match=f"^{re.escape(message)}$"):
        make(**arguments)
