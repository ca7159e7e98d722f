"""permutation, choice and shuffle against the oracle: every window, every size, every kind of items."""

import numpy as np
import oracle
import permutation_oracle as truth
import pytest
from hypothesis import given, settings, strategies as st
from strategies import counters, edge_ints, keys, states

from dmlrand import Stream, choice, integers, kernels, make_state, permutation, shuffle
from dmlrand.order.permutations import SORT_MAX_ITEMS, sides, sorting_order

pytestmark = pytest.mark.both_kinds

STATE = make_state(counter=2**64 - 1, key=0x0123456789ABCDEF)
BIG = 10**9 + 7

sizes = st.one_of(st.sampled_from([0, 1, 2, 3, 4, 5, 7, 100]), edge_ints(62), st.just(2**62)).filter(
    lambda n: n <= 100 or n > SORT_MAX_ITEMS
)


def bounds(n):
    return st.one_of(st.none(), st.integers(-n - 2, n + 2))


@st.composite
def windows(draw, n):
    """An int, a slice of up to 50 items, or an Ellipsis for a small order."""
    if n and draw(st.booleans()):
        return draw(st.integers(-n, n - 1))
    if n <= 100:
        return draw(st.one_of(st.just(...), st.builds(slice, bounds(n), bounds(n), st.none() | st.integers(1, n + 1))))
    start, step = draw(st.integers(0, n)), draw(edge_ints(61)) + 1
    return slice(start, min(n + 5, start + draw(st.integers(0, 50)) * step), step)


@settings(max_examples=60)
@given(states(), sizes, st.data())
def test_any_window_of_any_order(state, n, data):
    """permutations 1.1 to 1.4, 2.1, 2.2 and 3.1 to 3.5"""
    given_state, counter, key = state
    window = data.draw(windows(n))
    before = np.array(given_state).copy()
    values, after = permutation(given_state, n, window=window)
    positions = range(n)[slice(None) if window is ... else window]
    one = isinstance(positions, int)
    expected = truth.order(counter, key, n, [positions] if one else positions)
    assert values.dtype == np.int64 and values.shape == (() if one else (len(positions),))
    assert values.ravel().tolist() == expected
    assert after.ravel().tolist() == oracle.new_state_words(counter, key, truth.words_read(n))
    assert after.shape == np.shape(given_state) and np.array_equal(given_state, before)
    assert values.flags.owndata or values.base.size == values.size  # a small window does not hold a large order


@settings(max_examples=60)
@given(states(), sizes.filter(bool), st.booleans(), st.data())
def test_positions_of_any_order_and_of_its_inverse(state, n, inverse, data):
    """permutations 1.5 and 1.6"""
    given_state, counter, key = state
    positions = np.array(data.draw(st.lists(st.integers(0, n - 1), max_size=9)), np.int64)
    before = positions.copy()
    values, after = permutation(given_state, n, positions=positions, inverse=inverse)
    assert values.tolist() == truth.order(counter, key, n, positions.tolist(), inverse=inverse)
    assert after.ravel().tolist() == oracle.new_state_words(counter, key, truth.words_read(n))
    assert np.array_equal(positions, before) and not np.shares_memory(values, positions)
    undone = permutation(given_state, n, positions=values, inverse=not inverse).values
    assert undone.tolist() == positions.tolist()


