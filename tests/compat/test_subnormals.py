"""Numbers near zero, against recorded answers: where JAX, TensorFlow and OpenVINO flush subnormal numbers."""

import platform

import numpy as np
import pytest
from numbers_at import dtype_of
from recorded import assert_bits, each, each_of, load, numbers_of

from dmlrand.compat import jax, kernels, tensorflow as tfr, tfp
from dmlrand.compat.openvino import RandomUniform
from dmlrand.compat.subnormals import affine, difference, flush, multiply


def kind_of(case):
    return dtype_of(case["dtype"])


def mode_of(case):
    return {"x64": case["dtype"] == "float64"}


def ends_of(case):
    return numbers_of([case["minval"], case["maxval"]], kind_of(case))


# JAX


@each("jax_subnormals", op="uniform")
def test_jax_uniform(case):
    """jax 20"""
    key, kind, ends = np.array(case["key"], np.uint32), kind_of(case), ends_of(case)
    assert_bits(jax.uniform(key, case["shape"], kind, *ends, **mode_of(case)), case["bits"])
    if case["dtype"] == "float32":  # the fast path
        assert_bits(jax.uniform(key, (60,), minval=float(ends[0]), maxval=float(ends[1])), case["bits"])
    columns = [np.full(60, end) for end in ends]
    assert_bits(jax.uniform(key, case["shape"], kind, *columns, **mode_of(case)), case["bits"])
    far = [np.append(column, kind.type(end)) for column, end in zip(columns, (-2, 3))]  # only the last one is far
    both = jax.uniform(key, 61, kind, *far, **mode_of(case))
    assert_bits(both[:60], case["bits"])
    assert both[60] == jax.uniform(key, 61, kind, -2, 3, **mode_of(case))[60]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_scalar_with_one_bound_near_zero(dtype):
    """jax 20"""
    scalar, one = (jax.uniform(np.array([0, 1], np.uint32), shape, dtype, -5.5e-38, 3.6) for shape in ((), 1))
    assert scalar.shape == () and scalar == one[0]


def test_the_greater_of_two_zeros_is_the_positive_one():
    """jax 20: answers of jax 0.10.2 with bounds in reverse order, where every sum is flushed to -0."""
    for low, signs in ((0.0, False), (-0.0, True), (1e-40, False), (-1e-40, True)):
        for kind in (np.float32, np.float64):
            ends = kind(low), kind(-1.7) * np.finfo(kind).tiny
            if kind == np.float64:
                ends = kind(low * 1e-280), ends[1]
            for count in (1, 6, 100):
                values = jax.uniform(np.array([0, 1], np.uint32), count, kind, *ends, x64=True)
                assert (values == 0).all() and (np.signbit(values) == signs).all()


@each_of([case for case in load("jax_subnormals", op="bernoulli") if case["dtype"] != "float32"])
def test_jax_bernoulli(case):
    """jax 20"""
    (p,) = numbers_of([case["p"]], kind_of(case))
    assert jax.bernoulli(np.array(case["key"], np.uint32), p, case["shape"], **mode_of(case)).sum() == case["count"]


@pytest.mark.costly  # of 2**25 numbers, four are 0
@each("jax_subnormals", op="bernoulli", dtype="float32")
def test_jax_bernoulli_of_float32(case):
    """jax 20"""
    (p,) = numbers_of([case["p"]], np.float32)
    assert jax.bernoulli(np.array(case["key"], np.uint32), float(p), case["shape"]).sum() == case["count"] == 0


@each("jax_subnormals", op="choice")
def test_jax_choice(case):
    """jax 20"""
    p = numbers_of(case["p"], kind_of(case))
    drawn = jax.choice(np.array(case["key"], np.uint32), 4, case["shape"], case["replace"], p, **mode_of(case))
    assert drawn.tolist() == case["result"]


@each("jax_gumbel_of_zero")
def test_jax_gumbel_of_zero(case):
    """jax 14: the least normal number stands for 0."""
    key, kind = np.array(case["key"], np.uint32), kind_of(case)
    assert jax.uniform(key, case["count"], kind)[case["place"]] == 0
    assert_bits(jax.gumbel(key, case["count"], kind)[case["place"] :][:1], case["bits"])


LIBC, REASON = platform.libc_ver(), "powers are the C library's, recorded with glibc 2.36"


@each_of([case for case in load("jax_subnormals") if "parameters" in case])
def test_jax_distributions_with_parameters(case):
    """jax 20 and 25; jax 8: the sign of nan is the processor's"""
    if case["op"] == "weibull_min" and LIBC != ("glibc", "2.36"):
        pytest.skip(REASON)
    key, kind = np.array(case["key"], np.uint32), kind_of(case)
    parameters = numbers_of(case["parameters"], kind)
    typed = {} if case["op"] == "geometric" else {"dtype": kind}
    drawn = getattr(jax, case["op"])(key, *parameters, shape=case["shape"], **typed, **mode_of(case))
    recorded = numbers_of(case["bits"], drawn.dtype).reshape(drawn.shape)
    both_nan = np.isnan(drawn) & np.isnan(recorded)
    assert_bits(np.where(both_nan, recorded, drawn), case["bits"])


