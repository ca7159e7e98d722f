"""Every error of compat.theano, its wording, and that an error changes nothing."""

import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from dmlrand.compat import theano
from dmlrand.compat.theano import Input, MetaRandom, RandomState, function


def raises(error, message):
    return pytest.raises(error, match=re.escape(message))


@pytest.fixture
def r():
    return MetaRandom(7)


def test_absent_names_say_what_to_write_instead(r):
    other_draw = "Draw with dmlrand or numpy.random, and pass the values as an Input."
    for holder, name, remedy in [
        (theano, "In", "Compile without it, then set fn.state[v.rng] to a state."),
        (theano, "eq", "Compare the arrays that the call of the function returns."),
        (r.uniform(), "new_rng", "A compiled function stores the state after each draw itself."),
        (r, "permutation", other_draw),
        (RandomState("s"), "multinomial", other_draw),
    ]:
        with raises(AttributeError, f"has no attribute {name!r}. {remedy}"):
            getattr(holder, name)
        assert not hasattr(holder, "uniforn")


@pytest.mark.parametrize(
    "bits, error, problem",
    [
        (-1, ValueError, "must be in [0, 2**64); got -1."),
        (1 << 64, ValueError, "must be in [0, 2**64); got 18446744073709551616."),
        ([], TypeError, "must be an integer; got [] of type list. Pass an int."),
    ],
)
def test_seeds_out_of_range(r, bits, error, problem):
    fn = function([], r.uniform())
    before = r.getstate(fn)
    with raises(error, f"metaseed {problem}"):
        MetaRandom(bits)
    with raises(error, f"bits {problem}"):
        r.seed(fn, bits)
    assert_array_equal(r.getstate(fn)["7/uniform_0"], before["7/uniform_0"])
    s = RandomState("s")
    with raises(error, f"the seed of RandomState 's' {problem}"):
        function([(s, bits)], s.uniform())
    fn = function([(s, 1)], s.uniform())
    with raises(error, f"the seed of RandomState 's' {problem}"):
        fn.s = bits


# Parameters: an error of known numbers is raised at once, an error of an array or of a computed one at the call


@pytest.mark.parametrize(
    "distribution, arguments, error, message",
    [
        ("bernoulli", {"p": 1.5}, ValueError, "p must be in [0, 1]; got 1.5."),
        ("bernoulli", {"p": float("nan")}, ValueError, "p must be finite as a float64; got nan."),
        ("uniform", {"low": 1.0, "high": 1.0}, ValueError, "low must be below high in float32; got low 1.0 and "
            "high 1.0."),
        ("uniform", {"low": float("inf")}, ValueError, "low must be finite as a float32; got inf."),
        ("uniform", {"dtype": "int32"}, TypeError, "dtype must be float16, float32, float64 or bfloat16, in native "
            "byte order; got 'int32'."),
        ("normal", {"std": -1}, ValueError, "std must be at least 0; got -1. Its absolute value gives the same"),
        ("normal", {"mean": "a"}, TypeError, "mean must be a real number or an array of them; got 'a' of type str."),
        ("normal", {"mean": [[1], 2]}, TypeError, "mean must be a real number or an array of them; got [[1], 2] "
            "of type list."),
        ("binomial", {"n": -1}, ValueError, "n must be at least 0; got -1."),
        ("uniform", {"shape": -1}, ValueError, "shape must be at least 0; got -1."),
        ("uniform", {"shape": (Input("n"), -1)}, ValueError, "shape[1] must be at least 0; got -1."),
        ("uniform", {"shape": (1,) * 9}, ValueError, "shape must have rank 1 to 8; got (1, 1, 1, 1, 1, 1, 1, 1, 1) of "
            "rank 9."),
    ],
)  # fmt: skip
def test_parameters(r, distribution, arguments, error, message):
    """theano 1.1"""
    with raises(error, message):
        getattr(r, distribution)(**{"shape": (4,)} | arguments)
    assert list(r.results()) == []  # and no index was used


