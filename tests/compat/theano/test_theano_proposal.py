"""The proposal's examples and requirements, comment by comment, in both of its syntaxes."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from dmlrand import fold_in, seed_state
from dmlrand.compat.theano import Container, Input, MetaRandom, RandomState, Result, Rng, function


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.fixture
def first():
    """The example's r and rr, and u, v, w."""
    r = MetaRandom(metaseed=872364)
    rr = MetaRandom(metaseed=99)
    u = r.uniform(shape=(3, 4, 5), low=0.0, high=1.0)
    v = r.uniform(shape=(8,), low=-1.0, high=0.0)
    w = rr.uniform(shape=(), low=-10.0, high=10.0)
    return r, rr, u, v, w


def test_the_states_of_a_random_state():
    """theano 2.3, 5.1 and 5.2"""
    r = RandomState("r")
    v, w = r.uniform((8,), -1.0, 0.0), r.normal()
    fn, other = function([(r, 872364)], [w, v]), function([(r, 872364)], [w, v])
    assert isinstance(v, Result) and isinstance(v.rng, Rng) and isinstance(fn.state[v.rng], Container)
    assert fn.state[v.rng] == fn.state[v.rng] != other.state[v.rng]
    fn()
    assert list(fn.r) == list(r.getstate(fn)) == ["r/uniform_0", "r/normal_1"]
    fn.r = fn.r
    other()
    assert same(fn()[1], other()[1])
    fn.r = 872364
    assert_array_equal(fn.r["r/uniform_0"], fold_in(seed_state(872364), 0))


# The six requirements, by their numbers


def test_1_generators_are_accessible_after_compilation(first):
    """theano 1.3"""
    _, _, u, v, _ = first
    fn = function([], [u, v])
    before = fn.state[v.rng].value
    assert before.dtype == np.uint32 and before.shape == (6,)
    _, A = fn()
    after = fn.state[v.rng].value
    assert after.tolist() == [2, 0, 0, 0, *before[4:].tolist()]  # 8 words: 2 blocks
    fn.state[v.rng] = before
    assert same(fn()[1], A)
    fn.state[v.rng].value = before.tolist()
    assert same(fn()[1], A)


# The sections on MetaRandom


def test_results_come_in_creation_order():
    """theano 1.1"""
    r = MetaRandom(3)
    made = [r.normal(), r.uniform(shape=4), r.bernoulli(), r.binomial(n=7)]
    assert list(r.results()) == made
    assert all(result in r for result in made)
    assert made[0] + 1 not in r and 3 not in r


# Results and outputs


def test_a_list_of_outputs_gives_a_list_and_one_result_an_array(first):
    """theano 5.3"""
    _, _, _, v, _ = first
    assert isinstance(function([], v)(), np.ndarray)
    assert isinstance(function([], [v])(), list)
    assert isinstance(function([], (v,))(), list)
    assert function([], [])() == []
    assert same(function([Input("unused")], v)(5), function([], v)())
