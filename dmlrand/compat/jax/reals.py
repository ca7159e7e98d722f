"""Uniform, normal and Gumbel reals of keys that are checked already, and formulas of uniform reals.

The arithmetic is XLA's on a CPU with fused multiply-add, and gives the same bits on every CPU.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ... import kernels
from ...arrays.arguments import check_choice
from ...arrays.tensor import Shape
from .. import subnormals
from .arguments import FLOAT32, FLOAT64, Array
from .elementary import erfinv, fma, log, log1p
from .keys import Keys, stretch, take_place

MODES = ("low", "high")
FUSED_MAX_REALS = 4096  # up to so many reals XLA adds the squares of a vector with fused multiply-add
Formula = Callable[..., Array]


class Format(NamedTuple):
    """How bits become reals of a type. float16 and bfloat16 are computed in float32 and rounded after each step."""

    width: int  # bits drawn for a real
    fraction: int  # how many of them, the upper ones, become the fraction
    work: np.dtype[Any]  # the working type, which reals are computed in
    tiny: float  # the least normal number

    def bounds(self, low: float = 0.0) -> tuple[Array, Array]:
        """`low` and 1, as the bounds of `uniforms`."""
        return np.array([low], self.work), np.ones(1, self.work)

    def symmetric_bounds(self) -> tuple[Array, Array]:
        """The number above -1, and 1, as the bounds of `uniforms`."""
        return self.bounds(2.0 ** -(self.fraction + 1) - 1)


_FORMATS = {
    "float16": Format(16, 10, FLOAT32, 2.0**-14),
    "bfloat16": Format(8, 7, FLOAT32, 2.0**-126),
    "float32": Format(32, 23, FLOAT32, 2.0**-126),
    "float64": Format(64, 52, FLOAT64, 2.0**-1022),
}


@lru_cache
def format_of(kind: np.dtype[Any]) -> Format:
    """The format of a type of FLOATS. Cached, because numpy takes microseconds to build the name of a dtype."""
    return _FORMATS[kind.name]


def bounded_uniforms(keys: Keys, shape: Shape, kind: np.dtype[Any], low: Array, high: Array) -> Array:
    """Uniform reals of `kind` between any bounds, which are as in `uniforms`."""
    near_zero = kind != np.float16 and subnormals.possible(low, high)
    draw = flushed_uniforms if near_zero else uniforms
    return draw(keys, shape, kind, low, high).astype(kind, copy=False)


def uniforms(keys: Keys, shape: Shape, kind: np.dtype[Any], low: Array, high: Array) -> Array:
    """Uniform reals of `kind`, in the working type. The bounds have that type and broadcast to `shape`."""
    form = format_of(kind)
    out = np.empty(keys.lead + shape, form.work)
    flat = out.reshape(-1)
    low, high = stretch(out.shape, low, high)
    for place, bits in keys.pieces(form.width, shape):
        fill_uniform(bits, kind, take_place(low, place), take_place(high, place), flat[place])
    return out


def fill_uniform(bits: Array, kind: np.dtype[Any], low: Array, high: Array, out: Array) -> Array:
    """Write uniform reals of `kind` to `out`, which has the working type. All arrays are flat. Return `out`."""
    form = format_of(kind)
    if kind == form.work:
        kernels.xla_uniform(bits, low, high, out)
        return out

    def rounded(values: Array) -> Array:
        return values.astype(kind).astype(form.work)

    with np.errstate(invalid="ignore", over="ignore"):
        fractions = (bits >> (form.width - form.fraction)).astype(form.work) * form.work.type(2.0**-form.fraction)
        np.maximum(low, rounded(rounded(fractions * rounded(high - low)) + low), out=out)
    if kind == np.float16:
        out[np.isnan(out)] = np.nan  # without a sign, as in JAX; x86 processors set it
    return out


@np.errstate(all="ignore")
def flushed_uniforms(keys: Keys, shape: Shape, kind: np.dtype[Any], low: Array, high: Array) -> Array:
    """As `uniforms`, for bounds near zero: XLA flushes subnormal operands and results. Not for float16."""
    low, high = subnormals.flush(low), subnormals.flush(high)
    if kind == low.dtype:
        values = fused_uniforms(keys, shape, kind, low, high)
    else:
        form = format_of(kind)
        fractions = (keys.bits(form.width, shape) >> (form.width - form.fraction)).astype(form.work)
        fractions *= form.work.type(2.0**-form.fraction)
        width = subnormals.difference(high.astype(kind), low.astype(kind))
        values = subnormals.affine(fractions.astype(kind), width, low.astype(kind)).astype(form.work)
    zeros = (values == 0) & (low == 0)  # the maximum of 0 and -0 must be 0, which numpy does not promise
    return np.where(zeros, values + low, np.maximum(low, values)).reshape(keys.lead + shape)


def fused_uniforms(keys: Keys, shape: Shape, kind: np.dtype[Any], low: Array, high: Array) -> Array:
    """As `flushed_uniforms`, for float32 and float64. Bounds near zero are scaled, so that no real is subnormal."""
    least, small, scale = subnormals.limits_of(kind)
    size = kind.type(scale)
    near = (np.abs(low) < small) & (np.abs(high) < small)
    start, end = np.where(near, low, 0) * size, np.where(near, high, 0) * size
    end = np.where(np.abs(end - start) < least * scale, start, end)  # the width is flushed
    scaled = uniforms(keys, shape, kind, start.astype(kind), end.astype(kind))
    # Flush before the division, which would round the largest number below the least normal one up to it.
    values = np.where(np.abs(scaled) < least * scale, np.copysign(kind.type(0), scaled), scaled) / size
    return values if near.all() else np.where(near, values, uniforms(keys, shape, kind, low, high))


def normals(keys: Keys, shape: Shape, kind: np.dtype[Any]) -> Array:
    """Normally distributed reals of `kind`."""
    root = np.array(math.sqrt(2), kind)
    return transformed(keys, shape, kind, format_of(kind).symmetric_bounds(), lambda u: erfinv(u) * root)


@np.errstate(all="ignore")
def lengths(keys: Keys, shape: Shape, kind: np.dtype[Any]) -> Array:
    """The lengths of vectors of three normal reals. XLA adds the squares of small and of large outputs differently."""
    small = 3 * len(keys.words) * math.prod(shape) <= FUSED_MAX_REALS
    a, b, c = np.moveaxis(normals(keys, (*shape, 3), kind), -1, 0)
    if kind == np.float16:
        squares = [(each * each).astype(FLOAT32) for each in (a, b, c)]
        total = (squares[0] + squares[1]) + squares[2]
    elif kind.itemsize == 2 and not small:  # each normal is rounded after its square only
        form = format_of(kind)
        u = uniforms(keys, (*shape, 3), kind, *form.symmetric_bounds())
        a, b, c = np.moveaxis(erfinv(u) * np.float32(kind.type(math.sqrt(2))), -1, 0)
        total = (a * a + c * c) + b * b
    elif small:
        a, b, c = [each.astype(format_of(kind).work) for each in ((b, a, c) if kind != FLOAT64 else (a, b, c))]
        total = fma(c, c, fma(b, b, a * a))
    else:
        total = (a * a + c * c) + b * b
    return np.asarray(np.sqrt(total.astype(kind)))


@np.errstate(all="ignore")
def transformed(
    keys: Keys, shape: Shape, kind: np.dtype[Any], bounds: tuple[Array, Array], formula: Formula, *parameters: Array
) -> Array:
    """formula(u, *parameters) of uniform reals u of `kind`. The bounds of u are single numbers of the working type.

    The parameters broadcast to `shape`. `formula` takes flat arrays of `kind`, a piece of the output at a time.
    """
    form = format_of(kind)
    out = np.empty(keys.lead + shape, kind)
    flat = out.reshape(-1)
    parameters = stretch(out.shape, *parameters)
    for place, bits in keys.pieces(form.width, shape):
        values = fill_uniform(bits, kind, *bounds, np.empty(bits.size, form.work)).astype(kind, copy=False)
        flat[place] = formula(values, *[take_place(parameter, place) for parameter in parameters])
    return out


def gumbels(keys: Keys, shape: Shape, kind: np.dtype[Any], mode: str | None = None) -> Array:
    """Reals of `kind` with Gumbel's distribution."""
    form = format_of(kind)
    tiny = np.array(form.tiny, kind)
    if check_choice("low" if mode is None else mode, "mode", MODES) == "low":
        # u is the least normal number at least, so that no log is infinite
        return transformed(keys, shape, kind, form.bounds(), lambda u: -log(-log(np.maximum(u, tiny))))
    high, low = two_uniforms(keys, shape, kind)
    u = np.where(high >= 0.5, high, high + np.array(2.0**-form.fraction, kind) * low + tiny)
    return np.asarray(-log(-log1p(-u)))


def two_uniforms(keys: Keys, shape: Shape, kind: np.dtype[Any]) -> tuple[Array, Array]:
    """The two uniform reals of `kind`, each of `shape`, that the modes "high" draw for each result."""
    both = uniforms(keys, (2, *shape), kind, *format_of(kind).bounds()).astype(kind, copy=False)
    high, low = np.moveaxis(both, len(keys.lead), 0)
    return high, low
