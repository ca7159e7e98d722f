"""Numbers of distributions, made from the words of a state by the rules of specs/distributions.md."""

from __future__ import annotations

from typing import Any, Never, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .drawing import number_rules
from .drawing.interchange import SupportsDLPack
from .drawing.number_types import DTypeOf, Integer, Real
from .drawing.plan import Array, Outputs, draw
from .state import StateLike

LOW, HIGH, MEAN, STDDEV = 0.0, 1.0, 0.0, 1.0
# Made once, because checking and binding parameters takes longer than a small draw.
UNIFORM, NORMAL = number_rules.uniform_rule(LOW, HIGH, np.float32), number_rules.normal_rule(MEAN, STDDEV, np.float32)


class _Options(TypedDict, total=False):
    """The keyword arguments of all overloads below."""

    window: Any
    out: Array | SupportsDLPack | None
    threads: int
    lane: int


@overload
def uniform(
    state: StateLike, shape: Any = None, *, low: Any = ..., high: Any = ...,
    dtype: DTypeOf[Real] = ..., **options: Unpack[_Options],
) -> Outputs[NDArray[Real]]: ...  # fmt: skip
@overload
def uniform(
    state: StateLike, shape: Any = None, *, low: Any = ..., high: Any = ...,
    dtype: DTypeLike = ..., **options: Unpack[_Options],
) -> Outputs[Array]: ...  # fmt: skip
def uniform(
    state: StateLike, shape: Any = None, *positional: Never, low: Any = LOW, high: Any = HIGH,
    dtype: DTypeLike = np.float32, window: Any = None, out: Array | SupportsDLPack | None = None, threads: int = 1,
    lane: int = 0,
) -> Outputs[Array]:  # fmt: skip
    """Uniformly distributed real numbers in [low, high), and the state after them.

    A number is u * (high - low) + low. The difference, the product and the sum are each rounded to the type. The
    fraction u in [0, 1) is made of the low bits of a word: 10 bits for float16, 23 for float32, 7 for bfloat16. float64
    takes the low 20 bits of one word, then all 32 bits of the next. So u is any multiple of 2**-10, 2**-23, 2**-7 or
    2**-52 below 1, each equally likely. low can be drawn. high is drawn only if the sum rounds up to it: never from
    [0, 1), nor if the type can represent every sum. Clauses: specs/distributions.md, section 3. TensorFlow's
    stateless_uniform gives the same numbers. Not for cryptography.

    Parameters
    ----------
    state, shape, out, threads : as in random_generator
        out has the dtype and the shape of the result. All other arguments are given by name, because NumPy has its
        parameters before the shape.
    low, high : real numbers, low < high
        Rounded to the type as numpy casts a float64 (bfloat16: by way of float32), so 0.1 is accepted. After that, low
        must be below high, and high - low must be finite.
    dtype : float16, float32, float64 or bfloat16
        By name, as a type, or as a dtype of numpy or PyTorch. bfloat16 needs the package ml_dtypes.
    window : int, slice of positive step, Ellipsis, or a tuple of these, optional
        Make only values[window], as random_window does. The new state is still the state after the whole tensor.
        The numbers of shape must take fewer than 2**63 words.
    lane : int in [0, 4)
        The lane of the state's first block that the words begin with, for Stream. The new state is the state of the
        first block after all words that were read: by ceil(n / 4) blocks further for n numbers from lane 0, or by
        ceil(n / 2) blocks for types of 64 bits.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> values, state = uniform(make_state(key=42), (2, 2), low=-1, high=1)
    >>> values
    array([[ 0.6709182 ,  0.83259463],
           [-0.01070094,  0.04222655]], dtype=float32)
    >>> state
    array([ 1,  0,  0,  0, 42,  0], dtype=uint32)
    """
    if positional:
        number_rules.refuse_positional("uniform", ("state", shape), positional)
    usual = low is LOW and high is HIGH and dtype is np.float32
    rule = UNIFORM if usual else number_rules.uniform_rule(low, high, dtype)
    return draw(state, rule, shape, window, out, threads, lane)


@overload
def integers(
    state: StateLike, shape: Any = None, low: int = ..., high: int = ...,
    dtype: DTypeOf[Integer] = ..., **options: Unpack[_Options],
) -> Outputs[NDArray[Integer]]: ...  # fmt: skip
@overload
def integers(
    state: StateLike, shape: Any = None, low: int = ..., high: int = ...,
    dtype: DTypeLike = ..., **options: Unpack[_Options],
) -> Outputs[Array]: ...  # fmt: skip
def integers(
    state: StateLike, shape: Any = None, low: int | None = None, high: int | None = None, dtype: DTypeLike = np.int32,
    *, window: Any = None, out: Array | SupportsDLPack | None = None, threads: int = 1,
    lane: int = 0,
) -> Outputs[Array]:  # fmt: skip
    """Integers in [low, high), and the state after them.

    A number is v mod (high - low) + low. v is a word; for the 64-bit types it is a word plus 2**32 times the next word.
    Over the full range of a type, the number has the bits of v.
    The remainders are not exactly equally likely: in [0, 1000) of int32, the numbers 0 to 295 are more frequent by 1
    part in 4,294,967; in [0, 3 * 10**9) of uint32, the numbers below 1,294,967,296 are twice as frequent. Clauses:
    specs/distributions.md, section 4. TensorFlow's stateless_uniform gives the same numbers. Not for cryptography.

    Parameters
    ----------
    low, high : ints, low < high
        Both must be given, by position after shape or by name. low and high - 1 must be numbers of the type.
    dtype : int32, int64, uint32 or uint64
    state, shape, window, out, threads, lane : as in uniform

    Examples
    --------
    >>> from dmlrand import make_state
    >>> integers(make_state(key=42), 6, 1, 7).values
    array([6, 2, 4, 2, 4, 4], dtype=int32)
    """
    return draw(state, number_rules.integers_rule(low, high, dtype), shape, window, out, threads, lane)


