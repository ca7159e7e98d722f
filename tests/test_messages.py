"""Messages of errors: they are short, whatever the value, and say what to write instead. specs/cli.md, clause 14"""

import numpy as np
import pytest

import dmlrand
from dmlrand import (
    ShuffledSampler,
    choice,
    fill_file,
    integers,
    make_state,
    random_generator,
    random_window,
    uniform,
)
from dmlrand.drawing.arguments import format_choices
from dmlrand.drawing.messages import MAX_CHARACTERS, format_value
from dmlrand.drawing.number_rules import DISTRIBUTIONS

STATE = make_state(key=1)
REAL = format_choices((name for name, row in DISTRIBUTIONS.items() if "float32" in row.dtypes), "and")
MANY = list(range(1_000_000))
LONG = "x" * 1_000_000
TEN = "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ..."


class Broken:
    def __repr__(self):
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (-0.0, "-0.0"),
        pytest.param(10**5000, "an int of 16610 bits", id="an int that Python does not write"),
        pytest.param([10**5000], "a list", id="a list of such an int"),
        ("it's", '"it\'s"'),
        (MANY, f"[{TEN}]"),
        (tuple(MANY), f"({TEN})"),
        ({"a": 1, "b": [2]}, "{'a': 1, 'b': [2]}"),
        (dict.fromkeys(MANY), f"{{{TEN.replace(',', ': None,')}}}"),
        ([[[[1]]]], "[[[[...]]]]"),
        (np.float32, "<class 'numpy.float32'>"),
        (np.arange(3), "array([0, 1, 2])"),
        (slice(1, None, 10**30), f"slice(1, None, {10**30})"),
    ],
)
def test_values_are_shown_as_their_repr(value, text):
    """cli 14"""
    assert format_value(value) == text


@pytest.mark.parametrize(
    "value",
    [LONG, LONG.encode(), np.arange(10**6), np.arange(900), [LONG] * 50, {LONG: LONG}, [[MANY] * 10] * 10, Broken()],
)
def test_every_value_is_short(value):
    """cli 14"""
    assert len(format_value(value)) <= MAX_CHARACTERS + 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: ShuffledSampler(MANY, STATE),
        lambda: random_generator([LONG] * 6, 4),
        lambda: random_generator(STATE, MANY),
        lambda: random_generator(STATE, (10**5000,)),
        lambda: random_generator(STATE, 4, type=LONG),
        lambda: random_window(STATE, 4, slice(None, None, -(10**5000))),
        lambda: uniform(STATE, 4, low=MANY),
        lambda: choice(STATE, LONG, 2),
        lambda: fill_file("x.npy", STATE, 4, distribution=LONG),
        lambda: dmlrand.compat.tensorflow.stateless_uniform(MANY, [LONG] * 3),
        lambda: dmlrand.compat.openvino.RandomUniform(LONG),
    ],
)
def test_messages_are_short(call):
    """cli 14"""
    with pytest.raises((TypeError, ValueError, IndexError)) as raised:
        call()
    assert len(str(raised.value)) < 700 and "Exceeds the limit" not in str(raised.value)


def test_a_dtype_of_another_function_is_refused_with_its_name():
    with pytest.raises(TypeError, match=r"; got 'int32'\. The function integers draws int32, .* or uint64\.$"):
        uniform(STATE, 4, dtype="int32")
    with pytest.raises(TypeError, match=rf"; got 'float32'\. The functions {REAL} draw float16, .* or bfloat16\.$"):
        integers(STATE, 4, 0, 3, "float32")
