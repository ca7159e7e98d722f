"""JAX's random keys and the functions that draw from them: the bits of jax 0.10.2 on a CPU. JAX itself is not needed.

Functions and arguments have the names of jax.random and jax.lax. What JAX reads from its configuration is an argument
here. A key is a uint32 array of shape (2,). An array with leading axes holds many keys. A draw from many keys equals
jax.vmap over the keys. Arrays and typed keys of JAX (jax.random.key) are taken too. Results are numpy arrays.

What is the same for all samplers:

shape : int, or sequence of ints >= 0
    Results have the leading axes of key, then `shape`. None means the shape of the parameters.
dtype : float16, bfloat16 (needs ml_dtypes), float32 or, with x64, float64
    For integers: int8 to int32, uint8 to uint32 and, with x64, int64 and uint64. None means 32 bits, and 64 with x64.
parameters : number or array
    It must broadcast to shape.
impl : "threefry2x32" (JAX's default), "philox4x32", "rbg" or "unsafe_rbg" (the last two have keys of 4 words)
    The default, None, is the implementation of a typed key. For words it is "threefry2x32".
partitionable : bool
    JAX's jax_threefry_partitionable. The default is True, as in JAX. False is the layout of older versions of JAX.
x64 : bool
    JAX's jax_enable_x64. It decides whether Python's numbers, and results without a dtype or with dtype=int or float,
    have 64 bits or 32. Without x64 a dtype of 64 bits is refused. JAX warns and draws 32 bits.
avx512_fp16 : bool
    Whether JAX ran on a processor with AVX512_FP16 (Intel Sapphire Rapids and newer). The default is False. It changes
    float16 numbers between bounds: specs/jax.md, clause 8.

specs/jax.md has the rules and their limits.
"""

from typing import TYPE_CHECKING

from ...drawing.imports import lazy_attributes
from . import distributions, integers, keys, selections
from .distributions import *
from .integers import *
from .keys import *
from .selections import *

# Names of jax.random that are not here, and what to write instead, or why.
_ROUNDING = "its last bit depends on the size of the output, because XLA fuses operations by size"
_GAMMA = "it draws gamma numbers, whose bits depend on the processor"
_ABSENT = {
    "clone": "write key.copy(): any key may be used again here",
    "key_impl": "words do not carry their implementation: pass impl= to each function",
    "wrap_key_data": "keys are arrays of words here: pass the words themselves",
    "key_dtype": "keys are uint32 arrays here: pass impl= instead",
    **dict.fromkeys(("maxwell", "double_sided_maxwell", "wald"), _ROUNDING),
    **dict.fromkeys("ball beta chisquare dirichlet f gamma generalized_normal loggamma t".split(), _GAMMA),
    **dict.fromkeys(("multinomial", "multivariate_normal", "orthogonal"), "it is not reproduced"),
    "random_gamma_p": "it is an operation of XLA's graphs, not a function to call",
}
_REASONS = {name: f"compat.jax has no {name}: {reason}. See specs/jax.md." for name, reason in _ABSENT.items()}
if not TYPE_CHECKING:  # type checkers read the imports, and would take every misspelt name for a lazy one
    _parts = distributions, integers, keys, selections
    __all__ = sorted(name for part in _parts for name in part.__all__)
    __getattr__, __dir__ = lazy_attributes(__name__, {}, _REASONS)
