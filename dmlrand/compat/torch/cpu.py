"""torch's Philox numbers on a CPU: those of functions that torch.compile made (its backend Inductor), and the stateless
draws of torch.func._random. specs/torch.md, sections 3 and 4, has the formulas."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...drawing.number_types import FLOATS, check_dtype, check_real
from ...operator import random_generator
from ...philox import MASK64
from ...state import make_state
from .. import kernels
from ..shared import FLOAT32, FLOAT64, Array, Shape, check_bits, check_int, check_signed_seed, format_value, join_words
from .generator import HIGH63, check_chance, check_range, check_shape, uniforms, words64

__all__ = [
    "compiled_dropout_mask", "compiled_rand", "compiled_randint", "compiled_randn", "compiled_seeds", "func_fold_in",
    "func_key", "func_normal", "func_split", "func_uniform",
]  # fmt: skip

Key = NDArray[np.uint64]

SCALE = np.float32(4.6566127342e-10)  # torch's: 2**31 - 1 times it is below 1 in float32
FRACTION_BITS = {"e": 11, "E": 8, "f": 24, "d": 53}  # of the types, by numpy's letter: E is bfloat16


def compiled_seeds(seed: int, n: int) -> NDArray[np.int64]:
    """The first n seeds that a compiled function draws after torch.manual_seed(seed): one for each of its draws. Other
    uses of torch's default generator take seeds too.

    >>> compiled_seeds(0, 2)
    array([ 900450186894289455, 3969543146641149120])
    """
    count = check_int(n, "n", 0, 1 << 59)
    # RandomState's stream is frozen, and it starts as torch's MT19937 does.
    source = np.random.RandomState(check_signed_seed(seed) % (1 << 32))._bit_generator  # type: ignore[attr-defined]
    numbers = words64(source.random_raw(2 * count)) % np.uint64(MASK64)
    return (numbers + np.uint64(HIGH63)).view(np.int64)


def compiled_rand(seed: int, shape: Any) -> NDArray[np.float32]:
    """torch.rand and rand_like in a compiled function: float32 of [0, 1). Exact. seed is one of compiled_seeds.

    >>> compiled_rand(compiled_seeds(0, 1)[0], 2).shape
    (2,)
    """
    sizes = check_shape(shape, 4)
    return _compiled_unit(_first_words(seed, sizes, 1)).reshape(sizes)


def compiled_randn(seed: int, shape: Any) -> NDArray[np.float32]:
    """torch.randn and randn_like in a compiled function, as compiled_rand of this module. Normals within 2 ulp."""
    sizes = check_shape(shape, 4)
    u = (np.float32(1) - _compiled_unit(_first_words(seed, sizes, 2))).astype(np.float64).reshape(-1, 2)
    pairs = np.empty(2 * len(u))
    kernels.box_muller.run(u[:, 0].copy(), 2 * np.pi * u[:, 1], pairs)
    return pairs[1::2].astype(np.float32).reshape(sizes)


def compiled_randint(seed: int, low: int, high: int, shape: Any) -> NDArray[np.int64]:
    """torch.randint in a compiled function: int64 of [low, high), as compiled_rand of this module. Exact."""
    first, last = check_range(low, high)
    sizes = check_shape(shape, 8)
    words = _first_words(seed, sizes, 2)
    numbers = join_words(words[::2], words[1::2]) % np.uint64(last - first)
    return (numbers.view(np.int64) + first).reshape(sizes)


def compiled_dropout_mask(seed: int, p: float, shape: Any) -> NDArray[np.bool_]:
    """What a dropout with chance p in a compiled function keeps, as bools, as compiled_rand of this module. Exact."""
    return np.asarray(compiled_rand(seed, shape) > check_chance(p, FLOAT32))


def _first_words(seed: Any, sizes: Shape, per_block: int) -> NDArray[np.uint32]:
    """The first `per_block` words of the block of each element."""
    blocks = np.empty((prod(sizes), 4), np.uint32)
    random_generator(make_state(key=check_signed_seed(seed) % (1 << 32)), out=blocks)
    return blocks[:, :per_block].reshape(-1)


def _compiled_unit(words: NDArray[np.uint32]) -> NDArray[np.float32]:
    return (words & np.uint32(0x7FFFFFFF)).astype(np.float32) * SCALE


def func_key(seed: int) -> Key:
    """The key of a seed in [0, 2**64): the seed and the offset 0. The functions below also take two ints, or keys of
    shape (..., 2).

    >>> func_key(42)
    array([42,  0], dtype=uint64)
    """
    return np.array([check_bits(seed, "seed", 64), 0], np.uint64)


def func_split(key: Any, num: int = 2) -> Key:
    """`num` >= 1 new keys from each key, in an array of shape (num, ..., 2). Exact.

    >>> func_split(func_key(42))[0]
    array([8643895580192075859, 6287785766076502189], dtype=uint64)
    """
    return _children(_check_key(key), check_int(num, "num", 1, 1 << 59))


def func_fold_in(key: Any, data: int) -> Key:
    """A new key for an int in [-2**63, 2**64): `torch.func._random.fold_in`, drawn as func_split of this module."""
    keys = _check_key(key)
    return _children(keys, 1, check_int(data, "data", -HIGH63, 1 << 64)).reshape(keys.shape)


def func_uniform(key: Any, shape: Any, *, low: float = 0.0, high: float = 1.0, dtype: DTypeLike = np.float32) -> Array:
    """Uniform numbers of [low, high] in float16, bfloat16, float32 or float64. Exact. Trap: high itself can be drawn.
    An array of keys has one axis for each axis of `shape`, of the same size or of size 1. Its trailing axes of size 1
    are the axes along which each key draws.

    >>> func_uniform(func_key(42), 4).round(4)
    array([0.9177, 0.9581, 0.7473, 0.2606], dtype=float32)
    """
    kind = check_dtype(dtype, FLOATS)
    sizes = check_shape(shape, kind.itemsize)
    least, highest = check_real(low, "low", kind), check_real(high, "high", kind)
    keys, count = _rows(key, sizes)
    words: Array = _words(keys, 2 * count if kind.itemsize == 8 else count).reshape(-1)
    if kind.itemsize == 8:
        words = words64(words)
    bits, made = FRACTION_BITS[kind.char], FLOAT64 if kind.itemsize == 8 else FLOAT32
    numbers: Array = (words & (1 << bits) - 1).astype(made)
    with np.errstate(over="ignore"):  # results beyond the type's largest number are infinite
        numbers = numbers * 0.5**bits * made.type(highest - least) + made.type(least)
        return numbers.astype(kind, copy=False).reshape(sizes)


def func_normal(key: Any, shape: Any, *, mean: float = 0.0, std: float = 1.0, dtype: DTypeLike = np.float32) -> Array:
    """Normal numbers, drawn as func_uniform of this module. Before scaling, within 3 ulp (float64: 4 ulp)."""
    kind = check_dtype(dtype, FLOATS)
    made = FLOAT64 if kind.itemsize == 8 else FLOAT32
    sizes = check_shape(shape, kind.itemsize)
    centre, scale = (check_real(each, name, made) for each, name in ((mean, "mean"), (std, "std")))
    keys, count = _rows(key, sizes)
    even = count + count % 2
    words = _words(keys, even * made.itemsize // 4).reshape(-1)
    if kind.itemsize == 8:
        u: Array = words[::2] * 2.0**-32 + (words[1::2] * 2.0**-64 + 2.0**-65)
    else:
        u = uniforms(words)
    pairs = np.empty(u.size)
    kernels.box_muller.run(u[::2].astype(np.float64), (u[1::2] * made.type(2 * np.pi)).astype(np.float64), pairs)
    cosines_first = pairs.reshape(-1, 2)[:, ::-1].reshape(len(keys), even)[:, :count]
    with np.errstate(over="ignore"):
        numbers: Array = cosines_first.astype(made) * scale + centre
        return numbers.astype(kind, copy=False).reshape(sizes)


def _check_key(key: Any) -> Key:
    if isinstance(key, (list, tuple)) and len(key) == 2:
        return np.array([check_bits(each, f"key[{i}]", 64) for i, each in enumerate(key)], np.uint64)
    if not isinstance(key, np.ndarray) or key.dtype != np.uint64 or key.shape[-1:] != (2,):
        rule = "key must be a uint64 array of shape (..., 2) or two ints"
        got = f"{key.dtype} of shape {key.shape}" if isinstance(key, np.ndarray) else format_value(key)
        raise TypeError(f"{rule}; got {got}. func_key makes one.")
    return key


def _children(keys: Key, num: int, first: int = 0) -> Key:
    words = _words(keys, 4 * num, first)
    children = join_words(words[:, ::2], words[:, 1::2]).reshape(-1, num, 2)
    return children.swapaxes(0, 1).reshape(num, *keys.shape)


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
