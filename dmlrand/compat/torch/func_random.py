"""torch.func._random: stateless draws from keys, as torch computes them on a CPU."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...arrays.integers import check_bits, check_int
from ...arrays.number_types import FLOATS, check_dtype, check_real
from ...arrays.tensor import Shape
from ...messages import format_value
from ...operator import random_generator
from ...state import make_state
from .. import kernels
from ..shared import join_words
from .generator import HIGH63, check_shape, uniforms, words64

Key = NDArray[np.uint64]

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
# For each type, by numpy's letter (E is bfloat16): the bits of a word or of two words that make a fraction, the value
# of the lowest one, and the type of the computation.
FRACTIONS: dict[str, tuple[Any, Any, Any]] = {
    letter: (np.uint32((1 << bits) - 1), np.float32(2.0**-bits), np.float32)
    for letter, bits in (("e", 11), ("E", 8), ("f", 24))
} | {"d": (np.uint64((1 << 53) - 1), np.float64(2.0**-53), np.float64)}
TURN_32, TURN_64 = np.float32(2 * np.pi), 2 * np.pi


def func_key(seed: int) -> Key:
    """A key from a seed, an int in [0, 2**64): `torch.func._random.key`.

    A key is the seed, and the offset 0: the counter of the first block that a draw reads. It is a uint64 array of shape
    (2,). The functions below take arrays of keys too, of shape (..., 2).

    >>> func_key(42)
    array([42,  0], dtype=uint64)
    """
    return np.array([check_bits(seed, "seed", 64), 0], np.uint64)


def func_split(key: Any, num: int = 2) -> Key:
    """`num` >= 1 new keys from each key, in an array of shape (num, ..., 2): `torch.func._random.split`. Exact.

    key is a uint64 array of shape (..., 2), or two ints in [0, 2**64). Key i is the block of the counter offset + i:
    its words 0 and 1 are the seed, and words 2 and 3 are the offset.

    >>> func_split(func_key(42))
    array([[8643895580192075859, 6287785766076502189],
           [6033254488940945703, 8380643633896839790]], dtype=uint64)
    """
    return _children(_check_key(key), check_int(num, "num", 1, 1 << 59))


def func_fold_in(key: Any, data: int) -> Key:
    """A new key for a number: `torch.func._random.fold_in`, which is split(key, data + 1)[data]. Exact.

    data, an int in [-2**63, 2**64), is taken modulo 2**64 and folded into each key.

    >>> func_fold_in(func_key(42), 1)
    array([6033254488940945703, 8380643633896839790], dtype=uint64)
    """
    keys = _check_key(key)
    return _children(keys, 1, check_int(data, "data", -HIGH63, 1 << 64)).reshape(keys.shape)


def func_uniform(
    key: Any, shape: Any, *, low: float = 0.0, high: float = 1.0, dtype: DTypeLike = np.float32
) -> NDArray[Any]:
    """Uniform numbers of [low, high]: `torch.func._random.uniform`. Exact.

    A fraction of float64 is the low 53 bits of two words, the first one high. One of float32, float16 or bfloat16 is
    the low 24, 11 or 8 bits of a word. It is multiplied by high - low, then low is added, each rounded to the type, or
    to float32 for the types of 16 bits, whose result is then rounded. high itself can be drawn.

    key is that of func_split. An array of keys has one axis for each axis of `shape`, of the same size or of size 1.
    Its trailing axes of size 1 are the axes along which each key draws. shape, an int, or a tuple or list of ints >= 0,
    must describe fewer than 2**31 bytes. low and high are rounded to dtype: float16, bfloat16, float32 or float64.

    >>> func_uniform(func_key(42), 4).round(4)
    array([0.9177, 0.9581, 0.7473, 0.2606], dtype=float32)
    """
    kind = check_dtype(dtype, FLOATS)
    sizes = check_shape(shape, kind.itemsize)
    least, highest = check_real(low, "low", kind), check_real(high, "high", kind)
    keys, count = _rows(key, sizes)
    words: NDArray[Any] = _words(keys, 2 * count if kind.itemsize == 8 else count).reshape(-1)
    if kind.itemsize == 8:
        words = words64(words)
    mask, step, made = FRACTIONS[kind.char]
    with np.errstate(over="ignore"):  # results beyond the type's largest number are infinite
        numbers: NDArray[Any] = (words & mask).astype(made) * step * made(highest - least) + made(least)
        return (numbers if kind is numbers.dtype else numbers.astype(kind)).reshape(sizes)


def func_normal(
    key: Any, shape: Any, *, mean: float = 0.0, std: float = 1.0, dtype: DTypeLike = np.float32
) -> NDArray[Any]:
    """Normal numbers: `torch.func._random.normal`. Before scaling, within 3 ulp (float64: 4 ulp).

    Two uniform numbers make two normals, sqrt(-2 log u1) times the cosine and then the sine of 2 * pi * u2. For float32
    u1 and u2 are w * 2**-32 + 2**-33 for a word w; for float64 they are w * 2**-32 + (w' * 2**-64 + 2**-65) for two
    words. Numbers of 16-bit types are those of float32, rounded. key, shape and dtype are those of func_uniform. mean
    and std are rounded to float32, or for float64 not rounded. A number is multiplied by std, then mean is added, each
    rounded.

    >>> func_normal(func_key(42), 4).round(4)
    array([-0.9702,  0.194 , -1.2356,  1.9239], dtype=float32)
    """
    kind = check_dtype(dtype, FLOATS)
    made, turn = (FLOAT64, TURN_64) if kind.itemsize == 8 else (FLOAT32, TURN_32)
    sizes = check_shape(shape, kind.itemsize)
    centre, scale = (check_real(each, name, made) for each, name in ((mean, "mean"), (std, "std")))
    keys, count = _rows(key, sizes)
    even = count + count % 2
    words = _words(keys, even * made.itemsize // 4).reshape(-1)
    if kind.itemsize == 8:
        u: NDArray[Any] = words[::2] * 2.0**-32 + (words[1::2] * 2.0**-64 + 2.0**-65)
    else:
        u = uniforms(words)
    pairs = np.empty(u.size)
    kernels.box_muller.run(u[::2].astype(np.float64), (u[1::2] * turn).astype(np.float64), pairs)
    cosines_first = pairs.reshape(-1, 2)[:, ::-1].reshape(len(keys), even)[:, :count]
    with np.errstate(over="ignore"):
        numbers: NDArray[Any] = cosines_first.astype(made) * scale + centre
        return numbers.astype(kind, copy=False).reshape(sizes)


def _check_key(key: Any) -> Key:
    """A key or an array of keys as uint64 of shape (..., 2)."""
    if isinstance(key, np.ndarray):
        if key.dtype != np.uint64 or key.shape[-1:] != (2,):
            raise TypeError(
                f"key must be uint64 of shape (..., 2); got {key.dtype} of shape {key.shape}. func_key makes one."
            )
        return key
    if not isinstance(key, (list, tuple)) or len(key) != 2:
        raise TypeError(
            f"key must be a uint64 array of shape (..., 2) or two ints; got {format_value(key)}. func_key makes one."
        )
    return np.array([check_bits(each, f"key[{i}]", 64) for i, each in enumerate(key)], np.uint64)


def _children(keys: Key, num: int, first: int = 0) -> Key:
    words = _words(keys, 4 * num, first)
    children = join_words(words[:, ::2], words[:, 1::2])
    if keys.ndim == 1:  # Fast path: numpy's function takes as long as all of this.
        return children.reshape(num, 2)
    return np.moveaxis(children.reshape(*keys.shape[:-1], num, 2), -2, 0)


def _rows(key: Any, sizes: Shape) -> tuple[Key, int]:
    """The keys of a draw, as rows, and how many consecutive elements each of them draws."""
    keys = _check_key(key)
    batch = keys.shape[:-1]
    if not batch:
        return keys.reshape(1, 2), prod(sizes)
    if len(batch) != len(sizes) or any(size not in (1, whole) for size, whole in zip(batch, sizes)):
        raise ValueError(
            f"key must have an axis of size 1 or of the same size for each axis of shape; got {keys.shape} for shape "
            f"{sizes}. The last axis of key, of size 2, does not count."
        )
    axes = max((axis + 1 for axis, size in enumerate(batch) if size != 1), default=0)
    leading = np.broadcast_to(keys.reshape(*batch[:axes], 2), (*sizes[:axes], 2))
    return leading.reshape(-1, 2), prod(sizes[axes:])


def _words(keys: Key, n: int, first: int = 0) -> NDArray[np.uint32]:
    """n words for each key: those of the blocks of counters offset + first, offset + first + 1, .., modulo 2**64."""
    out = np.empty((keys.size // 2, n), np.uint32)
    for row, (seed, offset) in zip(out, keys.reshape(-1, 2).tolist()):
        counter = (offset + first) % (1 << 64)
        before_wrap = min(n, 4 * ((1 << 64) - counter))
        random_generator(make_state(counter=counter, key=seed), out=row[:before_wrap])
        if before_wrap < n:
            random_generator(make_state(key=seed), out=row[before_wrap:])
    return out
