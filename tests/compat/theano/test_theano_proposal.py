"""The proposal's examples and requirements, comment by comment, in both of its syntaxes."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from dmlrand import fold_in, seed_state, uniform
from dmlrand.compat import theano
from dmlrand.compat.theano import Container, Function, Input, MetaRandom, RandomState, Result, Rng, function


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


def test_the_example_comment_by_comment(first):
    """theano 1.3, 1.4, 5.2"""
    r, rr, u, v, w = first
    # u and v "will remember" that they were made from r, and w from rr
    assert u in r and v in r and w not in r and w in rr and u not in rr
    assert isinstance(u, Result)
    # "it is not necessary to draw samples for u"; state inputs "will be added automatically"
    fn_v = function([], [v])
    assert list(fn_v.state) == [v.rng]
    # "this prints some representation of v's rng in fn_v"
    assert isinstance(v.rng, Rng) and isinstance(fn_v.state[v.rng], Container)
    assert str(fn_v.state[v.rng]) == "Container('872364/uniform_1', counter=0x0, key=0x4f65e5b4dd46609e)"
    fn_uvw = function([], [u, v, w])
    # "the random number streams of fn_v and fn_uvw are independent"
    assert fn_v.state[v.rng] != fn_uvw.state[v.rng]
    assert fn_v.state[v.rng] == fn_v.state[v.rng]

    (A,) = fn_v()
    (B,) = fn_v()
    assert A.shape == (8,) and not same(A, B)
    # "v's stream here is identical to the one in fn_v()"
    C, a, E = fn_uvw()
    assert same(a, A) and C.shape == (3, 4, 5) and E.shape == ()

    r.seed(fn_v, 872364)
    assert same(fn_v()[0], A)
    assert same(fn_v()[0], B)

    # "re-seed w's random stream in fn_uvw, but not u's or v's"
    rr.seed(fn_uvw, 99)
    D, b, e = fn_uvw()
    assert same(b, B) and same(e, E) and not same(D, C)


def test_the_numbers_of_the_example_are_those_of_its_metaseeds(first):
    """theano 2.4"""
    _, _, u, v, w = first
    C, A, E = function([], [u, v, w])()
    assert_array_equal(C, uniform(fold_in(seed_state(872364), 0), (3, 4, 5)).values)
    assert_array_equal(A, uniform(fold_in(seed_state(872364), 1), 8, low=-1.0, high=0.0).values)
    assert_array_equal(E, uniform(fold_in(seed_state(99), 0), 1, low=-10.0, high=10.0).values[0])
    assert C.min() >= 0 and C.max() < 1 and A.min() >= -1 and A.max() < 0 and -10 <= E < 10


def test_the_other_syntax_comment_by_comment():
    """theano 2.3, 5.1"""
    r = RandomState(name="r")
    rr = RandomState(name="rr")
    u = r.uniform((3, 4, 5), 0.0, 1.0)
    v = r.uniform((8,), -1.0, 0.0)
    w = rr.uniform((), -10.0, 10.0)
    fn_v = function([(r, 872364)], [v])
    fn_uvw = function([(r, 872364), (rr, 99)], [u, v, w])
    (A,) = fn_v()
    (B,) = fn_v()
    assert not same(A, B)
    # "random number generation of fn_v and fn_uvw will not interfere": "the same sequence of tensors for v"
    C, a, E = fn_uvw()
    assert same(a, A)
    fn_v.r = 872364
    # "Is this state readable?" Yes: the states by name, as getstate gives them
    readable = fn_v.r
    assert list(readable) == ["r/uniform_1"]
    assert_array_equal(readable["r/uniform_1"], fold_in(seed_state(872364), 1))
    assert same(fn_v()[0], A)
    # "Does there even exist a number such that fn_v.r = N would have no effect?" No number, but the states do
    fn_v.r = fn_v.r
    assert same(fn_v()[0], B)
    # "re-seed w's random stream, but not u's or v's"
    fn_uvw.rr = 99
    D, b, e = fn_uvw()
    assert same(b, B) and same(e, E) and not same(D, C)


def test_states_read_in_order_of_creation():
    r = RandomState("r")
    results = [r.normal(), r.uniform(), r.bernoulli()]
    fn = function([(r, 1)], results[::-1])
    names = ["r/normal_0", "r/uniform_1", "r/bernoulli_2"]
    assert list(fn.r) == list(r.getstate(fn)) == names


def test_both_syntaxes_draw_the_same_numbers(first):
    _, _, u, v, w = first
    r, rr = RandomState("r"), RandomState("rr")
    other = [r.uniform((3, 4, 5), 0.0, 1.0), r.uniform((8,), -1.0, 0.0), rr.uniform((), -10.0, 10.0)]
    fn = function([], [u, v, w])
    fn_other = function([(r, 872364), (rr, 99)], other)
    for _ in range(3):
        assert all(map(same, fn(), fn_other()))


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


def test_2_a_stream_depends_on_no_other_op_and_no_other_compilation(first):
    _, _, u, v, w = first
    (A,) = function([], [v])()
    for outputs, place in [([u, v], 1), ([v, u], 0), ([w, v, u], 1), ([v], 0), ([u * 2, v - w, v], 2)]:
        assert same(function([], outputs)()[place], A)


def test_3_any_one_op_can_be_adjusted_alone(first):
    _, _, u, v, w = first
    fn, reference = function([], [u, v, w]), function([], [u, v, w])
    fn.state[v.rng] = [1, 2, 3, 4, 5, 6]
    mine, theirs = fn(), reference()
    assert same(mine[0], theirs[0]) and same(mine[2], theirs[2])
    assert_array_equal(mine[1], uniform([1, 2, 3, 4, 5, 6], 8, low=-1.0, high=0.0).values)


def test_4_seeding_makes_all_ops_independent():
    r = MetaRandom(metaseed=1)
    fn = function([], [r.uniform(shape=(64,)) for _ in range(20)])
    for seed in [1, 2, 2**64 - 1, [1, 2]]:
        r.seed(fn, seed)
        draws = [draw.tobytes() for draw in fn()]
        assert len(set(draws)) == 20
        keys = {tuple(state[4:]) for state in r.getstate(fn).values()}
        assert len(keys) == 20


def test_5_and_6_states_are_saved_and_reinstated(first):
    r, _, u, v, w = first
    fn = function([], [u, v, w])
    fn()
    saved = r.getstate(fn)
    assert list(saved) == ["872364/uniform_0", "872364/uniform_1"]
    D, B, F = fn()
    r.setstate(fn, saved)
    d, b, g = fn()
    assert same(d, D) and same(b, B) and not same(g, F)  # w is rr's
    r.setstate(fn, rstates=saved)  # theano 4.9
    assert same(fn()[0], D)


# The sections on MetaRandom


def test_results_come_in_creation_order():
    """theano 1.1"""
    r = MetaRandom(3)
    made = [r.normal(), r.uniform(shape=4), r.bernoulli(), r.binomial(n=7)]
    assert list(r.results()) == made
    assert all(result in r for result in made)
    assert made[0] + 1 not in r and 3 not in r


def test_new_functions_are_as_if_seeded_with_the_metaseed():
    """theano 2.3"""
    for metaseed in [0, 7, 2**64 - 1, [5, 6], (5, 6), np.uint64(8)]:
        r = MetaRandom(metaseed)
        fn = function([], [r.uniform(shape=3), r.normal(shape=3)])
        before = r.getstate(fn)
        r.seed(fn, metaseed)
        for name, state in r.getstate(fn).items():
            assert_array_equal(state, before[name])


def test_a_list_of_integers_is_a_seed():
    """theano 1.4"""
    r = MetaRandom([5, 6, 7])
    v = r.uniform()
    root = fold_in(fold_in(seed_state(5), 6), 7)
    assert_array_equal(function([], v).state[v.rng].value, fold_in(root, 0))
    assert v.rng.name == "5-6-7/uniform_0"


def test_the_default_metarandom():
    """theano 1.4"""
    assert isinstance(theano.random, MetaRandom)
    assert theano.random.name == "random" and theano.random.metaseed == 0
    v = theano.random.uniform(shape=2)
    assert v in theano.random and isinstance(function([], v), Function)


def test_two_metarandoms_of_one_seed_are_synchronized_but_separate():
    """The proposal: mostly for debugging, "when you want to synchronize two sets of random number streams"."""
    r, rr = MetaRandom(5), MetaRandom(5, name="second")
    v, w = r.uniform(shape=4), rr.uniform(shape=4)
    fn = function([], [v, w])
    assert same(*fn())
    assert v not in rr and w not in r
    r.seed(fn, 6)
    assert not same(*fn())
    rr.seed(fn, 6)
    r.seed(fn, 6)
    assert same(*fn())
    assert list(fn.getstate()) == ["5/uniform_0", "second/uniform_0"]


def test_getstate_of_a_function_without_members_is_empty(first):
    r, rr, _, v, _ = first
    fn = function([], [v])
    before = r.getstate(fn)
    assert rr.getstate(fn) == {}
    rr.setstate(fn, {})
    rr.seed(fn, 3)
    assert_array_equal(r.getstate(fn)["872364/uniform_1"], before["872364/uniform_1"])


# Results and outputs


def test_a_list_of_outputs_gives_a_list_and_one_result_an_array(first):
    """theano 5.3"""
    _, _, _, v, _ = first
    assert isinstance(function([], v)(), np.ndarray)
    assert isinstance(function([], [v])(), list)
    assert isinstance(function([], (v,))(), list)
    assert function([], [])() == []
    assert same(function([Input("unused")], v)(5), function([], v)())


def test_one_draw_used_twice_is_drawn_once(first):
    _, _, _, v, _ = first
    fn = function([], [v - v, v, v + 0, v])
    zero, a, b, c = fn()
    assert not zero.any() and same(a, b) and same(a, c)
    assert not np.shares_memory(a, c)
    assert fn.state[v.rng].value[0] == 2
