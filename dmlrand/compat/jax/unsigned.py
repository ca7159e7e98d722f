"""Unsigned words of a key."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ... import kernels
from .arguments import UINT32, UINT64, UNSIGNED, check_flag, check_shape, dtype_or
from .keys import THREEFRY, is_common, read_keys
from .sources import Words


def bits(
    key: Words,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    *,
    impl: str = THREEFRY,
    partitionable: bool = True,
    x64: bool = False,
) -> NDArray[Any]:
    """Uniform words.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg"
    shape : int or sequence of ints >= 0
    dtype : uint8, uint16, uint32 or, with x64, uint64
        By default uint32, with x64 uint64.

    Returns
    -------
    array of dtype, of key's leading axes and shape

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> bits(PRNGKey(0), (2,))
    array([4070199207, 4202968722], dtype=uint32)
    """
    if dtype is None and x64 is False and is_common(key, impl, partitionable):
        words = np.empty(check_shape(shape), UINT32)
        kernels.threefry_bits(key, words if words.ndim == 1 else words.reshape(-1))
        return words
    keys = read_keys(key, impl, partitionable)
    kind = dtype_or(UINT64 if check_flag(x64, "x64") else UINT32, dtype, UNSIGNED)
    return keys.bits(8 * kind.itemsize, check_shape(shape))
