"""Statistics of random orders, by both methods: all orders of few items, positions, pairs, fixed points and cycles.

The states are fixed, so a test that passes once always passes. With random states, a method whose orders are all
equally likely would fail one comparison with probability FAILURE_PROBABILITY.
"""

import math

import numpy as np
import pytest

from dmlrand import kernels, make_state, permutation, random_generator, split

# Many small orders, which are slow in numpy alone.
pytestmark = [pytest.mark.compiled, pytest.mark.costly]
FAILURE_PROBABILITY = 1e-9
STATE = make_state(counter=1, key=0x5EED)


def chi_square(counts):
    """The p-value: the probability that equally likely cells give a statistic at least as large."""
    expected = counts.sum() / counts.size
    half, df = float(((counts - expected) ** 2).sum() / expected) / 2, counts.size - 1
    total, a = math.erfc(math.sqrt(half)), 0.5  # df is odd: Q(df/2, half) by its recurrence in steps of 2
    while a < df / 2:
        total += math.exp(a * math.log(half) - half - math.lgamma(a + 1))
        a += 1
    return total


def sorted_orders(n, count):
    """Some orders of n items that the public function makes by sorting."""
    return np.array([permutation(state, n).values for state in split(STATE, count)])


def network_orders(n, count, sides=(16, 15)):
    """Some orders of n items that the network makes. By default it has the sides of 240 items (permutations 3.5)."""
    orders = np.tile(np.arange(n), (count, 1))
    for key, order in zip(random_generator(STATE, (count, 4)).values, orders):
        kernels.permute(key, *sides, n, False, order)
    return orders


def chance_of_all_orders(orders):
    """The p-value of chi-square over all n! orders."""
    n = orders.shape[1]
    numbers = orders @ n ** np.arange(n)
    found, counts = np.unique(numbers, return_counts=True)
    assert len(found) <= math.factorial(n)
    return chi_square(np.concatenate([counts, np.zeros(math.factorial(n) - len(found), counts.dtype)]))


METHODS = {"sorting": sorted_orders, "network": network_orders}


@pytest.mark.parametrize("method", METHODS)
def test_all_orders_of_four_items(method):
    """permutations 2.3 and 3.5"""
    assert chance_of_all_orders(METHODS[method](4, 3000)) > FAILURE_PROBABILITY
