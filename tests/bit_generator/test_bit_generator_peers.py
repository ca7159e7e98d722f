"""PhiloxBitGenerator beside other packages: pytest -m peers, each as far as it is installed. specs/bit_generator.md.

DMLRAND_PEERS_SEED=n draws the cases of a run again.
"""

import os
import secrets

import numpy as np
import pytest
from hypothesis import given, seed, settings, strategies as st
from numpy.random import Generator
from strategies import counters, keys

from dmlrand import PhiloxBitGenerator, make_state

pytestmark = pytest.mark.peers

SEED = int(os.environ.get("DMLRAND_PEERS_SEED", secrets.randbits(32)))


@pytest.fixture(autouse=True)
def tell_the_seed():
    print(f"DMLRAND_PEERS_SEED={SEED} draws these cases again")  # pytest shows it where a test fails


# Draws of words, doubles and bounded integers, and of what numpy makes of them.
DISTRIBUTIONS = {
    "bytes": lambda rng: list(rng.bytes(33)),
    "gamma": lambda rng: rng.gamma(0.7, 2, 20),
    "int8": lambda rng: rng.integers(-5, 99, 21, np.int8),
    "int32": lambda rng: rng.integers(-5, 10**9, 21, np.int32),
    "int64": lambda rng: rng.integers(-5, 10**15, 21),
    "normal float32": lambda rng: rng.standard_normal(20, np.float32),
    "permuted": lambda rng: rng.permuted(np.arange(40).reshape(4, 10), axis=1),
    "random": lambda rng: rng.random(20),
}


@pytest.mark.parametrize("kind", DISTRIBUTIONS)
@seed(SEED)
@settings(max_examples=15, derandomize=False, database=None)  # new cases on every run, and none from runs before
@given(counter=counters, key=keys, skipped=st.integers(0, 9))
def test_draws_equal_those_of_randomgen(kind, counter, key, skipped):
    """bit_generator 3"""
    randomgen = pytest.importorskip("randomgen")
    # It increments first.
    theirs = Generator(randomgen.Philox(key=key, counter=(counter - 1) % 2**128, number=4, width=32))
    ours = Generator(PhiloxBitGenerator(make_state(counter=counter, key=key)))
    theirs.bit_generator.random_raw(skipped)
    ours.bit_generator.random_raw(skipped)
    for _ in range(2):
        assert np.array_equal(DISTRIBUTIONS[kind](ours), DISTRIBUTIONS[kind](theirs))

