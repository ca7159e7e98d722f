"""The stateful samplers: op objects as in a graph, cached ops as in eager mode (specs/tensorflow.md, section 5)."""

import platform

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from recorded import load, numbers_of, to_int

from dmlrand import advance_blocks, make_state
from dmlrand.compat import tensorflow as tfr

pytestmark = [pytest.mark.both_kinds, pytest.mark.usefixtures("no_global_seed")]

GLIBC = platform.libc_ver()[0] == "glibc"  # the recorded float64 numbers have its logarithms, powers, sines and cosines


# As called eagerly: a cache of ops


def test_each_type_sampler_and_type_of_shape_has_its_own_op():
    """tensorflow 24: Seen in tensorflow-cpu 2.21.0, in this order, after set_seed(5)."""
    tfr.set_seed(5)
    assert tfr.uniform([2], seed=3).tolist() == [0.2886784076690674, 0.6889241933822632]
    assert tfr.uniform([2], seed=3, dtype="float64").tolist() == [0.30942756438427454, 0.5195524191426495]
    assert tfr.uniform(np.array([2], np.int64), seed=3).tolist() == [0.2886784076690674, 0.6889241933822632]
    assert np.allclose(tfr.normal([2], seed=3), [-1.4616987705230713, -0.5901871919631958], rtol=1e-6)
    assert tfr.uniform([2], seed=3).tolist() == [0.5056066513061523, 0.7333911657333374]
    assert tfr.uniform([2], 0, 100, "int32", seed=3).tolist() == [70, 11]
    assert tfr.uniform([2], 0, 1000, "int32", seed=3).tolist() == [184, 811]
    assert tfr.uniform([2], 0, 1000, "int64", seed=3).tolist() == [226, 814]


@settings(max_examples=20)
@given(global_seed=st.integers(-(2**70), 2**70), op_seed=st.integers(-(2**70), 2**70))
def test_get_seed(global_seed, op_seed):
    """tensorflow 22"""
    tfr.set_seed(None)
    assert tfr.get_seed(None) == (None, None)
    assert tfr.get_seed(op_seed) == (87654321, op_seed % (2**31 - 1))
    tfr.set_seed(global_seed)
    pair = global_seed % (2**31 - 1), op_seed % (2**31 - 1)
    assert tfr.get_seed(op_seed) == (pair if pair != (0, 0) else (0, 2**31 - 1))


def test_a_refused_call_draws_no_op_seed_and_moves_no_op():
    """tensorflow 25"""
    tfr.set_seed(5)
    expected = [tfr.uniform([2]).tolist(), tfr.uniform([2], seed=3).tolist()]
    tfr.set_seed(5)
    for arguments in ({"shape": [-1]}, {"minval": 2, "maxval": 1}, {"dtype": "int8"}, {"seed": 1.5}):
        for seed in (None, 3):
            with pytest.raises((TypeError, ValueError)):
                tfr.uniform(**({"shape": [2], "seed": seed} | arguments))
    with pytest.raises(ValueError):
        tfr.normal([2], stddev=float("nan"))
    assert [tfr.uniform([2]).tolist(), tfr.uniform([2], seed=3).tolist()] == expected


# Categories and shuffles


def draw_recorded(case):
    if case["op"] == "categorical":
        kind = np.dtype(case["logits_type"])
        words = [to_int(word) for word in case["logits"]]
        logits = np.array(words, f"u{kind.itemsize}").view(kind).reshape(-1, 4)
        return tfr.categorical(logits, case["num_samples"], case["dtype"], case["seed"])
    value = np.arange(np.prod(case["shape"], dtype=int)).reshape(case["shape"]).astype(case["dtype"])
    return tfr.shuffle(value, case["seed"])


def test_recorded_gamma_and_poisson_numbers():
    """tensorflow 40 and 41"""
    cases, global_seed = load("tf_gamma_poisson"), None
    for case in cases:
        if case.get("global_seed", global_seed) != global_seed:
            tfr.set_seed(global_seed := case["global_seed"])
        parameters, kind = case["parameters"], case.get("parameter_type")
        if case["op"] == "stateless_gamma":
            drawn = tfr.stateless_gamma(case["shape"], case["seed"], *parameters, case["dtype"])
        else:
            parameters = [np.array(each, kind)[()] if kind else each for each in parameters]
            drawn = getattr(tfr, case["op"])(case["shape"], *parameters, case["dtype"], case["seed"])
        expected = numbers_of(case["bits"], drawn.dtype)
        if drawn.dtype != np.float64 or GLIBC:
            assert drawn.ravel().tolist() == expected.tolist(), case["id"]
        else:
            assert np.allclose(drawn.ravel(), expected, 1e-14, 0), case["id"]
    assert len(cases) == 54


