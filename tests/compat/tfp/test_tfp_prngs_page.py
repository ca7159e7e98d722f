"""The code blocks of TFP's page on PRNGs and seeds, with every equality and inequality they state.

The samplers of compat.tfp replace TFP's distributions and chains: Normal(0, 1).sample is samplers.normal, and
sample_chain with RandomWalkMetropolis is `chain` below, which splits its seed as TFP does. A set of op objects, each
with its own state, replaces a tf.function, whose graph nodes have their own states. The block on JAX belongs to
compat.jax.
"""

import numpy as np
import pytest

from dmlrand.compat import tensorflow as tfr, tfp


@pytest.fixture(autouse=True)
def no_global_seed():
    tfr.set_seed(None)
    yield
    tfr.set_seed(None)


def log_prob(x):
    return np.float32(-0.5) * x * x


def chain(pair):
    """10 results of random-walk Metropolis on a standard normal, from 0, with TFP's own discipline of splitting."""
    results, state, seed = [], np.float32(0), pair
    for _ in range(10):
        step_seed, seed = tfp.split_seed(seed)
        proposal_seed, acceptance_seed = tfp.split_seed(step_seed)
        (part_seed,) = tfp.split_seed(proposal_seed, n=1)
        proposal = tfp.normal([], mean=state, stddev=1.0, seed=part_seed)[()]
        if np.log(tfp.uniform([], seed=acceptance_seed)) < log_prob(proposal) - log_prob(state):
            state = proposal
        results.append(state)
    return np.array(results)


def run_mcmc(seed):
    return chain(tfp.sanitize_seed(seed, salt="mcmc.sample_chain"))


# Results of the page's lines in tensorflow-probability 0.25.0, with tfp.mcmc.sample_chain itself.
SEEN_234 = [
    [0.6970265507698059, -0.1696382761001587, 0.263733446598053, 1.287006139755249, 1.287006139755249,
     1.287006139755249, 0.6262516975402832, 0.6312499046325684, -0.6836401224136353, 1.1462836265563965],
    [0.6656076312065125, 0.6656076312065125, 1.4871337413787842, -1.0744857788085938, -0.2239113450050354,
     0.8812732100486755, -0.7092652916908264, 0.19298309087753296, -0.11513620615005493, -0.11513620615005493],
]  # fmt: skip
SEEN_PAIR = [
    0.21728253364562988, -0.5400245785713196, -0.5400245785713196, 0.2272932529449463, -1.6041723489761353,
    -1.6041723489761353, -1.6041723489761353, -1.5973730087280273, -1.5973730087280273, -1.322253942489624,
]  # fmt: skip


def is_seen(results, seen):
    """Whether results are equal, except for the last bits of normals, which add up along the chain."""
    return np.allclose(results, seen, rtol=0, atol=4e-6)


def test_stateful_samplers_in_eager_mode():
    """tfp 1"""

    def f():
        r1 = tfp.normal([], seed=234)
        r2 = tfp.normal([], seed=234)
        return r1, r2

    tfr.set_seed(123)
    r1, r2 = f()
    assert r1 != r2

    tfr.set_seed(123)
    r3, _ = f()
    assert r1 == r3

    def run2():
        return run_mcmc(234), run_mcmc(234)

    tfr.set_seed(123)
    m1, m2 = run2()
    assert np.all(m1 != m2)
    tfr.set_seed(123)
    m3, _ = run2()
    assert np.all(m1 == m3)
    assert is_seen(m1, SEEN_234[0]) and is_seen(m2, SEEN_234[1])


def test_stateless_samplers():
    """tfp 1"""
    r1 = tfp.normal([], seed=(1, 2))
    r2 = tfp.normal([], seed=np.array([1, 2], np.int32))
    assert r1 == r2

    m1 = run_mcmc((1, 2))
    m2 = run_mcmc((1, 2))
    tfr.set_seed(99)  # neither required nor of any effect
    m3 = run_mcmc((1, 2))
    assert np.all(m1 == m2)
    assert np.all(m1 == m3)
    assert is_seen(m1, SEEN_PAIR)
