"""compat.tfp: recorded answers, the rules of stateful and stateless seeds, refused inputs (specs/tfp.md)."""

import re

import numpy as np
import pytest
from numbers_at import dtype_of
from recorded import each, each_of, load, numbers_of
from refusing import refused
from tf_answers import assert_answer, assert_near, logits_of

from dmlrand.compat import jax, tensorflow as tfr, tfp

pytestmark = [pytest.mark.both_kinds, pytest.mark.usefixtures("no_global_seed")]


def seed_of(case):
    return {"tuple": tuple, "list": list}.get(case["seed_kind"], np.int32)(case["seed"])


@each("tfp_seeds", op="sanitize_seed")
def test_sanitize_seed(case):
    """tfp 2"""
    for seed in (seed_of(case), lambda: seed_of(case)):
        pair = tfp.sanitize_seed(seed, case["salt"])
        assert pair.tolist() == case["result"] and pair.dtype == np.int32


@each("tfp_seeds", op="split_seed")
def test_split_seed(case):
    """tfp 5"""
    n = case["n"] if case["n_kind"] == "python int" else np.array(case["n"])
    seeds = tfp.split_seed(seed_of(case), n, case["salt"])
    assert isinstance(seeds, list) == (case["n_kind"] == "python int")
    assert np.reshape(seeds, (-1, 2)).tolist() == case["result"]


@each("tfp_seeds", seed_kind="python int")
def test_int_seeds(case):
    """tfp 4"""
    tfr.set_seed(case["global_seed"])
    assert [tfp.sanitize_seed(case["seed"], case["salt"]).tolist() for _ in range(3)] == case["results"]


@each("tfp_samplers", op="normal")
def test_normal(case):
    """tfp 6"""
    dtype = dtype_of(case["dtype"])
    values = tfp.normal(case["shape"], case["mean"], case["stddev"], dtype, tuple(case["seed"]))
    assert list(values.shape) == case["shape"]
    assert_near(values, numbers_of(case["bits"], dtype), case["mean"], case["stddev"])


SAMPLERS = {
    "uniform": lambda c, seed: tfp.uniform(c["shape"], c["minval"], c["maxval"], dtype_of(c["dtype"]), seed),
    "shuffle": lambda c, seed: tfp.shuffle(np.arange(c["n"], dtype=np.int32), seed),
    "categorical": lambda c, seed: tfp.categorical(logits_of(c), c["num_samples"], seed=seed),
}


@each_of([case for case in load("tfp_samplers") if case["op"] in SAMPLERS])
def test_samplers(case):
    """tfp 7 and 8"""
    assert_answer(SAMPLERS[case["op"]](case, tuple(case["seed"])), case)


# Rules


@each("tfp_names", op="fold_in")
def test_fold_in(case):
    """tfp 12"""
    salt = int(case["salt"])
    if "dtype" in case:
        salt = np.array(salt, case["dtype"])
    folded = tfp.fold_in(case["seed"], salt)
    assert (folded.tolist(), folded.dtype.name) == (case["result"], case.get("dtype", "int32"))


@each("tfp_names", op="SeedStream")
def test_seed_stream(case):
    """tfp 13"""
    stream = tfp.SeedStream(case["seed"], case["salt"])
    again = tfp.SeedStream(stream, case["salt"])
    assert again.original_seed == case["seed"] and again.salt == case["salt"]
    for expected in case["result"]:
        assert str(stream()) == str(again()) == expected


def test_a_seed_stream_is_a_seed():
    """tfp 1 and 13"""
    tfr.set_seed(3)
    pair = tfp.sanitize_seed(tfp.SeedStream(5, "a"), "salt")
    tfr.set_seed(3)
    assert pair.tolist() == tfp.sanitize_seed(tfp.SeedStream(5, "a")(), "salt").tolist()
    with pytest.raises(TypeError, match="^seed must not be an array or a tensor; got array"):
        tfp.SeedStream(np.array([1, 2]), "a")


@each("tfp_gamma_poisson")
def test_gamma_poisson_and_rademacher(case):
    """tfp 7 and 14"""
    tfr.set_seed(case["global_seed"])
    call = tfp.rademacher if case["op"] == "rademacher" else getattr(tfp, case["op"])
    for _ in range(int(case["id"].rpartition("-")[2]) % 3):  # the cases before it since the global seed was set
        tfp.sanitize_seed(case["seed"])
    drawn = call(case["shape"], *case["parameters"], dtype=case["dtype"], seed=case["seed"])
    assert_answer(drawn, {**case, "shape": [*case["shape"], *drawn.shape[len(case["shape"]) :]]})


