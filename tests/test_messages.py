"""Messages of errors: they are short, whatever the value, and say what to write instead. specs/cli.md, clause 14"""

import re

import numpy as np
import pytest

import dmlrand
from dmlrand import (
    ShuffledSampler,
    batch,
    choice,
    fill_file,
    fold_in,
    integers,
    make_state,
    random_generator,
    random_window,
    uniform,
)
from dmlrand.arrays.arguments import format_choices
from dmlrand.drawing.number_rules import DISTRIBUTIONS
from dmlrand.messages import MAX_CHARACTERS, format_value

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
        lambda: make_state(MANY),
        lambda: fold_in(STATE, MANY),
        lambda: random_generator([LONG] * 6, 4),
        lambda: random_generator(STATE, MANY),
        lambda: random_generator(STATE, LONG),
        lambda: random_generator(STATE, (10**5000,)),
        lambda: random_generator(STATE, 4, type=LONG),
        lambda: random_window(STATE, 4, LONG),
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


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: ShuffledSampler(MANY, STATE),
            TypeError,
            f"n must be an integer; got [{TEN}] of type list. Pass an int.",
        ),
        (
            lambda: random_generator(STATE, "3,4"),
            TypeError,
            "shape must be an integer, or a tuple or list of integers; got '3,4' of type str. Pass one of these.",
        ),
        (
            lambda: uniform(STATE, 4, dtype="int32"),
            TypeError,
            "dtype must be float16, float32, float64 or bfloat16, in native byte order; got 'int32'. The function "
            "integers draws int32, int64, uint32 or uint64.",
        ),
        (
            lambda: integers(STATE, 4, 0, 3, "float32"),
            TypeError,
            f"got 'float32'. The functions {REAL} draw float16, float32, float64 or bfloat16.",
        ),
        (
            lambda: fill_file("x.npy", STATE, 4, dtype="int8"),
            TypeError,
            "dtype must be uint32, float16, float32 or float64, in native byte order; got 'int8'.",
        ),
        (
            lambda: uniform(STATE, out=np.empty(4)),
            TypeError,
            "out must hold float32 in native byte order; got float64. Allocate it with that dtype.",
        ),
        (lambda: random_generator(STATE, out=np.empty(4, "i4")), TypeError, "got int32. Allocate it with that dtype."),
        (
            lambda: batch.random_generator(STATE.reshape(1, 6), out=np.empty((1, 4))),
            TypeError,
            "got float64. Allocate it with that dtype.",
        ),
    ],
)
def test_messages_say_what_to_write(call, kind, message):
    with pytest.raises(kind, match=f"{re.escape(message)}$"):
        call()
