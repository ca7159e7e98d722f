"""TensorFlow Probability's seeds and samplers (0.25, on TensorFlow), bit for bit, without either.

An int or None is a stateful seed: it draws from the ops that dmlrand.compat.tensorflow.set_seed resets. A pair of ints
is a stateless seed. The modules `random`, `samplers` and `util` have the names of the original. specs/tfp.md has the
rules and the traps. Not for cryptography.
"""

from . import random as random, samplers as samplers, util as util
from .samplers import (
    categorical,
    clone_seed,
    fold_in,
    is_stateful_seed,
    normal,
    sanitize_seed,
    shuffle,
    split_seed,
    uniform,
    zeros_seed,
)
from .util import SeedStream

__all__ = [
    "SeedStream", "categorical", "clone_seed", "fold_in", "is_stateful_seed", "normal", "sanitize_seed", "shuffle",
    "split_seed", "uniform", "zeros_seed",
]  # fmt: skip
