"""The checks of names, shapes and real parameters that the imitated systems share."""

import re

import numpy as np
import pytest

from dmlrand.arrays.arguments import check_broadcast, check_choice
from dmlrand.arrays.number_types import check_reals, round_reals

FLOAT16, FLOAT32 = np.dtype(np.float16), np.dtype(np.float32)


def refused(kind, message):
    return pytest.raises(kind, match=f"^{re.escape(message)}$")


@pytest.mark.parametrize(
    "value, choices, message",
    [
        ("d", ("a", "b", "c"), "mode must be 'a', 'b' or 'c'; got 'd'."),
        ("", ("a", "b"), "mode must be 'a' or 'b'; got ''."),
        ("b", ("a",), "mode must be 'a'; got 'b'."),
        (None, {"a": 1, "b": 2}, "mode must be 'a' or 'b'; got None."),
        (["a"], {"a": 1, "b": 2}, "mode must be 'a' or 'b'; got ['a']."),
    ],
)
def test_a_choice_is_one_of_the_strings(value, choices, message):
    with refused(ValueError, message):
        check_choice(value, "mode", choices)
    for choice in choices:
        assert check_choice(choice, "mode", choices) == choice


@pytest.mark.parametrize(
    "shape, parameter, fits, widens",
    [
        ((), (), True, True),
        ((2, 3), (), True, True),
        ((2, 3), (3,), True, True),
        ((2, 3), (2, 1), True, True),
        ((3,), (1, 3), False, True),
        ((3,), (2, 3), False, True),
        ((1,), (4,), False, True),
        ((), (1,), False, True),
        ((3,), (2,), False, False),
        ((0,), (2,), False, False),
    ],
)
def test_a_parameter_broadcasts_to_the_shape_or_with_it(shape, parameter, fits, widens):
    for widening, allowed, how in ((False, fits, "to"), (True, widens, "with")):
        if allowed:
            check_broadcast(shape, parameter, "mean", widening=widening)
            continue
        message = f"mean must broadcast {how} shape {shape}; got shape {parameter}. Reshape it, or draw another shape."
        with refused(ValueError, message):
            check_broadcast(shape, parameter, "mean", widening=widening)


def test_real_parameters_keep_the_type_that_numpy_gives_them():
    for value, kind in ((1, np.dtype(int)), (1.5, "float64"), ([1, 2.5], "float64"), (np.float32(1), "float32")):
        assert check_reals(value, "mean").dtype == kind
    assert check_reals(True, "mean", kinds="biuf").dtype == bool
    assert check_reals(2**70, "mean") == 2.0**70 and check_reals(10**400, "mean") == np.inf


@pytest.mark.parametrize(
    "value, got",
    [
        (None, "None of type NoneType"),
        ("1", "'1' of type str"),
        (True, "True of type bool"),
        (1j, "1j of type complex"),
        ([[1], [2, 3]], "[[1], [2, 3]] of type list"),
        (np.array([None]), "array([None], dtype=object) of type ndarray"),
    ],
)
def test_what_is_no_real_parameter(value, got):
    with refused(TypeError, f"mean must be a real number or an array of them; got {got}. Pass floats."):
        check_reals(value, "mean")


@pytest.mark.parametrize(
    "value, remedy",
    [
        (1e39, "got 1e+39. Pass a smaller number, or a wider dtype."),
        ([1, 1e39], "got [1, 1e+39]. Pass a smaller number, or a wider dtype."),
        (np.nan, "got nan. Pass a finite number."),
        ([1, np.inf], "got [1, inf]. Pass a finite number."),
        (10**400, "got an int of 1329 bits. It is beyond float64: pass a smaller number."),
    ],
)
def test_a_real_parameter_is_finite_before_and_after_rounding(value, remedy):
    with refused(ValueError, f"mean must be finite as a float32; {remedy}"):
        round_reals(check_reals(value, "mean"), "mean", FLOAT32, value)
    assert round_reals(np.array([1.0002, 3]), "mean", FLOAT16, value).tolist() == [1, 3]
