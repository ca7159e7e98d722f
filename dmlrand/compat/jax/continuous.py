"""Reals of a key with a fixed distribution: exponential, Laplace, logistic, Cauchy and Gumbel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...arrays.arguments import check_choice
from ...arrays.tensor import Shape
from .arguments import check_shape
from .elementary import log, log1p, tan
from .jax_arrays import KeyArray
from .keys import Keys
from .reals import format_of, read_key_and_type, transformed, uniforms

Array = NDArray[Any]

MODES = ("low", "high")


def exponential(
    key: KeyArray,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Exponentially distributed reals: -log1p(-u), where u is uniform in [0, 1).

    Parameters
    ----------
    key, shape, dtype, impl, partitionable, x64
        As in uniform.

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> exponential(PRNGKey(0), (3,))
    array([2.950128  , 3.8434246 , 0.40390354], dtype=float32)
    """
    keys, kind = read_key_and_type(key, dtype, impl, partitionable, x64)
    bounds = format_of(kind).unit_bounds()
    return transformed(keys, check_shape(shape), kind, bounds, lambda u: -log1p(-u))


def laplace(
    key: KeyArray,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Reals with Laplace's distribution: sign(u) * log1p(-|u|), where u is uniform in (-1, 1).

    Parameters
    ----------
    key, shape, dtype, impl, partitionable, x64
        As in uniform.

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> laplace(PRNGKey(0), (3,))
    array([-2.2569816 , -3.1502788 ,  0.40859544], dtype=float32)
    """
    keys, kind = read_key_and_type(key, dtype, impl, partitionable, x64)
    bounds = format_of(kind).symmetric_bounds()
    return transformed(keys, check_shape(shape), kind, bounds, lambda u: np.sign(u) * log1p(-np.abs(u)))


def logistic(
    key: KeyArray,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Reals with the logistic distribution: log(u) - log1p(-u), where u is uniform in (0, 1).

    Parameters
    ----------
    key, shape, dtype, impl, partitionable, x64
        As in uniform.

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> logistic(PRNGKey(0), (3,))
    array([ 2.896376 ,  3.8217716, -0.6978392], dtype=float32)
    """
    keys, kind = read_key_and_type(key, dtype, impl, partitionable, x64)
    form = format_of(kind)
    tiny = np.array(form.tiny, kind)

    def transform(u: Array) -> Array:
        u = np.maximum(u, tiny)
        return log(u) - log1p(-u)

    return transformed(keys, check_shape(shape), kind, form.unit_bounds(), transform)


def cauchy(
    key: KeyArray,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Reals with Cauchy's distribution: tan(pi * (u - 1/2)), where u is uniform in (0, 1). tan is the C library's.

    Parameters
    ----------
    key, shape, dtype, impl, partitionable, x64
        As in uniform.

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> cauchy(PRNGKey(0), (3,)).round(3)
    array([ 6.027, 14.838, -0.582], dtype=float32)
    """
    keys, kind = read_key_and_type(key, dtype, impl, partitionable, x64)
    form = format_of(kind)
    bounds = np.array([2.0**-form.fraction], form.work), np.ones(1, form.work)
    half, pi = np.array(0.5, kind), np.array(np.pi, kind)
    return transformed(keys, check_shape(shape), kind, bounds, lambda u: tan((u - half) * pi))


def gumbel(
    key: KeyArray,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    mode: str | None = None,
    *,
    impl: str | None = None,
    partitionable: bool = True,
    x64: bool = False,
) -> Array:
    """Reals with Gumbel's distribution: -log(-log(u)), where u is uniform in [0, 1).

    Parameters
    ----------
    key, shape, dtype, impl, partitionable, x64
        As in uniform.
    mode : "low" or "high"
        "low", which None means too, is JAX's default. "high" draws two uniform reals for each result, so that it
        reaches larger numbers. JAX's mode "highest" is not offered.

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> gumbel(PRNGKey(0), (3,))
    array([ 2.9233725 ,  3.8326178 , -0.09689324], dtype=float32)
    """
    keys, kind = read_key_and_type(key, dtype, impl, partitionable, x64)
    return gumbels(keys, check_shape(shape), kind, mode)


def gumbels(keys: Keys, shape: Shape, kind: np.dtype[Any], mode: str | None = None) -> Array:
    """Reals of `kind` with Gumbel's distribution."""
    form = format_of(kind)
    tiny = np.array(form.tiny, kind)
    if check_choice("low" if mode is None else mode, "mode", MODES) == "low":
        # u is the least normal number at least, so that no log is infinite
        return transformed(keys, shape, kind, form.unit_bounds(), lambda u: -log(-log(np.maximum(u, tiny))))
    high, low = two_uniforms(keys, shape, kind)
    u = np.where(high >= 0.5, high, high + np.array(2.0**-form.fraction, kind) * low + tiny)
    return np.asarray(-log(-log1p(-u)))


def two_uniforms(keys: Keys, shape: Shape, kind: np.dtype[Any]) -> tuple[Array, Array]:
    """The two uniform reals of `kind`, each of `shape`, that the modes "high" draw for each result."""
    both = uniforms(keys, (2, *shape), kind, *format_of(kind).unit_bounds()).astype(kind, copy=False)
    high, low = np.moveaxis(both, len(keys.lead), 0)
    return high, low
