"""Words, integers and bools of a key: specs/jax.md, clauses 4, 11, 13 and 25.

All functions take a key, `shape` and the options as `uniform` does. Results have the leading axes of key, then `shape`.
"""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ... import kernels
from ...arrays.arguments import check_choice
from ...arrays.integers import check_int
from ...arrays.number_types import FLOATS
from ...arrays.tensor import Shape
from ...messages import format_value
from .. import subnormals
from ..shared import check_broadcast
from . import arguments
from .arguments import INTEGERS, SIGNS, UINT32, UINT64, UNSIGNED, Array, Config, DType, KeyArray, default_of
from .keys import Keys, PRNGKey as PRNGKey, read_options, stretch, take_place  # PRNGKey: for the examples
from .reals import MODES, Call, divide_by, log, log1p, read_call, shape_of


def bits(key: KeyArray, shape: Any = (), dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Uniform words: uint8, uint16, uint32 or, with x64, uint64. The default is uint32, and uint64 with x64.

    >>> bits(PRNGKey(0), (2,))
    array([4070199207, 4202968722], dtype=uint32)
    """
    keys, x64 = read_options(key, options)
    kind = arguments.read_dtype(dtype, UNSIGNED, x64)
    return keys.bits(8 * kind.itemsize, arguments.check_shape(shape))


def randint(
    key: KeyArray, shape: Any, minval: Any, maxval: Any, dtype: DType = None, **options: Unpack[Config]
) -> Array:
    """Integers in [minval, maxval): minval plus the remainder of a word of twice the type's bits. They are slightly
    biased, as JAX's are.

    minval and maxval are ints, or arrays of ints that broadcast to shape, clipped to the range of dtype; maxval may be
    one above it. As in JAX, minval >= maxval gives minval. dtype is int8, int16, int32, uint8, uint16, uint32, a type
    of 2 or 4 bits of ml_dtypes or, with x64, int64 or uint64. The default, also for Python's int, is int32, and int64
    with x64.

    >>> randint(PRNGKey(0), (5,), 0, 10)
    array([9, 0, 2, 3, 1], dtype=int32)
    """
    short = None if dtype is None else arguments.short_dtype(dtype)
    if short is not None:
        dtype = np.uint8 if short.name[0] == "u" else np.int8
    call = read_call(key, shape, dtype, options, INTEGERS)
    return randints(call.keys, call.shape, call.kind, minval, maxval, short)


def bernoulli(
    key: KeyArray, p: Any = 0.5, shape: Any = None, mode: str = "low", **options: Unpack[Config]
) -> NDArray[np.bool_]:
    """True with probability p, a real in [0, 1] or an array of reals that broadcasts to shape.

    The draw has the type of p. Without x64 float64 and Python's floats count as float32. JAX takes p outside [0, 1].
    The default of shape is the shape of p. mode="high" draws two uniform reals for each result, so that small p are met
    more exactly.

    >>> bernoulli(PRNGKey(0), 0.5, (4,))
    array([False, False,  True,  True])
    """
    call = _read_chances(key, p, shape, options)
    if check_choice(mode, "mode", MODES) == "high":
        high, low = call.two_uniforms()
        return np.asarray(low * call.kind.type(2.0**-call.form.fraction) < call.parameters[0] - high)
    return call.map_pieces(call.form.bounds(), np.less, *call.parameters, to=np.bool_)


def rademacher(key: KeyArray, shape: Any = (), dtype: DType = None, **options: Unpack[Config]) -> Array:
    """1 and -1 with equal probability, in a type of randint or of uniform, or in bool. The default is randint's.

    Unsigned types have their greatest number in the place of -1. bool is True everywhere, as in JAX.

    >>> rademacher(PRNGKey(0), (5,))
    array([-1, -1,  1,  1, -1], dtype=int32)
    """
    x64 = options.get("x64", False)
    kind = arguments.read_dtype(dtype, SIGNS, x64)
    heads = bernoulli(key, default_of(FLOATS, x64).type(0.5), arguments.check_shape(shape), **options)
    return np.where(heads, 1, -1).astype(kind)


def geometric(key: KeyArray, p: Any, shape: Any = None, dtype: DType = None, **options: Unpack[Config]) -> Array:
    """The number of trials up to the first success: floor(log(u) / log1p(-p)) + 1, where u is uniform in (0, 1).

    p and shape are those of bernoulli, and dtype is one of randint. Greater numbers become the type's greatest.

    >>> geometric(PRNGKey(0), 0.25, (5,))
    array([1, 1, 4, 3, 2], dtype=int32)
    """
    call = _read_chances(key, p, shape, options)
    counted, kind, one = arguments.read_dtype(dtype, INTEGERS, options.get("x64", False)), call.kind, call.kind.type(1)
    divide, parameter = divide_by(log1p(-call.parameters[0]), math.prod(call.shape))

    def trials(u: Array, parameter: Array) -> Array:
        logs = log(np.where(u == 0, one, u))
        return np.asarray(np.floor(divide(logs, parameter).astype(kind, copy=False)) + one)

    return saturated(call.of_unit(trials, parameter), counted)


def _read_chances(key: Any, p: Any, shape: Any, options: Config) -> Call:
    """A call whose parameter are probabilities, which have the type that is drawn."""
    keys, x64 = read_options(key, options)
    chances = subnormals.flush(arguments.as_reals(p, "p", x64))
    if not bool(((chances >= 0) & (chances <= 1)).all()):
        raise ValueError(f"p must be in [0, 1]; got {format_value(p)}.")
    return Call(keys, shape_of(shape, {"p": chances.shape}), chances.dtype, (chances,))


def randints(
    keys: Keys, shape: Shape, kind: np.dtype[Any], minval: Any, maxval: Any, short: np.dtype[Any] | None = None
) -> Array:
    """Integers of `kind` in [minval, maxval), as numbers of the type `short`, if there is one."""
    info = np.iinfo(kind)
    limits = arguments.SHORT[short.name] if short is not None else (int(info.min), int(info.max))
    span, start = _read_range(minval, maxval, shape, kind, limits)
    unsigned = span.dtype
    width = 8 * unsigned.itemsize
    out = np.empty(keys.lead + shape, unsigned)
    flat = out.reshape(-1)
    span, start = stretch(out.shape, span, start)
    first, second = keys.children()
    for (place, high), (_, low) in zip(first.pieces(width, shape), second.pieces(width, shape)):
        kernels.xla_randint(high, low, take_place(span, place), take_place(start, place), flat[place])
    values = out.view(kind) if kind.itemsize == unsigned.itemsize else out.astype(kind)
    return values if short is None else values.astype(short)


def _read_range(
    minval: Any, maxval: Any, shape: Shape, kind: np.dtype[Any], limits: tuple[int, int]
) -> tuple[Array, Array]:
    """maxval - minval and minval as words. A difference of 2**bits is 0."""
    bottom, _ = _read_bound(minval, "minval", shape, kind, limits)
    top, beyond = _read_bound(maxval, "maxval", shape, kind, limits)
    unsigned = UINT64 if kind.itemsize == 8 else UINT32
    with np.errstate(over="ignore"):  # numpy warns where the bounds have no axes
        width = top.astype(unsigned) - bottom.astype(unsigned) + beyond.astype(unsigned)
    return np.where(top > bottom, width, unsigned.type(1)), bottom.astype(unsigned)


def _read_bound(
    value: Any, name: str, shape: Shape, kind: np.dtype[Any], limits: tuple[int, int]
) -> tuple[Array, Array]:
    """A bound clipped to the limits, and whether it was greater."""
    least, greatest = limits
    value = arguments.as_numpy(value)
    if not isinstance(value, np.ndarray):
        number = check_int(value, name)
        return np.array(min(max(number, least), greatest), kind), np.array(number > greatest)
    if value.dtype.kind not in "iu":
        raise TypeError(
            f"{name} must hold integers; got {value.dtype} of shape {value.shape}. "
            f"Convert it: {name}.astype(numpy.int32)."
        )
    check_broadcast(shape, value.shape, name)
    own = np.iinfo(value.dtype)
    clipped = value.clip(max(int(own.min), least), min(int(own.max), greatest))
    return np.asarray(clipped).astype(kind), np.asarray(value > greatest)


@np.errstate(all="ignore")
def saturated(numbers: Array, kind: np.dtype[Any]) -> Array:
    """Integers of `kind`: its greatest integer where a number is greater, and 0 for nan."""
    top = np.iinfo(kind).max
    whole = np.where(np.isnan(numbers), 0, numbers).astype(kind)
    return np.asarray(np.where(numbers >= float(top), kind.type(top), whole))
