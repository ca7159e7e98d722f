"""Keys: JAX's implementations of random keys, and how keys are made from seeds and from other keys. An implementation
takes keys as uint32 arrays of shape (keys, words). Its results have the keys on their first axis."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...operator import random_generator, random_window
from ...philox import MASK32, block as philox_block
from ...state import State
from .. import kernels
from ..shared import Array, Shape, check_choice, check_int, format_choices, join_words
from . import arguments
from .arguments import TYPED, UINT32, UINT64, UNSIGNED, Config, KeyArray, as_numpy, check_flag, check_shape

__all__ = ["PRNGKey", "fold_in", "key", "key_data", "rng_bit_generator", "rng_bit_generator_state", "split"]

Words = NDArray[np.uint32]

ALGORITHMS = ("RNG_DEFAULT", "RNG_PHILOX")  # the same on a CPU
STATE_WORDS: dict[np.dtype[Any], int] = {UINT32: 4, UINT64: 2}  # of a key of rng_bit_generator

THREEFRY = "threefry2x32"
REMEDIES = {  # by the number of words on the last axis
    (4,): "Four words are a key of impl='rbg' or 'unsafe_rbg'.",
    (6,): "Six words are a state, not a key: draw from it with dmlrand.random_generator.",
}
PIECE_WORDS = 1 << 15  # words that are made and read at a time, so that they stay in a core's caches


class Threefry:
    """Element i has its own counter, i in 64 bits."""

    impl = THREEFRY
    words = 2  # words of a key
    any_element = True  # whether `bits` can begin at any multiple of 16 elements, or only at element 0

    def seed(self, high: int, low: int) -> list[int]:
        return [high, low]

    def split(self, keys: Words, count: int) -> Words:
        return self._pairs(keys, count, 0)

    def fold_in(self, keys: Words, data: Words) -> Words:
        """(..., words): the child of each key for its number. The leading axes of keys broadcast with those of data."""
        children = np.empty((*np.broadcast_shapes(keys.shape[:-1], data.shape), 2), UINT32)
        words, numbers = np.broadcast_to(keys, children.shape).copy(), np.broadcast_to(data, children.shape[:-1]).copy()
        kernels.threefry_fold.run(words.reshape(-1), numbers.reshape(-1), children.reshape(-1))
        return children

    def bits(self, keys: Words, width: int, count: int, first: int = 0) -> NDArray[Any]:
        """(keys, count): elements first, first + 1, ... of each key, as unsigned words of 8, 16, 32 or 64 bits."""
        if width == 64:
            pairs = self._pairs(keys, count, first)
            return join_words(pairs[..., 1], pairs[..., 0])
        words = np.empty((len(keys), count), UINT32)
        kernels.threefry_bits.run(keys.reshape(-1), np.uint64(first), words.reshape(-1))
        return words if width == 32 else words.astype(f"u{width // 8}")

    def _pairs(self, keys: Words, count: int, first: int) -> Words:
        pairs = np.empty((len(keys), count, 2), UINT32)
        kernels.threefry_pairs.run(keys.reshape(-1), np.uint64(first), pairs.reshape(-1))
        return pairs


class OldThreefry(Threefry):
    """Threefry without jax_threefry_partitionable: the counters and the results of a draw are cut into two halves."""

    any_element = False

    def split(self, keys: Words, count: int) -> Words:
        return self._halves(keys, 2 * count).reshape(len(keys), count, 2)

    def bits(self, keys: Words, width: int, count: int, first: int = 0) -> NDArray[Any]:
        words = self._halves(keys, -(-width * count // 32))
        if width == 64:
            return join_words(words[:, count:], words[:, :count])
        # A word holds 4 elements of 8 bits or 2 of 16 bits, the lowest first.
        return words.astype("<u4", copy=False).view(f"<u{width // 8}")[:, :count].astype(f"u{width // 8}", copy=False)

    def _halves(self, keys: Words, count: int) -> Words:
        if count >= MASK32:
            raise ValueError(
                f"an output without partitionable must take fewer than 2**32 - 1 words; got {count}. "
                "JAX draws larger outputs from several keys: split the key, and draw a smaller output from each child."
            )
        words = np.empty((len(keys), count), UINT32)
        kernels.threefry_halves.run(keys.reshape(-1), words.reshape(-1))
        return words


class Philox:
    """A block for each element. The words differ from those of six-word states."""

    impl, words, any_element = "philox4x32", 2, True

    def seed(self, high: int, low: int) -> list[int]:
        return list(philox_block((high, low, 0, 0), (0, 0))[:2])

    def split(self, keys: Words, count: int) -> Words:
        return self.fold_in(keys[:, None], np.arange(count))

    def fold_in(self, keys: Words, data: NDArray[Any]) -> Words:
        return np.stack(self._blocks(keys, 0, data)[:2], axis=-1).astype(UINT32)

    def bits(self, keys: Words, width: int, count: int, first: int = 0) -> NDArray[Any]:
        w0, w1, w2, w3 = self._blocks(keys[:, None], np.arange(first, first + count), 0)
        return join_words(w1, w0) if width == 64 else (w0 ^ w1 ^ w2 ^ w3).astype(f"u{width // 8}")

    def _blocks(self, keys: Words, element: Any, child: Any) -> list[NDArray[np.uint64]]:
        """The blocks of these numbers, each given as its high and its low word."""
        key, half, low = keys.astype(UINT64), np.uint64(32), np.uint64(MASK32)
        i, j = np.asarray(element, UINT64), np.asarray(child, UINT64)
        return list(philox_block((i >> half, i & low, j >> half, j & low), (key[..., 0], key[..., 1])))


class Rbg:
    """A key is two keys of Threefry. Its bits are those of rng_bit_generator. As under jax.vmap, the first key draws
    the bits of all keys."""

    impl, words, any_element = "rbg", 4, False

    def __init__(self, halves: Threefry) -> None:
        self._halves = halves

    def seed(self, high: int, low: int) -> list[int]:
        return self._halves.seed(high, low) * 2

    def split(self, keys: Words, count: int) -> Words:
        children = self._halves.split(keys.reshape(-1, 2), count).reshape(len(keys), 2, count, 2)
        return np.ascontiguousarray(children.swapaxes(1, 2)).reshape(len(keys), count, 4)

    def fold_in(self, keys: Words, data: Words) -> Words:
        children = self._halves.fold_in(keys.reshape(*keys.shape[:-1], 2, 2), data[..., None])
        return children.reshape(*children.shape[:-2], 4)

    def bits(self, keys: Words, width: int, count: int, first: int = 0) -> NDArray[Any]:
        if len(keys) == 0:
            return np.empty((0, count), f"u{width // 8}")
        return _philox_bits(_state(keys[0]), width, keys.shape[:1] + (count,))[0]


class UnsafeRbg(Rbg):
    """As Rbg, but the children of a key too are blocks of rng_bit_generator, one in ten. As under jax.vmap, the first
    key draws the children of all keys, and the key of the first number the words for all numbers."""

    impl = "unsafe_rbg"

    def split(self, keys: Words, count: int) -> Words:
        if len(keys) == 0:
            return np.empty((0, count, 4), UINT32)
        return every_tenth_block(keys[0], len(keys) * count, 0).reshape(len(keys), count, 4)

    def fold_in(self, keys: Words, data: Words) -> Words:
        if data.size == 0:
            return np.empty((*np.broadcast_shapes(keys.shape[:-1], data.shape), 4), UINT32)
        seed = np.array(self.seed(0, int(data.flat[0])), UINT32)
        return keys ^ every_tenth_block(seed, data.size, 9).reshape(*data.shape, 4)


Implementation = Threefry | Philox | Rbg
_UNSAFE = UnsafeRbg(Threefry())
_IMPLEMENTATIONS: dict[str, tuple[Implementation, Implementation]] = {  # not partitionable, partitionable
    "threefry2x32": (OldThreefry(), Threefry()),
    "philox4x32": (Philox(), Philox()),
    "rbg": (Rbg(OldThreefry()), Rbg(Threefry())),
    "unsafe_rbg": (_UNSAFE, _UNSAFE),
}


def implementation_of(impl: Any, partitionable: Any = True) -> Implementation:
    layouts = _IMPLEMENTATIONS[THREEFRY if impl is None else check_choice(impl, "impl", _IMPLEMENTATIONS)]
    return layouts[check_flag(partitionable, "partitionable")]


@dataclass(slots=True)
class Keys:
    """One key or many, with their implementation. Every draw starts here."""

    lead: Shape  # the leading axes of the caller's array
    words: Words  # of shape (keys, words of a key), a copy
    implementation: Implementation

    def bits(self, width: int, shape: Shape) -> Array:
        """Unsigned words of `width` bits. Their shape is the keys' leading axes and `shape`."""
        return self.implementation.bits(self.words, width, math.prod(shape)).reshape(self.lead + shape)

    def pieces(self, width: int, shape: Shape, *parameters: Array) -> Iterator[tuple[Any, ...]]:
        """The words of `bits`, flat, in pieces: the place of each piece in the output, its words, and its numbers of
        each parameter. Parameters broadcast to the output. All have one number, or all have a number for each word."""
        if all(parameter.size == 1 for parameter in parameters):
            flat = [parameter.reshape(1) for parameter in parameters]
        else:
            flat = [np.broadcast_to(each, self.lead + shape).copy().reshape(-1) for each in parameters]
        rows, row_size = len(self.words), math.prod(shape)
        size = PIECE_WORDS if self.implementation.any_element else max(1, rows * row_size)
        rows_at_once = max(1, size // max(1, row_size))
        for row in range(0, rows, rows_at_once):
            for first in range(0, row_size, size):
                words = self.words[row : row + rows_at_once]
                bits = self.implementation.bits(words, width, min(size, row_size - first), first).reshape(-1)
                start = row * row_size + first
                place = slice(start, start + bits.size)
                yield place, bits, *[each if each.size == 1 else each[place] for each in flat]

    def children(self, count: int = 2) -> list[Keys]:
        """The children of each key: one Keys for the first children, one for the second children, ..."""
        children = self.implementation.split(self.words, count)
        return [Keys(self.lead, children[:, i].copy(), self.implementation) for i in range(count)]

    def array(self) -> Words:
        return self.words.reshape(*self.lead, self.implementation.words)


def read_options(key: Any, options: Config) -> tuple[Keys, bool]:
    """What every draw reads: the keys, and whether 64 bits are the default."""
    if options and (unknown := options.keys() - Config.__annotations__.keys()):
        rule = "Beside its own arguments, a function takes impl, partitionable, x64 and avx512_fp16."
        raise TypeError(f"unexpected argument {min(unknown)!r}. {rule}")
    keys = read_keys(key, options.get("impl"), options.get("partitionable", True))
    return keys, check_flag(options.get("x64", False), "x64")


def read_keys(key: Any, impl: Any, partitionable: Any) -> Keys:
    """The argument `key`, checked and copied. impl=None means the implementation of a typed key, or else Threefry."""
    name = None if isinstance(key, np.ndarray) else getattr(getattr(key, "dtype", None), "name", None)
    if isinstance(name, str) and name.startswith("key<"):
        if name not in TYPED:
            raise ValueError(f"key must be a typed key of {format_choices(TYPED)}; got {name}.")
        if impl is not None and impl != TYPED[name]:
            raise ValueError(f"impl must be None or {TYPED[name]!r}, the impl of key; got {impl!r}.")
        impl, key = TYPED[name], np.asarray(sys.modules["jax"].random.key_data(key))
    implementation = implementation_of(impl, partitionable)
    array = check_words(key, implementation.impl, {UINT32: implementation.words})
    return Keys(array.shape[:-1], array.copy().reshape(-1, implementation.words), implementation)


def check_words(key: Any, of: str, words: dict[np.dtype[Any], int]) -> NDArray[Any]:
    """`key` as an array of one of the types in `words`, with that many words on its last axis. `of` names the key."""
    is_array = hasattr(key, "dtype") and hasattr(key, "shape") and not hasattr(key, "mask")  # a mask would be ignored
    array = np.asarray(key) if is_array else np.empty(0)
    if (words.get(array.dtype),) == array.shape[-1:]:
        return array
    counts = " or ".join(f"{count} of {kind}" for kind, count in words.items())
    rule = f"key must be an array whose last axis holds the words of a {of} key, {counts}"
    if not is_array:
        raise TypeError(f"{rule}; got {type(key).__name__}. Pass numpy.array(words, numpy.uint32).")
    rule = f"{rule}; got {array.dtype} of shape {array.shape}"
    if array.dtype not in words:
        raise TypeError(f"{rule}. Convert it yourself once its values are known to be in range.")
    raise ValueError(f"{rule}. {REMEDIES.get(array.shape[-1:], 'PRNGKey(seed, impl=...) makes one.')}")


def PRNGKey(seed: Any, *, impl: str | None = None, x64: bool = False) -> Words:
    """The key of a seed in [-2**63, 2**63) or of a numpy integer. Without x64 the high word of the seed counts as 0.

    >>> PRNGKey(-1, x64=True)
    array([4294967295, 4294967295], dtype=uint32)
    """
    implementation, seed = implementation_of(impl), as_numpy(seed)
    is_short = isinstance(seed, np.integer) and seed.itemsize < 8
    number = int(seed) if isinstance(seed, np.integer) else check_int(seed, "seed", -(1 << 63), 1 << 63)
    high = number >> 32 & MASK32 if check_flag(x64, "x64") and not is_short else 0
    return np.array(implementation.seed(high, number & MASK32), UINT32)


def key(seed: Any, *, impl: str | None = None, dtype: Any = None, x64: bool = False) -> Words:
    """The same as PRNGKey of this module. dtype is that of a typed key of JAX, or a name of impl."""
    if dtype is None:
        return PRNGKey(seed, impl=impl, x64=x64)
    if impl is not None:
        raise ValueError(f"dtype must be None if impl is given; got {dtype!r} and {impl!r}. Leave one of them out.")
    return PRNGKey(seed, impl=TYPED.get(getattr(dtype, "name", ""), dtype), x64=x64)


def split(key: KeyArray, num: Any = 2, *, impl: str | None = None, partitionable: bool = True) -> Words:
    """Children of a key, in an array of shape (..., *num, 2).

    >>> split(PRNGKey(0))[0]
    array([1797259609, 2579123966], dtype=uint32)
    """
    keys = read_keys(key, impl, partitionable)
    shape = check_shape(num, "num")
    children = keys.implementation.split(keys.words, math.prod(shape))
    return children.reshape(*keys.lead, *shape, keys.implementation.words)


def fold_in(key: KeyArray, data: Any, *, impl: str | None = None) -> Words:
    """The child of a key for `data`: an int in [0, 2**32), or an array that broadcasts with the leading axes of key.
    JAX takes numpy integers modulo 2**32.

    >>> fold_in(PRNGKey(0), 1)
    array([ 928981903, 3453687069], dtype=uint32)
    """
    keys, data = read_keys(key, impl, True), as_numpy(data)
    if not isinstance(data, np.ndarray):
        data = np.array(check_int(data, "data", 0, 1 << 32), UINT32)
    elif data.dtype.kind not in "iu":
        rule = f"data must hold integers; got {data.dtype} of shape {data.shape}"
        raise TypeError(f"{rule}. Convert it: data.astype(numpy.uint32).")
    elif data.size:
        check_int(data.min(), "data", 0, 1 << 32)
        check_int(data.max(), "data", 0, 1 << 32)
    return keys.implementation.fold_in(keys.array(), data.astype(UINT32, copy=False))


def key_data(keys: KeyArray, *, impl: str | None = None) -> Words:
    """The words of keys, as a new array with the words on the last axis.

    >>> key_data(PRNGKey(42))  # or jax.random.key(42)
    array([ 0, 42], dtype=uint32)
    """
    return read_keys(keys, impl, True).array()


# XLA's RngBitGenerator: Philox4x32-10 from a state of six words


def rng_bit_generator(
    key: NDArray[Any], shape: Any, dtype: Any = np.uint32, algorithm: str = "RNG_DEFAULT", *, x64: bool = False
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The key that follows a key, in the same form, and bits. key is a uint32 array of shape (..., 4), or uint64 of
    shape (..., 2). With leading axes all bits come from the first key, and only that key changes, as under jax.vmap.

    >>> rng_bit_generator(np.array([7, 0, 5, 0], np.uint32), (6,))[0]
    array([7, 0, 7, 0], dtype=uint32)
    """
    check_choice(algorithm, "algorithm", ALGORITHMS)
    keys = np.array(check_words(key, "rng_bit_generator", STATE_WORDS), order="C")
    kind = UINT32 if dtype is None else arguments.read_dtype(dtype, UNSIGNED, check_flag(x64, "x64"))
    sizes = check_shape(shape)
    lead = keys.shape[:-1]
    if math.prod(lead) == 0:
        return keys, np.empty(lead + sizes, kind)
    first = keys.reshape(-1, keys.shape[-1])[0]
    values, state = _philox_bits(_state(first), 8 * kind.itemsize, lead + sizes)
    words = state[[4, 5, 0, 1]]
    first[...] = words if first.dtype == UINT32 else join_words(words[::2], words[1::2])
    return keys, values


def rng_bit_generator_state(key: NDArray[Any]) -> State:
    """The six-word state that draws the words of a single key, as rng_bit_generator of this module. It keeps the carry
    that rng_bit_generator drops."""
    keys = check_words(key, "rng_bit_generator", STATE_WORDS)
    if keys.ndim != 1:
        raise ValueError(f"key must be a single key; got shape {keys.shape}. Pass them one by one.")
    return _state(keys)


def every_tenth_block(key: NDArray[np.uint32], count: int, first: int) -> NDArray[np.uint32]:
    """(count, 4): the blocks first, first + 10, ... that RNG_DEFAULT draws from one key. `first` is below 10."""
    return random_window(_state(key), (count, 10, 4), (slice(None), first))


def _state(key: NDArray[Any]) -> State:
    words = key if key.dtype == UINT32 else np.stack((key & MASK32, key >> 32), axis=-1).astype(UINT32).reshape(-1)
    return words[[2, 3, 0, 1, 0, 1]]


def _philox_bits(state: State, width: int, shape: Shape) -> tuple[NDArray[Any], State]:
    words, after = random_generator(state, math.prod(shape) * (2 if width == 64 else 1))
    bits = join_words(words[0::2], words[1::2]) if width == 64 else words.astype(f"u{width // 8}", copy=False)
    return bits.reshape(shape), after
