"""The laws of compat.theano, over graphs of any kind: streams, states, checkpoints, pickles. Threads and forks:
tests/stream/test_position.py."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import edge_ints
from theano_makers import MAKERS
from waiting import LIMIT

from dmlrand import fold_in, load_checkpoint, save_checkpoint, seed_state
from dmlrand.compat.theano import Input, MetaRandom, RandomState, function

SEEDS = st.one_of(edge_ints(64), st.lists(edge_ints(64), min_size=1, max_size=3))
GRAPHS = st.lists(st.sampled_from(sorted(MAKERS)), min_size=1, max_size=6)


def as_lists(state):
    return {name: words.tolist() for name, words in state.items()}


def as_bytes(values):
    return [(value.dtype, value.shape, value.tobytes()) for value in values]


@st.composite
def graphs(draw):
    """(MetaRandom, its results)"""
    r = MetaRandom(draw(SEEDS))
    return r, [MAKERS[kind](r) for kind in draw(GRAPHS)]


@given(graphs(), st.data(), st.integers(1, 4))
def test_a_stream_depends_on_its_op_alone(graph, data, calls):  # theano 1.2
    r, results = graph
    chosen = data.draw(st.sampled_from(results))
    alone = function([], chosen)
    others = data.draw(st.permutations(results))[: data.draw(st.integers(0, len(results)))]
    place = data.draw(st.integers(0, len(others)))
    among = function([], [*others[:place], chosen, *others[place:]])
    also = function([], [chosen + 0, MAKERS["uniform"](r), chosen])  # compiled later, beside an op made later
    for _ in range(calls):
        value = alone()
        assert as_bytes([value]) == as_bytes([among()[place]]) == as_bytes([also()[2]])


@given(SEEDS, GRAPHS, GRAPHS)
def test_states_are_folded_by_the_index_of_creation(seed, kinds, more):  # theano 1.4, 2.1, 2.2
    r = MetaRandom(seed)
    other = MetaRandom(seed, name="other")
    results = []
    for kind in kinds:
        results.append(MAKERS[kind](r))
        MAKERS[more[0]](other)  # ops of another owner do not count
    fn = function([], results[::-1])
    first, *rest = seed if isinstance(seed, list) else [seed]
    root = seed_state(first)
    for item in rest:
        root = fold_in(root, item)
    expected = {f"{r.name}/{kind}_{index}": fold_in(root, index).tolist() for index, kind in enumerate(kinds)}
    assert as_lists(r.getstate(fn)) == expected
    assert list(r.getstate(fn)) == list(expected)


@given(graphs(), SEEDS, st.integers(0, 3))
def test_states_are_seeded_saved_and_set_for_one_function(tmp_path_factory, graph, seed, calls):
    """theano 4.1, 4.3 and 4.4"""
    r, results = graph
    fn, other = function([], results), function([], results)
    for _ in range(calls):
        fn()
    assert as_lists(other.getstate()) == as_lists(function([], results).getstate())
    r.seed(fn, seed)
    save_checkpoint(path := tmp_path_factory.mktemp("theano") / "rng.json", r.getstate(fn))
    values = as_bytes(fn())
    other.setstate(load_checkpoint(path).states)
    assert as_bytes(other()) == values
    r.setstate(fn, load_checkpoint(path).states)
    assert as_bytes(fn()) == values
    assert as_lists(fn.getstate()) == as_lists(other.getstate())


@given(graphs(), st.integers(0, 2))
def test_states_read_are_copies(graph, calls):
    r, results = graph
    fn = function([], results)
    for _ in range(calls):
        fn()
    before = as_lists(fn.getstate())
    for state in [*r.getstate(fn).values(), *(each.value for each in fn.state.values())]:
        assert state.dtype == np.uint32 and state.shape == (6,) and state.flags.writeable
        state[:] = 0
    given_state = {name: np.array(words, np.uint32) for name, words in before.items()}
    fn.setstate(given_state)
    for state in given_state.values():
        state[:] = 0
    assert as_lists(fn.getstate()) == before


def test_states_are_readable():  # theano 4.8
    r = MetaRandom(7)
    fn = function([], [r.uniform(shape=9), r.normal()])
    fn()
    assert repr(fn.state) == (
        "States(Container('7/uniform_0', counter=0x3, key=0xd5e0f932b0d2c02), "
        "Container('7/normal_1', counter=0x1, key=0x6cf768dff1f13484))"
    )
    assert all(repr(container) in repr(fn.state) for container in fn.state.values())
    assert repr(function([], []).state) == "States()"


# Pickles and copies


@given(
    graphs(), st.integers(0, 3), st.sampled_from([copy.copy, copy.deepcopy, lambda fn: pickle.loads(pickle.dumps(fn))])
)
def test_a_copied_function_is_independent(graph, calls, copied):  # theano 4.5
    r, results = graph
    n = Input("n")
    fn = function([n], [*results, n * 2])
    for _ in range(calls):
        fn(1)
    other = copied(fn)
    assert as_lists(r.getstate(other)) == as_lists(r.getstate(fn))  # still r's, in this process
    values = as_bytes(fn(3))
    assert as_bytes(other(3)) == values
    fn(3)
    assert as_lists(other.getstate()) != as_lists(fn.getstate())
    r.seed(other, r.metaseed)
    assert as_lists(other.getstate()) == as_lists(function([], results).getstate())
    assert other.state[results[0].rng] != fn.state[results[0].rng]


def test_a_function_continues_in_another_process(tmp_path):  # theano 4.5
    r, s, n = MetaRandom(5), RandomState("s"), Input("n")
    v = r.normal(shape=(n,))
    fn = function([n, (s, 3)], [v, s.binomial(shape=(n,), n=9) + v.shape])
    fn(4)
    (tmp_path / "fn.pickle").write_bytes(pickle.dumps((r, fn)))
    values = [value.tolist() for value in fn(3)]
    script = (
        "import pickle, sys; r, fn = pickle.load(open(sys.argv[1], 'rb')); first = fn(3); r.seed(fn, 5); fn.s = 3; "
        "print([[value.tolist() for value in values] for values in (first, fn(4))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "fn.pickle"],
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT,
    )
    r.seed(fn, 5)
    fn.s = 3
    assert done.stdout.strip() == str([values, [value.tolist() for value in fn(4)]])


# Exceptions


@given(graphs(), st.data())
def test_an_exception_changes_no_state(graph, data):  # theano 4.7
    r, results = graph
    x = Input("x")
    outputs = data.draw(st.permutations([*results, r.bernoulli(p=x)]))
    fn, reference = function([x], outputs), function([x], outputs)
    fn(0.5)
    reference(0.5)
    before = as_lists(fn.getstate())
    for wrong in [(2.0,), (np.nan,), (), ("a",), (1, 2), ([0.1, 0.2],)]:
        with pytest.raises((TypeError, ValueError)):
            fn(*wrong)
        assert as_lists(fn.getstate()) == before
    assert as_bytes(fn(0.5)) == as_bytes(reference(0.5))