@pytest.mark.parametrize(
    "make, argument, error, message",
    [
        (lambda r, x: r.bernoulli(p=x), 2, ValueError, "p must be in [0, 1]; got 2."),
        (lambda r, x: r.uniform(low=x), 1, ValueError, "low must be below high in float32; got low 1 and high 1.0."),
        (lambda r, x: r.uniform(shape=1, low=[-3e38], high=3e38) + x, 0, ValueError, "high - low must be finite in "
            "float32; got low array"),
        (lambda r, x: r.normal(std=x), -1, ValueError, "std must be at least 0; got -1. Its absolute value gives "
            "the same"),
        (lambda r, x: r.binomial(n=x), 1.0, TypeError, "n must be an integer; got 1.0 of type float. Pass an int."),
        (lambda r, x: r.uniform(shape=(2, x)), -3, ValueError, "shape[1] must be at least 0; got -3."),
        (lambda r, x: r.uniform(shape=x), [[1]], TypeError, "shape must be an integer; got array([[1]]) of type"),
        (lambda r, x: r.normal(shape=3, mean=x), [1, 2], ValueError, "mean must broadcast to shape (3,); got shape "
            "(2,)."),
        (lambda r, x: r.uniform(shape=1 << 62) + x, 1, ValueError, "shape must describe fewer than 2**63 bytes; got"),
    ],
)  # fmt: skip
def test_a_failed_call_names_the_result_and_changes_no_state(r, make, argument, error, message):
    x, u = Input("x"), r.uniform(shape=3)
    v = make(r, x)
    fn = function([x], [u, v, r.normal()])
    before = str(r.getstate(fn))
    with raises(error, message) as caught:
        fn(argument)
    assert any(note.endswith("; no state of the function has changed") for note in caught.value.__notes__)
    if v in r:
        assert caught.value.__notes__[0].startswith(("while computing '7/", "while computing 'shape'"))
    assert str(r.getstate(fn)) == before


# Graphs


N, S = Input("n"), RandomState("s")
OF_R = "(MetaRandom(metaseed=7, name='7'), 3)"
FUNCTIONS = [  # of a MetaRandom: inputs and outputs
    (lambda r: (N, []), TypeError, "inputs must be a list; got Input."),
    (lambda r: ([N, 3], []), TypeError, "inputs[1] must be an Input or a pair (RandomState, seed); got 3."),
    (lambda r: ([(r, 3)], []), TypeError, f"inputs[0] must be an Input or a pair (RandomState, seed); got {OF_R}."),
    (lambda r: ([], [N + 1]), ValueError, "inputs must hold every Input of the graph; got none for 'n'. Add it."),
    (lambda r: ([N, N], []), ValueError, "inputs must hold each Input once; got 'n' twice."),
    (lambda r: ([(S, 1), (RandomState("s"), 2)], []), ValueError, "inputs must hold RandomStates of different names; "
     "got 's' twice."),
    (lambda r: ([(RandomState("state"), 1)], []), ValueError, "a RandomState in inputs must not have the name of an "
     "attribute of Function; got 'state'. Rename it."),
    (lambda r: ([], [MetaRandom(7, 3).normal()]), TypeError, "name must be a non-empty str; got 3 of type int."),
    (lambda r: ([], [S.uniform()]), ValueError, "inputs must give the seed of RandomState 's', from which the outputs "
     "draw; got none. Add the pair (s, seed)."),
    (lambda r: ([], 3), TypeError, "outputs must be a Result or a list of Results; got int."),
    (lambda r: ([], [r.uniform(), 3]), TypeError, "outputs[1] must be a symbolic result; got 3."),
]  # fmt: skip


@pytest.mark.parametrize("make, error, message", FUNCTIONS)
def test_inputs_and_outputs(r, make, error, message):
    with raises(error, message):
        function(*make(r))


def test_both_names_of_the_argument_of_setstate(r):
    """theano 4.9"""
    fn = function([], r.uniform())
    saved = r.getstate(fn)
    r.seed(fn, 1)
    r.setstate(fn, rstates=saved)
    assert str(r.getstate(fn)) == str(saved)
    with raises(TypeError, "exactly one of state and rstates must be given; got both. They are names of one argument."):
        r.setstate(fn, saved, rstates=saved)


