"""Poisson, binomial and gamma numbers: an oracle, recorded answers, refusals (specs/tensorflow.md, section 10)."""

import math
import re

import numpy as np
import pytest
import tf_rejection_oracle as slow
from recorded import each

from dmlrand.compat import tensorflow as tfr
from dmlrand.compat.tensorflow import numbers

pytestmark = pytest.mark.both_kinds

SEED = [7, -5]
RATES = [0, 0.1, 3, 9.99, 10, 10.5, 300.25, 1e5]
TRIALS = [(5, 0.5), (1000, 0.009), (20, 0.5), (1000, 0.3), (30, 0.99), (40, 0.7), (5.5, 0.4)]
ALPHAS = [0.05, 0.5, 0.999, 1, 1.5, 3, 1000]


def slow_samples(sampler, samples, *parameters):
    """An array of shape (samples, number of parameters). The samples of the first parameter come first."""
    columns = [
        [sampler(SEED, samples * i + j, *each) for j in range(samples)] for i, each in enumerate(zip(*parameters))
    ]
    return np.array(columns).T


def float32s(numbers):
    return np.array(numbers, np.float32).tolist()


@pytest.fixture(params=["as it is", "few words and small pieces"])
def sizes(request, monkeypatch):
    """tensorflow 37: The results do not depend on how many words and samples are made at a time."""
    if request.param != "as it is":
        monkeypatch.setattr(numbers, "FIRST_BLOCKS", 1)
        monkeypatch.setattr(numbers, "PIECE_SAMPLES", 7)


def test_stirling_s_remainder():
    """tensorflow 39: a table up to 9, then a series. Its first omitted term is below 1 / 1680 / 11**7."""
    for k in (0, 1, 8, 9, 10, 11, 15):
        exact = math.lgamma(k + 1) - (k + 0.5) * math.log(k + 1) + k + 1 - math.log(2 * math.pi) / 2
        (tail,) = numbers._stirling_tail(np.array([k], float))
        assert abs(tail - exact) < 4e-11


def test_poisson(sizes):
    """tensorflow 37 and 38"""
    expected = slow_samples(slow.poisson, 20, float32s(RATES))
    assert (tfr.stateless_poisson([20, len(RATES)], SEED, RATES) == expected).all()


def test_the_largest_rate_and_the_largest_result():
    """tensorflow 38 and 39"""
    assert abs(tfr.stateless_poisson([1], SEED, 2.0**31, "int64")[0] - 2**31) < 2**20
    draw = tfr.Generator.from_seed(1).binomial
    counts = np.array([2.0**31 - 1, 2.0**31])
    assert draw([1], counts[:1], np.ones(1)).tolist() == [2**31 - 1]
    with pytest.raises(ValueError, match="^dtype must hold every result; got int32 and a result of 2147483648"):
        draw([1], counts[1:], np.ones(1))


