"""Normals compared with TensorFlow's: equal in 16-bit types, within 4 ulp in the others. See specs/tensorflow.md, 3."""

import numpy as np
import pytest
from recorded import digest, each, has_all_elements
from tf_answers import (
    assert_equal_but_for_ties,
    assert_near,
    dtype_of,
    libm_normals,
    libm_truncated_normals,
    number_of,
    numpy_dtype,
    recorded_reals,
    scaled,
    seed_of,
)

from dmlrand.compat import tensorflow as tfr

pytestmark = pytest.mark.both_kinds

SAMPLERS = {
    "normal": (tfr.stateless_normal, libm_normals),
    "truncated_normal": (tfr.stateless_truncated_normal, libm_truncated_normals),
}


@each("tf_stateless_normal")
def test_stateless_normal(case):
    """tensorflow 11 and 12"""
    check_recorded(case, *SAMPLERS["normal"])


@each("tf_stateless_truncated_normal")
def test_stateless_truncated_normal(case):
    """tensorflow 12 and 13"""
    check_recorded(case, *SAMPLERS["truncated_normal"])


def check_recorded(case, sampler, by_libm):
    dtype = dtype_of(case)
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    mean, stddev, seed = number_of(case, "mean"), number_of(case, "stddev"), seed_of(case)
    ours = sampler(case["shape"], seed, mean, stddev, dtype)
    standard = by_libm(seed, int(np.prod(case["shape"])), dtype)
    theirs = scaled(standard, ours.dtype, mean, stddev).reshape(case["shape"])
    if has_all_elements(case):
        theirs = recorded_reals(case, ours.dtype).reshape(case["shape"])
    elif digest(theirs) != case["sha256_le"]:
        pytest.skip("this machine's C library gives other logarithms or sines than the recording's")
    assert ours.shape == theirs.shape and ours.dtype == numpy_dtype(dtype)
    if ours.dtype.itemsize == 2:
        assert_equal_but_for_ties(ours, theirs, standard, mean, stddev)
    else:
        assert_near(ours, theirs, standard, float(stddev))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_scaling_is_rounded_per_operation(dtype):
    """tensorflow 11: Scalars and arrays are computed in different code, with the same numbers."""
    for sampler, _ in SAMPLERS.values():
        standard = sampler([1001], [3, 4], dtype=dtype)
        kind = numpy_dtype(dtype)
        mean, stddev = kind.type(0.3), kind.type(7.7)
        expected = (standard * stddev + mean).tolist()
        assert sampler([1001], [3, 4], mean, stddev, dtype).tolist() == expected
        assert sampler([1001], [3, 4], [mean], [stddev], dtype).tolist() == expected
        assert sampler([1001], [3, 4], mean, -stddev, dtype).tolist() == (standard * -stddev + mean).tolist()


# Truncated normals: which words each group takes


def test_a_truncated_normal_may_round_to_2_in_a_small_type():
    """tensorflow 13"""
    assert abs(tfr.stateless_truncated_normal([200_000], [1, 2], dtype="float16")).max() == 2
