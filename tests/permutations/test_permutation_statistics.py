"""Statistics of random orders, by both methods: all orders of few items, positions, pairs, fixed points and cycles.

The states are fixed, so a test that passes once always passes. With random states, a method whose orders are all
equally likely would fail one comparison with probability FAILURE_PROBABILITY.
"""

import math

import numpy as np
import pytest
from significance import chi_square, chi_square_sf, normal_sf

from dmlrand import kernels, make_state, permutation, random_generator, split

FAILURE_PROBABILITY = 1e-9
STATE = make_state(counter=1, key=0x5EED)
LARGE = 1_000_003


def sorted_orders(n, count):
    """Some orders of n items that the public function makes by sorting."""
    return np.array([permutation(state, n).values for state in split(STATE, count)])


def network_orders(n, count, sides=(16, 15)):
    """Some orders of n items that the network makes. By default it has the sides of 240 items (permutations 3.5)."""
    orders = np.empty((count, n), np.int64)
    for key, order in zip(random_generator(STATE, (count, 4)).values, orders):
        kernels.permute(key, *sides, n, 0, 1, order)
    return orders


def chance_of_all_orders(orders):
    """The p-value of chi-square over all n! orders."""
    n = orders.shape[1]
    numbers = orders @ n ** np.arange(n)
    found, counts = np.unique(numbers, return_counts=True)
    assert len(found) <= math.factorial(n)
    return chi_square(np.concatenate([counts, np.zeros(math.factorial(n) - len(found), counts.dtype)]))


def chance_of_poisson(counts, mean):
    """The p-value of chi-square for counts that have a Poisson distribution of this mean, in cells 0 to 4 and above."""
    odds = [math.exp(-mean) * mean**k / math.factorial(k) for k in range(5)]
    expected = counts.size * np.array([*odds, 1 - sum(odds)])
    observed = np.bincount(np.minimum(counts, 5), minlength=6)
    return chi_square_sf(float(((observed - expected) ** 2 / expected).sum()), 5)


METHODS = {"sorting": sorted_orders, "network": network_orders}


@pytest.mark.parametrize("method", METHODS)
def test_all_orders_of_four_items(method):
    """permutations 2.3 and 3.5"""
    assert chance_of_all_orders(METHODS[method](4, 3000)) > FAILURE_PROBABILITY


@pytest.mark.slow
@pytest.mark.parametrize("distance", [1, 2, 999, 1002, 1998, 500_000])
def test_items_and_pairs_of_a_large_order(distance):
    """permutations 3.5: over 50,000 orders. Positions 999 apart lie in one column, which is the worst case."""
    pairs = np.array(
        [
            permutation(state, LARGE, window=slice(7, 8 + distance, distance)).values
            for state in split(make_state(key=distance), 50_000)
        ]
    )
    cells = pairs * 32 // LARGE
    for column in range(2):
        assert chi_square(np.bincount(pairs[:, column] * 256 // LARGE, minlength=256)) > FAILURE_PROBABILITY
    assert chi_square(np.bincount(cells[:, 0] * 32 + cells[:, 1], minlength=1024)) > FAILURE_PROBABILITY
    difference = (pairs[:, 1] - pairs[:, 0]) % LARGE - 1  # of LARGE - 1 possible ones
    assert chi_square(np.bincount(difference * 256 // (LARGE - 1), minlength=256)) > FAILURE_PROBABILITY


def cycles_of(order):
    """The number of cycles: each item learns the smallest item of its cycle, twice as far in each step."""
    least, ahead = np.arange(order.size), order
    for _ in range(order.size.bit_length()):
        least, ahead = np.minimum(least, least[ahead]), ahead[ahead]
    return int((least == np.arange(order.size)).sum())


@pytest.mark.slow
@pytest.mark.parametrize("n", [2**16, 2**16 + 1, 258 * 257])
def test_fixed_points_and_cycles(n):
    """permutations 2.3 and 3.5: of 400 orders, made by sorting for 2**16 items."""
    orders = [permutation(state, n).values for state in split(make_state(key=n), 400)]
    items = np.arange(n)
    fixed = np.array([(order == items).sum() for order in orders])
    swapped = np.array([(order[order] == items).sum() for order in orders]) - fixed
    assert chance_of_poisson(fixed, 1) > FAILURE_PROBABILITY
    assert chance_of_poisson(swapped // 2, 1 / 2) > FAILURE_PROBABILITY
    cycles = np.array([cycles_of(order) for order in orders])
    mean = sum(1 / i for i in range(1, n + 1))
    variance = mean - sum(1 / i**2 for i in range(1, n + 1))
    assert normal_sf(abs(cycles.mean() - mean) / math.sqrt(variance / cycles.size)) > FAILURE_PROBABILITY / 2
    odd = int(((n - cycles) % 2).sum())
    assert normal_sf(abs(2 * odd - cycles.size) / math.sqrt(cycles.size)) > FAILURE_PROBABILITY / 2
