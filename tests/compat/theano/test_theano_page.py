"""Both examples of Theano's proposal as their page writes them, with the changes that specs/theano.md names."""

import ast
import re

from dmlrand.compat import theano

EXAMPLE = """
# create a random generator, providing a default seed to condition how RandomOp instances are produced.
r = MetaRandom(metaseed=872364)

# create a different random generator
rr = MetaRandom(metaseed=99)

# create an Op to produce a stream of random numbers.
# This generates random numbers uniformly between 0.0 and 1.0 excluded
# u will remember that it was made from r.
u = r.uniform(shape=(3,4,5), low=0.0, high=1.0)

# create a second Op for more random numbers
# v will remember that it was made from r.
v = r.uniform(shape=(8,), low=-1.0, high=0.0)

# create a third Op with a different underlying random state
# w will remember that it was made from rr.
w = rr.uniform(shape=(), low=-10., high=10.)

# compile a function to draw random numbers
# note: un-named state inputs will be added automatically.
# note: it is not necessary to draw samples for u, even though
#       u was created by r before v.
fn_v = compile.function([], [v])

# this prints some representation of v's rng in fn_v.
# The .rng property works for Result instances produced by MetaRandom.
print fn_v.state[v.rng]

# compile a function to draw each of u, v, w
# note: un-named state inputs will be added automatically
# note: This function (especially its internal state) is independent from fn_v.
fn_uvw = compile.function([], [u,v,w])

# N.B. The random number streams of fn_v and fn_uvw are independent.
assert fn_v.state[v.rng] != fn_uvw.state[v.rng]

fn_v()  # returns random numbers A (according to metaseed 872364)
fn_v()  # returns different random numbers B

# note that v's stream here is identical to the one in fn_v()
fn_uvw() # returns random numbers C, A, E

#explicitly re-seed v's random stream in fn_v
r.seed(fn_v, 872364)
fn_v()    # returns random numbers A (as above)
fn_v()    # returns random numbers B (as above)

#re-seed w's random stream in fn_uvw, but not u's or v's
rr.seed(fn_uvw, 99)
fn_uvw() # returns random numbers D, B, E
"""

OTHER_SYNTAX = """
# create a random state
r = RandomState(name = 'r')

# create a different random state
rr = RandomState(name = 'rr')

# create an Op to produce a stream of random numbers.
# That stream is a function of r's seed.
# This generates random numbers uniformly between 0.0 and 1.0 excluded
u = r.uniform(shape=(3,4,5), 0.0, 1.0)

# create a second Op for more random numbers
# This stream is seeded using a different function of r's seed.
# u and v should be independent
v = r.uniform(shape=(8,), -1.0, 0.0)

# create a third Op with a different underlying random state
w = rr.uniform(shape=(), -10., 10.)

# compile a function to draw random numbers
# note: it is not necessary to draw samples for u.
# we provide the seed for the RandomState r in the inputs list as a "Type 4" input
fn_v = compile.function([(r, 872364)], [v])

# compile a function to draw each of u, v, w
# we provide the seeds for the RandomStates r and rr in the inputs list as "Type 4" inputs
# note: the random state for r here is seeded independently from the one in fn_v, which means
#       random number generation of fn_v and fn_uvw will not interfere. Since the seed is the
#       same, it means they will produce the same sequence of tensors for the output v.
fn_uvw = compile.function([(r, 872364), (rr, 99)], [u,v,w])


fn_v()  # returns random numbers A
fn_v()  # returns different random numbers B

# note that v's stream here is identical to the one in fn_v()
fn_uvw() # returns random numbers C, A, E

#re-seed v's random stream in fn
fn_v.r = 872364

### Is this state readable? What should we do here:
print fn_v.r

fn()    # returns random numbers A

### Is this state well-defined?
### Does there even exist a number such that fn_v.r = N would have no effect on the rng states?
print fn_v.r

fn()    # returns random numbers B

#re-seed w's random stream, but not u's or v's
fn_uvw.rr = 99
fn_uvw() # returns random numbers D, B, E
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
    assert_letters(run(with_print_calls(EXAMPLE)))
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