def test_a_result_has_no_truth_value(r):
    """theano 5.4"""
    u = r.uniform()
    for condition in [u, u < 1]:
        with raises(TypeError, "a symbolic result has no truth value; got <"):
            bool(condition)
    assert (u == u) is True and (u == r.uniform()) is False and (u != u) is False  # identity, a bool
    total = u
    total += 1
    assert total is not u and function([], [total - u])()[0] == 1
    with pytest.raises(TypeError):
        np.add.reduce(u)


# Calls


def test_arguments():
    n = Input("n")
    for value, kind in (("a", "str"), (None, "NoneType"), ([[1], 2], "list")):
        with raises(TypeError, f"argument 'n' must be a real number or an array of them; got {value!r} of type {kind}"):
            function([n], n)(value)
    with raises(TypeError, "called with one value for each of its inputs, which are (n); got 2."):
        function([n], n)(1, 2)


# States


def test_setstate_with_foreign_or_missing_ops(r):
    """theano 4.2"""
    u, v = r.uniform(), r.normal()
    fn_u, fn = function([], [u]), function([], [u, v])
    both, one = r.getstate(fn), r.getstate(fn_u)
    fn()
    fn_u()
    before = fn.getstate(), fn_u.getstate()
    names = "in this function: '7/uniform_0', '7/normal_1'; got"
    of_r = f"state must have exactly the generators of MetaRandom(metaseed=7, name='7') {names} '7/uniform_0'. Pass"
    for call, arguments, error, message in [
        (r.setstate, (fn, one), ValueError, f"{of_r} what getstate returned for the same ops."),
        (r.setstate, (fn_u, both), ValueError, "function: '7/uniform_0'; got '7/uniform_0', '7/normal_1'. Pass"),
        (r.setstate, (fn, {3: 0}), ValueError, f"{names} 3. Pass"),
        (fn.setstate, (one,), ValueError, f"exactly the generators of all owners {names} '7/uniform_0'. Pass"),
        (MetaRandom(8).setstate, (fn, one), ValueError, "in this function: none; got '7/uniform_0'. Pass"),
        (r.setstate, (fn, None), TypeError, "state must map names to states, as getstate returns; got NoneType."),
        (r.setstate, (fn, both | {"7/normal_1": np.zeros(6)}), TypeError, "state['7/normal_1'] must hold uint32 words"),
        (r.setstate, (fn, both | {"7/normal_1": [1, 2]}), ValueError, "state['7/normal_1'] must hold 6 uint32 words"),
        (r.getstate, (3,), TypeError, "fn must be a Function; got int. function(inputs, outputs) makes one."),
    ]:
        with raises(error, message):
            call(*arguments)
    assert str((fn.getstate(), fn_u.getstate())) == str(before)


def test_generators_that_a_function_does_not_have(r):
    u, v = r.uniform(), r.uniform()
    fn = function([], [u])
    message = "the function has no generator '7/uniform_1' of that owner; its generators are '7/uniform_0'."
    with pytest.raises(KeyError) as caught:
        fn.state[v.rng]
    assert caught.value.args == (message,)
    with pytest.raises(KeyError):
        fn.state[v.rng] = [0] * 6
    with raises(TypeError, "state must be indexed by the .rng of a random result; got RandomResult."):
        fn.state[u]
    with raises(TypeError, "state['7/uniform_0'] must be a uint32 array or a sequence of 6 ints; got int."):
        fn.state[u.rng] = 3
    with raises(ValueError, "state['7/uniform_0'] must hold 6 uint32 words"):
        fn.state[u.rng].value = [3]


def test_attributes_that_are_no_random_state():
    s = RandomState("s")
    fn = function([(s, 1)], s.uniform())
    message = "the function has no RandomState 'q'; the RandomStates in its inputs are: s."
    with raises(AttributeError, message):
        fn.q = 3
    with raises(AttributeError, message):
        _ = fn.q
    with raises(AttributeError, "the function has no RandomState 'state'; the RandomStates in its inputs are: s."):
        fn.state = {}
    with raises(ValueError, "must have exactly the generators of RandomState 's' in this function: 's/uniform_0'; got"):
        fn.s = {}
    with raises(AttributeError, "the function has no RandomState 'q'; the RandomStates in its inputs are: none."):
        _ = function([], []).q
