"""Words, integers, bools and counts of a key: specs/jax.md, clauses 4, 11, 13, 24, 27 and 28."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from .. import kernels, subnormals
from ..rejection import Trial, binomial_trial, poisson_trial
from ..shared import FLOAT32, FLOATS, Array, check_broadcast, check_choice, check_int, format_value
from . import arguments
from .arguments import INTEGERS, SHORT, SIGNS, UINT32, UINT64, UNSIGNED, Config, DType, KeyArray, as_type
from .keys import Keys, PRNGKey as PRNGKey, read_options  # PRNGKey: for the examples
from .reals import MODES, Call, divide_by, fma, log, log1p, read_call, shape_of

__all__ = ["bernoulli", "binomial", "bits", "geometric", "poisson", "rademacher", "randint"]

KNUTH_MAX = 10  # below this rate Poisson numbers are counted one by one
INVERSION_MAX = 10  # up to this mean binomial numbers are counted one by one
STUCK_RATE, STUCK_COUNT = 1e5, 1e4  # XLA draws both methods for all elements. These stand where the other one is used.

# log(gamma(x)) by Lanczos' approximation with g = 7, whose first term is 1.
LANCZOS = [676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406]
LANCZOS += [12.507343278686905, -0.13857109526572012, 9.984369578019572e-06, 1.5056327351493116e-07]
LANCZOS_G, LOG_LANCZOS_G, LOG_ROOT_2PI = 7.5, math.log(7.5), math.log(math.sqrt(2 * math.pi))


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
    """Integers in [minval, maxval), slightly biased, as JAX's are. Bounds are clipped to the range of dtype. maxval may
    be one above it. As in JAX, minval >= maxval gives minval. ml_dtypes' types of 2 and 4 bits are drawn too.

    >>> randint(PRNGKey(0), (5,), 0, 10)
    array([9, 0, 2, 3, 1], dtype=int32)
    """
    call = read_call(key, shape, dtype, options, (*INTEGERS, *SHORT))
    if call.kind.kind != "V":  # of ml_dtypes
        return integers_between(call, minval, maxval)
    limits = SHORT[call.kind.name]
    wide = np.dtype(np.int8 if limits[0] else np.uint8)
    return integers_between(call._replace(kind=wide), minval, maxval, limits).astype(call.kind)


def bernoulli(
    key: KeyArray, p: Any = 0.5, shape: Any = None, mode: str = "low", **options: Unpack[Config]
) -> NDArray[np.bool_]:
    """True with probability p in [0, 1], drawn in the type of p. mode="high" meets small p more exactly.

    >>> bernoulli(PRNGKey(0), 0.5, (4,))
    array([False, False,  True,  True])
    """
    call = _read_chances(key, p, shape, options)
    if check_choice(mode, "mode", MODES) == "high":
        high, low = call.two_uniforms()
        return np.asarray(low * call.kind.type(2.0**-call.form.fraction) < call.parameters[0] - high)
    return call.of(np.less, *call.parameters, to=np.bool_)


def rademacher(key: KeyArray, shape: Any = (), dtype: DType = None, **options: Unpack[Config]) -> Array:
    """1 and -1 with equal probability, in a type of randint or uniform or in bool, drawn as uniform of this module. As
    in JAX, unsigned types have their greatest number in the place of -1, and bool is True everywhere."""
    call = read_call(key, shape, dtype, options, SIGNS)
    coins = call._replace(kind=arguments.DEFAULTS[FLOATS][call.x64]).unit_uniforms()
    return np.where(coins < 0.5, 1, -1).astype(call.kind)


def geometric(key: KeyArray, p: Any, shape: Any = None, dtype: DType = None, **options: Unpack[Config]) -> Array:
    """The number of trials up to the first success, with p as bernoulli of this module and a dtype of randint."""
    call = _read_chances(key, p, shape, options)
    counted, kind, one = arguments.read_dtype(dtype, INTEGERS, call.x64), call.kind, call.kind.type(1)
    divide, parameter = divide_by(log1p(-call.parameters[0]), call.size)

    def trials(u: Array, parameter: Array) -> Array:
        logs = log(np.where(u == 0, one, u))
        return np.asarray(np.floor(divide(logs, parameter).astype(kind, copy=False)) + one)

    return _saturated(call.of(trials, parameter), counted)


@np.errstate(all="ignore")
def poisson(key: KeyArray, lam: Any, shape: Any = None, dtype: DType = None, **options: Unpack[Config]) -> Array:
    """Integers with Poisson's distribution, of the types as randint of this module, for keys of "threefry2x32" only.
    lam is rounded to float32. As in JAX, a negative lam or nan gives -1. An infinite lam is refused."""
    call = read_call(key, shape, dtype, options, INTEGERS, fits=False, lam=lam)
    impl = call.keys.implementation.impl
    if impl != "threefry2x32":
        raise ValueError(f"poisson takes keys of impl 'threefry2x32', as in JAX; got {impl!r}.")
    _check_not_infinite(call.parameters[0], "lam", lam)
    rates = np.broadcast_to(as_type(call.parameters[0], FLOAT32), call.shape).reshape(-1)
    counted = np.isnan(rates) | (rates < KNUTH_MAX)
    large = np.where(counted, FLOAT32.type(STUCK_RATE), rates)

    def draw(key: Keys) -> Array:
        few = _poisson_counted(key, np.where(counted, rates, FLOAT32.type(0)))
        many = _saturated(_accepted(key, large, poisson_trial(large, log, _log_gamma, fma)), call.kind)
        return np.where(rates == 0, 0, np.where(counted, few.astype(call.kind), many))

    return _each_key(call, draw)


@np.errstate(all="ignore")
def binomial(key: KeyArray, n: Any, p: Any, shape: Any = None, dtype: DType = None, **options: Unpack[Config]) -> Array:
    """The number of successes in n trials, as reals of the types as uniform of this module. p is float32 or float64. As
    in JAX, a fraction of n is dropped, and n or p below 0 gives nan. An infinite n is refused."""
    call = read_call(key, shape, dtype, options, fits=False, n=n, p=p)
    impl = call.keys.implementation.impl
    if impl in ("rbg", "unsafe_rbg") and call.keys.lead:
        got = f"got shape {call.keys.lead}. Draw them one by one."
        raise ValueError(f"key must be a single key for impl {impl!r}; {got}")
    counts, chances = call.parameters
    _check_not_infinite(counts, "n", n)
    if chances.dtype.itemsize == 2:
        raise TypeError(f"p must be float32 or float64; got {chances.dtype}. Convert it: p.astype(numpy.float32).")
    kind = chances.dtype
    counts, chances = [np.broadcast_to(as_type(each, kind), call.shape).reshape(-1) for each in (counts, chances)]
    smaller = chances < 0.5
    q = np.where(smaller, chances, 1 - chances)
    no_count, no_chance, is_nan = np.isnan(counts) | (counts < 0), np.isnan(q) | (q < 0), np.isnan(q)
    q = np.where(no_chance, kind.type(0.01), q)
    counted = no_count | (counts * q <= INVERSION_MAX)
    counts = np.floor(counts)
    large, chance = np.where(counted, kind.type(STUCK_COUNT), counts), np.where(counted, kind.type(0.5), q)

    def draw(key: Keys) -> Array:
        few = _binomial_counted(key, np.where(counted, counts, kind.type(0)), q)
        many = _accepted(key, chance, binomial_trial(large, chance, log, fma, 9))
        drawn = np.where(no_chance | no_count, np.nan, np.where(counted, few, many)).astype(call.kind)
        return np.where(smaller | no_count | is_nan, drawn, counts.astype(call.kind) - drawn)

    return _each_key(call, draw)


def _read_chances(key: Any, p: Any, shape: Any, options: Config) -> Call:
    """A call whose parameter are probabilities, which have the type that is drawn."""
    keys, x64 = read_options(key, options)
    chances = subnormals.flush(arguments.as_reals(p, "p", x64))
    if not bool(((chances >= 0) & (chances <= 1)).all()):
        raise ValueError(f"p must be in [0, 1]; got {format_value(p)}.")
    return Call(keys, shape_of(shape, {"p": chances.shape}), chances.dtype, (chances,), x64)


def _check_not_infinite(array: Array, name: str, given: Any) -> None:
    if np.isinf(array).any():
        raise ValueError(f"{name} must not be infinite, for which JAX's draw does not end; got {format_value(given)}.")


def integers_between(call: Call, minval: Any, maxval: Any, limits: tuple[int, int] | None = None) -> Array:
    """Integers of the call's type in [minval, maxval). The bounds are clipped to the limits, which the type has too."""
    keys, shape, kind, *_ = call
    unsigned = UINT64 if kind.itemsize == 8 else UINT32
    limits = limits or (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
    bottom, _ = _read_bound(minval, "minval", call, limits)
    top, beyond = _read_bound(maxval, "maxval", call, limits)
    start: Array = bottom.astype(unsigned)
    with np.errstate(over="ignore"):  # numpy warns where the bounds have no axes
        width = top.astype(unsigned) - start + beyond.astype(unsigned)  # 2**bits is 0
    out = np.empty(keys.lead + shape, unsigned)
    flat = out.reshape(-1)
    span = np.where(top > bottom, width, unsigned.type(1))
    first, second = keys.children()
    bits = 8 * unsigned.itemsize
    for (place, high, *given), (_, low) in zip(first.pieces(bits, shape, span, start), second.pieces(bits, shape)):
        kernels.of_xla("xla_randint").run(high, low, *given, flat[place])
    return out.view(kind) if kind.itemsize == unsigned.itemsize else out.astype(kind)


def _read_bound(value: Any, name: str, call: Call, limits: tuple[int, int]) -> tuple[Array, Array]:
    """A bound clipped to the limits, and whether it was greater."""
    least, greatest = limits
    value = arguments.as_numpy(value)
    if not isinstance(value, np.ndarray):
        number = check_int(value, name)
        return np.array(min(max(number, least), greatest), call.kind), np.array(number > greatest)
    if value.dtype.kind not in "iu":
        rule = f"{name} must hold integers"
        raise TypeError(f"{rule}; got {value.dtype} of shape {value.shape}. Convert it: {name}.astype(numpy.int32).")
    check_broadcast(call.shape, value.shape, name)
    own = np.iinfo(value.dtype)
    clipped = value.clip(max(int(own.min), least), min(int(own.max), greatest))
    return np.asarray(clipped).astype(call.kind), np.asarray(value > greatest)


@np.errstate(all="ignore")
def _saturated(numbers: Array, kind: np.dtype[Any]) -> Array:
    """Integers of `kind`: its greatest integer where a number is greater, and 0 for nan."""
    top = np.iinfo(kind).max
    whole = np.where(np.isnan(numbers), 0, numbers).astype(kind)
    return np.asarray(np.where(numbers >= float(top), kind.type(top), whole))


# Poisson and binomial numbers are drawn until each is accepted. Each round splits the key and draws uniform reals for
# all elements. An element that is accepted can be accepted again, with another count, as long as another element is
# not. So the numbers of a key depend on the shape, as in JAX.


def _each_key(call: Call, draw: Callable[[Keys], Array]) -> Array:
    """The draws of each key alone, one after the other, as flat arrays."""
    keys = call.keys
    out = np.empty((len(keys.words), math.prod(call.shape)), call.kind)
    for i, words in enumerate(keys.words):
        out[i] = draw(Keys((), words[None].copy(), keys.implementation))
    return out.reshape(keys.lead + call.shape)


def _uniforms(key: Keys, like: Array) -> Array:
    return Call(key, like.shape, like.dtype).unit_uniforms()


def _accepted(key: Keys, like: Array, trial: Trial) -> Array:
    """The last counts that `trial` accepts, when it has accepted one for each element."""
    counts, done = np.full(like.shape, -1, like.dtype), np.zeros(like.shape, bool)
    while not done.all():
        key, first, second = key.children(3)
        drawn, accept = trial(_uniforms(first, like) - like.dtype.type(0.5), _uniforms(second, like))
        counts, done = np.where(accept, drawn, counts), done | accept
    return counts


def _poisson_counted(key: Keys, rates: Array) -> Array:
    counts, logs = np.full(rates.shape, -1, np.int64), np.zeros(rates.shape, FLOAT32)
    while (pending := logs > -rates).any():
        key, child = key.children()
        counts += pending
        logs += log(_uniforms(child, rates))
    return counts


def _log_gamma(x: Array) -> Array:
    real = x.dtype.type
    z = x - 1
    total = np.ones_like(x)
    for i, coefficient in enumerate(LANCZOS, 1):
        total = total + real(coefficient) / (z + i)
    logs = log1p(z * real(1 / LANCZOS_G)) + real(LOG_LANCZOS_G)
    return fma(z + real(0.5) - (z + real(LANCZOS_G)) / logs, logs, real(LOG_ROOT_2PI)) + log(total)


def _binomial_counted(key: Keys, counts: Array, q: Array) -> Array:
    successes, trials = np.full(q.shape, -1, q.dtype), np.zeros(q.shape, q.dtype)
    step = log1p(-q)
    while (pending := trials <= counts).any():
        child, key = key.children()
        successes += pending
        trials += np.ceil(log(_uniforms(child, q)) / step)
    return successes
