"""torch.func._random: stateless draws from keys, as torch computes them on a CPU."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ... import kernels
from ...arrays.integers import check_bits, check_int
from ...arrays.number_types import check_dtype, check_real
from ...messages import format_value
from ...state import make_state
from .arguments import HIGH63, check_shape
from .numbers import uniforms, words64

Key = NDArray[np.uint64]

MASK64 = (1 << 64) - 1
FRACTION24, FRACTION53 = np.uint32((1 << 24) - 1), np.uint64((1 << 53) - 1)
TURN = np.float32(2 * np.pi)


def func_key(seed: int) -> Key:
    """A key from a seed: `torch.func._random.key`.

    Parameters
    ----------
    seed : int in [0, 2**64)

    Returns
    -------
    uint64 array of shape (2,)
        The seed, and the offset 0: the counter of the first block that a draw reads.

    Examples
    --------
    >>> func_key(42)
    array([42,  0], dtype=uint64)
    """
    return np.array([check_bits(seed, "seed", 64), 0], np.uint64)


def func_split(key: Any, num: int = 2) -> Key:
    """`num` new keys from one: `torch.func._random.split`. Exact.

    Key i is the block of the counter offset + i: its words 0 and 1 are the seed, and words 2 and 3 are the offset.

    Parameters
    ----------
    key : uint64 array of shape (2,), or two ints in [0, 2**64)
        Arrays of several keys are not supported.
    num : int >= 1

    Returns
    -------
    uint64 array of shape (num, 2)

    Examples
    --------
    >>> func_split(func_key(42))
    array([[8643895580192075859, 6287785766076502189],
           [6033254488940945703, 8380643633896839790]], dtype=uint64)
    """
    count = check_int(num, "num", 1, 1 << 59)
    words = _words(*_read_key(key), 4 * count).astype(np.uint64)
    return (words[::2] | words[1::2] << np.uint64(32)).reshape(count, 2)


def func_fold_in(key: Any, data: int) -> Key:
    """A new key for a number: `torch.func._random.fold_in`, which is split(key, data + 1)[data]. Exact.

    Parameters
    ----------
    key : as in func_split
    data : int in [-2**63, 2**64)
        Taken modulo 2**64.

    Returns
    -------
    uint64 array of shape (2,)

    Examples
    --------
    >>> func_fold_in(func_key(42), 1)
    array([6033254488940945703, 8380643633896839790], dtype=uint64)
    """
    seed, offset = _read_key(key)
    number = check_int(data, "data", -HIGH63, 1 << 64)
    child: Key = func_split((seed, (offset + number) & MASK64), 1)[0]
    return child


def func_uniform(
    key: Any, shape: Any, *, low: float = 0.0, high: float = 1.0, dtype: DTypeLike = np.float32
) -> NDArray[Any]:
    """Uniform numbers of [low, high]: `torch.func._random.uniform`. Exact.

    A fraction of float32 is the low 24 bits of a word. One of float64 is the low 53 bits of two words, the first one
    high. It is multiplied by high - low, then low is added, each rounded to the type. high itself can be drawn.

    Parameters
    ----------
    key : as in func_split
    shape : int, or tuple or list of ints >= 0
        It must describe fewer than 2**31 bytes.
    low, high : real numbers
        Rounded to the type.
    dtype : float32 or float64

    Returns
    -------
    array of dtype and of `shape`

    Examples
    --------
    >>> func_uniform(func_key(42), 4).round(4)
    array([0.9177, 0.9581, 0.7473, 0.2606], dtype=float32)
    """
    kind = check_dtype(dtype, ("float32", "float64"))
    sizes = check_shape(shape, kind.itemsize)
    least, highest = check_real(low, "low", kind), check_real(high, "high", kind)
    words = _words(*_read_key(key), prod(sizes) * kind.itemsize // 4)
    if kind == np.float32:
        fractions: NDArray[Any] = (words & FRACTION24).astype(np.float32) * np.float32(2.0**-24)
    else:
        fractions = (words64(words) & FRACTION53).astype(np.float64) * 2.0**-53
    with np.errstate(over="ignore"):  # results beyond the type's largest number are infinite
        numbers: NDArray[Any] = fractions * (highest - least) + least
    return numbers.reshape(sizes)


def func_normal(key: Any, shape: Any, *, mean: float = 0.0, std: float = 1.0) -> NDArray[np.float32]:
    """Normal float32: `torch.func._random.normal`. Before scaling, within 3 ulp.

    Two words make two numbers, sqrt(-2 log u1) times the cosine and then the sine of 2 * pi * u2. u1 and u2 are
    w * 2**-32 + 2**-33. key, shape and the errors are those of func_uniform.

    Parameters
    ----------
    mean, std : real numbers
        Rounded to float32. A number is multiplied by std, then mean is added, each rounded.

    Examples
    --------
    >>> func_normal(func_key(42), 4).round(4)
    array([-0.9702,  0.194 , -1.2356,  1.9239], dtype=float32)
    """
    sizes = check_shape(shape, 4)
    centre, scale = (check_real(each, name, np.dtype(np.float32)) for each, name in ((mean, "mean"), (std, "std")))
    count = prod(sizes)
    u = uniforms(_words(*_read_key(key), count + count % 2))
    pairs = np.empty(u.size)
    kernels.box_muller(u[::2].astype(np.float64), (u[1::2] * TURN).astype(np.float64), pairs)
    cosines_first = pairs.reshape(-1, 2)[:, ::-1].reshape(-1)[:count].astype(np.float32)
    with np.errstate(over="ignore"):
        numbers: NDArray[np.float32] = cosines_first * scale + centre
    return numbers.reshape(sizes)


def _read_key(key: Any) -> tuple[int, int]:
    """The seed and the offset of a key."""
    if isinstance(key, np.ndarray) and (key.dtype != np.uint64 or key.shape != (2,)):
        raise TypeError(f"key must be uint64 of shape (2,); got {key.dtype} of shape {key.shape}. func_key makes one.")
    if not isinstance(key, (np.ndarray, list, tuple)) or len(key) != 2:
        raise TypeError(
            f"key must be a uint64 array of shape (2,) or two ints; got {format_value(key)}. func_key makes one."
        )
    return check_bits(key[0], "key[0]", 64), check_bits(key[1], "key[1]", 64)


def _words(seed: int, offset: int, n: int) -> NDArray[np.uint32]:
    """The words of the blocks of counters offset, offset + 1, ..., modulo 2**64."""
    out = np.empty(n, np.uint32)
    before_wrap = min(n, 4 * ((1 << 64) - offset))
    kernels.draw(make_state(counter=offset, key=seed), out[:before_wrap])
    if before_wrap < n:
        kernels.draw(make_state(key=seed), out[before_wrap:])
    return out