def test_binomial(sizes):
    """tensorflow 37 and 39"""
    counts, probs = zip(*TRIALS)
    shape = [20, len(TRIALS)]
    expected = slow_samples(slow.binomial, 20, float32s(counts), float32s(probs)).astype(int)
    assert (tfr.stateless_binomial(shape, SEED, counts, probs) == expected).all()
    key, counter = tfr.stateless_random_get_key_counter(SEED)
    generator = tfr.Generator.from_key_counter(int(key[0]), counter)
    before = generator.state
    assert (generator.binomial(shape, list(map(float, counts)), probs) == expected).all()
    assert (generator.state - before).tolist() == [7 * 200 * 23 // 4 * 256, 0, 0]


def test_gamma(sizes):
    """tensorflow 37 and 40"""
    beta = 1.5
    expected = slow_samples(slow.gamma, 20, float32s(ALPHAS)).astype(np.float32)
    expected = np.maximum(expected / np.float32(beta), np.finfo(np.float32).tiny)
    assert (tfr.stateless_gamma([20, len(ALPHAS)], SEED, ALPHAS, beta) == expected).all()


def test_float64_gamma(sizes):
    """tensorflow 40: with the C library's functions, as the oracle has them."""
    expected = np.array(slow_samples(slow.gamma, 20, ALPHAS))
    assert (tfr.stateless_gamma([20, len(ALPHAS)], SEED, ALPHAS, None, "float64") == expected).all()
    assert (tfr.stateless_gamma([20, len(ALPHAS)], SEED, ALPHAS, 1.7, "float64") == expected / 1.7).all()


def test_float16_gamma_numbers_are_rounded_twice():
    """tensorflow 40: Seen in tensorflow-cpu 2.21.0. In float64 the number is 10075.9996, and 10072 is nearer."""
    assert tfr.stateless_gamma([509], [1, 2], 1e4, dtype="float16")[508] == 10080


@each("tf_rejection")
def test_recorded(case):
    """tensorflow 38, 39 and 40"""
    call = getattr(tfr, case["op"])
    drawn = call(case["shape"], case["seed"], *case["parameters"], case["dtype"])
    assert (drawn.dtype.name, drawn.shape) == (case["dtype"], tuple(case["shape"]))
    words = [int(word, 16) if isinstance(word, str) else word for word in case["bits"]]
    assert drawn.ravel().view(f"u{drawn.itemsize}").tolist() == words


def test_gamma_numbers_have_a_least_value():
    """tensorflow 40"""
    for kind in ("float16", "float32", "float64"):
        tiny = np.finfo(kind).tiny
        assert tfr.stateless_gamma([100], SEED, 0.001, dtype=kind).min() == tiny
        assert (tfr.stateless_gamma([100], SEED, 2.0, np.finfo(kind).max, kind) >= tiny).all()


REAL = "float16, float32 or float64"
REFUSED = [
    (ValueError, "lam must be in [0, 2**31]; got -1. Pass", tfr.stateless_poisson, [2], SEED, -1),
    (ValueError, "lam must be in [0, 2**31]; got 10000000000.0. Pass", tfr.stateless_poisson, [2], SEED, 1e10),
    (ValueError, "lam must be finite as a float32; got nan.", tfr.stateless_poisson, [2], SEED, math.nan),
    (
        ValueError,
        "shape must end with the shape of lam, [2]; got [3]. Write the whole shape of the result.",
        tfr.stateless_poisson, [3], SEED, [1.0, 2.0],
    ),
    (
        ValueError,
        "shape must end with the shape of counts and probs, [2, 3]; got [3].",
        tfr.stateless_binomial, [3], SEED, [[1.0], [2.0]], [0.1, 0.2, 0.3],
    ),
    (
        ValueError,
        "probs, together with counts, must broadcast with shape (2,); got shape (3,).",
        tfr.stateless_binomial, [3], SEED, [1.0, 2.0], [0.1, 0.2, 0.3],
    ),
    (ValueError, "alpha must be positive in float32; got 0. Pass", tfr.stateless_gamma, [2], SEED, 0),
    (ValueError, "beta must be positive in float32; got -1. Pass", tfr.stateless_gamma, [2], SEED, 1, -1),
    (
        TypeError,
        f"dtype must be {REAL}, as tf.as_dtype reads it; got 'bfloat16'.",
        tfr.stateless_gamma, [2], SEED, 1, None, "bfloat16",
    ),
    (
        ValueError,
        "output_dtype must hold every result; got int32 and a result of 4000000000. Pass int64.",
        tfr.stateless_binomial, [2], SEED, 4e9, 1,
    ),
    (
        TypeError,
        f"counts and probs must both be {REAL}; got int64 and float32.",
        tfr.Generator.from_seed(1).binomial, [2], 10, 0.5,
    ),
    (
        TypeError,
        f"counts and probs must both be {REAL}; got float32 and float64.",
        tfr.Generator.from_seed(1).binomial, [2], 10.0, np.float64(0.5),
    ),
]  # fmt: skip


@pytest.mark.parametrize("kind, message, call, arguments", [(*case[:3], case[3:]) for case in REFUSED])
def test_refused(kind, message, call, arguments):
    """tensorflow 38, 39 and 40"""
    with pytest.raises(kind, match="^" + re.escape(message)):
        call(*arguments)
