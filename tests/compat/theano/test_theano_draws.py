"""The numbers of each op, recomputed from its state; and the symbolic layer."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_array_equal
from theano_makers import MAKERS

import dmlrand
from dmlrand.compat.theano import Input, MetaRandom, function

pytestmark = pytest.mark.both_kinds

START = dmlrand.fold_in(dmlrand.seed_state(42), 0)


def drawn(distribution, *arguments, **keywords):
    """(values, state after) of op 0 of metaseed 42."""
    result = getattr(MetaRandom(42), distribution)(*arguments, **keywords)
    fn = function([], result)
    values = fn()
    return values, fn.state[result.rng].value


def unit(state, shape):
    """theano 3.3: float64 numbers of [0, 1) straight from the words."""
    words = dmlrand.random_generator(state, (int(np.prod(shape)), 2)).values.astype(np.uint64)
    return (((words[:, 0] & np.uint64(0xFFFFF)) << np.uint64(32) | words[:, 1]) * 2.0**-52).reshape(shape)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_uniform_and_normal_are_dmlrands(dtype):  # theano 3.1
    for distribution, names in (("uniform", ("low", "high")), ("normal", ("mean", "stddev"))):
        values, after = drawn(distribution, (3, 5), -2, 7, dtype)
        expected = getattr(dmlrand, distribution)(START, (3, 5), **dict(zip(names, (-2, 7))), dtype=dtype)
        assert values.dtype == dtype
        assert_array_equal(values, expected.values)
        assert_array_equal(after, expected.state)


@pytest.mark.parametrize("distribution", ["uniform", "normal", "bernoulli"])
def test_a_scalar_is_the_element_of_a_vector_of_one(distribution):  # theano 3.2
    scalar, after = drawn(distribution)
    vector, after_vector = drawn(distribution, 1)
    assert scalar.shape == () and scalar == vector[0]
    assert_array_equal(after, after_vector)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_array_parameters_apply_element_by_element(dtype):  # theano 3.2
    low, high = np.array([[-1], [0.1], [5]]), np.array([6, 7.3, 8, 9])
    values, after = drawn("uniform", (2, 3, 4), low, high, dtype)
    fraction, expected = dmlrand.uniform(START, (2, 3, 4), dtype=dtype)
    bottom, top = low.astype(dtype), high.astype(dtype)
    assert values.dtype == dtype
    assert_array_equal(values, fraction * (top - bottom) + bottom)
    assert_array_equal(after, expected)
    same, _ = drawn("uniform", (2, 3, 4), np.full(4, -2.7), 9.1, dtype)
    assert_array_equal(same, dmlrand.uniform(START, (2, 3, 4), low=-2.7, high=9.1, dtype=dtype).values)

    values, _ = drawn("normal", (2, 3, 4), low, high, dtype)
    assert values.dtype == dtype
    assert_array_equal(values, dmlrand.normal(START, (2, 3, 4), dtype=dtype).values * top + bottom)
    assert drawn("normal", 2, 3.0, [0, 0], dtype)[0].tolist() == [3, 3]


@given(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, 2.0**-52, 2.0**-60])))
def test_bernoulli_is_a_uniform_number_below_p(p):  # theano 3.3
    values, after = drawn("bernoulli", (10, 10), p)
    assert values.dtype == np.int64
    assert_array_equal(values, unit(START, (10, 10)) < p)
    assert_array_equal(after, dmlrand.advance_blocks(START, 50))


@given(st.integers(0, 40), st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])))
def test_binomial_counts_numbers_below_p(n, p):  # theano 3.4
    values, after = drawn("binomial", (3, 2), n, p)
    assert values.dtype == np.int64
    assert_array_equal(values, (unit(START, (3, 2, n)) < p).sum(-1))
    assert_array_equal(after, dmlrand.advance_blocks(START, 3 * n))
    column, _ = drawn("binomial", (3, 2), n, [[p], [0], [1]])
    assert_array_equal(column[0], values[0])
    assert column[1:].tolist() == [[0, 0], [n, n]]


def drawn_from(words, distribution, **arguments):
    """The numbers that an op draws from the block of these four words, which exists because Philox is a bijection."""
    result = getattr(MetaRandom(0), distribution)(**arguments)
    fn = function([], result)
    fn.state[result.rng] = dmlrand.make_state(counter=dmlrand.locate(words, 7), key=7)
    return fn().tolist()


def test_a_number_at_a_bound_is_above_it():  # theano 3.3, 3.4
    quarter = [1 << 18, 0, 0, 0]  # float64 takes the low 20 bits of the first word as its highest
    assert drawn_from(quarter, "uniform", dtype="float64") == 0.25
    assert drawn_from(quarter, "bernoulli", p=0.25) == 0
    assert drawn_from(quarter, "bernoulli", p=np.nextafter(0.25, 1)) == 1
    assert drawn_from(2 * quarter[:2], "binomial", n=2, p=0.25) == 0
    assert drawn_from(2 * quarter[:2], "binomial", n=2, p=np.nextafter(0.25, 1)) == 2


def test_an_empty_draw_does_not_change_the_state():
    for distribution in MAKERS:
        values, after = drawn(distribution, (2, 0))
        assert values.shape[:2] == (2, 0)
        assert_array_equal(after, START)


# Symbolic shapes and parameters


def test_shapes_may_depend_on_inputs_and_on_draws():
    r, n = MetaRandom(1), Input("n")
    rows = 1 + r.binomial(n=4)
    v = r.uniform(shape=(rows + 1, n, 2))
    like = r.normal(shape=v.shape)
    flat = r.normal(shape=n * 3)
    fn = function([n], [rows, v, like, flat])
    for size in [3, 0, np.int8(2), np.array(4)]:
        count, values, likewise, vector = fn(size)
        assert values.shape == likewise.shape == (count + 1, size, 2)
        assert vector.shape == (size * 3,)
    sizes = Input("sizes")
    fn = function([sizes], r.uniform(shape=sizes))
    for size, shape in (([2, 3], (2, 3)), (np.array([], np.int64), ()), (4, (4,))):
        assert fn(size).shape == shape


def test_parameters_may_be_expressions():
    r, low, width = MetaRandom(1), Input("low"), Input("width")
    u = r.uniform(shape=5, low=low, high=low + width)
    v = r.normal(shape=5, mean=u * 2, std=width / 2)
    b = r.bernoulli(shape=5, p=(u - low) / width)
    fn = function([low, width], [u, v, b])
    uniforms, normals, bits = fn(3.0, 2.0)
    root = dmlrand.seed_state(1)
    assert_array_equal(uniforms, dmlrand.uniform(dmlrand.fold_in(root, 0), 5, low=3, high=5).values)
    standard = dmlrand.normal(dmlrand.fold_in(root, 1), 5).values
    assert_array_equal(normals, standard * np.float32(1) + uniforms * 2)
    assert_array_equal(bits, unit(dmlrand.fold_in(root, 2), (5,)) < (uniforms - 3) / 2)


def test_arithmetic_is_numpys():
    array = np.array([1.0, 5.0], np.float32)

    def outputs(x, y):
        return [
            x + y, x - y, x * y, x / y, x // y, -x, x < y, x <= y, x > y, x >= y, x.shape,
            1 + x, 1 - x, 2 * x, 2 / x, 7 // x, 1 < x, 3 >= x, array - x, x - array, array * x, x**2, np.sqrt(x),
        ]  # fmt: skip

    x, y = Input("x"), Input("y")
    numbers = np.array([3.0, 5.0], np.float32), 4.0
    for got, wanted in zip(function([x, y], outputs(x, y))(*numbers), map(np.array, outputs(*numbers)), strict=True):
        assert got.dtype == wanted.dtype
        assert_array_equal(got, wanted)


def test_outputs_share_memory_with_nothing():  # theano 1.5
    x, array = Input("x"), np.arange(3.0)
    constant = x * 1 + array
    fn = function([x], [x, x, constant, constant])
    given_array = np.arange(3.0)
    arrays = [given_array, *fn(given_array)]
    assert not any(np.shares_memory(*pair) for pair in combinations(arrays, 2))
    array[:] = 99  # the graph took a copy
    assert fn(given_array)[2].tolist() == [0, 2, 4]


def test_graphs_may_be_deeper_than_pythons_stack():
    r = MetaRandom(1)
    total = v = r.uniform()
    for _ in range(5_000):
        total = total + 0
    fn = function([], [total, v])
    assert pickle.loads(pickle.dumps(fn))() == pickle.loads(pickle.dumps(fn))()
    first, second = fn()
    assert first == second
