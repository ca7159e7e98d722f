"""The model of the proposal onnx/onnx#8161, which may change. specs/onnx.md, section 5"""

import re

import numpy as np
import pytest
from onnx_models import onnx, session
from recorded import assert_recorded, each

from dmlrand import make_state, random_generator
from dmlrand.onnx import proposed_random_uniform_model


def values_of(model, offset):
    return session(model).run(None, {"offset": np.array(offset, np.int64)})[0]


@each("onnx_proposal")
def test_recorded_numbers(case):
    """onnx 5.1 and 5.2"""
    integer_type = ("uint64", "int64")[len(case["bits"]) % 2]
    model = proposed_random_uniform_model(
        case["shape"], case["seed_int64"], low=case["low"], high=case["high"], integer_type=integer_type
    )
    onnx.checker.check_model(model, full_check=True)
    values = values_of(model, case["offset"])
    assert values.dtype == np.float32
    assert_recorded(values, case)


@pytest.mark.parametrize("offset", [0, 7, -3, 2**63 - 1, -(2**63)])
def test_the_words_are_those_of_a_state(offset):
    """onnx 5.1"""
    words = random_generator(make_state(counter=offset % 2**64 << 64, key=-5 % 2**64), 37).values
    expected = (words >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24)
    assert values_of(proposed_random_uniform_model(37, -5), offset).tolist() == expected.tolist()


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ((3, 2**63), ValueError, "seed_int64 must be"),
        ((3, 1.5), TypeError, "seed_int64 must be"),
        ((-1, 5), ValueError, "shape"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    """onnx 5.2"""
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        proposed_random_uniform_model(*arguments)
    with pytest.raises(ValueError, match="^low must be below high"):
        proposed_random_uniform_model(3, 5, low=1.0, high=1.0)
