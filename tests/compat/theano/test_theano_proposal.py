"""Theano's proposal: both examples as written, with the changes that specs/theano.md names, and its statements."""

import ast
import copy
import re

import numpy as np

from dmlrand import fold_in, seed_state, uniform
from dmlrand.compat import theano
from dmlrand.compat.theano import Container, Input, MetaRandom, RandomState, Result, Rng, function

EXAMPLE = """
r = MetaRandom(metaseed=872364)
rr = MetaRandom(metaseed=99)
u = r.uniform(shape=(3,4,5), low=0.0, high=1.0)
v = r.uniform(shape=(8,), low=-1.0, high=0.0)
w = rr.uniform(shape=(), low=-10., high=10.)
fn_v = compile.function([], [v])
print fn_v.state[v.rng]
fn_uvw = compile.function([], [u,v,w])
assert fn_v.state[v.rng] != fn_uvw.state[v.rng]
fn_v()
fn_v()
fn_uvw()
r.seed(fn_v, 872364)
fn_v()
fn_v()
rr.seed(fn_uvw, 99)
fn_uvw()
"""

OTHER_SYNTAX = """
r = RandomState(name = 'r')
rr = RandomState(name = 'rr')
u = r.uniform(shape=(3,4,5), 0.0, 1.0)
v = r.uniform(shape=(8,), -1.0, 0.0)
w = rr.uniform(shape=(), -10., 10.)
fn_v = compile.function([(r, 872364)], [v])
fn_uvw = compile.function([(r, 872364), (rr, 99)], [u,v,w])
fn_v()
fn_v()
fn_uvw()
fn_v.r = 872364
print fn_v.r
fn()
print fn_v.r
fn()
fn_uvw.rr = 99
fn_uvw()
"""

LETTERS = ["A", "B", "CAE", "A", "B", "DBE"]  # what the comments call the numbers of the calls, in order


def run(source):
    """The values of the calls of compiled functions, statement by statement."""
    names, calls = dict(vars(theano)), []
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Expr):
            value = eval(ast.unparse(statement), names)
            calls += [value] if isinstance(value, list) else []
        else:
            exec(ast.unparse(statement), names)
    return calls


def assert_letters(calls):
    """Equal letters are equal numbers, and different letters are different numbers."""
    assert [len(values) for values in calls] == [len(letters) for letters in LETTERS]
    drawn = [
        (letter, value.tobytes()) for letters, values in zip(LETTERS, calls) for letter, value in zip(letters, values)
    ]
    assert len(set(drawn)) == len({letter for letter, _ in drawn}) == len({value for _, value in drawn}) == 5


def with_print_calls(source):
    return re.sub(r"print (.*)", r"print(\1)", source)


def test_the_example_as_written(capsys):
    """theano 2.4"""
    calls = run(with_print_calls(EXAMPLE))
    assert_letters(calls)
    assert calls[0][0].tolist() == uniform(fold_in(seed_state(872364), 1), 8, low=-1.0, high=0.0).values.tolist()
    assert capsys.readouterr().out == "Container('872364/uniform_1', counter=0x0, key=0x4f65e5b4dd46609e)\n"


def test_the_other_syntax_as_written(capsys):
    source = re.sub(r"shape=(\(.*?\)), ", r"\1, ", with_print_calls(OTHER_SYNTAX))
    assert_letters(run(re.sub(r"^fn\(\)", "fn_v()", source, flags=re.MULTILINE)))
    assert capsys.readouterr().out.count("r/uniform_1") == 2


def test_the_default_random_and_names_that_are_not_public():
    v = theano.random.uniform(shape=(8,), low=0.0, high=1.0)
    fn = theano.compile.function([], [v])
    fn.state[v.rng] = [0, 0, 0, 0, 7, 0]
    assert isinstance(fn, theano.Function) and fn.state[v.rng].value.tolist() == [0, 0, 0, 0, 7, 0]
    assert v.rng.name == "random/uniform_0" and theano.random.bernoulli() in theano.random
    assert not any(hasattr(theano, name) for name in ("CompileFunction", "RandomOp", "Apply"))


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
    assert fn()[1].tobytes() == other()[1].tobytes()
    fn.r = 872364
    assert fn.r["r/uniform_0"].tolist() == fold_in(seed_state(872364), 0).tolist()


def test_generators_are_accessible_after_compilation():
    """theano 1.3"""
    r = MetaRandom(metaseed=872364)
    v = r.uniform(shape=(8,))
    fn = function([], [r.normal(), v])
    before = fn.state[v.rng].value
    assert before.dtype == np.uint32 and before.shape == (6,)
    drawn = fn()[1].tolist()
    assert fn.state[v.rng].value.tolist() == [2, 0, 0, 0, *before[4:].tolist()]  # 8 words: 2 blocks
    fn.state[v.rng] = before
    assert fn()[1].tolist() == drawn
    fn.state[v.rng].value = before.tolist()
    assert fn()[1].tolist() == drawn


def test_results_come_in_creation_order():
    """theano 1.1"""
    r = MetaRandom(3)
    made = [r.normal(), r.uniform(shape=4), r.bernoulli(), r.binomial(n=7)]
    assert list(r.results()) == made and all(result in r for result in made)
    assert made[0] + 1 not in r and 3 not in r and MetaRandom(3).normal() not in r


def test_copies_of_results_and_owners_are_the_same_objects():
    """theano 4.5"""
    r = MetaRandom(3)
    for each in (r, r.normal(), r.normal() + 1):
        assert copy.copy(each) is copy.deepcopy(each) is each


def test_a_list_of_outputs_gives_a_list_and_one_result_an_array():
    """theano 5.3"""
    v = MetaRandom(3).uniform(shape=(8,))
    assert isinstance(function([], v)(), np.ndarray)
    assert isinstance(function([], [v])(), list) and isinstance(function([], (v,))(), list)
    assert function([], [])() == []
    assert function([Input("unused")], v)(5).tolist() == function([], v)().tolist()
