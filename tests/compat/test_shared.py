"""compat/shared.py. tests/compat/openvino compares fma32 with exact fractions."""

import re

import numpy as np
import pytest

from dmlrand.compat.shared import check_bounds, check_broadcast, check_reals, join_words, read_sizes, round_reals

pytestmark = pytest.mark.both_kinds

FLOAT16, FLOAT32 = np.dtype(np.float16), np.dtype(np.float32)
WORDS = np.array([0, 1, 2**31, 2**32 - 1], np.uint32)


def test_join_words():
    joined = join_words(WORDS, WORDS[::-1])
    assert joined.dtype == np.uint64
    assert joined.tolist() == [low + 2**32 * high for low, high in zip(WORDS.tolist(), WORDS[::-1].tolist())]
    assert join_words(WORDS[0::2], WORDS[1::2]).tolist() == [2**32, 2**31 + 2**32 * (2**32 - 1)]


def refused(kind, message):
    return pytest.raises(kind, match=f"^{re.escape(message)}$")


def test_sizes():
    for shape in ([3, np.int64(0)], (3, 0), np.array([3, 0], np.uint8)):
        assert read_sizes(shape) == (3, 0)
    assert read_sizes(5) == (5,) and read_sizes(()) == ()
    with refused(ValueError, "shape[1] must be at least 0; got -1."):
        read_sizes([3, -1])
    with refused(ValueError, "size[0] must be in [0, 7); got 7."):
        read_sizes([7], "size", end=7)
    for wrong in (1.5, np.ones((2, 2), int), "3"):
        with pytest.raises(TypeError, match="^size must be an integer; got "):
            read_sizes(wrong, "size")
    with refused(TypeError, "shape must be a sequence of ints; got 3. Write [3] for three values, [] for one."):
        read_sizes(3, takes_int=False)


def test_bounds():
    check_bounds(0, 2**64 - 1, low=0, high=2**64 - 1)
    check_bounds(np.float32([0, 1]), np.float32(2), low=[0, 1], high=2)
    with refused(ValueError, "low must be below high; got low 5 and high 5."):
        check_bounds(5, 5, low=5, high=5)
    with refused(ValueError, "minval must be below maxval in float32; got minval [0, 3] and maxval 2."):
        check_bounds(np.float32([0, 3]), np.float32(2), np.dtype("f4"), minval=[0, 3], maxval=2)
    with refused(ValueError, "b - a must be finite in float16; got a -60000 and b 60000."):
        check_bounds(np.float16(-60000), np.float16(60000), "float16", a=-60000, b=60000)


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