@pytest.mark.parametrize("n", [SORT_MAX_ITEMS, SORT_MAX_ITEMS + 1])
def test_the_limit_between_the_two_methods(n):
    """permutations 1.2 to 1.6: windows and positions of a whole order and of its inverse"""
    order, after = permutation(STATE, n)
    inverse = permutation(STATE, n, inverse=True).values
    assert np.array_equal(order[inverse], np.arange(n))
    if n > SORT_MAX_ITEMS:
        assert order[::9973].tolist() == truth.order(2**64 - 1, 0x0123456789ABCDEF, n, range(0, n, 9973))
    else:
        assert np.array_equal(order, integers(STATE, n, 0, 2**64, np.uint64).values.argsort(kind="stable"))
    for window in (slice(None, None, 7), slice(5, 6), slice(-300, None), slice(9, 2), -1, ...):
        part, part_after = permutation(STATE, n, window=window)
        assert np.array_equal(part, order[window]) and np.array_equal(part_after, after)
        assert np.array_equal(permutation(STATE, n, window=window, inverse=True).values, inverse[window])
    for positions in ([[3, 0], [5, 5]], np.uint64(n - 1), []):
        part = permutation(STATE, n, positions=positions).values
        assert np.array_equal(part, order[np.array(positions, int)])
    assert Stream(STATE).permutation(n, positions=[7], inverse=True) == inverse[7]


def test_items_of_equal_draws_keep_their_order():
    """permutations 2.2"""
    draws = [7, 2**64 - 1, 7, 0, 2**63, 7, 0] * 100
    expected = sorted(range(700), key=lambda item: (draws[item], item))
    assert sorting_order(np.array(draws, np.uint64)).tolist() == expected


# The Feistel network, with its kernel called directly


def network(n, key=(1, 2, 3, 2**32 - 1), rows_columns=None):
    """The whole order of n items that the network makes, whatever n is."""
    out = np.arange(n)
    kernels.permute(np.array(key, np.uint32), *(rows_columns or sides(n)), n, False, out)
    return out


@pytest.mark.parametrize("first", range(1, 121, 40))
def test_the_network_is_a_bijection_of_every_small_size(first):
    """permutations 3.3 to 3.5"""
    for n in range(first, first + 40):
        order = network(n)
        assert np.array_equal(np.sort(order), np.arange(n)), n
        place = n * 7 // 10
        assert order[place] == truth.item_at(place, (1, 2, 3, 2**32 - 1), n, *sides(n))


@given(edge_ints(62).filter(bool) | st.integers(1, 2**31).map(lambda root: root * root))
def test_the_sides_of_the_network(n):
    """permutations 3.2 and 3.5"""
    rows, columns = sides(n)
    assert (rows, columns) == truth.sides(n)
    assert rows % 2 == 0 and columns <= rows <= 2**31 and 0 <= rows * columns - n < rows
    if n > SORT_MAX_ITEMS:
        assert columns >= 256 and rows / n < 0.004


# choice and shuffle

ITEMS = [
    np.arange(12) * 3,
    np.arange(24.0).reshape(12, 2),
    np.array(list("abcdefghijkl")),
    np.zeros((12, 0, 3)),
    list(range(12)),
]


@pytest.mark.parametrize("items", ITEMS, ids=lambda items: type(items).__name__ + str(np.shape(items)))
def test_choice_and_shuffle_of_arrays(items):
    """permutations 4.1 to 4.4"""
    array = np.asarray(items)
    before = array.copy()
    order, after = permutation(STATE, 12)
    for values, state in (shuffle(STATE, items), choice(STATE, items, 12)):
        assert values.dtype == array.dtype and np.array_equal(values, array[order]) and np.array_equal(state, after)
        assert not np.shares_memory(values, array)
    values, state = choice(STATE, items, 5)
    assert np.array_equal(values, array[order[:5]]) and np.array_equal(state, after)
    values, state = choice(STATE, items, 50, replace=True)
    places, after = integers(STATE, 50, 0, 12, np.int64)
    assert np.array_equal(values, array[places]) and np.array_equal(state, after)
    assert np.array_equal(array, before)


# Methods of Stream


