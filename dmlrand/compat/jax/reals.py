"""XLA's functions of arrays of reals, and calls whose arguments are checked. The arithmetic is XLA's on a CPU with
fused multiply-add, with the same bits on every CPU. Functions of arrays give the type that they take. float16 and
bfloat16 are computed in float32 and rounded once. Numbers that XLA flushes to zero are flushed here."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import kernels, subnormals
from ..shared import FLOAT32, FLOAT64, FLOATS, Array, Shape, check_broadcast, check_choice
from ..subnormals import work_of
from . import arguments
from .arguments import Config, as_reals, as_type, check_shape, read_dtype
from .keys import Keys, read_options

Formula = Callable[..., Array]

MODES = ("low", "high")
NEAR_ZERO = 2.0**-40  # the square of a smaller number is lost beside 1, in float64 too


def _by_kernels(of_float32: str, of_float64: str) -> Formula:
    """A function of arrays that these kernels compute. Its results have the shape and the type of its first array."""

    def function(*arrays: Array) -> Array:
        work = work_of(arrays[0].dtype)
        out = np.empty(arrays[0].shape, work)
        kernel = kernels.of_xla(of_float64 if work == FLOAT64 else of_float32)
        kernel.run(*[each.astype(work, copy=False).reshape(-1) for each in arrays], out.reshape(-1))
        return out.astype(arrays[0].dtype, copy=False)

    return function


log = _by_kernels("xla_log32", "xla_log64")  # of numbers from 0 on
log1p = _by_kernels("xla_log1p32", "xla_log1p64")  # of numbers from -1 on
exp = _by_kernels("xla_exp32", "xla_exp64")
erf = _by_kernels("xla_erf32", "xla_erf64")
erfinv = _by_kernels("xla_erfinv32", "xla_erfinv64")  # of numbers between -1 and 1, but not near zero: see below
tan = _by_kernels("xla_tan", "xla_tan")
power = _by_kernels("xla_power", "xla_power")  # of values, and of one exponent or as many as values
_fma = _by_kernels("xla_fma", "xla_fma")


def flushed_erfinv(values: Array) -> Array:
    """erfinv of any numbers between -1 and 1. Near zero it is a product with a constant, and XLA flushes it."""
    work = values.astype(work_of(values.dtype), copy=False)
    slope = erfinv(np.array(NEAR_ZERO, work.dtype)) / work.dtype.type(NEAR_ZERO)
    near = np.abs(work) < NEAR_ZERO
    return np.where(near, subnormals.multiply(work, slope), erfinv(work)).astype(values.dtype)


def fma(x: Array, y: Any, z: Any) -> Array:
    """x * y + z, rounded once. float16 and bfloat16 round the product, and then the sum."""
    kind = np.result_type(x, y, z)
    if kind.itemsize == 2:
        return np.asarray(x * y + z)
    return _fma(*[np.asarray(each, kind, order="C") for each in np.broadcast_arrays(x, y, z)])


def times(values: Array, factors: Array) -> Array:
    """values * factors, with subnormal products flushed to zero. No operand may be subnormal."""
    kind, work = values.dtype, work_of(values.dtype)
    values, factors = values.astype(work, copy=False), factors.astype(work, copy=False)
    products = np.asarray(values * factors)
    products = subnormals.multiply(values, factors) if subnormals.possible(products) else products
    return products.astype(kind, copy=False)


def reciprocals(values: Array) -> Array:
    """1 / values, flushed. Those of bfloat16 stay float32, and so does the product with one until it is rounded."""
    work = values if values.dtype == np.float16 else values.astype(work_of(values.dtype))
    with np.errstate(all="ignore"):
        return subnormals.flush(work.dtype.type(1) / work)


def divide_by(divisors: Array, count: int) -> tuple[Callable[[Array, Array], Array], Array]:
    """A function of values and of the returned array that divides the values of an output of `count` elements by
    `divisors`. XLA multiplies by the reciprocal of a parameter that it repeats, and divides by one that has `count`
    elements."""
    return (np.multiply, reciprocals(divisors)) if divisors.size < count else (np.divide, divisors)


class Format(NamedTuple):
    """How bits become reals of a type. float16 and bfloat16 are computed in float32 and rounded after each step."""

    width: int  # bits drawn for a real
    fraction: int  # how many of them, the upper ones, become the fraction
    work: np.dtype[Any]  # the working type, which reals are computed in
    tiny: float  # the least normal number

    @property
    def above_minus_one(self) -> float:
        """The number above -1, where symmetric draws begin."""
        return 2.0 ** -(self.fraction + 1) - 1


FORMATS = {  # by numpy's letter of the type. E is bfloat16.
    "e": Format(16, 10, FLOAT32, 2.0**-14),
    "E": Format(8, 7, FLOAT32, 2.0**-126),
    "f": Format(32, 23, FLOAT32, 2.0**-126),
    "d": Format(64, 52, FLOAT64, 2.0**-1022),
}


class Call(NamedTuple):
    """The checked arguments of a call. `shape` is the output of one key, `kind` the type drawn. Parameters have their
    own types."""

    keys: Keys
    shape: Shape
    kind: np.dtype[Any]
    parameters: tuple[Array, ...] = ()
    x64: bool = False
    avx512_fp16: bool = False

    @property
    def form(self) -> Format:
        return FORMATS[self.kind.char]

    @property
    def size(self) -> int:
        return len(self.keys.words) * math.prod(self.shape)

    def rounded(self) -> list[Array]:
        """The parameters in the type that is drawn. Subnormal numbers are flushed."""
        return [subnormals.flush(as_type(each, self.kind)) for each in self.parameters]

    def uniforms(self, low: Array, high: Array) -> Array:
        """Uniform reals. The bounds have the working type, and broadcast to `shape`."""
        form = self.form
        out = np.empty(self.keys.lead + self.shape, form.work)
        flat = out.reshape(-1)
        for place, bits, start, end in self.keys.pieces(form.width, self.shape, low, high):
            self._fill_uniform(bits, start, end, flat[place])
        return out.astype(self.kind, copy=False)

    def _fill_uniform(self, bits: Array, low: Array, high: Array, out: Array) -> Array:
        """Write uniform reals to `out`, which has the working type. All arrays are flat. Return `out`."""
        form, kind = self.form, self.kind
        if kind == form.work:
            kernels.of_xla("xla_uniform").run(bits, low, high, out)
            return out

        def rounded(values: Array) -> Array:
            return values.astype(kind).astype(form.work)

        fractions = (bits >> (form.width - form.fraction)).astype(form.work) * form.work.type(2.0**-form.fraction)
        width = rounded(high - low)
        if self.avx512_fp16 and kind == np.float16:  # fused: float64 holds the product and the sum exactly
            sums = rounded(fractions.astype(FLOAT64) * width + low)
        else:
            sums = rounded(rounded(fractions * width) + low)
        np.maximum(low, sums, out=out)
        if kind == np.float16:
            out[np.isnan(out)] = np.nan  # without a sign, as in JAX; x86 processors set it
        return out

    def unit_uniforms(self) -> Array:
        return self.uniforms(np.zeros(1, self.form.work), np.ones(1, self.form.work))

    @np.errstate(all="ignore")
    def bounded_uniforms(self, low: Array, high: Array) -> Array:
        """Uniform reals between any bounds, which are as in `uniforms`. XLA flushes subnormal operands and results, but
        not those of float16."""
        if self.kind == np.float16 or not subnormals.possible(low, high):
            return self.uniforms(low, high)
        low, high, kind = subnormals.flush(low), subnormals.flush(high), self.kind
        values: Array
        if kind == low.dtype:  # Bounds near zero are scaled, so that no real is subnormal.
            least, small, scale = subnormals.limits_of(kind)
            size = np.where((np.abs(low) < small) & (np.abs(high) < small), kind.type(scale), kind.type(1))
            start, end = low * size, high * size
            end = np.where(np.abs(end - start) < least * size, start, end)  # the width is flushed
            scaled = self.uniforms(start, end)
            # Flush before the division, which would round the largest number below the least normal one up to it.
            values = np.where(np.abs(scaled) < least * size, np.copysign(kind.type(0), scaled), scaled) / size
        else:
            width = subnormals.difference(high.astype(kind), low.astype(kind))
            values = subnormals.affine(self.unit_uniforms(), width, low.astype(kind)).astype(low.dtype)
        zeros = (values == 0) & (low == 0)  # the maximum of 0 and -0 must be 0, which numpy does not promise
        values = np.where(zeros, values + low, np.maximum(low, values)).astype(kind, copy=False)
        return values.reshape(self.keys.lead + self.shape)  # the bounds have an axis that a scalar has not

    @np.errstate(all="ignore")
    def of(self, formula: Formula, *parameters: Array, low: float = 0.0, to: Any = None) -> Array:
        """formula(u, *parameters), where u is uniform in [low, 1). `formula` takes flat arrays of `kind`, one piece of
        the output at a time, and gives numbers of that type, or of the type `to`."""
        form, kind = self.form, self.kind
        out = np.empty(self.keys.lead + self.shape, to or kind)
        flat, bounds = out.reshape(-1), (np.array([low], form.work), np.ones(1, form.work))
        for place, bits, *given in self.keys.pieces(form.width, self.shape, *parameters):
            values = self._fill_uniform(bits, *bounds, np.empty(bits.size, form.work)).astype(kind, copy=False)
            flat[place] = formula(values, *given)
        return out

    def gumbels(self, mode: str | None = None) -> Array:
        tiny = np.array(self.form.tiny, self.kind)
        if check_choice("low" if mode is None else mode, "mode", MODES) == "low":
            # u is the least normal number at least, so that no log is infinite
            return self.of(lambda u: -log(-log(np.maximum(u, tiny))))
        high, low = self.two_uniforms()
        u = np.where(high >= 0.5, high, high + np.array(2.0**-self.form.fraction, self.kind) * low + tiny)
        return np.asarray(-log(-log1p(-u)))

    def two_uniforms(self) -> tuple[Array, Array]:
        """The two uniform reals, each of `shape`, that the modes "high" draw for each result."""
        both = self._replace(shape=(2, *self.shape)).unit_uniforms()
        high, low = np.moveaxis(both, len(self.keys.lead), 0)
        return high, low


def read_call(
    key: Any, shape: Any, dtype: Any, options: Config, /, kinds: Any = FLOATS, fits: bool = True, **parameters: Any
) -> Call:
    """The arguments of a call that draws one of the types `kinds`, with reals as parameters. `fits` tells whether a
    parameter with a type of its own must fit in dtype."""
    keys, x64 = read_options(key, options)
    kind, fused = read_dtype(dtype, kinds, x64), arguments.check_flag(options.get("avx512_fp16", False), "avx512_fp16")
    if not parameters:
        return Call(keys, check_shape(shape), kind, (), x64, fused)
    arrays = {}
    for name, value in parameters.items():
        arrays[name] = as_reals(float(value) if type(value) is int else value, name, x64)
        has_type = hasattr(value, "dtype") and not getattr(value, "weak_type", False)  # weak: JAX's Python numbers
        if fits and has_type and not np.can_cast(arrays[name].dtype, kind):
            rule = f"{name} must be a Python float or have a type that fits in dtype {kind}"
            raise TypeError(f"{rule}; got {value.dtype}. Convert it: {name}.astype({kind.name!r}).")
    sizes = shape_of(shape, {name: array.shape for name, array in arrays.items()})
    return Call(keys, sizes, kind, tuple(arrays.values()), x64, fused)


def shape_of(shape: Any, parameters: dict[str, Shape]) -> Shape:
    """The shape of an output: `shape`, to which the shapes of all parameters broadcast. None means their shape."""
    if shape is None:
        return np.broadcast_shapes(*parameters.values())
    sizes = check_shape(shape)
    for name, each in parameters.items():
        check_broadcast(sizes, each, name)
    return sizes