def test_ops_of_gamma_and_poisson_numbers():
    """tensorflow 41: an op draws what the eager calls draw."""
    for op_type, call, parameters in (
        (tfr.RandomGamma, tfr.gamma, ([0.5, 2.0], 1.5)),
        (tfr.RandomPoissonV2, tfr.poisson, ([0.5, 30.0],)),
    ):
        tfr.set_seed(5)
        op = op_type("float32", *tfr.get_seed(3))
        for shape in ([3], [], [0]):
            assert op(shape, *parameters).tolist() == call(shape, *parameters, "float32", 3).tolist()


@pytest.mark.parametrize(
    "rates, sharing",
    [
        (3.0, True), (3, True), (np.array(3), True), (np.float32([1, 2]), True), (np.float64(3), True),
        (np.float32(3), False), (np.int64(3), False), ([3.0], False), ((3,), False),
    ],
)  # fmt: skip
def test_which_rates_share_an_op(rates, sharing):
    """tensorflow 41: Seen in tensorflow-cpu 2.21.0."""
    tfr.set_seed(1)
    fresh = tfr.poisson([8], rates, seed=2).tolist()
    tfr.set_seed(1)
    tfr.poisson([8], 5.5, seed=2)
    assert (tfr.poisson([8], rates, seed=2).tolist() != fresh) == sharing


def test_recorded_categories_and_shuffles():
    """tensorflow 34 and 35"""
    cases, global_seed = load("tf_stateful_samplers"), None
    for case in cases:
        if case["global_seed"] != global_seed:
            tfr.set_seed(global_seed := case["global_seed"])
        drawn = draw_recorded(case)
        assert (drawn.tolist(), drawn.dtype.name) == (case["result"], case["dtype"]), case["id"]
    assert len(cases) == 60


def test_an_op_of_categories_and_an_op_of_shuffles():
    """tensorflow 34 and 35: The numbers are the stateless ones at the op's state, which then advances."""
    logits = np.linspace(-1, 1, 10).reshape(2, 5)
    for count, reserved in ((0, 0), (1, 4), (4, 4), (5, 8)):
        op = tfr.Multinomial("int32", 3, 4)
        assert op(logits, count).shape == (2, count)
        assert op.state.tolist() == advance_blocks(make_state(counter=4 << 64, key=3), 2 * 512 * reserved).tolist()
        op.restart()
        assert op.state.tolist() == make_state(counter=4 << 64, key=3).tolist()
    for value, blocks in (([], 0), ([1], 0), (5, 0), (np.zeros((5, 0)), 0), ([1, 2], 1), (range(5), 1), (range(6), 2)):
        op = tfr.RandomShuffle(3, 4)
        shuffled = op(np.array(value))
        assert sorted(shuffled.ravel().tolist()) == sorted(np.ravel(value).tolist())
        assert op.state.tolist() == advance_blocks(make_state(counter=4 << 64, key=3), blocks).tolist()


@pytest.mark.parametrize(
    "value, kind",
    [
        ([1, 2, 3], "int32"),
        ([1, 2, 2**40], "int64"),
        ([np.int64(1), 2, 3], "int32"),
        ([1.0, 2, 3], "float32"),
        ([np.float64(1), 2.0, 3.0], "float64"),
        ([[True], [False]], "bool"),
        (np.array(["a", "bcd"]), "object"),
    ],
    ids=repr,
)
def test_a_shuffle_has_an_op_for_each_type_of_values(value, kind):
    """tensorflow 35"""
    tfr.set_seed(4)
    expected = [tfr.shuffle(np.arange(size).astype(kind), 3).tolist() for size in (2, 9)]
    tfr.set_seed(4)
    tfr.shuffle(value, 3)
    assert tfr.shuffle(np.arange(9).astype(kind), 3).tolist() == expected[1]
