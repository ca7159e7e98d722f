"""Reals of a key, and selections. Each distribution is a formula of u, a uniform real: specs/jax.md. Parameters are
reals or arrays of reals that broadcast to `shape`, and are rounded to dtype. With shape=None their shape is drawn."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np

from .. import subnormals
from ..shared import FLOAT64, Array, check_broadcast, check_int, check_reals, format_value
from . import arguments, reals
from .arguments import INT64, INTEGERS, Config, DType, KeyArray, as_type, check_shape, default_of, narrowed
from .integers import integers_between
from .keys import Keys, PRNGKey as PRNGKey, read_options  # PRNGKey: for the examples
from .reals import Call, divide_by, erfinv, exp, log, log1p, read_call, reciprocals, shape_of, times

SCAN_BLOCK = 16  # elements of a block of XLA's running sums


def uniform(
    key: KeyArray, shape: Any = (), dtype: DType = None, minval: Any = 0.0, maxval: Any = 1.0, **options: Unpack[Config]
) -> Array:
    """Uniform reals in [minval, maxval). Rounding can give maxval. As in JAX, minval >= maxval gives minval, and the
    formula also takes nan and inf.

    >>> uniform(PRNGKey(0), (3,))
    array([0.947667  , 0.9785799 , 0.33229148], dtype=float32)
    """
    call = read_call(key, shape, dtype, options)
    return call.bounded_uniforms(_read_bound(minval, "minval", call), _read_bound(maxval, "maxval", call))


def normal(key: KeyArray, shape: Any = (), dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Normally distributed reals, drawn as uniform of this module."""
    return read_call(key, shape, dtype, options).normals()


