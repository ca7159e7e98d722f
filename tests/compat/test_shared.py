"""compat/shared.py. tests/compat/openvino compares fma32 with exact fractions."""

import re

import numpy as np
import pytest

from dmlrand.compat.shared import check_broadcast, check_reals, check_sizes, join_words, round_reals, sizes_of

pytestmark = pytest.mark.both_kinds

FLOAT16, FLOAT32 = np.dtype(np.float16), np.dtype(np.float32)
WORDS = np.array([0, 1, 2**31, 2**32 - 1], np.uint32)


def test_join_words():
    joined = join_words(WORDS, WORDS[::-1])
    assert joined.dtype == np.uint64
    assert joined.tolist() == [low + 2**32 * high for low, high in zip(WORDS.tolist(), WORDS[::-1].tolist())]
    assert join_words(WORDS[0::2], WORDS[1::2]).tolist() == [2**32, 2**31 + 2**32 * (2**32 - 1)]


def test_sizes():
    assert check_sizes([3, np.int64(0)]) == (3, 0) and check_sizes(()) == ()
    assert sizes_of(5) == (5,) and sizes_of([2, 3]) == (2, 3) and sizes_of(()) == ()
    with pytest.raises(ValueError, match=r"^shape\[1\] must be at least 0; got -1."):
        check_sizes([3, -1])
    with pytest.raises(ValueError, match=r"^size\[0\] must be in \[0, 7\); got 7."):
        check_sizes([7], "size", 7)
    with pytest.raises(TypeError, match="^size must be an integer; got 1.5"):
        sizes_of(1.5, "size")


def refused(kind, message):
    return pytest.raises(kind, match=f"^{re.escape(message)}$")


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