@each_of([case for case in load("jax_subnormals") if "x64" in case])
def test_jax_conversions_of_python_s_floats(case):
    """jax 20: by way of float32, where XLA flushes a float64 and numpy does not."""
    key, mode = np.array(case["key"], np.uint32), {"shape": (60,), "dtype": kind_of(case), "x64": case["x64"]}
    if case["op"] == "rayleigh":
        drawn = jax.rayleigh(key, case["scale"], **mode)
    else:
        drawn = jax.uniform(key, minval=case["low"], maxval=case["low"], **mode)
    assert_bits(drawn, case["bits"])


@each("jax_subnormals", op="power")
@pytest.mark.skipif(LIBC != ("glibc", "2.36"), reason=REASON)
def test_jax_powers(case):
    """jax 20: float32 powers are rounded to 24 bits before they are flushed, float64 powers are not."""
    kind = kind_of(case)
    values, exponents = (numbers_of(case[name], kind) for name in ("values", "exponents"))
    powers = np.empty_like(values)
    kernels.of_xla("xla_power")(values, exponents, powers)
    assert_bits(powers, case["bits"])
    assert 0 < np.count_nonzero(powers) < powers.size
    for value, exponent, power in zip(values, exponents, powers):
        kernels.of_xla("xla_power")(np.array([value]), np.array([exponent]), one := np.empty(1, kind))
        assert one[0] == power


# TensorFlow and TFP


@each("tf_subnormals", op="uniform")
def test_tensorflow_uniform(case):
    """tensorflow 30; tfp 11"""
    kind, ends = kind_of(case), ends_of(case)
    arguments = case["shape"], case["seed"], *ends, kind
    assert_bits(tfr.stateless_uniform(*arguments), case["bits"])
    assert_bits(tfp.uniform(case["shape"], *ends, kind, case["seed"]), case["bits"])
    columns = [np.full(60, end) for end in ends]
    assert_bits(tfr.stateless_uniform(case["shape"], case["seed"], *columns, kind), case["bits"])


def test_tensorflow_scales_normals_with_the_same_arithmetic():
    """tensorflow 30"""
    least = np.float32(2.0**-126)
    standard = tfr.stateless_normal([500], [1, 2])
    for draw in (tfr.stateless_normal, tfr.stateless_truncated_normal):
        standard = draw([500], [1, 2])
        scaled = draw([500], [1, 2], mean=0, stddev=least)
        assert ((scaled == 0) == (np.abs(standard) < 1)).all()
        assert (draw([500], [1, 2], mean=1e-40, stddev=0) == 0).all()
    assert (tfr.Generator.from_seed(1).normal([9], mean=2e-38, stddev=1e-40) == np.float32(2e-38)).all()


# OpenVINO


@each("openvino_subnormals")
def test_openvino(case):
    """openvino 3.9 and 4.11"""
    kind_of(case)
    op = RandomUniform(case["dtype"], *case["seeds"], case["alignment"], case["implementation"])
    assert_bits(op(case["shape"], *ends_of(case)), case["bits"])


# The arithmetic itself


@pytest.mark.parametrize("kind, least, digits", [(np.float32, -126, 24), (np.float64, -1022, 53)])
def test_a_result_is_flushed_after_rounding_to_the_precision_of_the_type(kind, least, digits):
    tiny, one_less = kind(2.0**least), kind(1) - kind(2.0**-digits)
    assert tiny * one_less == tiny  # IEEE 754 rounds this product up, as a subnormal number
    assert multiply(tiny, one_less) == 0
    assert multiply(-tiny, one_less) == 0 and np.signbit(multiply(-tiny, one_less))
    above = kind(1) + kind(2.0 ** (1 - digits))
    assert multiply(tiny * above, one_less) == tiny  # rounds up to the least normal number, with any exponent
    largest = np.finfo(kind).max
    assert multiply(largest, kind(1)) == largest and multiply(largest, kind(2)) == np.inf
    total = affine(np.ones((), kind), tiny, -tiny * kind(1.5))
    assert total == 0 and np.signbit(total)
    for numbers in ((tiny * 2, -tiny / 2), (-tiny / 2, tiny * 2)):  # a subnormal operand counts as 0, on either side
        assert affine(np.ones((), kind), *numbers) == tiny * 2
        high, low = map(np.asarray, numbers)
        assert difference(high, low) == (tiny * 2 if high > 0 else -tiny * 2)
    assert flush(np.array([tiny, -tiny / 2, np.inf], kind)).tolist() == [tiny, 0, np.inf]


@pytest.mark.parametrize("bounds, negative", [((-2e-38, 1.4e-45), 214), ((-1.4e-45, 2e-38), 0)])
def test_a_zero_within_the_bounds_of_a_truncated_normal_keeps_its_sign(bounds, negative):
    """jax 25: jax 0.10.2 gave so many negative zeros. A bound next to a zero is a zero of the other sign."""
    values = jax.truncated_normal(jax.key(714877), *map(np.float32, bounds), (257,))
    zeros = values[values == 0]
    assert np.signbit(zeros).sum() == negative


@pytest.mark.parametrize("shape, bits", [((), 0x8000), (1, 0x8000), (2, 0)])
def test_a_single_truncated_normal_of_bfloat16(shape, bits):
    """jax 20: answers of jax 0.10.2. Bounds of another type are converted, and then flushed."""
    key = np.array([0, 0], np.uint32)
    assert (jax.truncated_normal(key, 0.0, 5e-39, shape, "bfloat16").view(np.uint16) == bits).all()
    low, high = (np.array(bound, dtype_of("bfloat16")) for bound in (0.0, 5e-39))
    assert (jax.truncated_normal(key, low, high, shape, "bfloat16").view(np.uint16) == 0).all()
