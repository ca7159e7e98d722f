"""Normals made of given words: what dmlrand.normal makes of a state's words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...arrays.number_types import FLOATS, check_dtype, words_per_number
from ...messages import format_value
from ...number_rules import normal_rule
from ...state import UINT32


def standard_normals(words: NDArray[np.uint32], dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """The normals made of given words, for samplers that skip or reject some of them: one for each word.

    words is a uint32 array of rank 1. Its size is a multiple of 2. A float64 takes two words, so there it is one of 4.

    >>> from dmlrand import make_state, normal, random_generator
    >>> state = make_state(key=42)
    >>> words = random_generator(state, 8).values
    >>> bool((standard_normals(words) == normal(state, 8).values).all())
    True
    """
    kind = check_dtype(dtype, FLOATS)
    pair_words = 2 * words_per_number(kind)
    if not isinstance(words, np.ndarray) or words.dtype != UINT32 or words.ndim != 1 or words.size % pair_words:
        raise ValueError(
            f"words must be a uint32 array of rank 1 whose size is a multiple of {pair_words}; got "
            f"{format_value(words)}. random_generator makes one."
        )
    flat = np.array(words, UINT32)  # a copy: kernels take no read-only or strided words
    rule = normal_rule(-0.0, 1.0, np.float64 if kind.itemsize == 8 else np.float32)  # -0.0 keeps the sign of each zero
    values = np.empty(flat.size // words_per_number(kind), rule.dtype)
    rule.kernels.of_words.run(flat, rule.parameters, values)
    return values.astype(kind, copy=False)
