"""The words of a state read as numbers: uniform reals, integers of a range, normals. The rules are TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import copysign, isfinite, prod
from typing import Any, Generic, NamedTuple, TypedDict, Unpack, overload

import numpy as np
from numpy import empty
from numpy.typing import DTypeLike, NDArray

from . import kernels
from .arrays.filling import ONE_THREAD, SCRATCH_ELEMENTS, THREADING_MIN_BYTES, fill_pieces
from .arrays.integers import check_int, format_range, format_value
from .arrays.number_types import (
    FLOATS,
    INTEGERS,
    DTypeOf,
    Scalar,
    check_dtype,
    check_real,
    round_real,
    words_per_number,
    words_read,
)
from .arrays.tensor import (
    PASS_EITHER,
    Shape,
    check_addressable,
    check_out,
    check_rank,
    check_shape,
    check_sizes,
    is_contiguous_aligned,
)
from .arrays.window import StridedRegion, window_region
from .state import UINT32, State, StateLike, check_state, move_blocks

Array = NDArray[Any]


PAIR = 2  # normals are made two at a time
FIRST_LANE = 0
FIRST_NUMBER = np.zeros(1, np.int64)  # where the one row of a whole tensor begins
new_tuple = tuple.__new__  # what a NamedTuple's own constructor calls, at half its cost

_SCALAR_TYPES = frozenset(np.dtype(name).type for name in {*FLOATS, *INTEGERS} - {"bfloat16"})

# The unsigned types, by their bytes.
_BITS: dict[int, np.dtype[Any]] = {2: np.dtype(np.uint16), 4: UINT32, 8: np.dtype(np.uint64)}


class Numbers(NamedTuple, Generic[Scalar]):
    """What uniform, integers and normal return. Type checkers know the type of the values unless dtype is a string."""

    values: NDArray[Scalar]
    state: State


class _Options(TypedDict, total=False):
    """The keyword arguments that all overloads below share."""

    window: Any
    out: Array | None
    threads: int
    lane: int


@overload
def uniform(
    state: StateLike, shape: Any = None, low: Any = 0.0, high: Any = 1.0, **options: Unpack[_Options]
) -> Numbers[np.float32]: ...
@overload
def uniform(
    state: StateLike,
    shape: Any = None,
    low: Any = 0.0,
    high: Any = 1.0,
    dtype: DTypeOf[Scalar] = ...,
    **options: Unpack[_Options],
) -> Numbers[Scalar]: ...
@overload
def uniform(
    state: StateLike,
    shape: Any = None,
    low: Any = 0.0,
    high: Any = 1.0,
    dtype: DTypeLike = ...,
    **options: Unpack[_Options],
) -> Numbers[Any]: ...
def uniform(
    state: StateLike,
    shape: Any = None,
    low: Any = 0.0,
    high: Any = 1.0,
    dtype: DTypeLike = np.float32,
    *,
    window: Any = None,
    out: Array | None = None,
    threads: int = 1,
    lane: int = 0,
) -> Numbers[Any]:
    """Real numbers spread evenly over [low, high), and the state after them.

    A number is u * (high - low) + low, where u is a fraction in [0, 1) made of the low bits of a word: 10 of them
    for float16, 23 for float32, 7 for bfloat16; float64 takes the low 20 bits of one word, then the 32 of the next.
    So u is any multiple of 2**-10, 2**-23, 2**-7 or 2**-52 below 1, equally likely. The difference, the product and
    the sum are each rounded to the type. low itself is drawn. high is drawn where the sum rounds up to it, as the
    second example shows; over [0, 1), and where the type holds all the sums, it is not.
    specs/distributions.md, section 3; TensorFlow's stateless_uniform gives the same numbers. Not for cryptography.

    Parameters
    ----------
    state : array_like of uint32, shape (6,) or (1, ..., 1, 6)
        As in random_generator. Never modified.
    shape : int or sequence of 1 to 8 ints >= 0, optional where out is given
    low, high : real numbers, low < high
        Rounded to the type as numpy casts a float64 (bfloat16: by way of float32), so 0.1 is fine; low < high must
        hold afterwards, and high - low be finite.
    dtype : float16, float32, float64 or bfloat16
        As numpy takes it; bfloat16 by name or from the package ml_dtypes, which it needs.
    window : int, slice of positive step, Ellipsis, or a tuple of these, optional
        Make only values[window], as random_window does; the new state is still that after all of shape, of fewer than
        2**63 words.
    out : array of dtype and shape (or of the window's shape), optional
        Written to instead of a new array, which is faster; any strides, as in random_generator.
    threads : int >= 1
        How many threads may share the work; outputs below 16 MiB stay with one. The bits never depend on it.
    lane : int in [0, 4)
        The lane of the state's first block where the words of the numbers begin, for Stream. They then end that much
        later, and the new state is that of the first block after them.

    Returns
    -------
    Numbers(values, state)
        values is a new array or `out` itself. state has the shape of the argument: the counter has advanced by
        ceil(n / 4) blocks after n numbers, float64 by ceil(n / 2).

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above; nothing was written.
    ImportError
        dtype is "bfloat16" and ml_dtypes is not installed.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> values, state = uniform(make_state(key=42), (2, 2), -1, 1)
    >>> values
    array([[ 0.6709182 ,  0.83259463],
           [-0.01070094,  0.04222655]], dtype=float32)
    >>> state
    array([ 1,  0,  0,  0, 42,  0], dtype=uint32)

    float32 has one number between 1 and 1 + 2**-22, so a quarter of the sums round up to high:

    >>> values, _ = uniform(make_state(key=42), 1000, 1, 1 + 2**-22)
    >>> np.unique((values - 1) * 2**23, return_counts=True)
    (array([0., 1., 2.], dtype=float32), array([246, 498, 256]))
    """
    words = check_state(state)
    rule = (_kept_uniform_rule if _can_be_kept(low, high, dtype) else _uniform_rule)(low, high, dtype)
    return _draw(words, lane, shape, rule, window, out, threads)


@overload
def integers(
    state: StateLike, shape: Any = None, low: int = ..., high: int = ..., **options: Unpack[_Options]
) -> Numbers[np.int32]: ...
@overload
def integers(
    state: StateLike,
    shape: Any = None,
    low: int = ...,
    high: int = ...,
    dtype: DTypeOf[Scalar] = ...,
    **options: Unpack[_Options],
) -> Numbers[Scalar]: ...
@overload
def integers(
    state: StateLike,
    shape: Any = None,
    low: int = ...,
    high: int = ...,
    dtype: DTypeLike = ...,
    **options: Unpack[_Options],
) -> Numbers[Any]: ...
def integers(
    state: StateLike,
    shape: Any = None,
    low: int | None = None,
    high: int | None = None,
    dtype: DTypeLike = np.int32,
    *,
    window: Any = None,
    out: Array | None = None,
    threads: int = 1,
    lane: int = 0,
) -> Numbers[Any]:
    """Integers in [low, high), and the state after them.

    A number is v mod (high - low) + low, where v is a word, or for the 64-bit types a word plus 2**32 times the next.
    Over a full range, such as [-2**31, 2**31) of int32, it is the bits of v themselves. The remainders are not quite
    equally likely: of the 2**N values of v (N = 32 or 64) the lowest 2**N mod (high - low) numbers of the range get
    one more than the others, which get floor(2**N / (high - low)). In [0, 1000) of int32 the numbers 0 to 295 come
    more often by 1 part in 4,294,967; in [0, 3 * 10**9) of uint32 those below 1,294,967,296 come twice as often.
    The 64-bit types make the first of these 1 part in 10**16.
    specs/distributions.md, section 4; TensorFlow's stateless_uniform gives the same numbers. Not for cryptography.

    Parameters
    ----------
    state : array_like of uint32, shape (6,) or (1, ..., 1, 6)
        As in random_generator. Never modified.
    shape : int or sequence of 1 to 8 ints >= 0, optional where out is given
    low, high : ints, low < high
        Both must be given, by position after shape or by name. low is a number of the type, and so is high - 1.
    dtype : int32, int64, uint32 or uint64
    window, out : optional
        As in uniform.
    threads : int >= 1
        As in uniform.
    lane : int in [0, 4)
        As in uniform.

    Returns
    -------
    Numbers(values, state)
        values is a new array or `out` itself. state has the shape of the argument: the counter has advanced by
        ceil(n / 4) blocks after n numbers, with the 64-bit types by ceil(n / 2).

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above; nothing was written.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> integers(make_state(key=42), 6, 1, 7).values
    array([6, 2, 4, 2, 4, 4], dtype=int32)
    """
    words = check_state(state)
    ints = low.__class__ is int and high.__class__ is int  # 1.0 equals 1, and is refused
    rule = (_kept_integers_rule if ints and _is_fixed(dtype) else _integers_rule)(low, high, dtype)
    return _draw(words, lane, shape, rule, window, out, threads)


@overload
def normal(
    state: StateLike, shape: Any = None, mean: Any = 0.0, stddev: Any = 1.0, **options: Unpack[_Options]
) -> Numbers[np.float32]: ...
@overload
def normal(
    state: StateLike,
    shape: Any = None,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeOf[Scalar] = ...,
    **options: Unpack[_Options],
) -> Numbers[Scalar]: ...
@overload
def normal(
    state: StateLike,
    shape: Any = None,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = ...,
    **options: Unpack[_Options],
) -> Numbers[Any]: ...
def normal(
    state: StateLike,
    shape: Any = None,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = np.float32,
    *,
    window: Any = None,
    out: Array | None = None,
    threads: int = 1,
    lane: int = 0,
) -> Numbers[Any]:
    """Normally distributed numbers, and the state after them.

    Two numbers are made of two fractions u1, u2 in [0, 1), by Box and Muller: with r = sqrt(-2 log(max(u1, 1e-7)))
    and v = 2 * pi * u2 they are r * sin(v) and r * cos(v), then multiplied by stddev, and mean added, each rounded to
    the type. The fractions are those of uniform; float16 and bfloat16 round what float32 gives. Before scaling no
    number is beyond 5.68. Those of float32 and float64 are within 4 ulp of the formula where they are beyond 0.001,
    and the same on every machine.
    specs/distributions.md, section 5; TensorFlow's stateless_normal gives the same but for the last bits, where its
    own depend on the C library. Not for cryptography.

    Parameters
    ----------
    state : array_like of uint32, shape (6,) or (1, ..., 1, 6)
        As in random_generator. Never modified.
    shape : int or sequence of 1 to 8 ints >= 0, optional where out is given
    mean, stddev : real numbers, stddev >= 0
        Rounded to the type as those of uniform. Results beyond the type's largest number are infinite.
    dtype : float16, float32, float64 or bfloat16
        As in uniform.
    window, out : optional
        As in uniform.
    threads : int >= 1
        As in uniform.
    lane : int in [0, 4)
        As in uniform. An odd count reads the words of its whole last pair, and the new state lies behind them.

    Returns
    -------
    Numbers(values, state)
        values is a new array or `out` itself. state has the shape of the argument: the counter has advanced by
        ceil(n / 4) blocks after n numbers, float64 by ceil(n / 2).

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above; nothing was written.
    ImportError
        dtype is "bfloat16" and ml_dtypes is not installed.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> normal(make_state(key=42), (2, 2)).values.round(3)
    array([[-0.301,  0.519],
           [-0.157, -1.176]], dtype=float32)
    """
    words = check_state(state)
    rule = (_kept_normal_rule if _can_be_kept(mean, stddev, dtype) else _normal_rule)(mean, stddev, dtype)
    return _draw(words, lane, shape, rule, window, out, threads)


def standard_normals(words: NDArray[np.uint32], dtype: DTypeLike = np.float32) -> Array:
    """The normals that given words make, for samplers which skip or reject some.

    Parameters
    ----------
    words : uint32 array of rank 1 whose size 2 divides (float64: 4)
    dtype : float16, float32, float64 or bfloat16

    Returns
    -------
    array of dtype, as long as words (float64: half as long)

    Examples
    --------
    >>> from dmlrand import make_state, random_generator
    >>> state = make_state(key=42)
    >>> words = random_generator(state, 8).values
    >>> bool((standard_normals(words) == normal(state, 8).values).all())
    True
    """
    kind = check_dtype(dtype, FLOATS)
    per_pair = PAIR * words_per_number(kind)
    if not isinstance(words, np.ndarray) or words.dtype != UINT32 or words.ndim != 1 or words.size % per_pair:
        raise ValueError(f"words must be a uint32 array of rank 1 whose size {per_pair} divides; got {words!r}.")
    flat = np.array(words, UINT32)  # a copy: kernels take no read-only or strided words
    # One times and minus zero more leave every number as it is, the zeros with their signs.
    if kind.itemsize == 8:
        wide = np.empty(flat.size // 2, np.float64)
        kernels.normal_of_words_64(flat, -0.0, 1.0, wide)
        return wide
    values = np.empty(flat.size, np.float32)
    kernels.normal_of_words_32(flat, -0.0, 1.0, values)
    return values.astype(kind, copy=False)


class _Rule(NamedTuple):
    """How numbers are made of words: by kernel(state, lane, positions, *arguments, flat)."""

    kind: np.dtype[Any]
    seen_as: np.dtype[Any]  # kernels know float32 and float64, and of all other types the bits
    kernel: str
    arguments: tuple[Any, ...]
    words: int  # of which as many numbers are made together as `together` says
    together: int = 1


def _uniform_rule(low: Any, high: Any, dtype: Any) -> _Rule:
    kind = check_dtype(dtype, FLOATS)
    bottom, width = _check_bounds(low, high, kind)
    if kind.itemsize == 2:
        return _Rule(kind, _BITS[2], "uniform_f16" if kind == np.float16 else "uniform_bf16", (bottom, width), 1)
    return _Rule(kind, kind, f"uniform_{8 * kind.itemsize}", (bottom, width), words_per_number(kind))


def _integers_rule(low: Any, high: Any, dtype: Any) -> _Rule:
    kind = check_dtype(dtype, INTEGERS)
    if low is None or high is None:
        raise TypeError(
            f"low and high must both be given; got low {low!r} and high {high!r}. low=0, high=10 draws from 0 to 9."
        )
    bottom, top = check_int(low, "low"), check_int(high, "high")
    if bottom >= top:
        raise ValueError(
            f"low must be below high; got low {format_value(bottom)} and high {format_value(top)}. high itself is never drawn."
        )
    info = np.iinfo(kind)
    if bottom < info.min or top - 1 > info.max:
        raise _not_within(kind, bottom, top)
    modulus = 1 << 8 * kind.itemsize
    width = top - bottom
    shift = bottom % modulus if width < modulus else 0
    # How the kernel divides: kernels/convert.py.
    bits = _BITS[kind.itemsize]
    division = np.array([shift, width % modulus, min(modulus // width, modulus - 1)], bits)
    return _Rule(kind, bits, f"integers_{8 * kind.itemsize}", (division,), words_per_number(kind))


def _normal_rule(mean: Any, stddev: Any, dtype: Any) -> _Rule:
    kind = check_dtype(dtype, FLOATS)
    centre = check_real(mean, "mean", kind)
    scale = check_real(stddev, "stddev", kind)
    if scale < 0:
        raise ValueError(f"stddev must be at least 0; got {stddev!r}. Its absolute value gives the same distribution.")
    arguments, pair_words = (float(centre), float(scale)), PAIR * words_per_number(kind)
    if kind.itemsize == 2:
        return _Rule(kind, _BITS[2], "normal_f16" if kind == np.float16 else "normal_bf16", arguments, pair_words, PAIR)
    return _Rule(kind, kind, f"normal_{8 * kind.itemsize}", arguments, pair_words, PAIR)


# Making a rule takes longer than a small draw. So rules are kept, where equal arguments always make the same rule.
_MakeRule = Callable[[Any, Any, Any], _Rule]
_kept_uniform_rule: _MakeRule = lru_cache(_uniform_rule)
_kept_integers_rule: _MakeRule = lru_cache(_integers_rule)
_kept_normal_rule: _MakeRule = lru_cache(_normal_rule)


def _can_be_kept(first: Any, second: Any, dtype: Any) -> bool:
    """Whether both numbers are Python's own, but for minus zero, which equals zero, and dtype is a fixed name or type."""
    return (
        (first.__class__ is int or (first.__class__ is float and (first != 0 or copysign(1.0, first) > 0)))
        and (second.__class__ is int or (second.__class__ is float and (second != 0 or copysign(1.0, second) > 0)))
        and _is_fixed(dtype)
    )


def _is_fixed(dtype: Any) -> bool:
    """Whether dtype is a name, or a type of numpy's: what numpy reads the dtype from is then the same each time."""
    return dtype.__class__ is str or (dtype.__class__ is type and dtype in _SCALAR_TYPES)


def _check_bounds(low: Any, high: Any, kind: np.dtype[Any]) -> tuple[float, float]:
    """low and high - low, rounded to the type."""
    bottom, top = check_real(low, "low", kind), check_real(high, "high", kind)
    if not bottom < top:
        raise ValueError(
            f"low must be below high once both are rounded to {kind}; got low {low!r}, which becomes {bottom}, "
            f"and high {high!r}, which becomes {top}."
        )
    # Rounded to float64 first, which changes nothing: it has more than twice the bits of the narrower types.
    width = round_real(float(top) - float(bottom), kind)
    if not isfinite(width):
        raise ValueError(
            f"high - low must be a finite number of {kind}; got low {low!r} and high {high!r}. Use a wider dtype."
        )
    return float(bottom), float(width)


def _not_within(kind: np.dtype[Any], low: int, high: int) -> ValueError:
    """The error for a range that the type lacks: it names those that have it."""

    def has(name: Any, number: int) -> bool:
        return bool(np.iinfo(name).min <= number <= np.iinfo(name).max)

    info = np.iinfo(kind)
    name, got = ("high - 1", f"high {format_value(high)}") if has(kind, low) else ("low", format_value(low))
    wider = " or ".join(other for other in INTEGERS if has(other, low) and has(other, high - 1))
    return ValueError(
        f"{name} must be a number of {kind}, {format_range(int(info.min), int(info.max) + 1)}; got {got}. "
        f"{f'Use dtype {wider}' if wider else 'No dtype has the whole range'}."
    )


def _draw(
    words: State,
    lane: int,
    shape: Any,
    rule: _Rule,
    window: Any,
    out: Array | None,
    threads: int,
) -> Numbers[Any]:
    """Fill an output by a rule, and move the state past the whole tensor."""
    kind, seen_as, kernel, arguments, rule_words, together = rule
    if lane is not FIRST_LANE:
        lane = check_int(lane, "lane", 0, 4)
    target = None if out is None else check_out(out, kind, words)
    if shape is None:
        if target is None:
            raise TypeError(f"shape must be given where out is not; got neither. {PASS_EITHER}")
        if window is not None:
            raise TypeError("shape must be given where window is: the sizes of the whole tensor; got None.")
        shape = check_rank(target).shape
    if window is None:
        made = sizes = check_shape(shape, kind.itemsize)
        region = None  # consecutive numbers from 0
        if target is not None and target.shape != sizes:
            raise ValueError(f"shape must be that of out, or None; got {sizes} and an out of shape {target.shape}.")
    else:
        sizes = check_sizes(shape)
        if lane + words_read(prod(sizes), kind) >= 1 << 63:
            raise ValueError(
                f"shape must use fewer than 2**63 words; got {sizes} of {kind}. Use more states, one a part."
            )
        region = window_region(sizes, window)
        made = check_addressable(region.sizes, "window", kind.itemsize)
        if target is not None and target.shape != made:
            raise ValueError(f"out must have the window's shape {made}; got {target.shape}.")
    if threads is not ONE_THREAD:
        check_int(threads, "threads", 1)
    values = empty(made, kind) if target is None else target
    state = words.copy()  # kernels take no read-only or strided state
    start = state if state.ndim == 1 else state.reshape(6)
    if (
        region is None
        and (out is None or is_contiguous_aligned(values))
        and (threads is ONE_THREAD or values.nbytes < THREADING_MIN_BYTES)
    ):
        flat = values if values.ndim == 1 else values.reshape(-1)
        getattr(kernels, kernel)(start, lane, FIRST_NUMBER, *arguments, flat if seen_as is kind else flat.view(seen_as))
    else:
        _fill_pieces(values, start, lane, rule, region, threads)
    numbers = values.size if region is None else prod(sizes)
    move_blocks(start, (lane + -(-numbers // together) * rule_words + 3) // 4)
    return new_tuple(Numbers, (values if out is None else out, state))


def _fill_pieces(
    values: Array, start: State, lane: int, rule: _Rule, region: StridedRegion | None, threads: int
) -> None:
    """Fill `values`, of any strides, with the numbers of `region`, or of a whole tensor."""

    def make(position: int, sizes: Shape, flat: Array) -> None:
        positions = np.array([position], np.int64) if region is None else region.part(position, sizes).row_starts()
        getattr(kernels, rule.kernel)(start, lane, positions, *rule.arguments, flat.view(rule.seen_as))

    # The starts of a window's rows, which can be as many as its numbers, are held for a piece at a time.
    fill_pieces(values, make, threads, None if region is None else SCRATCH_ELEMENTS)
