"""TensorFlow's samplers on the CPU (2.21, eager), bit for bit, without TensorFlow.

Functions and arguments are named as in `tf.random`. Results are numpy arrays. specs/tensorflow.md has the rules, the
traps, and the places where TensorFlow's own bits depend on the machine. Not for cryptography.

shape : sequence or vector of ints >= 0
    [] gives one number, as an array of rank 0. The result has this shape, broadcast with the parameters.
seed : two ints in [-2**63, 2**63), in a list, a tuple or an integer array of shape (2,)
    Of stateless samplers, split and fold_in. The stateful samplers take an op seed: uniform describes it.
jit_compile : bool
    True gives the numbers of tf.function(jit_compile=True), for uniform numbers and integers: specs/tensorflow.md,
    section 2.
alg : "philox" or "auto_select"
    Both are Philox on the CPU.
name : any object
    It is ignored.

The types of reals are float16, bfloat16 (with ml_dtypes), float32 and float64. An argument that breaks a rule raises
TypeError or ValueError. Then nothing was drawn.

>>> from dmlrand.compat import tensorflow as tfr
>>> tfr.stateless_uniform([3], seed=[1, 2], minval=0, maxval=100, dtype="int32")
array([40, 49, 94], dtype=int32)
"""

from typing import TYPE_CHECKING

from ...drawing.imports import lazy_attributes
from . import generator, seeds, stateful, stateless
from .arguments import Algorithm as Algorithm
from .generator import *
from .seeds import *
from .stateful import *
from .stateless import *

_CANDIDATES = "all fixed_unigram learned_unigram log_uniform uniform"
_ABSENT = {f"{name}_candidate_sampler": "Candidate samplers are not imitated." for name in _CANDIDATES.split()} | {
    "stateless_parameterized_truncated_normal": "It is not imitated, because TensorFlow's numbers depend on its C "
    "library and on the number of threads. stateless_truncated_normal has the bounds "
    "of 2 standard deviations.",
    "create_rng_state": "Write Generator.from_seed(seed, alg).state.",
    "random": "Leave it out: the functions of tf.random are functions of this package.",
    "experimental": "Leave it out: the functions of tf.random.experimental are functions of this package.",
    "function": "tf.function does not exist here: specs/tensorflow.md says what to write.",
}
if not TYPE_CHECKING:  # type checkers read the imports, and would take every misspelt name for a lazy one
    _parts = generator, seeds, stateful, stateless
    __all__ = sorted(["Algorithm", *(name for part in _parts for name in part.__all__)])
    __getattr__, __dir__ = lazy_attributes(__name__, {}, _ABSENT)