@overload
def normal(
    state: StateLike, shape: Any = None, *, mean: Any = ..., stddev: Any = ...,
    dtype: DTypeOf[Real] = ..., **options: Unpack[_Options],
) -> Outputs[NDArray[Real]]: ...  # fmt: skip
@overload
def normal(
    state: StateLike, shape: Any = None, *, mean: Any = ..., stddev: Any = ...,
    dtype: DTypeLike = ..., **options: Unpack[_Options],
) -> Outputs[Array]: ...  # fmt: skip
def normal(
    state: StateLike, shape: Any = None, *positional: Never, mean: Any = MEAN, stddev: Any = STDDEV,
    dtype: DTypeLike = np.float32, window: Any = None, out: Array | SupportsDLPack | None = None, threads: int = 1,
    lane: int = 0,
) -> Outputs[Array]:  # fmt: skip
    """Normally distributed numbers, and the state after them.

    Two numbers are made of two fractions u1, u2 in [0, 1) by the method of Box and Muller. With
    r = sqrt(-2 log(max(u1, 1e-7))) and v = 2 * pi * u2, the numbers are r * sin(v) and r * cos(v). They are multiplied
    by stddev, then mean is added, each rounded to the type. The fractions are those of uniform. float16 and bfloat16
    are rounded from float32's numbers. Before scaling, no number exceeds 5.68 in magnitude. Numbers of float32 and
    float64 beyond 0.001 are within 4 ulp of the formula. All are the same on every machine.
    Clauses: specs/distributions.md, section 5. TensorFlow's stateless_normal gives the same numbers except for the last
    bits, which depend on its C library. Not for cryptography.

    Parameters
    ----------
    mean, stddev : real numbers, stddev >= 0
        Rounded to the type as in uniform. A result beyond the type's largest number is infinite.
    state, shape, dtype, window, out, threads, lane : as in uniform
        With an odd count, all words of the last pair are read, and the new state is after them.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> normal(make_state(key=42), (2, 2)).values.round(3)
    array([[-0.301,  0.519],
           [-0.157, -1.176]], dtype=float32)
    """
    if positional:
        number_rules.refuse_positional("normal", ("state", shape), positional)
    usual = mean is MEAN and stddev is STDDEV and dtype is np.float32
    rule = NORMAL if usual else number_rules.normal_rule(mean, stddev, dtype)
    return draw(state, rule, shape, window, out, threads, lane)


@overload
def exponential(
    state: StateLike, shape: Any = None, *, scale: Any = ...,
    dtype: DTypeOf[Real] = ..., **options: Unpack[_Options],
) -> Outputs[NDArray[Real]]: ...  # fmt: skip
@overload
def exponential(
    state: StateLike, shape: Any = None, *, scale: Any = ...,
    dtype: DTypeLike = ..., **options: Unpack[_Options],
) -> Outputs[Array]: ...  # fmt: skip
def exponential(
    state: StateLike, shape: Any = None, *positional: Never, scale: Any = 1.0,
    dtype: DTypeLike = np.float32, window: Any = None, out: Array | SupportsDLPack | None = None, threads: int = 1,
    lane: int = 0,
) -> Outputs[Array]:  # fmt: skip
    """Exponentially distributed numbers, and the state after them: waiting times whose mean is scale.

    A number is scale * -log(1 - u), with the fraction u in [0, 1) of uniform. 1 - u is exact and never 0. So u = 0
    gives 0, a larger u gives no smaller number, and before scaling no number exceeds 15.9424 (float64: 36.0437).
    float16 and bfloat16 are rounded from float32's numbers, and then multiplied. Before scaling, float32 and float64
    are within 1.1 ulp of the formula. All are the same on every machine.
    Clauses: specs/distributions.md, section 8. Not for cryptography.

    Parameters
    ----------
    scale : real number >= 0
        The mean: 1 / rate. Rounded to the type as in uniform. A result beyond the type's largest number is infinite.
    state, shape, dtype, window, out, threads, lane : as in uniform

    Examples
    --------
    >>> from dmlrand import make_state
    >>> exponential(make_state(key=42), (2, 2), scale=10).values.round(2)
    array([[18.05, 24.8 ],
           [ 6.83,  7.36]], dtype=float32)
    """
    if positional:
        number_rules.refuse_positional("exponential", ("state", shape), positional)
    return draw(state, number_rules.exponential_rule(scale, dtype), shape, window, out, threads, lane)


def bernoulli(
    state: StateLike, shape: Any = None, p: Any = None,
    *, window: Any = None, out: NDArray[np.bool_] | SupportsDLPack | None = None, threads: int = 1, lane: int = 0,
) -> Outputs[NDArray[np.bool_]]:  # fmt: skip
    """Bools that are True with probability p, and the state after them: masks, for example for dropout.

    A bool takes one word, and is True if the word is below T = round(p * 2**32). So the probability of True is
    T / 2**32, which differs from p by at most 2**-33. p = 0 never gives True, and p = 1 always does. With the same
    state, every bool that is True for one p is True for every larger p. Clauses: specs/distributions.md, section 7. Not
    for cryptography.

    Parameters
    ----------
    p : real number in [0, 1]
        The probability of True, rounded to float64. It must be given, by position after shape or by name.
    state, shape, window, out, threads, lane : as in uniform
        out has the dtype bool.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> bernoulli(make_state(key=42), (2, 3), 0.4).values
    array([[False, False,  True],
           [ True, False,  True]])
    """
    return draw(state, number_rules.bernoulli_rule(p), shape, window, out, threads, lane)