def exponential(key: KeyArray, shape: Any = (), dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Exponentially distributed reals, drawn as uniform of this module."""
    return read_call(key, shape, dtype, options).of_unit(lambda u: -log1p(-u))


def laplace(key: KeyArray, shape: Any = (), dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Reals with Laplace's distribution, drawn as uniform of this module."""
    call = read_call(key, shape, dtype, options)
    return call.of(call.form.symmetric_bounds(), lambda u: np.sign(u) * log1p(-np.abs(u)))


def logistic(key: KeyArray, shape: Any = (), dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Reals with the logistic distribution, drawn as uniform of this module."""
    call = read_call(key, shape, dtype, options)
    tiny = np.array(call.form.tiny, call.kind)
    return call.of_unit(lambda u: log(np.maximum(u, tiny)) - log1p(-np.maximum(u, tiny)))


def cauchy(key: KeyArray, shape: Any = (), dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Reals with Cauchy's distribution, drawn as uniform of this module. Their last bits are the C library's."""
    call = read_call(key, shape, dtype, options)
    half, pi = np.array(0.5, call.kind), np.array(np.pi, call.kind)
    return call.of(call.form.bounds(2.0**-call.form.fraction), lambda u: reals.tan((u - half) * pi))


def gumbel(
    key: KeyArray, shape: Any = (), dtype: DType = None, mode: str | None = None, **options: Unpack[Config]
) -> Array:
    """Reals with Gumbel's distribution, drawn as uniform of this module. mode is "low" (None) or "high", and not
    "highest"."""
    return read_call(key, shape, dtype, options).gumbels(mode)


@np.errstate(all="ignore")
def truncated_normal(
    key: KeyArray, lower: Any, upper: Any, shape: Any = None, dtype: DType = None, **options: Unpack[Config]
) -> Array:
    """Normally distributed reals between two bounds, drawn as uniform of this module."""
    call = read_call(key, shape, dtype, options, fits=False, lower=lower, upper=upper)
    kind, infinity, root = call.kind, call.kind.type(np.inf), np.array(math.sqrt(2), call.kind)
    lower, upper = [as_type(bound, kind) for bound in call.parameters]
    quotients = [times(subnormals.flush(bound), reciprocals(root)).astype(kind) for bound in (lower, upper)]
    low, high = [reals.erf(quotient).astype(call.form.work) for quotient in quotients]
    values = call.bounded_uniforms(low, high)
    inside = np.abs(values) < 1
    inverse = reals.flushed_erfinv if subnormals.possible(low, high) else erfinv
    normals = np.where(inside, inverse(np.where(inside, values, kind.type(0))), values * infinity) * root
    least, largest = np.nextafter(lower, infinity), np.nextafter(upper, -infinity)
    clipped = np.where(normals < least, least, normals)  # a zero keeps its sign, which np.maximum does not promise
    clipped = np.where(clipped > largest, largest, clipped)
    return subnormals.flush(clipped.astype(call.form.work)).astype(kind)


def rayleigh(key: KeyArray, scale: Any, shape: Any = None, dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Reals with Rayleigh's distribution, from 0 to inf, both included, drawn as uniform of this module."""
    call = read_call(key, shape, dtype, options, scale=scale)
    minus_two = np.array(-2, call.kind)
    return call.of_unit(lambda u, factor: times(np.sqrt(log(u) * minus_two), factor), *call.rounded())


def weibull_min(
    key: KeyArray, scale: Any, concentration: Any, shape: Any = (), dtype: DType = None, **options: Unpack[Config]
) -> Array:
    """Reals with Weibull's distribution, drawn as uniform of this module. Their last bits are the C library's."""
    call = read_call(key, check_shape(shape), dtype, options, scale=scale, concentration=concentration)
    factor, divisor = call.parameters
    exponents = reciprocals(divisor)
    if call.kind == FLOAT64:
        exponents = exponents.astype(divisor.dtype)  # XLA then rounds the reciprocals of bfloat16
    parameters = call._replace(parameters=(factor, exponents)).rounded()
    return call.of_unit(lambda u, factor, exponents: times(reals.power(-log1p(-u), exponents), factor), *parameters)


def pareto(key: KeyArray, b: Any, shape: Any = None, dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Reals with Pareto's distribution, drawn as uniform of this module. b must be above 0."""
    call = read_call(key, shape, dtype, options, b=b)
    if not bool((call.parameters[0] > 0).all()):
        raise ValueError(f"b must be above 0; got {format_value(b)}.")
    kind = call.kind
    divide, parameter = divide_by(call.rounded()[0], call.size)
    return call.of_unit(lambda u, b: exp(divide(-log1p(-u), b).astype(kind, copy=False)), parameter)


def lognormal(
    key: KeyArray, sigma: Any = 1.0, shape: Any = None, dtype: DType = None, **options: Unpack[Config]
) -> Array:
    """exp(normal * sigma), drawn as uniform of this module."""
    call = read_call(key, shape, dtype, options, sigma=sigma)
    root, (factor,) = np.array(math.sqrt(2), call.kind), call.rounded()
    if factor.size < call.size and call.kind.name != "bfloat16":  # XLA joins two factors that it repeats
        factor, root = times(factor, root), np.array(1, call.kind)
    bounds = call.form.symmetric_bounds()
    return call.of(bounds, lambda u, factor: exp(times(erfinv(u) * root, factor)), factor)


def triangular(
    key: KeyArray, left: Any, mode: Any, right: Any, shape: Any = None, dtype: DType = None, **options: Unpack[Config]
) -> Array:
    """Reals from `left` to `right`, most frequent at `mode`, drawn as uniform of this module."""
    call = read_call(key, shape, dtype, options, left=left, mode=mode, right=right)
    left, mode, right = call.rounded()
    one = call.kind.type(1)
    divide, divisor = divide_by(right - left, call.size)

    def formula(u: Array, left: Array, mode: Array, right: Array, divisor: Array) -> Array:
        rising = left + np.sqrt(u * (right - left) * (mode - left))
        falling = right - np.sqrt((one - u) * (right - left) * (right - mode))
        return np.asarray(np.where(u < divide(mode - left, divisor).astype(call.kind, copy=False), rising, falling))

    return call.of_unit(formula, left, mode, right, divisor)


def _read_bound(value: Any, name: str, call: Call) -> Array:
    """A bound as reals of the type that is drawn, in its working type."""
    if type(value) is float:  # Fast path
        array = np.array([value])
    else:
        array = check_reals(value, name)
        if isinstance(value, int):
            check_int(value, name, -(1 << 63), 1 << 63)
        check_broadcast(call.shape, array.shape, name)
    return as_type(array if call.x64 else narrowed(array), call.kind).astype(call.form.work, copy=False)


# Selections: specs/jax.md, clauses 12, 14 and 15


def categorical(
    key: KeyArray, logits: Any, axis: int = -1, shape: Any = None, replace: bool = True, mode: str | None = None,
    **options: Unpack[Config],
) -> Array:  # fmt: skip
    """Categories with probabilities proportional to exp(logits), as int32, or as int64 with x64 and replacement. The
    draw has the type of logits. shape is new axes, then the axes of logits without `axis`. mode is that of gumbel.

    >>> categorical(PRNGKey(0), [0.1, 2.0, 0.3], shape=(8,))
    array([1, 1, 1, 1, 1, 1, 1, 0], dtype=int32)
    """
    keys, x64 = read_options(key, options)
    array = subnormals.flush(arguments.as_reals(logits, "logits", x64))
    if array.ndim == 0:
        raise ValueError(f"logits must have an axis of categories; got the scalar {logits!r}.")
    axis = arguments.check_axis(axis, array.ndim) - array.ndim  # negative, since new axes come in front
    batch = array.shape[:axis] + array.shape[array.ndim + axis + 1 :]
    sizes = shape_of(shape, {"logits without axis": batch})
    count = array.shape[axis]
    if count == 0:
        raise ValueError(f"logits must have at least one category; got shape {array.shape}.")
    if arguments.check_flag(replace, "replace"):
        place = len(sizes) + 1 + axis
        noise = Call(keys, (*sizes[:place], count, *sizes[place:]), array.dtype).gumbels(mode)
        return np.asarray((noise + array).argmax(axis)).astype(default_of(INTEGERS, x64))
    front = sizes[: len(sizes) - len(batch)]
    draws = math.prod(front)
    if draws > count or sizes != front + batch:
        rule = f"shape without replacement must be at most {count} draws, one for each category, in front of {batch}"
        raise ValueError(f"{rule}; got {sizes}.")
    noisy = Call(keys, array.shape, array.dtype).gumbels(mode) + array
    drawn = np.moveaxis(greatest(np.moveaxis(noisy, axis, -1), draws), -1, len(keys.lead))
    return np.ascontiguousarray(drawn).reshape(keys.lead + sizes).astype(np.int32)


def greatest(values: Array, count: int) -> Array:
    """The indexes of the `count` greatest values along the last axis, greatest first. Equal values keep their order."""
    return np.argsort(-values, axis=-1, kind="stable")[..., :count]


def choice(
    key: KeyArray, a: Any, shape: Any = (), replace: bool = True, p: Any = None, axis: int = 0, mode: str | None = None,
    **options: Unpack[Config],
) -> Array:  # fmt: skip
    """Elements drawn from an array along `axis`. An int a stands for 0, 1, ..., a - 1. p holds a weight for each
    element, float32 or float64, of any sum. mode is that of gumbel, for draws with p and without replacement.

    >>> choice(PRNGKey(0), 10, (4,), replace=False)
    array([0, 1, 8, 5], dtype=int32)
    """
    keys, x64 = read_options(key, options)
    a, kind = arguments.as_numpy(a), default_of(INTEGERS, x64)
    items = isinstance(a, np.ndarray)
    axis = arguments.check_axis(axis, a.ndim if items else 1)
    count = a.shape[axis] if items else read_count(a, "a", x64)
    sizes = arguments.check_shape(shape)
    replace = arguments.check_flag(replace, "replace")
    weights = None if p is None else _read_weights(p, count, x64)
    draws = math.prod(sizes)
    if draws == 0:
        return np.zeros(keys.lead + sizes, a.dtype if items else kind)
    if count == 0:
        raise ValueError("a must hold an element to draw from; got none.")
    if draws > count and not replace:
        raise ValueError(f"shape without replacement must be at most {count} draws, the elements of a; got {draws}.")
    if weights is not None and replace:
        sums = running_sums(weights)
        total, fractions = sums[-1], 1 - Call(keys, sizes, sums.dtype).unit_uniforms()
        marks = subnormals.multiply(total, fractions) if subnormals.possible(total) else total * fractions
        places = np.asarray(np.searchsorted(sums, marks))
    elif weights is not None:
        noisy = Call(keys, weights.shape, weights.dtype).gumbels(mode) + log(weights)
        places = greatest(noisy, draws)
    elif replace:
        places = integers_between(Call(keys, sizes, kind), 0, count)
    else:
        places = order_of(keys, count, kind)[..., :draws]
    places = places.astype(kind, copy=False).reshape(keys.lead + sizes)
    return take_elements(a, places, axis, len(keys.lead)) if items else places


def running_sums(values: Array) -> Array:
    """Sums of the first 1, 2, ... values, added in XLA's order: in blocks of 16 values, and in the same way over the
    blocks."""
    if values.size <= SCAN_BLOCK:
        return np.cumsum(values, dtype=values.dtype)
    blocks = np.zeros((-(-values.size // SCAN_BLOCK), SCAN_BLOCK), values.dtype)
    blocks.reshape(-1)[: values.size] = values
    sums = np.cumsum(blocks, axis=1, dtype=values.dtype)
    sums[1:] += running_sums(sums[:, -1])[:-1, None]
    return sums.reshape(-1)[: values.size]


def _read_weights(p: Any, count: int, x64: bool) -> Array:
    weights = subnormals.flush(arguments.as_reals(p, "p", x64))
    if weights.dtype.name not in ("float32", "float64"):
        raise TypeError(f"p must be float32 or float64; got {weights.dtype}. Convert it: p.astype(numpy.float32).")
    if weights.shape != (count,):
        raise ValueError(f"p must have a weight for each of the {count} elements; got shape {weights.shape}.")
    if count and not (weights.min() >= 0 and 0 < weights.max() < np.inf):  # nan fails too
        raise ValueError(f"p must hold finite weights of at least 0, not all 0 or subnormal; got {format_value(p)}.")
    return weights


def permutation(key: KeyArray, x: Any, axis: int = 0, independent: bool = False, **options: Unpack[Config]) -> Array:
    """The elements of an array in a random order along an axis, or with `independent` in an order for each line along
    it. An int x stands for 0, 1, ..., x - 1.

    >>> permutation(PRNGKey(0), 5)
    array([0, 1, 4, 3, 2], dtype=int32)
    """
    keys, x64 = read_options(key, options)
    x = arguments.as_numpy(x)
    if not isinstance(x, np.ndarray):
        x = np.arange(read_count(x, "x", x64), dtype=default_of(INTEGERS, x64))
    axis = arguments.check_axis(axis, x.ndim)
    if arguments.check_flag(independent, "independent") or x.ndim == 1:
        return _shuffle(keys, x, axis)
    return take_elements(x, order_of(keys, x.shape[axis], INT64), axis, len(keys.lead))


def order_of(keys: Keys, count: int, kind: np.dtype[Any]) -> Array:
    """0, 1, ..., count - 1 in the order of each key, with the keys' leading axes in front."""
    return _shuffle(keys, np.arange(count, dtype=kind), 0)


def _shuffle(keys: Keys, items: Array, axis: int) -> Array:
    """The items in the order of each key along an axis, with the keys' leading axes in front."""
    # Elements with equal words keep their order, so JAX sorts again with new words until such cases are unlikely.
    rounds = math.ceil(3 * math.log(max(1, items.size)) / math.log((1 << 32) - 1))
    shape = items.shape
    axis += len(keys.lead)
    items = np.broadcast_to(items, keys.lead + shape) if keys.lead else items
    for _ in range(rounds):
        keys, drawn = keys.children()
        order = drawn.bits(32, shape).argsort(axis, kind="stable")
        items = items[order] if items.ndim == 1 else np.take_along_axis(items, order, axis)
    return items.copy() if rounds == 0 else items


def read_count(value: Any, name: str, x64: bool) -> int:
    """The argument that stands for 0, 1, ..., value - 1, as an int."""
    if not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an array of one axis or more, or an int; got {type(value).__name__}.")
    return check_int(value, name, 0, 1 << 63 if x64 else 1 << 31)


def take_elements(items: Array, places: Array, axis: int, lead: int) -> Array:
    """items[places] along an axis. The first `lead` axes of places, which are the keys', come first in the result."""
    taken = items.take(places, axis)
    if lead == 0:
        return np.asarray(taken)  # numpy makes a scalar of an array without axes
    return np.ascontiguousarray(np.moveaxis(taken, range(axis, axis + lead), range(lead)))
