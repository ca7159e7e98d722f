"""WeightedSampler: the same draws for any number of processes and after any stop. specs/sampler.md, section 5"""

import copy
import pickle
import re
from bisect import bisect_right
from itertools import accumulate

import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st

from dmlrand import WeightedSampler, counter_of, fold_in, key_of, make_state, uniform

STATE = make_state(counter=5, key=42)
WEIGHTS = [0.0, 3.0, 0.0, 0.5, 1e-300, 7.25, 0.0]
some_weights = st.lists(st.just(0.0) | st.floats(2.0**-1022, 1e300), min_size=1, max_size=9).filter(any)


def samples_of(weights, n, epoch):
    child = fold_in(STATE, epoch)
    words = oracle.words(counter_of(child), key_of(child), 0, 2 * n)
    fractions = [((high % 2**20 << 32) + low) * 2.0**-52 for high, low in zip(words[::2], words[1::2])]
    sums = list(accumulate(map(float, weights)))
    return [bisect_right(sums, fraction * sums[-1]) for fraction in fractions]


@given(some_weights, st.integers(1, 50))
def test_samples_of_any_weights(weights, n):
    """sampler 5.1 and 5.2"""
    sampler = WeightedSampler(weights, n, STATE)
    for epoch in range(2):
        samples = list(sampler)
        assert samples == samples_of(weights, n, epoch)
        assert all(type(each) is int and weights[each] > 0 for each in samples)


def test_a_draw_at_the_end_of_a_weight_takes_the_next_one():
    """sampler 5.2: the first draw is the sum of the first weight"""
    fraction = float(uniform(fold_in(STATE, 0), 1, dtype="float64").values[0])
    assert list(WeightedSampler([fraction, 1 - fraction], 1, STATE)) == [1]


@pytest.mark.parametrize("kind", [np.float32, np.int64, bool])
def test_types_of_weights(kind):
    """sampler 5.3"""
    weights = np.array([1, 0, 1, 1], kind)
    assert list(WeightedSampler(weights, 20, STATE)) == samples_of(weights, 20, 0)


@pytest.mark.parametrize("world_size", [1, 2, 3, 6])
def test_ranks_share_the_draws_and_resume(world_size):
    """sampler 5.1: two ranks stop after three samples each, and others go on"""
    first = [WeightedSampler(WEIGHTS, 36, STATE, rank, 2) for rank in range(2)]
    iterators = [iter(each) for each in first]
    given_out = [next(each) for _ in range(3) for each in iterators]
    saved = first[0].state_dict()
    assert saved == {"epoch": 0, "position": 6}
    parts = []
    for rank in range(world_size):
        sampler = pickle.loads(pickle.dumps(WeightedSampler(WEIGHTS, 36, STATE, rank, world_size)))
        sampler.load_state_dict(saved)
        parts.append(list(copy.copy(sampler)))
    assert given_out + [each for step in zip(*parts, strict=True) for each in step] == samples_of(WEIGHTS, 36, 0)


NEGATIVE = "weights must be numbers of at least 0, of one axis; got {}. A weight of 0 leaves a sample out."
NO_SUM = "weights must have a finite sum of at least 2**-1022; got {}. Scale them."
REFUSED = [
    (["a"], TypeError, "weights must be real numbers; got {}. Pass a list of floats."),
    ([1, -1], ValueError, NEGATIVE),
    ([1.0, float("nan")], ValueError, NEGATIVE),
    ([[1]], ValueError, NEGATIVE),
    ([0.0], ValueError, NO_SUM),
    ([], ValueError, NO_SUM),
    ([1e308, 1e308], ValueError, NO_SUM),
    ([2.0**-1023], ValueError, NO_SUM),
]


@pytest.mark.parametrize("weights, error, message", REFUSED, ids=[str(row[0]) for row in REFUSED])
def test_weights_refused(weights, error, message):
    """sampler 5.3"""
    with pytest.raises(error, match=f"^{re.escape(message.format(weights))}$"):
        WeightedSampler(weights, 5, STATE)
