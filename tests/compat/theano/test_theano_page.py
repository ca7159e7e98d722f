"""Both examples of Theano's proposal as written, without comments, with the changes that specs/theano.md names."""

import ast
import re

from dmlrand import fold_in, seed_state, uniform
from dmlrand.compat import theano

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


def test_other_statements_of_the_proposal():
    assert isinstance(theano.random, theano.MetaRandom)
    v = theano.random.uniform(shape=(8,), low=0.0, high=1.0)
    fn = theano.compile.function([], [v])
    fn.state[v.rng] = [0, 0, 0, 0, 7, 0]
    assert isinstance(fn, theano.Function) and fn.state[v.rng].value.tolist() == [0, 0, 0, 0, 7, 0]
    assert theano.random.normal() in theano.random and theano.random.bernoulli() in theano.random
    assert not any(hasattr(theano, name) for name in ("CompileFunction", "RandomOp", "Apply"))