def test_shapes_of_parameters_and_kinds_of_seeds():
    """tfp 7 and 12"""
    expected = tfr.stateless_gamma([3, 2, 2], (1, 2), [[1.0], [20.0]], [1.0, 2.0])
    assert tfp.gamma([3], [[1.0], [20.0]], [1.0, 2.0], seed=(1, 2)).tolist() == expected.tolist()
    assert tfp.poisson([3], [4.0], seed=(1, 2)).tolist() == tfr.stateless_poisson([3, 1], (1, 2), [4.0]).tolist()
    assert [tfp.is_stateful_seed(each) for each in (None, -(2**80), (1, 2), True)] == [True, True, False, False]


@pytest.mark.parametrize(
    "name, remedy",
    [
        ("rayleigh", "Its bits depend on the C library and on Eigen's vector code: specs/tfp.md says what to write."),
        ("mcmc", "specs/tfp.md says what to write."),
        ("zeros_seed", "Write numpy.zeros(2, numpy.int32)."),
        ("clone_seed", "Use the seed itself."),
        ("samplers", "Leave it out: its functions are functions of this module."),
    ],
)
def test_names_that_are_refused(name, remedy):
    """tfp 14"""
    with pytest.raises(AttributeError, match=re.escape(f"has no attribute '{name}'. {remedy}")):
        getattr(tfp, name)


# Refusals


REMEDY = "Write int(seed) for a stateful seed, (first, second) for a stateless one."


@pytest.mark.parametrize(
    "kind, seed, message",
    [
        (TypeError, 1.5, f"seed must be an int, None or two ints; got 1.5 of type float. {REMEDY}"),
        (TypeError, True, f"seed must be an int, None or two ints; got True of type bool. {REMEDY}"),
        (ValueError, [1, 2, 3], "seed must have shape [2]: two ints, such as [1, 2]; got shape [3]."),
        (ValueError, [[1, 2]], "seed must have shape [2]: two ints, such as [1, 2]; got shape [1]."),
        (ValueError, [2**63, 1], "seed[0] must be in [-2**63, 2**63); got 9223372036854775808."),
        (TypeError, np.array([1.0, 2]), "seed must hold integers; got an array of float64. Convert it yourself."),
    ],
)
def test_bad_seeds(kind, seed, message):
    """tfp 3 and 9"""
    for call, *arguments in ([tfp.sanitize_seed], [tfp.split_seed], (tfp.uniform, [2]), (tfp.normal, [2]),
                             (tfp.shuffle, [1, 2]), (tfp.categorical, [[0.0]], 1)):  # fmt: skip
        refused(kind, message, call, *arguments, seed=seed)
    refused(ValueError, "seed[1] must be in [-2**31, 2**31); got 2147483648.", tfp.sanitize_seed, [1, 2**31], "salt")


def test_keys_of_compat_jax_are_refused():
    """tfp 10"""
    key = jax.PRNGKey(1)
    message = (
        "seed must not be a key of JAX, nor an array of uint32, their type; got array([0, 1], dtype=uint32). TFP on "
        "JAX makes other numbers from a key than TFP on TensorFlow. Split keys with dmlrand.compat.jax.split, or"
    )
    for call in (tfp.split_seed, lambda seed: tfp.sanitize_seed(seed, "salt"), lambda seed: tfp.shuffle([1], seed)):
        refused(TypeError, message, call, key)
        refused(TypeError, message, call, lambda: key)
    assert tfp.sanitize_seed(key.tolist()).tolist() == [0, 1]


def test_bad_counts():
    for n in ("salt", True, 2.0, np.array([3])):
        refused(TypeError, f"n must be an integer; got {n!r} of type ", tfp.split_seed, (1, 2), n)
    refused(ValueError, "n must be in [0, 2**63); got -1.", tfp.split_seed, (1, 2), -1)


def test_a_refused_call_moves_no_stateful_seed():
    """tfp 9"""
    tfr.set_seed(123)
    expected = [tfp.uniform([3], seed=5).tolist(), tfp.uniform([3]).tolist()]
    tfr.set_seed(123)
    for seed in (5, None):
        for call in (
            lambda: tfp.uniform([-1], seed=seed),
            lambda: tfp.uniform([2], 5, 1, seed=seed),
            lambda: tfp.normal([2], stddev="1", seed=seed),
            lambda: tfp.categorical([0.0], 1, seed=seed),
            lambda: tfp.shuffle(5, seed=seed),
            lambda: tfp.split_seed(seed, -1),
            lambda: tfp.sanitize_seed(seed, salt=5),
        ):
            with pytest.raises((TypeError, ValueError)):
                call()
    assert [tfp.uniform([3], seed=5).tolist(), tfp.uniform([3]).tolist()] == expected
