"""Poisson, binomial and gamma numbers: recorded answers (specs/tensorflow.md, section 10)."""

import numpy as np
import pytest
from recorded import load
from tf_answers import assert_answer

from dmlrand.compat import tensorflow as tfr
from dmlrand.compat.tensorflow import numbers

pytestmark = pytest.mark.both_kinds

SEED = [7, -5]


@pytest.fixture(params=["as it is", "few words and small pieces"])
def sizes(request, monkeypatch):
    """tensorflow 37: The results do not depend on how many words and samples are made at a time."""
    if request.param != "as it is":
        monkeypatch.setattr(numbers, "FIRST_BLOCKS", 1)
        monkeypatch.setattr(numbers, "PIECE_SAMPLES", 7)


def test_the_largest_rate_and_the_largest_result():
    """tensorflow 38 and 39"""
    assert abs(tfr.stateless_poisson([1], SEED, 2.0**31, "int64")[0] - 2**31) < 2**20
    draw = tfr.Generator.from_seed(1).binomial
    counts = np.array([2.0**31 - 1, 2.0**31])
    assert draw([1], counts[:1], np.ones(1)).tolist() == [2**31 - 1]
    with pytest.raises(ValueError, match="^dtype must hold every result; got int32 and a result of 2147483648"):
        draw([1], counts[1:], np.ones(1))


def test_the_state_moves_by_200_blocks_of_4_words_for_each_sample():
    """tensorflow 39"""
    generator = tfr.Generator.from_state([1, 2, 3])
    shape, counts, probs = [20, 7], np.full(7, 30.0, np.float32), np.float32(0.5)
    assert generator.binomial(shape, counts, probs).shape == (20, 7)
    assert generator.state.tolist() == [1 + 7 * 200 * 23 // 4 * 256, 2, 3]


def test_float16_gamma_numbers_are_rounded_twice():
    """tensorflow 40: Seen in tensorflow-cpu 2.21.0. In float64 the number is 10075.9996, and 10072 is nearer."""
    assert tfr.stateless_gamma([509], [1, 2], 1e4, dtype="float16")[508] == 10080


def test_recorded(sizes):
    """tensorflow 37 to 40"""
    for case in load("tf_rejection"):
        drawn = getattr(tfr, case["op"])(case["shape"], case["seed"], *case["parameters"], case["dtype"])
        assert_answer(drawn, case)


def test_gamma_numbers_have_a_least_value():
    """tensorflow 40"""
    for kind in ("float16", "float32", "float64"):
        tiny = np.finfo(kind).tiny
        assert tfr.stateless_gamma([100], SEED, 0.001, dtype=kind).min() == tiny
        assert (tfr.stateless_gamma([100], SEED, 2.0, np.finfo(kind).max, kind) >= tiny).all()
