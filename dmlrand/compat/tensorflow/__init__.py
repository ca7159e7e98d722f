"""TensorFlow's samplers on the CPU (2.21, eager), bit for bit, without TensorFlow.

Functions and arguments are named as in `tf.random`. Results are numpy arrays. specs/tensorflow.md has the rules, the
traps, and the places where TensorFlow's own bits depend on the machine. Not for cryptography.

shape : sequence or vector of ints >= 0
    [] gives one number, as an array of rank 0. The result has this shape, broadcast with the parameters.
seed : two ints in [-2**63, 2**63), in a list, a tuple or an integer array of shape (2,)
    Of stateless samplers, split and fold_in. The stateful samplers take an op seed: uniform describes it.
alg : "philox" or "auto_select"
    Both are Philox on the CPU.
name : any object
    It is ignored.

The types of reals are float16, bfloat16 (with ml_dtypes), float32 and float64. An argument that breaks a rule raises
TypeError or ValueError. Then nothing was drawn.

>>> from dmlrand.compat import tensorflow as tfr
>>> tfr.stateless_uniform([3], seed=[1, 2], minval=0, maxval=100, dtype="int32")
array([40, 49, 94], dtype=int32)
>>> generator = tfr.Generator.from_seed(1234)
>>> generator.normal([2, 2]).shape, generator.state
((2, 2), array([2258,    0,    0]))
"""

from typing import TYPE_CHECKING

from ...imports import lazy_attributes
from .arguments import Algorithm
from .generator import Generator, create_rng_state, get_global_generator, set_global_generator
from .seeds import (
    fold_in,
    key_counter_of_state,
    split,
    state_of_key_counter,
    stateless_fold_in,
    stateless_random_get_key_counter,
    stateless_split,
)
from .stateful import (
    Multinomial,
    RandomGamma,
    RandomPoissonV2,
    RandomShuffle,
    RandomStandardNormal,
    RandomUniform,
    RandomUniformInt,
    TruncatedNormal,
    categorical,
    gamma,
    get_seed,
    normal,
    poisson,
    set_seed,
    shuffle,
    truncated_normal,
    uniform,
)
from .stateless import (
    index_shuffle,
    stateless_binomial,
    stateless_categorical,
    stateless_gamma,
    stateless_normal,
    stateless_poisson,
    stateless_shuffle,
    stateless_truncated_normal,
    stateless_uniform,
)

__all__ = [
    "Algorithm", "Generator", "Multinomial", "RandomGamma", "RandomPoissonV2", "RandomShuffle",
    "RandomStandardNormal", "RandomUniform", "RandomUniformInt", "TruncatedNormal", "categorical", "create_rng_state",
    "fold_in", "gamma", "get_global_generator", "get_seed", "index_shuffle", "key_counter_of_state", "normal",
    "poisson", "set_global_generator", "set_seed", "shuffle", "split", "state_of_key_counter", "stateless_binomial",
    "stateless_categorical", "stateless_fold_in", "stateless_gamma", "stateless_normal", "stateless_poisson",
    "stateless_random_get_key_counter", "stateless_shuffle", "stateless_split", "stateless_truncated_normal",
    "stateless_uniform", "truncated_normal", "uniform",
]  # fmt: skip

_CANDIDATES = "all fixed_unigram learned_unigram log_uniform uniform"
_ABSENT = {f"{name}_candidate_sampler": "Candidate samplers are not imitated." for name in _CANDIDATES.split()} | {
    "stateless_parameterized_truncated_normal": "It is not imitated, because TensorFlow's numbers depend on its C "
    "library and on the number of threads: specs/tensorflow.md, clause 52. stateless_truncated_normal has the bounds "
    "of 2 standard deviations.",
    "random": "Leave it out: the functions of tf.random are functions of this package.",
    "experimental": "Leave it out: the functions of tf.random.experimental are functions of this package.",
    "function": "tf.function does not exist here: specs/tensorflow.md, clause 47, says what to write.",
}
if not TYPE_CHECKING:  # hidden from type checkers, which would take every misspelt name for a lazy one
    __getattr__, __dir__ = lazy_attributes(__name__, {}, _ABSENT)
