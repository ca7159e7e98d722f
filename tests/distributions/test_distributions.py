"""What the distributions have in common: numbers of an oracle, windows, outputs, refusals.

specs/distributions.md, sections 1, 2 and 6.
"""

import math
import re
from functools import partial

import number_oracle as truth
import numpy as np
import oracle
import pytest
from hypothesis import given, settings, strategies as st
from number_oracle import ORACLES
from numbers_at import STATE, arguments_of, bits_of, bounds_of, dtype_of, every_distribution
from strategies import shapes_and_windows, states
from systems import OTHER_ORDER

import dmlrand
from dmlrand import (
    Stream,
    batch,
    bernoulli,
    cuda,
    dask,
    exponential,
    integers,
    normal,
    uniform,
    webgpu,
)
from dmlrand.drawing.number_rules import DISTRIBUTIONS

pytestmark = pytest.mark.both_kinds


def sampler(name, dtype):
    """draw(state, shape, **more) of a distribution with parameters other than the defaults."""
    return partial(getattr(dmlrand, name), **arguments_of(name, dtype))


def words_per_group(name, dtype):
    """How many words make how many numbers."""
    group = ORACLES[name].group
    return group * (2 if dtype_of(dtype).itemsize == 8 else 1), group


@every_distribution
@given(state=states(), lane=st.integers(0, 3), n=st.integers(0, 9))
def test_the_numbers_are_those_of_the_oracle(name, dtype, state, lane, n):
    """distributions 1.1, 1.2, 3.2, 4.1, 5.1 and 7.1"""
    values, _ = sampler(name, dtype)(state[0], n, lane=lane)
    size, group = words_per_group(name, dtype)
    words = oracle.words(*state[1:], lane, -(-n // group) * size)
    kind = truth.TYPES.get(dtype)
    found = [truth.from_bits(bits, kind) for bits in bits_of(values)] if kind else values.tolist()
    expected = ORACLES[name].numbers(words, dtype, *ORACLES[name].parameters)[:n]
    assert len(found) == n and values.dtype == dtype_of(dtype)
    assert all(abs(value - number) <= error for value, (number, error) in zip(found, expected, strict=True))


# Windows


@every_distribution
@settings(max_examples=6)
@given(state=states(), shape_and_window=shapes_and_windows)
def test_a_window_is_that_slice_of_the_whole(name, dtype, state, shape_and_window):
    """distributions 6.2 and 5.3"""
    draw = sampler(name, dtype)
    shape, window = shape_and_window
    whole, after = draw(state[0], shape)
    values, state_after = draw(state[0], shape, window=window)
    expected = np.asarray(whole[window])
    assert (values.dtype, values.shape, values.tobytes()) == (expected.dtype, expected.shape, expected.tobytes())
    assert state_after.tolist() == after.tolist()


@pytest.mark.parametrize("lane", range(4))
def test_the_last_words_with_positions_below_2_63(lane):
    """distributions 6.3: One more, and their place overflows 63 bits: refused."""
    n = 2**63 - 1 - lane
    last = uniform(STATE, n, window=slice(n - 1, None), lane=lane).values
    before = uniform(STATE, n, window=slice(n - 5, None), lane=lane).values
    assert last.tolist() == before[4:].tolist()
    with pytest.raises(ValueError, match="shape must use fewer than 2"):
        uniform(STATE, n + 1, window=slice(n, None), lane=lane)
    with pytest.raises(ValueError, match=r"^shape must use fewer than 2\*\*63 words; got .* of float64\. Draw several"):
        uniform(STATE, 2**62, window=0, dtype="float64")
    with pytest.raises(ValueError, match=r"^window must describe fewer than 2\*\*63 bytes; got .* with 8 bytes an"):
        uniform(STATE, 2**62 - 2, window=..., dtype="float64")


# Refusals


def call(name):
    """The function, with its default dtype."""
    return partial(getattr(dmlrand, name), **bounds_of(name))


REFUSED = [
    (([0] * 5, 3), {}, ValueError, "state must hold 6 uint32 words"),
    ((STATE, None), {}, TypeError, "shape must be given if out is not; got neither. Pass shape for a new"),
    ((STATE, -1), {}, ValueError, "shape must be at least 0; got -1."),
    ((STATE, (2**32, 2**31)), {}, ValueError, "shape must describe fewer than 2**63 bytes; got (4294967296"),
    ((STATE, 3), {"threads": 0}, ValueError, "threads must be at least 1; got 0."),
    ((STATE, 3), {"lane": 4}, ValueError, "lane must be in [0, 4); got 4."),
    ((STATE, 3), {"out": [0.0] * 3}, TypeError, "out must be a numpy array; got list."),
    ((STATE, 3), {"out": np.zeros(3, np.int8)}, TypeError, "out must hold "),
    ((STATE, 4), {"out": None, "dtype": f"{OTHER_ORDER}f4"}, TypeError, "dtype must be "),
    ((STATE, 3), {"dtype": None}, TypeError, "dtype must be "),
    ((STATE, 3), {"dtype": "float"}, TypeError, "dtype must be "),
    ((STATE, 3), {"dtype": "int8"}, TypeError, "dtype must be "),
]


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("arguments, more, error, wording", REFUSED, ids=lambda value: str(value)[:50])
def test_refused(name, arguments, more, error, wording):
    """distributions 2.1, 2.2 and 2.5"""
    row = DISTRIBUTIONS[name]
    if "dtype" in more and not row.dtype_names or more.get("dtype") == "float" and "float64" in row.dtypes:
        pytest.skip("no argument of the function, or numpy's name for float64")
    with pytest.raises(error) as raised:
        call(name)(*arguments, **more)
    assert str(raised.value).startswith(wording)


NO_NUMBERS = "low and high - 1 must be numbers of {}, in {}; got low {} and high {}. Use a wider dtype"
INT32 = "[-2**31, 2**31)"
WRONG_PARAMETERS = [
    (uniform, {"low": 1, "high": 1}, ValueError, "low must be below high once both are rounded to float32; got low 1"),
    (uniform, {"low": 1.0, "high": 1.00000001}, ValueError, "low must be below high once both are rounded to float32; "
     "got low 1.0, which becomes 1.0, and high 1.00000001, which becomes 1.0."),
    (uniform, {"low": math.nan}, ValueError, "low must be finite as a float32; got nan. Pass a finite number that the"),
    (uniform, {"high": math.inf}, ValueError, "high must be finite as a float32; got inf."),
    (uniform, {"high": 1e39}, ValueError, "high must be finite as a float32; got 1e+39."),
    (uniform, {"high": 10**400}, ValueError, "high must be finite as a float32; got an int of 1329 bits."),
    (uniform, {"low": -3e38, "high": 3e38}, ValueError, "high - low must be a finite number of float32; got low -3e"),
    (uniform, {"low": "0"}, TypeError, "low must be a real number; got '0' of type str. Pass a float."),
    (uniform, {"low": np.timedelta64(0, "s")}, TypeError, "low must be a real number; got np.timedelta64(0,"),
    (uniform, {"low": None}, TypeError, "low must be a real number; got None of type NoneType."),
    (uniform, {"high": True}, TypeError, "high must be a real number; got True of type bool."),
    (uniform, {"high": 1j}, TypeError, "high must be a real number; got 1j of type complex."),
    (uniform, {"high": np.ones(1)}, TypeError, "high must be a real number; got array([1.]) of type ndarray."),
    (normal, {"stddev": -1}, ValueError, "stddev must be at least 0; got -1. Its absolute value gives the"),
    (normal, {"stddev": 1e39}, ValueError, "stddev must be finite as a float32; got 1e+39."),
    (normal, {"mean": math.inf}, ValueError, "mean must be finite as a float32; got inf."),
    (exponential, {"scale": -1}, ValueError, "scale must be at least 0; got -1. It is the mean of the numbers."),
    (exponential, {"scale": math.inf}, ValueError, "scale must be finite as a float32; got inf."),
    (bernoulli, {"p": 1.0000001}, ValueError, "p must be in [0, 1]; got 1.0000001. It is the probability of True."),
    (bernoulli, {"p": math.nan}, ValueError, "p must be finite as a float64; got nan."),
    (bernoulli, {}, TypeError, "p must be given, by position after shape or by name; got None. p=0.5 gives True half "),
    (bernoulli, {"p": 0.5, "out": np.zeros(3, np.uint8)}, TypeError, "out must hold bool in native byte order; got ui"),
    (integers, {"low": 5, "high": 5}, ValueError, "low must be below high; got low 5 and high 5. high itself is never"),
    (integers, {"low": -5, "high": 2**63 + 5, "dtype": "int64"}, ValueError,
     NO_NUMBERS.format("int64", "[-2**63, 2**63)", -5, 2**63 + 5)),
    (integers, {"low": 0, "high": 2**4000}, ValueError, NO_NUMBERS.format("int32", INT32, 0, "an int of 4001 bits")),
    (integers, {"low": -(2**31) - 1, "high": 5}, ValueError, NO_NUMBERS.format("int32", INT32, -(2**31) - 1, 5)),
    (integers, {"low": 0, "high": 2**31 + 1}, ValueError, NO_NUMBERS.format("int32", INT32, 0, 2**31 + 1)),
    (integers, {"low": -1, "high": 5, "dtype": np.uint32}, ValueError,
     NO_NUMBERS.format("uint32", "[0, 2**32)", -1, 5)),
    (integers, {"low": 0.0, "high": 5}, TypeError, "low must be an integer; got 0.0 of type float. Pass an int."),
    (integers, {}, TypeError, "low and high must both be given; got low None and high None. low=0, high=10 draws from"),
    (integers, {"low": 1}, TypeError, "low and high must both be given; got low 1 and high None."),
    (integers, {"high": 1}, TypeError, "low and high must both be given; got low None and high 1."),
]  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("draw, arguments, error, wording", WRONG_PARAMETERS, ids=range(len(WRONG_PARAMETERS)))
def test_wrong_parameters_are_refused(draw, arguments, error, wording):
    """distributions 2.3, 2.4, 2.6, 4.2, 7.1 and 7.4"""
    with pytest.raises(error) as raised:
        draw(STATE, 3, **arguments)
    assert str(raised.value).startswith(wording)


@pytest.mark.parametrize("shape", [{}, {"shape": None}, {"shape": (2, 3)}], ids=str)
def test_the_shape_may_come_from_out(shape):
    """distributions 2.1; stream 5: by name and by default, alike in functions and streams."""
    for name, row in DISTRIBUTIONS.items():
        function, arguments = getattr(dmlrand, name), bounds_of(name)
        expected = function(STATE, (2, 3), **arguments).values
        for draw in (lambda **more: function(STATE, **more).values, getattr(dmlrand.Stream(STATE), name)):
            out = np.zeros((2, 3), row.default_dtype)
            assert draw(**shape, **arguments, out=out) is out
            assert out.tolist() == expected.tolist()
            with pytest.raises(ValueError, match=r"^shape must be the shape of out, or None; got \(3,\) with an out"):
                draw(shape=3, **arguments, out=out)


def test_dtypes_in_every_spelling():
    """distributions 2.2"""
    for spelling in ("float32", "f4", np.float32, np.dtype("f4"), "single", "=f4"):
        assert uniform(STATE, 3, dtype=spelling).values.dtype == np.float32
    bfloat16 = dtype_of("bfloat16")
    for spelling in ("bfloat16", bfloat16, bfloat16.type):
        assert normal(STATE, 3, dtype=spelling).values.dtype == bfloat16


def test_equal_arguments_of_different_types_are_distinguished():
    """distributions 2.3, 2.6 and 5.3: also after a draw with equal arguments, whose rule is cached."""
    assert integers(STATE, 3, 0, 9).values.tolist() == integers(STATE, 3, np.int64(0), np.int64(9)).values.tolist()
    for low, high in ((0.0, 9), (0, 9.0), (False, 9)):
        with pytest.raises(TypeError, match="must be an integer; got "):
            integers(STATE, 3, low, high)
    uniform(STATE, 3, low=0, high=1)
    for low, high in ((False, 1), (0, True), ([0], 1), (0, "1")):
        with pytest.raises(TypeError, match="must be a real number; got "):
            uniform(STATE, 3, low=low, high=high)
    for mean, stddev in ((0.0, 0.0), (0.0, -0.0), (-0.0, 0.0), (-0.0, -0.0), (0, 0)):
        signs = np.signbit(normal(STATE, 100, mean=mean, stddev=stddev, dtype=np.float32).values)
        unscaled = normal(STATE, 100).values
        assert signs.tolist() == np.signbit(unscaled * np.float32(stddev) + np.float32(mean)).tolist(), (mean, stddev)


NUMPY_ORDER = [
    (lambda: normal(STATE, 10, 3, 5), "mean, stddev and dtype", "3, 5", "normal(state, 10, mean=3, stddev=5)", 10),
    (lambda: uniform(STATE, (2,), 1), "low, high and dtype", "1", "uniform(state, (2,), low=1)", (2,)),
    (lambda: exponential(STATE, 2, 9), "scale and dtype", "9", "exponential(state, 2, scale=9)", 2),
    (lambda: Stream(STATE).normal(0, 1, 3), "mean, stddev and dtype", "1, 3",
     "stream.normal(0, mean=1, stddev=3)", 0),
    (lambda: Stream(STATE).uniform(2, 9), "low, high and dtype", "9", "stream.uniform(2, low=9)", 2),
    (lambda: Stream(STATE).exponential(2, 9), "scale and dtype", "9", "stream.exponential(2, scale=9)", 2),
    (lambda: Stream(STATE).integers(0, 100, 8), "low, high and dtype", "100, 8",
     "stream.integers(0, low=100, high=8)", 0),
    (lambda: Stream(STATE).integers(0, 10), "low, high and dtype", "10",
     "stream.integers(0, low=10, high=...)", 0),
    (lambda: batch.normal([STATE], 3, 1), "mean, stddev and dtype", "1", "batch.normal(states, 3, mean=1)", 3),
    (lambda: cuda.uniform(STATE, 3, 1), "low, high and dtype", "1", "cuda.uniform(state, 3, low=1)", 3),
    (lambda: webgpu.batch.normal([STATE], 3, 1), "mean, stddev and dtype", "1",
     "webgpu.batch.normal(states, 3, mean=1)", 3),
    (lambda: dask.exponential(STATE, 3, 1), "scale and dtype", "1", "dask.exponential(state, 3, scale=1)", 3),
]  # fmt: skip


@pytest.mark.parametrize("call, names, given, written, shape", NUMPY_ORDER)
def test_parameters_by_position_are_refused(call, names, given, written, shape):
    """distributions 2.1: in NumPy's order, they would pass silently."""
    message = f"{names} must be given by name; got {given} by position. Write {written}, where the shape is {shape}."
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        call()
