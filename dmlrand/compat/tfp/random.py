"""The names of `tfp.random`."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.number_types import FLOATS
from ...imports import lazy_attributes
from ..tensorflow.arguments import FLOAT32, SIGNED, Array, read_dtype
from .samplers import sanitize_seed, split_seed, uniform

__all__ = ["rademacher", "sanitize_seed", "split_seed"]


def rademacher(shape: Any, dtype: Any = FLOAT32, seed: Any = None, name: Any = None) -> Array:
    """Numbers -1 and 1, each equally likely: `tfp.random.rademacher`.

    They are 2 * uniform(shape, 0, 2, int64, seed) - 1. For int32 the uniform integers are int32. seed is that of
    sanitize_seed. dtype is float16, bfloat16 (with ml_dtypes), float32, float64, int32 or int64.

    >>> rademacher([4], seed=(1, 2))
    array([-1., -1.,  1.,  1.], dtype=float32)
    """
    kind = read_dtype(dtype, FLOATS + SIGNED)
    bits = uniform(shape, 0, 2, np.int32 if kind == np.int32 else np.int64, seed)
    return (2 * bits - 1).astype(kind)


_ABSENT = {
    name: "It is not imitated, because its bits depend on the C library and on Eigen's vector code: specs/tfp.md, "
    "clause 21."
    for name in ("rayleigh", "spherical_uniform")
}
if not TYPE_CHECKING:  # hidden from type checkers, which would take every misspelt name for a lazy one
    __getattr__, __dir__ = lazy_attributes(__name__, {}, _ABSENT)
