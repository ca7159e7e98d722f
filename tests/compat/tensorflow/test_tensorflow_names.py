"""Names, tensors and shapes of TensorFlow: what is here, and what an error says to write instead."""

import inspect
import re

import numpy as np
import pytest

from dmlrand.compat import tensorflow as tfr, tfp

PARAMETERIZED = "stateless_parameterized_truncated_normal"
CANDIDATES = [
    f"{name}_candidate_sampler" for name in ("all", "fixed_unigram", "learned_unigram", "log_uniform", "uniform")
]
REMEDIES = {
    PARAMETERIZED: "depend on its C library and on the number of threads",
    "create_rng_state": "Write Generator.from_seed(seed, alg).state.",
    "random": "Leave it out: the functions of tf.random are functions of this package.",
    "function": "tf.function does not exist here",
} | dict.fromkeys(CANDIDATES, "Candidate samplers are not imitated.")


class Tensor:
    """The attribute that tensors of TensorFlow are known by."""

    class dtype:
        as_numpy_dtype = np.int32

    def __index__(self):
        return 1

    def __array__(self, dtype=None, copy=None):
        return np.array([1, 2], np.int32)


@pytest.mark.parametrize("name", REMEDIES)
def test_the_error_of_an_absent_name_says_what_to_do(name):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'.*{re.escape(REMEDIES[name])}"):
        getattr(tfr, name)
    with pytest.raises(AttributeError, match="has no attribute 'uniforn'$"):
        tfr.uniforn  # noqa: B018


TENSOR = Tensor()


@pytest.mark.parametrize(
    "name, call",
    [
        ("seed", lambda: tfr.stateless_uniform([2], TENSOR)),
        ("seed", lambda: tfr.split([TENSOR, 2])),
        ("shape", lambda: tfr.stateless_uniform(TENSOR, [1, 2])),
        ("shape", lambda: tfr.uniform([2, TENSOR])),
        ("minval", lambda: tfr.stateless_uniform([2], [1, 2], TENSOR, 9)),
        ("stddev", lambda: tfr.normal([2], 0.0, TENSOR)),
        ("logits", lambda: tfr.categorical(TENSOR, 2)),
        ("data", lambda: tfr.fold_in([1, 2], TENSOR)),
        ("lam", lambda: tfr.stateless_poisson([2], [1, 2], TENSOR)),
        ("probs", lambda: tfr.stateless_binomial([2], [1, 2], 5.0, TENSOR)),
        ("state", lambda: tfr.Generator.from_state(TENSOR)),
        ("seed", lambda: tfp.sanitize_seed(TENSOR)),
        ("n", lambda: tfp.split_seed((1, 2), TENSOR)),
    ],
)
def test_tensors_are_refused(name, call):
    """tensorflow 32"""
    message = f"{name} must be or hold no tensor of TensorFlow; got a Tensor. Pass its array: {name}.numpy()."
    with pytest.raises(TypeError, match="^" + re.escape(message)):
        call()


def test_algorithms():
    """tensorflow 33"""
    assert tfr.stateless_split is tfr.split and tfr.stateless_fold_in is tfr.fold_in
    assert tfr.Generator.from_state([1, 2, 3], tfr.Algorithm.AUTO_SELECT).algorithm == 3
    assert tfr.split([1, 2], alg=tfr.Algorithm.PHILOX).tolist() == tfr.split([1, 2]).tolist()
    with pytest.raises(ValueError, match="^alg must be 'philox' .* ThreeFry is not imitated"):
        tfr.split([1, 2], alg=tfr.Algorithm.THREEFRY)


@pytest.mark.peers
def test_names_of_tf_random_and_their_arguments():
    """Every name that is not here is listed, and all others have TensorFlow's arguments."""
    tf = pytest.importorskip("tensorflow", reason="tensorflow is not installed")
    names, experimental = (
        [name for name in dir(each) if name[0] != "_"] for each in (tf.random, tf.random.experimental)
    )
    absent = {PARAMETERIZED, "create_rng_state", "experimental", *CANDIDATES}
    assert {name for name in [*names, *experimental] if not hasattr(tfr, name)} == absent
    pairs = [(getattr(tfr, name), getattr(tf.random, name)) for name in set(names) - absent]
    pairs += [(getattr(tfr, name), getattr(tf.random.experimental, name)) for name in set(experimental) - absent]
    Theirs = tf.random.Generator
    pairs += [(getattr(tfr.Generator, name), getattr(Theirs, name)) for name in dir(Theirs) if name[0] != "_"]
    calls = [pair for pair in pairs if inspect.isroutine(pair[1])]
    assert len(calls) > 30
    for ours, theirs in calls:
        parameters = [name for name in inspect.signature(ours).parameters if name != "jit_compile"]
        assert parameters == list(inspect.signature(theirs).parameters)
