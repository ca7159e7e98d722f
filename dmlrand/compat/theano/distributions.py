"""The distributions of MetaRandom and RandomState: each call makes one random op and returns its result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from ...arrays.number_types import FLOATS, INTEGERS, check_dtype
from . import draws
from .graph import Apply, Constant
from .states import NewRng, Rng


class RandomResult(Apply):
    """A random result: `compute(state, shape, *parameters)`.

    `rng` is the generator that draws it. `new_rng` stands for the generator after a draw: the update of `In`.
    """

    def __init__(self, rng: Rng, owner: Distributions, compute: Callable[..., Any], inputs: Sequence[Any]) -> None:
        super().__init__(rng.name, compute, inputs)
        self.rng, self.owner = rng, owner

    @property
    def new_rng(self) -> NewRng:
        return NewRng(self.rng)


class Distributions(ABC):
    """The distributions of MetaRandom and RandomState.

    Every distribution but `shuffle` takes `shape`: an int, a symbolic result, or a sequence of these; () is a scalar.
    Parameters may be numbers, arrays that broadcast to the shape, or symbolic results of either.

    A wrong argument is a TypeError or ValueError: at once if all parameters are numbers or arrays, otherwise when the
    compiled function is called.
    """

    name: str
    identity: str

    @abstractmethod
    def _new(self, compute: Callable[..., Any], shape: Any, **parameters: Any) -> RandomResult:
        """The result of a new op. Parameters are passed to `compute` in the order in which they are given."""

    def uniform(self, shape: Any = (), low: Any = 0.0, high: Any = 1.0, dtype: Any = "float32") -> RandomResult:
        """Reals in [low, high), as dmlrand.uniform draws them. Its page says where rounding may give high itself.

        low must be below high everywhere. low, high and their difference must be finite in dtype: float16, bfloat16,
        float32 or float64.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> function([], MetaRandom(7).uniform(shape=(2, 3), low=[0, 5, 9], high=10))().shape
        (2, 3)
        """
        return self._new(draws.uniform, shape, low=low, high=high, dtype=Constant(check_dtype(dtype, FLOATS)))

    def normal(self, shape: Any = (), mean: Any = 0.0, std: Any = 1.0, dtype: Any = "float32") -> RandomResult:
        """Normal reals, as dmlrand.normal draws them.

        mean and std must be finite in dtype: float16, bfloat16, float32 or float64. std must be at least 0.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> function([], MetaRandom(7).normal(shape=3, mean=5, std=0))().tolist()
        [5.0, 5.0, 5.0]
        """
        return self._new(draws.normal, shape, mean=mean, std=std, dtype=Constant(check_dtype(dtype, FLOATS)))

    def bernoulli(self, shape: Any = (), p: Any = 0.5) -> RandomResult:
        """1 with probability p in [0, 1], otherwise 0, as int64.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> function([], MetaRandom(7).bernoulli(shape=2, p=[0, 1]))().tolist()
        [0, 1]
        """
        return self._new(draws.bernoulli, shape, p=p)

    def integers(self, shape: Any = (), low: Any = 0, high: Any = 2, dtype: Any = "int32") -> RandomResult:
        """Integers in [low, high), both scalars, as dmlrand.integers draws them.

        low must be below high. low and high - 1 must be numbers of dtype: int32, uint32, int64 or uint64.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> function([], MetaRandom(7).integers(shape=2, low=-3, high=-2))().tolist()
        [-3, -3]
        """
        return self._new(draws.integers, shape, low=low, high=high, dtype=Constant(check_dtype(dtype, INTEGERS)))

    def permutation(self, shape: Any = (), n: Any = 1) -> RandomResult:
        """Permutations of 0, .., n - 1 along an added last axis, one for each element of `shape`, as int64. n >= 0.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> sorted(function([], MetaRandom(7).permutation(n=4))().tolist())
        [0, 1, 2, 3]
        """
        return self._new(draws.permutation, shape, n=n)

    def choice(self, shape: Any = (), a: Any = 2, p: Any = None) -> RandomResult:
        """Items of the vector a, or of 0, .., a - 1, drawn with replacement. p gives their probabilities.

        a is an int of at least 1 or a vector of at least one item. p has one probability in [0, 1] for each item. The
        probabilities must sum to 1 within 1e-6.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> function([], MetaRandom(7).choice(shape=2, a=[10, 20], p=[0, 1]))().tolist()
        [20, 20]
        """
        return self._new(draws.choice, shape, a=a, p=Constant(None) if p is None else p)

    def multinomial(self, shape: Any = (), n: Any = 1, pvals: Any = (0.5, 0.5)) -> RandomResult:
        """How many of n trials fall in each category, along an added last axis, as int64.

        n must be at least 0. pvals is a vector of at least one probability in [0, 1], one for each category. The
        probabilities must sum to 1 within 1e-6.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> function([], MetaRandom(7).multinomial(n=9, pvals=[0, 1]))().tolist()
        [0, 9]
        """
        return self._new(draws.multinomial, shape, n=n, pvals=pvals)

    def binomial(self, shape: Any = (), n: Any = 1, p: Any = 0.5) -> RandomResult:
        """How many of n trials succeed, as int64. Each trial succeeds with probability p in [0, 1].

        n is a scalar of at least 0. A number is made of n draws, so the memory grows with n.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> function([], MetaRandom(7).binomial(shape=2, n=9, p=[0, 1]))().tolist()
        [0, 9]
        """
        return self._new(draws.binomial, shape, n=n, p=p)

    def poisson(self, shape: Any = (), lam: Any = 1.0) -> RandomResult:
        """Numbers of the Poisson distribution with mean lam, as int64. lam is in [0, 10**6].

        The time grows with lam, for each different value of lam: one or two seconds for 10**6.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> function([], MetaRandom(7).poisson(shape=3, lam=0))().tolist()
        [0, 0, 0]
        """
        return self._new(draws.poisson, shape, lam=lam)

    def shuffle(self, a: Any) -> RandomResult:
        """A copy of the array a with its items along the first axis in random order. a has rank 1 or more.

        >>> from dmlrand.compat.theano import MetaRandom, function
        >>> sorted(function([], MetaRandom(7).shuffle([10, 20, 30]))().tolist())
        [10, 20, 30]
        """
        return self._new(draws.shuffle, (), a=a)
