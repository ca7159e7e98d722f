"""JAX's own arrays and keys as numpy arrays.

JAX is not imported here. Whoever has such an object has imported JAX.
"""

from __future__ import annotations

import sys
from typing import Any, Protocol

import numpy as np

from ...arrays.arguments import format_choices

TYPED = {  # JAX's name of the dtype of a typed key, and the implementation of the key
    "key<fry>": "threefry2x32",
    "key<phx4>": "philox4x32",
    "key<rbg>": "rbg",
    "key<urbg>": "unsafe_rbg",
}


class KeyArray(Protocol):
    """A key or an array of keys: an array of words of numpy or JAX, or a typed key of jax.random.key."""

    @property
    def dtype(self) -> Any: ...
    @property
    def shape(self) -> Any: ...


def as_numpy(value: Any) -> Any:
    """A jax.Array as a numpy array. Anything without the attributes of an array is returned as it is."""
    if isinstance(value, (np.ndarray, np.generic)) or not (hasattr(value, "__array__") and hasattr(value, "dtype")):
        return value
    return np.asarray(value)


def typed_impl(key: Any) -> str | None:
    """The implementation of a typed key. None for anything else."""
    if isinstance(key, np.ndarray):
        return None
    name = getattr(getattr(key, "dtype", None), "name", None)
    if not isinstance(name, str) or not name.startswith("key<"):
        return None
    if name not in TYPED:
        raise ValueError(f"key must be a typed key of {format_choices(TYPED)}; got {name}.")
    return TYPED[name]


def typed_words(key: Any) -> Any:
    """The words of a typed key, as a uint32 array with the words on the last axis."""
    return np.asarray(sys.modules["jax"].random.key_data(key))
