"""The laws that dmlrand shares with pytensor's RandomStream, the successor of Theano's. pytensor's bits differ (PCG64).

Run with `pytest -m peers` where pytensor is installed. Each test runs on both packages.
"""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from dmlrand.compat.theano import MetaRandom, function

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore::FutureWarning")]


class Dmlrand:
    def __init__(self, seed):
        self.stream = MetaRandom(seed)

    def uniform(self, size):
        return self.stream.uniform(shape=size, low=-1.0, high=0.0)

    def normal(self, size):
        return self.stream.normal(shape=size)

    def compile(self, outputs):
        return function([], outputs)

    def seed(self, fn, bits):
        self.stream.seed(fn, bits)

    def binomial(self, size, n, p):
        return self.stream.binomial(shape=size, n=n, p=p)


class Pytensor:
    def __init__(self, seed):
        utils = pytest.importorskip("pytensor.tensor.random.utils", reason="pytensor is not installed")
        self.stream = utils.RandomStream(seed)

    def uniform(self, size):
        return self.stream.uniform(-1.0, 0.0, size=size)

    def normal(self, size):
        return self.stream.normal(size=size)

    def compile(self, outputs):
        import pytensor

        return pytensor.function([], outputs, mode="FAST_COMPILE")

    def seed(self, fn, bits):
        self.stream.seed(bits)  # of all functions, because their states are shared variables

    def binomial(self, size, n, p):
        return self.stream.binomial(n, p, size=size)


@pytest.fixture(params=[Dmlrand, Pytensor])
def package(request):
    return request.param


def graph(package, seed=872364):
    maker = package(seed)
    return maker, [maker.uniform((3, 4)), maker.uniform((8,)), maker.normal((5,))]


def differ(a, b):
    return a.tobytes() != b.tobytes()


def test_each_call_draws_new_numbers(package):
    maker, (_, v, _) = graph(package)
    fn = maker.compile([v])
    values = [fn()[0] for _ in range(5)]
    assert all(differ(a, b) for a, b in itertools.combinations(values, 2))
    assert all((-1 <= each).all() and (each < 0).all() for each in values)


def test_a_stream_does_not_depend_on_other_ops_of_the_graph_or_their_order(package):
    streams = []
    for order in [[1], [0, 1, 2], [2, 1, 0], [1, 2]]:
        maker, results = graph(package)
        fn = maker.compile([results[index] for index in order])
        streams.append([fn()[order.index(1)] for _ in range(3)])
    for stream in streams[1:]:
        assert_array_equal(stream, streams[0])


def test_a_stream_does_not_depend_on_ops_made_later(package):
    maker, (_, v, _) = graph(package)
    alone = maker.compile([v])()[0]
    maker, (_, v, _) = graph(package)
    maker.normal((2,))
    assert_array_equal(maker.compile([v])()[0], alone)


def test_the_seed_of_the_maker_restarts_its_streams(package):
    maker, results = graph(package)
    fn = maker.compile(results)
    first, second = fn(), fn()
    maker.seed(fn, 872364)
    for expected in [first, second]:
        for got, wanted in zip(fn(), expected, strict=True):
            assert_array_equal(got, wanted)


def test_seeding_makes_ops_of_one_kind_independent(package):
    maker = package(1)
    fn = maker.compile([maker.uniform((16,)) for _ in range(8)])
    for seed in [1, 2, 2**63]:
        maker.seed(fn, seed)
        assert all(differ(a, b) for a, b in itertools.combinations(fn(), 2))


def test_two_makers_of_one_seed_agree_and_of_two_seeds_do_not(package):
    draws = []
    for seed in [5, 5, 6]:
        maker, results = graph(package, seed)
        draws.append(maker.compile(results)())
    assert not any(differ(a, b) for a, b in zip(draws[0], draws[1], strict=True))
    assert all(differ(a, b) for a, b in zip(draws[0], draws[2], strict=True))


def test_pytensor_refuses_default_values_of_inputs():
    """So the proposal's form of an updatable input no longer exists there"""
    io = pytest.importorskip("pytensor.compile.io", reason="pytensor is not installed")
    rng = pytest.importorskip("pytensor.tensor.random.type").random_generator_type("rng")
    with pytest.raises(ValueError, match="Inputs with default values are deprecated"):
        io.In(rng, value=np.random.default_rng(1))


def test_binomial_follows_scipys_distribution(package):
    """theano 3.4: types and shapes are equal in both packages, and so are the distributions"""
    stats, count = pytest.importorskip("scipy.stats", reason="scipy is not installed"), 100_000
    maker = package(7)
    drawn, law = maker.compile([maker.binomial((count,), 10, 0.3)])()[0], stats.binom(10, 0.3)
    assert drawn.dtype == np.int64 and drawn.shape == (count,)
    observed = [*np.bincount(drawn, minlength=9)[:9], np.count_nonzero(drawn > 8)]
    expected = np.append(law.pmf(np.arange(9)), law.sf(8)) * count
    assert stats.chisquare(observed, expected).pvalue > 1e-4


def test_where_pytensor_differs_from_the_proposal():
    """The proposal's "the random number streams of fn_v and fn_uvw are independent": dmlrand's are, pytensor's share
    one stream."""
    for package, independent in [(Dmlrand, True), (Pytensor, False)]:
        maker, results = graph(package)
        one, two = maker.compile([results[1]]), maker.compile(results)
        assert differ(one()[0], two()[1]) != independent
