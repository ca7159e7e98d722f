"""exponential: -log(1 - u), scaled. specs/distributions.md, section 8"""

import math

import numpy as np
import pytest
from numbers_at import STATE, bits_of, dtype_of, state_before

from dmlrand import exponential
from dmlrand.kernels import of_rule

pytestmark = pytest.mark.both_kinds

FLOATS = ["float16", "bfloat16", "float32", "float64"]
every_type = pytest.mark.parametrize("dtype", FLOATS)
ULP_BOUND = 1.1


@every_type
def test_the_least_and_the_largest_number(dtype):
    """distributions 8.1 and 8.3: u = 0, u of one step, and the largest u"""
    kind = dtype_of(dtype)
    if dtype == "float64":
        words, expected = [0, 0, 2**32 - 1, 2**32 - 1], [0, 36.04365338911715]
    else:
        words, expected = [0, 1, 2**32 - 1, 2**31], [0, -math.log1p(-(2.0**-23)), 15.942385, 0]
    numbers = exponential(state_before(words), len(expected), dtype=kind).values
    assert bits_of(numbers) == bits_of(np.array(expected).astype(kind))


@pytest.mark.costly
def test_every_number_of_float32():
    """distributions 8.3 and 8.4: all 2**23, in numpy and compiled as this process runs"""
    words, numbers = np.arange(2**23, dtype=np.uint32), np.empty(2**23, np.float32)
    of_rule("exponential_f32").convert.run(words, np.ones(1, np.float32), numbers)
    exact = -np.log1p(-(words * 2.0**-23))  # float64: 29 bits more than float32
    errors = np.abs(numbers[1:] - exact[1:]) / np.spacing(exact[1:].astype(np.float32))
    assert numbers[0] == 0 and errors.max() < ULP_BOUND
    assert (np.diff(numbers) > 0).all()


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="long double has no more bits than float64 here")
@pytest.mark.parametrize("least_bits", [52, 4])
def test_numbers_of_float64_are_near_the_formula(least_bits):
    """distributions 8.3 and 8.4: fractions of all magnitudes, near 0 and near 1"""
    random = np.random.default_rng(least_bits)
    steps = np.unique(random.integers(1, 2 ** np.arange(least_bits, 53)[:, None], (53 - least_bits, 1000)))
    for u in (steps, np.sort(2**52 - steps)):
        words = np.column_stack([u >> 32, u & 0xFFFFFFFF]).astype(np.uint32).ravel()
        numbers = np.empty(len(u))
        of_rule("exponential_f64").convert.run(words, np.ones(1), numbers)
        exact = -np.log1p(-(u.astype(np.longdouble) * np.longdouble(2) ** -52))
        assert (np.abs(numbers - exact) <= ULP_BOUND * np.spacing(exact.astype(float))).all()
        assert (np.diff(numbers) >= 0).all()


@every_type
@pytest.mark.parametrize("scale", [0, 1e-5, 0.1, 3, 60000])
def test_a_scale_is_one_product(dtype, scale):
    """distributions 8.2: rounded once, to the type; beyond its largest number it is infinite."""
    kind = dtype_of(dtype)
    unscaled = exponential(STATE, 1000, dtype=kind).values
    with np.errstate(over="ignore"):
        expected = unscaled * kind.type(scale)
    assert bits_of(exponential(STATE, 1000, scale=scale, dtype=kind).values) == bits_of(expected)
    if scale == 60000 and dtype == "float16":
        assert np.isinf(expected).any()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_the_narrow_types_are_rounded_from_float32(dtype):
    """distributions 8.2"""
    kind = dtype_of(dtype)
    assert bits_of(exponential(STATE, 1000, dtype=kind).values) == bits_of(exponential(STATE, 1000).values.astype(kind))
