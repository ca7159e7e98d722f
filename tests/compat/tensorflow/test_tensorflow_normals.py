"""Normals compared with TensorFlow's: equal in 16-bit types, within 4 ulp in the others. See specs/tensorflow.md, 3."""

import pytest
from numbers_at import dtype_of
from recorded import digest, each_of, load, numbers_of
from tf_answers import assert_near, number_of, seed_of

from dmlrand.compat import tensorflow as tfr

pytestmark = pytest.mark.both_kinds

@each_of(load("tf_stateless_normal") + load("tf_stateless_truncated_normal"))
def test_recorded_normals(case):
    """tensorflow 11 to 13; distributions 5.7

    Of long answers only a hash was recorded, which the C library decides for float32 and float64.
    """
    sampler, dtype = getattr(tfr, case["id"].removeprefix("tf_").partition("-")[0]), dtype_of(case["dtype"])
    mean, stddev = number_of(case, "mean"), number_of(case, "stddev")
    ours = sampler(case["shape"], seed_of(case), mean, stddev, dtype)
    assert list(ours.shape) == case["shape"] and ours.dtype == dtype
    if "bits" in case:
        assert_near(ours, numbers_of(case["bits"], dtype), mean, stddev)
    elif ours.itemsize == 2:
        assert digest(ours) == case["sha256_le"]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_scaling_is_rounded_per_operation(dtype):
    """tensorflow 11: Scalars and arrays are computed in different code, with the same numbers."""
    for sampler in (tfr.stateless_normal, tfr.stateless_truncated_normal):
        standard = sampler([1001], [3, 4], dtype=dtype)
        kind = dtype_of(dtype)
        mean, stddev = kind.type(0.3), kind.type(7.7)
        expected = (standard * stddev + mean).tolist()
        assert sampler([1001], [3, 4], mean, stddev, dtype).tolist() == expected
        assert sampler([1001], [3, 4], [mean], [stddev], dtype).tolist() == expected
        assert sampler([1001], [3, 4], mean, -stddev, dtype).tolist() == (standard * -stddev + mean).tolist()


def test_a_truncated_normal_may_round_to_2_in_a_small_type():
    """tensorflow 13"""
    assert abs(tfr.stateless_truncated_normal([200_000], [1, 2], dtype="float16")).max() == 2
