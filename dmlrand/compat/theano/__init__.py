"""Theano's proposal of 2009 for random numbers in compiled functions: MetaRandom, function, and the default `random`.
Every random op of a graph has its own generator. A compiled function holds the generators, and the caller can read,
save, seed and restore their states. The proposal does not fix the bits: the words are dmlrand's. specs/theano.md has
the rules.

>>> r = MetaRandom(metaseed=872364)
>>> v = r.uniform(shape=(2,), low=-1.0, high=0.0)
>>> fn = function([], v)
>>> first, second = fn(), fn()
>>> r.seed(fn, 872364)
>>> bool((fn() == first).all()), bool((fn() == second).all())
(True, True)
"""

from typing import TYPE_CHECKING

from ...drawing.imports import lazy_attributes
from . import compile as compile  # the proposal writes compile.function; not in __all__, because it hides a built-in
from .compile import function
from .compiled_function import Container, Function, Rng
from .graph import ABSENT, Input, Result
from .random_ops import MetaRandom, RandomState

random = MetaRandom(metaseed=0, name="random")

__all__ = ["Container", "Function", "Input", "MetaRandom", "RandomState", "Result", "Rng", "function", "random"]

if not TYPE_CHECKING:  # hidden from type checkers, which would take every misspelt name for a lazy one
    __getattr__, __dir__ = lazy_attributes(__name__, {}, ABSENT)
