"""Theano's proposal for random numbers in compiled functions: MetaRandom, function, and the default `random`.

The proposal of 2009 gives every random op of a graph a generator of its own, which a compiled function holds and
the caller can read, save, re-seed and restore. Nothing here imitates bits of Theano, which changed them often: the
behaviour is the proposal's, the words are dmlrand's operator's. The rules are those of specs/theano.md.

>>> r = MetaRandom(metaseed=872364)
>>> v = r.uniform(shape=(2,), low=-1.0, high=0.0)
>>> fn = function([], v)
>>> first, second = fn(), fn()
>>> r.seed(fn, 872364)
>>> bool((fn() == first).all()), bool((fn() == second).all())
(True, True)
>>> fn.state[v.rng]
Container('872364/uniform_0', counter=0x2, key=0x64da45ab03145e2f)

Names
-----
MetaRandom, RandomState : make random ops; the second takes its seed where a function is compiled
Input, eq, neq, Result : the symbolic layer; Results know + - * / // and < <= > >=, and .shape
function, Function : compile a graph to a callable with generators of its own
random : a MetaRandom of metaseed 0 for scripts, named "random"
"""

from .compiled import Function, function
from .graph import Input, Result, eq, neq
from .randoms import MetaRandom, RandomState
from .states import Container, Rng

random = MetaRandom(metaseed=0, name="random")

__all__ = [
    "Container",
    "Function",
    "Input",
    "MetaRandom",
    "RandomState",
    "Result",
    "Rng",
    "eq",
    "function",
    "neq",
    "random",
]