@pytest.mark.parametrize("n", [0, 1, 6, BIG, 2**62])
@settings(max_examples=20)
@given(counters, keys, st.integers(0, 3))
def test_the_methods_of_a_stream(n, counter, key, lane):
    """permutations 4.1, 4.2, 5.1 and 5.2"""
    k = min(n, 6)
    stream = Stream(make_state(counter=counter, key=key), lane)
    position = stream.tell()
    expected = truth.order(counter, key, n, range(k), lane)
    assert stream.permutation(n, window=slice(0, k)).tolist() == expected
    assert stream.tell() == (position + truth.words_read(n)) % 2**130
    assert stream.words(1).tolist() == oracle.words(counter, key, lane + truth.words_read(n), 1)
    stream.seek(position)
    chosen = stream.choice(np.uint64(n), k)
    assert chosen.dtype == np.int64 and chosen.tolist() == expected
    assert stream.tell() == (position + truth.words_read(n)) % 2**130
    stream.seek(position)
    if n <= 6:
        assert stream.shuffle(np.arange(n)).tolist() == expected
        assert stream.tell() == (position + truth.words_read(n)) % 2**130
        stream.seek(position)
    if n:
        words = oracle.words(counter, key, lane, 10)
        draws = [low + 2**32 * high for low, high in zip(words[0::2], words[1::2])]
        assert stream.choice(n, 5, replace=True).tolist() == [draw % n for draw in draws]
        assert stream.tell() == (position + 10) % 2**130


# Errors

REFUSED = [
    (lambda: permutation(STATE, -1), ValueError, "n must be in [0, 2**62]; got -1."),
    (lambda: permutation(STATE, 2**62 + 1), ValueError, "n must be in [0, 2**62]; got 4611686018427387905."),
    (lambda: permutation(STATE, 2**60), ValueError, "window must select fewer than 2**60 of the 1152921504606846976 "
        "items; got None."),
    (lambda: permutation(STATE, 5, window=5), IndexError, "window[0] must be in [-5, 5); got 5."),
    (lambda: permutation(STATE, BIG, window=-BIG - 1), IndexError, "window[0] must be in [-1000000007, 1000000007)"),
    (lambda: permutation(STATE, 5, window=(0, 1)), IndexError, "window must have at most as many indices as shape has "
        "axes, 1"),
    (lambda: permutation(STATE, 5, positions=[0, 5]), IndexError, "positions must be in [0, n) for n = 5; got 5. "
        "Count from 0."),
    (lambda: permutation(STATE, 5, positions=[0.5]), TypeError, "positions must be ints in [0, n); got [0.5]. Pass an "
        "array of ints."),
    (lambda: permutation(STATE, 5, positions=1, window=1), TypeError, "window and positions must not both be given. "
        "Leave window out."),
    (lambda: permutation(STATE, 5, inverse=1), TypeError, "inverse must be a bool; got 1 of type int. Pass True or "
        "False."),
    (lambda: choice(STATE, 5, 6), ValueError, "k must be at most the number of items, 5, without replacement; got 6. "
        "Pass replace=True"),
    (lambda: choice(STATE, 5, 2**62, True), ValueError, "k must be in [0, 2**60); got 4611686018427387904."),
    (lambda: choice(STATE, 5, 1, 1), TypeError, "replace must be a bool; got 1 of type int. Pass True or False."),
    (lambda: choice(STATE, 0, 1, True), ValueError, "items must not be empty if k is above 0; got no items and k 1."),
    (lambda: choice(STATE, [], 1), ValueError, "k must be at most the number of items, 0, without replacement; got 1."),
    (lambda: choice(STATE, 5, 1, np.array([True, False])), TypeError, "replace must be a bool; got array([ True, "
        "False]) of type ndarray."),
    (lambda: choice(STATE, False, 1), TypeError, "items must be an integer; got False of type bool."),
    (lambda: choice(STATE, 5.0, 1), TypeError, "items must be an int, or an array of one axis or more; got 5.0 of "
        "type float."),
    (lambda: shuffle(STATE, 5), TypeError, "items must be an array of one axis or more; got 5 of type int. "
        "permutation(state, n) orders"),
]  # fmt: skip


@pytest.mark.parametrize("call, error, wording", REFUSED, ids=[wording[:50] for _, _, wording in REFUSED])
def test_refused_arguments(call, error, wording):
    """permutations 1.5, 1.6, 4.4 and 4.5"""
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).startswith(wording)
