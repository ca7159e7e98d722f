"""TensorFlow Probability's seeds and samplers (0.25, on TensorFlow), bit for bit, without either.

An int or None is a stateful seed: it draws from the ops that dmlrand.compat.tensorflow.set_seed resets. A pair of ints
is a stateless seed. The modules `random`, `samplers` and `util` have the names of the original. specs/tfp.md has the
rules and the traps. Not for cryptography.
"""

from typing import TYPE_CHECKING

from ...imports import lazy_attributes
from . import random as random, samplers as samplers, util as util
from .samplers import *
from .samplers import SeedStream as SeedStream

_ABSENT = {name: f"specs/tfp.md, clause {clause}, says what to write." for name, clause in {
    "distributions": 16, "mcmc": 16, "substrates": 20, "rademacher": 21, "rayleigh": 21, "spherical_uniform": 21,
}.items()}  # fmt: skip
if not TYPE_CHECKING:  # type checkers read the imports, and would take every misspelt name for a lazy one
    __all__ = ["SeedStream", *samplers.__all__]
    __getattr__, __dir__ = lazy_attributes(__name__, {}, _ABSENT)
