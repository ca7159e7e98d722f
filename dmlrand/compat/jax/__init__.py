"""JAX's random keys and what is drawn from them, bit for bit as jax 0.10.2 on a CPU. JAX itself is not needed.

Functions and arguments are named as in jax.random and jax.lax; what JAX reads from its configuration is an argument
here. A key is a uint32 array of its own words, (2,) or with leading axes: many keys, drawn from as under jax.vmap.

impl : "threefry2x32" (JAX's default), "philox4x32" or "rbg" (whose keys have 4 words)
partitionable : bool
    JAX's jax_threefry_partitionable, on by default; False is the layout of older versions of JAX.
x64 : bool
    JAX's jax_enable_x64: whether Python's own numbers, and results of no given dtype or of dtype=int or float, have
    64 bits or 32. Without it, a dtype of 64 bits is refused: JAX warns and draws 32 bits.

The rules, and where their truth ends, are in specs/jax.md.
"""

from .generator import rng_bit_generator, rng_bit_generator_state
from .integers import bits, randint
from .keys import PRNGKey, fold_in, key, split
from .permutations import permutation
from .reals import gumbel, normal, uniform
from .selections import bernoulli, categorical, choice

__all__ = [
    "PRNGKey",
    "bernoulli",
    "bits",
    "categorical",
    "choice",
    "fold_in",
    "gumbel",
    "key",
    "normal",
    "permutation",
    "randint",
    "rng_bit_generator",
    "rng_bit_generator_state",
    "split",
    "uniform",
]
