"""compat.jax draws of one key a short way: byte for byte what the general way gives, which many keys take."""

import math

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from strategies import edge_ints

from dmlrand.compat import jax

words = st.tuples(edge_ints(32), edge_ints(32))


def as_key(pair):
    return np.array(pair, np.uint32)


def general(draw, key, *arguments, **named):
    """What one key gives the general way, which many keys take."""
    return draw(as_key([key]), *arguments, **named)[0]


def assert_both_ways_agree(draw, key, *arguments, **named):
    values, expected = draw(as_key(key), *arguments, **named), general(draw, key, *arguments, **named)
    assert values.dtype == expected.dtype
    assert values.shape == expected.shape
    assert values.tobytes() == expected.tobytes(), draw


bounds = st.floats(-4, 4) | st.floats() | st.sampled_from([3e38, -3e38, 1e-45, -0.0])


@pytest.mark.filterwarnings("error")
@given(
    key=words,
    shape=st.integers(0, 40).map(lambda n: (n,)) | st.lists(st.integers(0, 5), max_size=4).map(tuple),
    low=bounds,
    high=bounds,
    chance=st.floats(0, 1),
    ends=st.tuples(edge_ints(33), edge_ints(33)),
)
@example(key=(0, 43692), shape=(45,), low=-1.0, high=1.0, chance=0.0, ends=(0, 1 << 31))  # the last fraction is 0
@example(key=(1, 2), shape=(3839,), low=-3e38, high=3e38, chance=0.5, ends=(0, 9))  # words are made 3840 at a time
@example(key=(1, 2), shape=(3841,), low=-0.0, high=2.0, chance=1.0, ends=(0, 1 << 32))
@example(key=(1, 2), shape=(5, 2000), low=2.0, high=1.0, chance=1e-9, ends=(7, 7))
def test_the_short_way_gives_what_the_general_one_does(key, shape, low, high, chance, ends):
    start, end = ends[0] - (1 << 31), ends[1] - (1 << 31)
    for draw, arguments, named in (
        (jax.split, (shape[:1] or 1,), {}),
        (jax.split, (math.prod(shape),), {}),
        (jax.fold_in, (math.prod(shape),), {}),
        (jax.bits, (shape,), {}),
        (jax.uniform, (shape,), {}),
        (jax.uniform, (shape,), {"minval": low, "maxval": high}),
        (jax.normal, (shape,), {}),
        (jax.gumbel, (shape,), {}),
        (jax.bernoulli, (chance, shape), {}),
        (jax.bernoulli, (float(jax.uniform(as_key(key), 1)[0]), shape), {}),
        (jax.randint, (shape, start, end), {}),
        (jax.choice, (end % 1000 + 1, shape), {}),
    ):
        assert_both_ways_agree(draw, key, *arguments, **named)


counts = st.sampled_from([1, 2, 15, 16, 17, 33, 199, 200, 201, 1625, 1626]) | st.integers(1, 300)
weights = st.sampled_from([0.0, 1e-45, 1e-3, 0.1, 0.25, 1.0, 3e38]) | st.floats(0, 1, width=32)
logits = st.sampled_from([-np.inf, np.inf, np.nan, 0.0, -0.0, 1.0]) | st.floats(-5, 5, width=32)


@given(key=words, count=counts, shape=st.lists(st.integers(0, 4), max_size=3).map(tuple), x64=st.booleans())
@example(key=(0, 35156), count=200, shape=(), x64=False)  # its 78th and 180th words are equal
def test_the_short_way_orders_as_the_general_one_does(key, count, shape, x64):
    draws = min(math.prod(shape), count)
    whole = np.arange(2 * count, dtype=np.uint8).reshape(2, count)
    for items, axis in ((count, 0), (whole[0], 0), (whole[1, ::-1], -1), (whole, 1), (whole.T, 0)):
        assert_both_ways_agree(jax.permutation, key, items, axis, x64=x64)
        assert_both_ways_agree(jax.choice, key, items, (draws,), False, axis=axis, x64=x64)
        assert_both_ways_agree(jax.choice, key, items, shape, axis=axis, x64=x64)
        if math.prod(shape) <= count:
            assert_both_ways_agree(jax.choice, key, items, shape, np.False_, axis=axis)
    assert_both_ways_agree(jax.permutation, key, whole[0], independent=True)


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # of sums beyond float32, the general way
@given(
    key=words,
    drawn=st.lists(weights, min_size=1, max_size=20),
    count=counts,
    shape=st.lists(st.integers(0, 20), max_size=2).map(tuple),
)
@example(key=(1, 2), drawn=[1 / i for i in range(1, 20)], count=200, shape=(1 << 18,))  # enough to meet a rounded sum
def test_the_short_way_weighs_as_the_general_one_does(key, drawn, count, shape):
    drawn[-1] = drawn[-1] if drawn[-1] >= 2**-126 else 0.5  # not all weights are 0 or subnormal
    p = np.resize(np.float32(drawn[::-1]), count)
    for items in (count, np.arange(3 * count).reshape(count, 3)):
        assert_both_ways_agree(jax.choice, key, items, shape, True, p)
        assert_both_ways_agree(jax.choice, key, items, shape, p=p, x64=True)
        assert_both_ways_agree(jax.choice, key, items, shape, p=p.repeat(2)[::2])


@pytest.mark.filterwarnings("error")
@given(
    key=words,
    drawn=st.lists(logits, min_size=1, max_size=20),
    count=counts,
    shape=st.none() | st.lists(st.integers(0, 20), max_size=2).map(tuple),
)
def test_the_short_way_finds_the_greatest_as_the_general_one_does(key, drawn, count, shape):
    chances = np.resize(np.float32(drawn), count)
    assert_both_ways_agree(jax.categorical, key, chances, shape=shape)
    assert_both_ways_agree(jax.categorical, key, chances.repeat(2)[::2], 0, shape)
