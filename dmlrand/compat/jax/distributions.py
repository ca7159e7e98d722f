"""Reals of a key. Each distribution is a formula of u, a uniform real: specs/jax.md, clauses 8 to 14 and 25.

All functions take a key, `shape` and `dtype` as `uniform` does, and the options of the package's docstring. Parameters
are reals or arrays of reals that broadcast to `shape`, and are rounded to dtype. With shape=None their shape is drawn.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import DTypeLike

from ...arrays.arguments import check_broadcast
from ...arrays.integers import check_int
from ...arrays.number_types import FLOATS, check_reals
from ...arrays.tensor import Shape
from ...messages import format_value
from .. import subnormals
from .arguments import (
    FLOAT64,
    Array,
    KeyArray,
    Options,
    as_reals,
    as_type,
    check_shape,
    default_float,
    dtype_or,
    has_type,
    narrowed,
)
from .elementary import divide_by, erf, erfinv, exp, flushed_erfinv, fma, log, log1p, power, reciprocals, tan, times
from .keys import Keys, read_call
from .reals import Format, Formula, bounded_uniforms, format_of, gumbels, lengths, normals, transformed


class Draw(NamedTuple):
    """The checked arguments of a draw of reals. The parameters have types of their own."""

    keys: Keys
    x64: bool
    kind: np.dtype[Any]
    shape: Shape
    parameters: tuple[Array, ...]

    @property
    def form(self) -> Format:
        return format_of(self.kind)

    @property
    def size(self) -> int:
        """Elements of the output of all keys."""
        return len(self.keys.words) * math.prod(self.shape)

    def of(self, bounds: tuple[Array, Array], formula: Formula, *parameters: Array) -> Array:
        """formula(u, *parameters), where u is uniform between the bounds."""
        return transformed(self.keys, self.shape, self.kind, bounds, formula, *parameters)

    def of_unit(self, formula: Formula, *parameters: Array) -> Array:
        """formula(u, *parameters), where u is uniform in [0, 1)."""
        return self.of(self.form.bounds(), formula, *parameters)

    def rounded(self) -> list[Array]:
        """The parameters in the type that is drawn. Subnormal numbers are flushed."""
        return [subnormals.flush(as_type(each, self.kind)) for each in self.parameters]


def read_draw(key: Any, shape: Any, dtype: Any, options: Options, /, fits: bool = True, **parameters: Any) -> Draw:
    """The arguments of a draw. `fits` tells whether a parameter with a type of its own must fit in dtype."""
    keys, x64 = read_call(key, options)
    kind = dtype_or(default_float(x64), dtype, FLOATS)
    if not parameters:
        return Draw(keys, x64, kind, check_shape(shape), ())
    arrays = [as_reals(float(value) if type(value) is int else value, name, x64) for name, value in parameters.items()]
    for (name, value), array in zip(parameters.items(), arrays):
        if fits and has_type(value) and not np.can_cast(array.dtype, kind):
            raise TypeError(
                f"{name} must be a Python float or have a type that fits in dtype {kind}; got {value.dtype}. "
                f"Convert it: {name}.astype({kind.name!r})."
            )
    if shape is None:
        return Draw(keys, x64, kind, np.broadcast_shapes(*[array.shape for array in arrays]), tuple(arrays))
    sizes = check_shape(shape)
    for name, array in zip(parameters, arrays):
        check_broadcast(sizes, array.shape, name)
    return Draw(keys, x64, kind, sizes, tuple(arrays))


def uniform(
    key: KeyArray,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    minval: Any = 0.0,
    maxval: Any = 1.0,
    **options: Unpack[Options],
) -> Array:
    """Uniform reals in [minval, maxval). Rounding can give maxval itself.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg" and "unsafe_rbg"; or typed keys of JAX
    shape : int or sequence of ints >= 0
    dtype : float16, bfloat16 (needs ml_dtypes), float32 or, with x64, float64
        The default, also for Python's float, is float32, and float64 with x64.
    minval, maxval : real, or array that broadcasts to shape
        Both are rounded to dtype. As in JAX, minval >= maxval gives minval, and the formula also takes nan and inf.
    **options
        impl, partitionable and x64, which the package's docstring describes.

    Returns
    -------
    array of dtype. Its shape is the leading axes of key, then `shape`.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> uniform(PRNGKey(0), (3,))
    array([0.947667  , 0.9785799 , 0.33229148], dtype=float32)
    """
    keys, x64, kind, sizes, _ = read_draw(key, shape, dtype, options)
    low, high = _read_bound(minval, "minval", sizes, kind, x64), _read_bound(maxval, "maxval", sizes, kind, x64)
    return bounded_uniforms(keys, sizes, kind, low, high)


def normal(key: KeyArray, shape: Any = (), dtype: DTypeLike | None = None, **options: Unpack[Options]) -> Array:
    """Normally distributed reals: sqrt(2) * erfinv(u), where u is uniform in (-1, 1).

    >>> from dmlrand.compat.jax import PRNGKey
    >>> normal(PRNGKey(0), (3,))
    array([ 1.6226422 ,  2.0252647 , -0.43359444], dtype=float32)
    """
    draw = read_draw(key, shape, dtype, options)
    return normals(draw.keys, draw.shape, draw.kind)


def exponential(key: KeyArray, shape: Any = (), dtype: DTypeLike | None = None, **options: Unpack[Options]) -> Array:
    """Exponentially distributed reals: -log1p(-u), where u is uniform in [0, 1).

    >>> from dmlrand.compat.jax import PRNGKey
    >>> exponential(PRNGKey(0), (3,))
    array([2.950128  , 3.8434246 , 0.40390354], dtype=float32)
    """
    return read_draw(key, shape, dtype, options).of_unit(lambda u: -log1p(-u))


def laplace(key: KeyArray, shape: Any = (), dtype: DTypeLike | None = None, **options: Unpack[Options]) -> Array:
    """Reals with Laplace's distribution: sign(u) * log1p(-|u|), where u is uniform in (-1, 1).

    >>> from dmlrand.compat.jax import PRNGKey
    >>> laplace(PRNGKey(0), (3,))
    array([-2.2569816 , -3.1502788 ,  0.40859544], dtype=float32)
    """
    draw = read_draw(key, shape, dtype, options)
    return draw.of(draw.form.symmetric_bounds(), lambda u: np.sign(u) * log1p(-np.abs(u)))


def logistic(key: KeyArray, shape: Any = (), dtype: DTypeLike | None = None, **options: Unpack[Options]) -> Array:
    """Reals with the logistic distribution: log(u) - log1p(-u), where u is uniform in (0, 1).

    >>> from dmlrand.compat.jax import PRNGKey
    >>> logistic(PRNGKey(0), (3,))
    array([ 2.896376 ,  3.8217716, -0.6978392], dtype=float32)
    """
    draw = read_draw(key, shape, dtype, options)
    tiny = np.array(draw.form.tiny, draw.kind)

    def formula(u: Array) -> Array:
        u = np.maximum(u, tiny)
        return log(u) - log1p(-u)

    return draw.of_unit(formula)


def cauchy(key: KeyArray, shape: Any = (), dtype: DTypeLike | None = None, **options: Unpack[Options]) -> Array:
    """Reals with Cauchy's distribution: tan(pi * (u - 1/2)), where u is uniform in (0, 1). tan is the C library's.

    >>> from dmlrand.compat.jax import PRNGKey
    >>> cauchy(PRNGKey(0), (3,)).round(3)
    array([ 6.027, 14.838, -0.582], dtype=float32)
    """
    draw = read_draw(key, shape, dtype, options)
    half, pi = np.array(0.5, draw.kind), np.array(np.pi, draw.kind)
    return draw.of(draw.form.bounds(2.0**-draw.form.fraction), lambda u: tan((u - half) * pi))


def gumbel(
    key: KeyArray,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    mode: str | None = None,
    **options: Unpack[Options],
) -> Array:
    """Reals with Gumbel's distribution: -log(-log(u)), where u is uniform in [0, 1).

    Parameters
    ----------
    mode : "low" or "high"
        "low", which None means too, is JAX's default. "high" draws two uniform reals for each result, so that it
        reaches larger numbers. JAX's mode "highest" is not offered.

    Examples
    --------
    >>> from dmlrand.compat.jax import PRNGKey
    >>> gumbel(PRNGKey(0), (3,))
    array([ 2.9233725 ,  3.8326178 , -0.09689324], dtype=float32)
    """
    draw = read_draw(key, shape, dtype, options)
    return gumbels(draw.keys, draw.shape, draw.kind, mode)


def truncated_normal(
    key: KeyArray,
    lower: Any,
    upper: Any,
    shape: Any = None,
    dtype: DTypeLike | None = None,
    **options: Unpack[Options],
) -> Array:
    """Normally distributed reals between two bounds: sqrt(2) * erfinv(u), where u is uniform between erf of the bounds.

    The bounds are single numbers. JAX takes arrays too, and computes their erf in other ways. shape=None means ().

    >>> from dmlrand.compat.jax import PRNGKey
    >>> truncated_normal(PRNGKey(0), -2, 2, (3,))
    array([ 1.4559592 ,  1.7147487 , -0.41267535], dtype=float32)
    """
    draw = read_draw(key, () if shape is None else shape, dtype, options, fits=False, lower=lower, upper=upper)
    for name, bound in zip(("lower", "upper"), draw.parameters):
        if bound.ndim:
            raise ValueError(
                f"{name} must be a single number; got shape {bound.shape}. For each pair of bounds draw the complete "
                "shape with the same key, and take the elements of the pair: "
                "truncated_normal(key, lower[0], upper[0], shape)[..., 0]."
            )
    return _truncated_normals(draw)


def rayleigh(
    key: KeyArray, scale: Any, shape: Any = None, dtype: DTypeLike | None = None, **options: Unpack[Options]
) -> Array:
    """Reals with Rayleigh's distribution: scale * sqrt(-2 * log(u)), where u is uniform in [0, 1). It is inf for u = 0.

    >>> from dmlrand.compat.jax import PRNGKey
    >>> rayleigh(PRNGKey(0), 2.0, (3,))
    array([0.65575665, 0.41620055, 2.9688284 ], dtype=float32)
    """
    draw = read_draw(key, shape, dtype, options, scale=scale)
    minus_two = np.array(-2, draw.kind)
    return draw.of_unit(lambda u, factor: times(np.sqrt(log(u) * minus_two), factor), *draw.rounded())


def weibull_min(
    key: KeyArray,
    scale: Any,
    concentration: Any,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    **options: Unpack[Options],
) -> Array:
    """Reals with Weibull's distribution: (-log1p(-u)) ** (1 / concentration) * scale, where u is uniform in [0, 1).

    1 / concentration is rounded to dtype, not concentration itself. The power is the C library's.

    >>> from dmlrand.compat.jax import PRNGKey
    >>> weibull_min(PRNGKey(0), 2.0, 1.5, (3,))
    array([4.1139336, 4.9072957, 1.0928195], dtype=float32)
    """
    draw = read_draw(key, check_shape(shape), dtype, options, scale=scale, concentration=concentration)
    factor, divisor = draw.parameters
    exponents = reciprocals(divisor)
    if draw.kind == FLOAT64:
        exponents = exponents.astype(divisor.dtype)  # XLA then rounds the reciprocals of bfloat16
    parameters = draw._replace(parameters=(factor, exponents)).rounded()
    return draw.of_unit(lambda u, factor, exponents: times(power(-log1p(-u), exponents), factor), *parameters)


def pareto(
    key: KeyArray, b: Any, shape: Any = None, dtype: DTypeLike | None = None, **options: Unpack[Options]
) -> Array:
    """Reals with Pareto's distribution: exp(-log1p(-u) / b), where u is uniform in [0, 1) and b is above 0.

    >>> from dmlrand.compat.jax import PRNGKey
    >>> pareto(PRNGKey(0), 3.0, (3,))
    array([2.6734667, 3.6007476, 1.1441185], dtype=float32)
    """
    draw = read_draw(key, shape, dtype, options, b=b)
    if not bool((draw.parameters[0] > 0).all()):
        raise ValueError(f"b must be above 0; got {format_value(b)}.")
    kind = draw.kind
    divide, parameter = divide_by(draw.rounded()[0], math.prod(draw.shape))
    return draw.of_unit(lambda u, b: exp(divide(-log1p(-u), b).astype(kind, copy=False)), parameter)


def lognormal(
    key: KeyArray, sigma: Any = 1.0, shape: Any = None, dtype: DTypeLike | None = None, **options: Unpack[Options]
) -> Array:
    """Reals whose logarithm is normally distributed: exp(normal * sigma).

    >>> from dmlrand.compat.jax import PRNGKey
    >>> lognormal(PRNGKey(0), 0.5, (3,))
    array([2.2508795, 2.752838 , 0.8050932], dtype=float32)
    """
    draw = read_draw(key, shape, dtype, options, sigma=sigma)
    root, (factor,) = np.array(math.sqrt(2), draw.kind), draw.rounded()
    if factor.size < draw.size and draw.kind.name != "bfloat16":  # XLA joins two factors that it repeats
        factor, root = times(factor, root), np.array(1, draw.kind)
    bounds = draw.form.symmetric_bounds()
    return draw.of(bounds, lambda u, factor: exp(times(erfinv(u) * root, factor)), factor)


def triangular(
    key: KeyArray,
    left: Any,
    mode: Any,
    right: Any,
    shape: Any = None,
    dtype: DTypeLike | None = None,
    **options: Unpack[Options],
) -> Array:
    """Reals with the triangular distribution from `left` to `right` that are most frequent at `mode`.

    >>> from dmlrand.compat.jax import PRNGKey
    >>> triangular(PRNGKey(0), -1, 0, 2, (3,))
    array([ 1.4396448e+00,  1.6415021e+00, -1.5640259e-03], dtype=float32)
    """
    draw = read_draw(key, shape, dtype, options, left=left, mode=mode, right=right)
    left, mode, right = draw.rounded()
    one = draw.kind.type(1)

    def formula(u: Array, left: Array, mode: Array, right: Array) -> Array:
        rising = left + np.sqrt(u * (right - left) * (mode - left))
        falling = right - np.sqrt((one - u) * (right - left) * (right - mode))
        return np.asarray(np.where(u < (mode - left) / (right - left), rising, falling))

    return draw.of_unit(formula, left, mode, right)


@np.errstate(all="ignore")
def wald(
    key: KeyArray, mean: Any, shape: Any = None, dtype: DTypeLike | None = None, **options: Unpack[Options]
) -> Array:
    """Reals with Wald's distribution of scale 1, from a normal and a uniform real each. At least two numbers are drawn.

    >>> from dmlrand.compat.jax import PRNGKey
    >>> wald(PRNGKey(0), 1.0, (3,))
    array([0.3805977 , 0.41566527, 0.48107237], dtype=float32)
    """
    draw = read_draw(key, shape, dtype, options, mean=mean)
    if draw.size == 1:
        raise ValueError(
            f"shape must have at least two elements, because JAX rounds one number in another way; got {draw.shape}."
        )
    first, second = draw.keys.children()
    (mean,) = draw.rounded()
    two = draw.kind.type(2)
    square, y = mean * mean, np.square(normals(first, draw.shape, draw.kind))
    root = np.sqrt(fma(4 * mean, y, square * (y * y)))
    x = fma(-(mean / two), root, mean + square * y / two)
    z = transformed(second, draw.shape, draw.kind, draw.form.bounds(), lambda u: u)
    return np.asarray(np.where(z <= mean / (mean + x), x, square / x))


def maxwell(key: KeyArray, shape: Any = (), dtype: DTypeLike | None = None, **options: Unpack[Options]) -> Array:
    """Reals with Maxwell's distribution: the lengths of vectors of three normal reals.

    >>> from dmlrand.compat.jax import PRNGKey
    >>> maxwell(PRNGKey(0), (3,))
    array([2.6310966 , 0.99103284, 0.9649306 ], dtype=float32)
    """
    draw = read_draw(key, shape, dtype, options)
    return lengths(draw.keys, draw.shape, draw.kind)


def double_sided_maxwell(
    key: KeyArray,
    loc: Any,
    scale: Any,
    shape: Any = (),
    dtype: DTypeLike | None = None,
    **options: Unpack[Options],
) -> Array:
    """maxwell with a random sign, times `scale`, plus `loc`. Both are single numbers: clause 39 of specs/jax.md.

    >>> from dmlrand.compat.jax import PRNGKey
    >>> double_sided_maxwell(PRNGKey(0), 1.0, 2.0, (3,))
    array([ 4.091442 ,  4.1482553, -3.165061 ], dtype=float32)
    """
    draw = read_draw(key, shape, dtype, options, fits=False, loc=loc, scale=scale)
    for name, each in zip(("loc", "scale"), draw.parameters):
        if each.ndim:
            raise ValueError(f"{name} must be a single number; got shape {each.shape}. Draw with loc=0 and scale=1.")
    first, second = draw.keys.children()
    coin = default_float(draw.x64)
    heads = transformed(second, draw.shape, coin, format_of(coin).bounds(), lambda u: u < 0.5)
    signs = np.where(heads, 1, -1).astype(draw.kind)
    loc, scale = draw.rounded()
    return fma(signs * lengths(first, draw.shape, draw.kind), scale, loc)


@np.errstate(all="ignore")
def _truncated_normals(draw: Draw) -> Array:
    kind, work, infinity = draw.kind, draw.form.work, draw.kind.type(np.inf)
    lower, upper = [as_type(bound, kind) for bound in draw.parameters]
    root = np.array(math.sqrt(2), kind)
    quotients = [times(subnormals.flush(bound.reshape(1)), reciprocals(root)) for bound in (lower, upper)]
    low, high = [erf(quotient.astype(kind)).astype(work) for quotient in quotients]
    values = bounded_uniforms(draw.keys, draw.shape, kind, low, high)
    inside = np.abs(values) < 1
    inverse = flushed_erfinv if subnormals.possible(low, high) else erfinv
    reals = np.where(inside, inverse(np.where(inside, values, kind.type(0))), values * infinity) * root
    least, largest = np.nextafter(lower, infinity), np.nextafter(upper, -infinity)
    clipped = np.where(reals < least, least, reals)  # a zero keeps its sign, which np.maximum does not promise
    clipped = np.where(clipped > largest, largest, clipped)
    return subnormals.flush(clipped.astype(work)).astype(kind)


def _read_bound(value: Any, name: str, shape: Shape, kind: np.dtype[Any], x64: bool) -> Array:
    """A bound as reals of `kind`, in its working type. Its shape broadcasts to `shape`."""
    if type(value) is float:  # Fast path
        array = np.array([value])
    else:
        array = check_reals(value, name)
        if isinstance(value, int):
            check_int(value, name, -(1 << 63), 1 << 63)
        check_broadcast(shape, array.shape, name)
    bound = as_type(array if x64 else narrowed(array), kind).astype(format_of(kind).work, copy=False)
    return bound if bound.ndim else bound.reshape(1)
